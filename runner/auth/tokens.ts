/** Finds the caller of a token, from the current tokens file and from SLUICE_TOKEN. */
import { statSync } from 'node:fs'
import { BoundedMap } from '../model/bounded-map.js'
import { parseByteSize } from '../model/byte-size.js'
import { SetupError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import { fileStamp } from '../model/file-stamp.js'
import type { Caller, Clock, TokenStore } from '../model/ports.js'
import { hashToken, parseRate, readRecords, type TokenRecord } from './token-file.js'

/** How long a revoked token may still work, in milliseconds. */
const RECHECK_MS = 100
/** The most tokens whose hash is cached. */
const MAX_REMEMBERED = 1_000
/** The longest token text whose hash is cached. */
const MAX_REMEMBERED_LENGTH = 256

export interface TokenStoreOptions {
  /** The tokens file. While it does not exist, only `unrestrictedToken` is known. */
  readonly path: string
  /** SLUICE_TOKEN; null where it is not set. */
  readonly unrestrictedToken: string | null
  readonly clock: Clock
  readonly observe: Observer
}

interface KnownToken {
  readonly caller: Caller
  /** How many calls with the token wait for queries; a reload of the file keeps the count. */
  readonly waiting: { count: number }
  readonly expiresMs: number
  readonly rate: Bucket
  readonly fresh: Bucket
}

/**
 * Follows changes of the file: an added token works at once, and a removed token stops working within a tenth of a second.
 * While the file is missing or malformed, the tokens that were read last stay valid.
 */
export class FileTokens implements TokenStore {
  readonly #options: TokenStoreOptions
  readonly #unrestricted = unrestrictedCaller('SLUICE_TOKEN')
  readonly #unrestrictedHash: string | null
  #stamp: string | null
  #byHash: ReadonlyMap<string, KnownToken> = new Map()
  #checkedMs: number
  /**
   * The hashes of valid tokens, by their texts. V8 looks up a string by a hash whose seed differs in each process, and compares
   * characters only if all bits of the hashes are equal. So the time of a lookup reveals nothing about a token.
   */
  readonly #hashes = new BoundedMap<string, string>(MAX_REMEMBERED)

  /** @throws SetupError when the file exists and cannot be used. */
  constructor(options: TokenStoreOptions) {
    const { path, unrestrictedToken, clock } = options
    this.#options = options
    this.#unrestrictedHash = unrestrictedToken === null ? null : hashToken(unrestrictedToken)
    this.#stamp = stampOf(path)
    if (this.#stamp !== null) this.#byHash = readTokens(path, this.#byHash, clock)
    this.#checkedMs = clock.nowMs()
  }

  find(token: string): Caller | null {
    this.#recheck(RECHECK_MS)
    // The lookup compares hashes, not tokens, so its time reveals nothing about a token.
    const hash = this.#hashes.get(token) ?? hashToken(token)
    const isUnrestricted = hash === this.#unrestrictedHash
    // A token that was created a moment ago, as on a first start, must work at once.
    if (!isUnrestricted && !this.#byHash.has(hash)) this.#recheck(0)
    const entry = this.#byHash.get(hash)
    const listedCaller = entry && this.#options.clock.nowMs() < entry.expiresMs ? entry.caller : null
    const caller = isUnrestricted ? this.#unrestricted : listedCaller
    // Unknown tokens are not cached.
    if (caller && token.length <= MAX_REMEMBERED_LENGTH && !this.#hashes.has(token)) this.#hashes.set(token, hash)
    return caller
  }

  /** Reads the file again if it has changed. Does nothing within `afterMs` after the last check. */
  #recheck(afterMs: number): void {
    const { path, clock, observe } = this.#options
    const now = clock.nowMs()
    if (now - this.#checkedMs < afterMs && now >= this.#checkedMs) return
    this.#checkedMs = now
    const current = stampOf(path)
    if (current === this.#stamp) return
    this.#stamp = current
    try {
      if (current === null) throw new SetupError('the tokens file is gone')
      this.#byHash = readTokens(path, this.#byHash, clock)
      observe({ kind: 'tokens.reloaded', tokens: this.#byHash.size })
    } catch (cause) {
      observe({ kind: 'tokens.unreadable', reason: cause instanceof Error ? cause.message : String(cause) })
    }
  }
}

/** A caller that may call every endpoint with any arguments: SLUICE_TOKEN, or code in this process. */
export function unrestrictedCaller(name: string): Caller {
  return Object.freeze({
    token: name,
    mayCall: () => true,
    pinned: Object.freeze({}),
    allTenants: true,
    admit: () => 0,
    beginWait: () => () => {},
    // `Cache-Control: no-cache` has no effect here, since many clients send it with every revalidation.
    admitFresh: null,
    bytesPerDay: null,
    mayPurge: true,
    mayExplain: false,
    mayExport: true,
  })
}

/** A stamp that changes with the file; null where it does not exist. */
function stampOf(path: string): string | null {
  try {
    return fileStamp(statSync(path, { bigint: true }))
  } catch {
    return null
  }
}

/** Reads the tokens. A token whose rate is unchanged keeps its bucket, so that a reload does not refill it. */
function readTokens(path: string, before: ReadonlyMap<string, KnownToken>, clock: Clock): Map<string, KnownToken> {
  const tokens = new Map<string, KnownToken>()
  for (const record of readRecords(path)) {
    const old = before.get(record.sha256)
    const rate = old?.rate.rate === record.rate ? old.rate : createBucket(record.rate, clock)
    const fresh = old?.fresh.rate === record.fresh ? old.fresh : createBucket(record.fresh, clock)
    const expiresMs = record.expires === null ? Infinity : Date.parse(record.expires)
    const waiting = old?.waiting ?? { count: 0 }
    const counts = { waiting, rate, fresh }
    tokens.set(record.sha256, { caller: callerOf(record, counts), expiresMs, ...counts })
  }
  return tokens
}

interface Bucket {
  readonly rate: string | null
  admit(): number
}

function callerOf(record: TokenRecord, { rate, fresh, waiting }: Omit<KnownToken, 'caller' | 'expiresMs'>): Caller {
  const most = record.concurrent ?? Infinity
  const patterns = record.endpoints.map(namePattern)
  return Object.freeze({
    token: record.name,
    mayCall: (endpointName: string) => patterns.some(pattern => pattern.test(endpointName)),
    pinned: Object.freeze({ ...record.pinned }),
    allTenants: record.allTenants,
    admit: rate.admit,
    beginWait() {
      if (waiting.count >= most) return null
      waiting.count += 1
      return () => {
        waiting.count -= 1
      }
    },
    mayPurge: record.purge,
    mayExplain: record.explain,
    mayExport: record.export,
    admitFresh: record.fresh === null ? null : () => fresh.admit() === 0,
    bytesPerDay: record.bytesPerDay === null ? null : (parseByteSize(record.bytesPerDay) ?? null),
  })
}

/** A scope such as `logs.*` as a regular expression for the whole name. */
export function namePattern(text: string): RegExp {
  const literal = text.replace(/\*+/g, '*').replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replaceAll('*', '.*')}$`)
}

/** A token bucket that starts full: `100/min` admits a hundred calls at once and then one every 0.6 seconds. */
function createBucket(rate: string | null, clock: Clock): Bucket {
  const parsed = rate === null ? null : parseRate(rate)
  if (parsed === null) return { rate, admit: () => 0 }
  const msPerCall = parsed.perMs / parsed.calls
  let left = parsed.calls
  let filledMs = clock.nowMs()
  return {
    rate,
    admit() {
      const now = clock.nowMs()
      left = Math.min(parsed.calls, left + Math.max(0, now - filledMs) / msPerCall)
      filledMs = now
      if (left < 1) return (1 - left) * msPerCall
      left -= 1
      return 0
    },
  }
}
