/** Who a token belongs to, by the tokens file as it is now and by SLUICE_TOKEN. */
import { readFileSync, statSync } from 'node:fs'
import { BoundedMap } from '../model/bounded-map.js'
import { parseByteSize } from '../model/byte-size.js'
import { SetupError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import { fileStamp } from '../model/file-stamp.js'
import type { Caller, Clock, TokenStore } from '../model/ports.js'
import { cannotReadTokens, hashToken, parseRate, parseTokenFile, type TokenRecord } from './token-file.js'

/** How long a token that was taken away may go on. */
const RECHECK_MS = 100
/** Token texts whose hash is remembered. */
const MAX_REMEMBERED = 1_000
/** Of what is sent as a token, the longest text that is remembered. */
const MAX_REMEMBERED_LENGTH = 256

export interface TokenStoreOptions {
  /** Need not exist: then only `unrestrictedToken` is known, until it does. */
  readonly path: string
  /** SLUICE_TOKEN; null for none. */
  readonly unrestrictedToken: string | null
  readonly clock: Clock
  readonly observe: Observer
}

interface KnownToken {
  readonly caller: Caller
  readonly expiresMs: number
  readonly rate: Bucket
  readonly fresh: Bucket
}

/**
 * Follows the file: a token added there is known at once, one removed is gone within a tenth of a second. While the
 * file is missing or broken the tokens last read stay.
 * @throws SetupError when the file is there at first and cannot be used.
 */
export function openTokenStore(options: TokenStoreOptions): TokenStore {
  const { path, unrestrictedToken, clock, observe } = options
  const unrestricted = unrestrictedToken === null ? null : unrestrictedCaller('SLUICE_TOKEN')
  const unrestrictedHash = unrestrictedToken === null ? null : hashToken(unrestrictedToken)
  let stamp = stampOf(path)
  let byHash = stamp === null ? new Map<string, KnownToken>() : readTokens(path, new Map(), clock)
  let checkedMs = clock.nowMs()
  /**
   * Hashes by the texts of known tokens. V8 looks a text up by a hash of its own, seeded anew in each process, and
   * compares characters only where all its bits are equal: how long that takes tells nothing about a token.
   */
  const remembered = new BoundedMap<string, string>(MAX_REMEMBERED)

  function recheck(afterMs: number): void {
    const now = clock.nowMs()
    if (now - checkedMs < afterMs && now >= checkedMs) return
    checkedMs = now
    const current = stampOf(path)
    if (current === stamp) return
    stamp = current
    try {
      if (current === null) throw new SetupError('the tokens file is gone')
      byHash = readTokens(path, byHash, clock)
      observe({ kind: 'tokens.reloaded', tokens: byHash.size })
    } catch (cause) {
      observe({ kind: 'tokens.unreadable', reason: cause instanceof Error ? cause.message : String(cause) })
    }
  }

  /** Of strangers nothing is remembered. */
  function remember(token: string, hash: string, before: string | undefined, caller: Caller | null): Caller | null {
    if (before !== undefined || token.length > MAX_REMEMBERED_LENGTH) return caller
    remembered.set(token, hash)
    return caller
  }

  return {
    find(token) {
      recheck(RECHECK_MS)
      const before = remembered.get(token)
      // Equal hashes are looked up, not equal tokens: how long that takes tells nothing about a token.
      const hash = before ?? hashToken(token)
      if (hash === unrestrictedHash) return remember(token, hash, before, unrestricted)
      // Whoever was given a token a moment ago, as on a first start, may use it at once.
      if (!byHash.has(hash)) recheck(0)
      const known = byHash.get(hash)
      return known && clock.nowMs() < known.expiresMs ? remember(token, hash, before, known.caller) : null
    },
    async close() {},
  }
}

/** A caller who may call everything with any arguments: SLUICE_TOKEN, or code in this process. */
export function unrestrictedCaller(name: string): Caller {
  // No fresh results: clients send `no-cache` of themselves whenever they ask whether something has changed.
  const admitFresh = null
  const pinned = Object.freeze({})
  return Object.freeze({
    token: name,
    mayCall: () => true,
    pinned,
    allTenants: true,
    admit: () => 0,
    admitFresh,
    bytesPerDay: null,
    mayPurge: true,
  })
}

/** Changes when the file does; null when there is none. */
function stampOf(path: string): string | null {
  try {
    return fileStamp(statSync(path, { bigint: true }))
  } catch {
    return null
  }
}

/** A token whose rate stays as it was keeps its bucket, so that a reload gives nobody a fresh one. */
function readTokens(path: string, before: ReadonlyMap<string, KnownToken>, clock: Clock): Map<string, KnownToken> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw cannotReadTokens(path, cause)
  }
  const known = new Map<string, KnownToken>()
  for (const record of parseTokenFile(text, path)) {
    const old = before.get(record.sha256)
    const rate = old?.rate.rate === record.rate ? old.rate : createBucket(record.rate, clock)
    const fresh = old?.fresh.rate === record.fresh ? old.fresh : createBucket(record.fresh, clock)
    const expiresMs = record.expires === null ? Infinity : Date.parse(record.expires)
    known.set(record.sha256, { caller: callerOf(record, rate, fresh), expiresMs, rate, fresh })
  }
  return known
}

interface Bucket {
  readonly rate: string | null
  admit(): number
}

function callerOf(record: TokenRecord, rate: Bucket, fresh: Bucket): Caller {
  const patterns = record.endpoints.map(namePattern)
  return Object.freeze({
    token: record.name,
    mayCall: (endpointName: string) => patterns.some(pattern => pattern.test(endpointName)),
    pinned: Object.freeze({ ...record.pinned }),
    allTenants: record.allTenants,
    admit: rate.admit,
    mayPurge: record.purge,
    admitFresh: record.fresh === null ? null : () => fresh.admit() === 0,
    bytesPerDay: record.bytesPerDay === null ? null : (parseByteSize(record.bytesPerDay) ?? null),
  })
}

/** `logs.*` as a pattern for the whole name. */
export function namePattern(text: string): RegExp {
  const literal = text.replace(/\*+/g, '*').replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replaceAll('*', '.*')}$`)
}

/** A token bucket that starts full: `100/min` admits a hundred at once and then one each 0.6 seconds. */
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
