/**
 * Results in Redis or Valkey, shared by replicas. Through it the replicas also agree which of them runs the query of a key, and
 * announce stored results, ended runs and purges.
 */
import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { deadlineSignal } from '../../../model/deadline.js'
import { RunnerError } from '../../../model/errors.js'
import type { Clock, Lease, PurgeMarks, ReplicaEvent, RunOutcome, StoredResult } from '../../../model/ports.js'
import { readJson } from '../../../model/read-json.js'
import { partitionPurgesName, purgesOf } from '../../../model/result-key.js'
import { withPart } from '../purged-part.js'
import { StoreError } from './failure.js'
import { claimLease } from './leases.js'
import type { RedisLink } from './link.js'
import { isEvent, MAX_MARK, MAX_PART } from './schemas.js'
import { Signer } from './signer.js'
import { decodeValue, encodeValue, hasFewKeptParts, hasRoomFor } from './value.js'

/** Changed with the format of values: replicas of different versions do not see each other's results. */
const RESULTS = 'r8'

/** The number of keys that one step of a purge scans; a step may take PURGE_STEP_MS. */
const PURGE_STEP = 1_000
const PURGE_STEP_MS = 2_000
/**
 * Every purge changes a random mark in Redis; a result is used only while the marks it was stored with are current. How long a mark is
 * kept, in milliseconds.
 */
const MARK_MS = 31_536_000_000

/** The most characters of a message that is read. A longer one is not of a replica, and takes long to check. */
const MAX_MESSAGE = 1_000_000

/** The interval at which a replica that waits for another's run polls the store: messages can be lost, and owners can die. */
const POLL_MS = 200

export interface RedisStoreOptions {
  readonly link: RedisLink
  /** The prefix of every key and channel: installations with different prefixes are separate. */
  readonly prefix: string
  readonly clock: Clock
  /** SLUICE_REDIS_KEY; null where it is not set. */
  readonly key: string | null
  /** Called with the reason when an entry or a message of another program is ignored. */
  readonly onTrouble: (operation: 'get' | 'message', cause: StoreError) => void
}

/** Results over a link, which the caller closes. Methods reject with a StoreError while Redis fails. */
export class RedisStore {
  readonly #options: RedisStoreOptions
  readonly #signer: Signer
  readonly #channel: string
  /** Emits each event of a replica as EVENT, and each outcome of a run as `nameOf(key)`. */
  readonly #events = new EventEmitter().setMaxListeners(0)

  constructor(options: RedisStoreOptions) {
    this.#options = options
    this.#signer = new Signer(options.key)
    this.#channel = `${options.prefix}events`
    options.link.subscribe({
      channel: this.#channel,
      onMessage: text => this.#receive(text),
      // Purges may have been missed, so all that this process holds is dropped.
      onConnected: () => this.#notify({ type: 'purged', prefix: '' }),
    })
  }

  /** The stored result, unless a later purge concerns it, and the current marks of purges. A value that cannot be right is a miss. */
  async find(key: string): Promise<{ result?: StoredResult; keepMs?: number; purges: PurgeMarks }> {
    const name = this.#resultName(key)
    const marks = purgesOf(key).map(purge => this.#markName(purge))
    const { value, purges } = await this.#read(name, marks)
    const nowMs = this.#options.clock.nowMs()
    try {
      const entry = value && (await decodeValue(name, value, this.#signer, nowMs))
      const result = entry && nowMs < entry.keepUntil && applyPurges(entry, purges)
      if (result) return { result, keepMs: entry.keepUntil - nowMs, purges }
    } catch (cause) {
      this.#options.onTrouble('get', cause as StoreError)
    }
    return { purges }
  }

  /** Stores a result with the marks that were read before its query began; false where it is too large. */
  async set(key: string, result: StoredResult, keepMs: number, purges: PurgeMarks): Promise<boolean> {
    if (!hasRoomFor(result.body, this.#signer) || !hasFewKeptParts(result)) return false
    const [name, keepUntil] = [this.#resultName(key), this.#options.clock.nowMs() + keepMs]
    const value = encodeValue(name, { result, keepUntil, purges }, this.#signer)
    await this.#options.link.send(['SET', name, value, 'PX', String(Math.ceil(keepMs))])
    await this.#publish({ type: 'stored', key, storedAt: result.storedAt })
    return true
  }

  /** Claims the lease of this key for this state of the data; null where another replica has it. */
  async claim(key: string, dataState: string): Promise<Lease | null> {
    const { link, clock, prefix } = this.#options
    const end = await claimLease(link, clock, `${prefix}l:{${key}}${dataState}`)
    const release = async (outcome: RunOutcome): Promise<void> => {
      await end?.()
      // A stored result was announced already.
      if (outcome.kind !== 'stored') await this.#publish({ type: 'ended', key, outcome }).catch(() => {})
    }
    return end && { release }
  }

  /** Registers a listener for events of replicas, its own included. */
  onEvent(listener: (event: ReplicaEvent) => void): void {
    this.#events.on(EVENT, listener)
  }

  /** Waits for the outcome of another replica's run of this key; `unknown` after 200 ms without an event. */
  async outcome(key: string, signal: AbortSignal): Promise<RunOutcome> {
    try {
      // Not AbortSignal.any with AbortSignal.timeout: Node collects such a signal as garbage before its time, and the call waits for ever.
      const { signal: either, end } = deadlineSignal([signal], POLL_MS, this.#options.clock)
      const [outcome] = await once(this.#events, nameOf(key), { signal: either }).finally(end)
      return outcome
    } catch {
      if (signal.aborted) throw new RunnerError('CALL_ABANDONED')
      return { kind: 'unknown' }
    }
  }

  /**
   * Purges the results whose keys have this prefix, in every replica. With `partition`, the text of one, the endpoint's kept rows lose
   * only the rows of that partition.
   */
  async purge(keyPrefix: string, partition?: string): Promise<void> {
    const { link, prefix } = this.#options
    if (partition !== undefined) {
      await this.#addToMark(this.#markName(partitionPurgesName(keyPrefix)), partition)
      return this.#publish({ type: 'purged', prefix: keyPrefix, part: partition })
    }
    // Once the mark is written, no replica uses results that were stored before; deleting them only frees memory.
    await link.send(['SET', this.#markName(keyPrefix), newMark(), 'PX', String(MARK_MS)])
    await this.#publish({ type: 'purged', prefix: keyPrefix })
    const pattern = `${escapeGlob(`${prefix}${RESULTS}:{${keyPrefix}`)}*`
    let cursor = '0'
    do {
      const step = ['SCAN', cursor, 'MATCH', pattern, 'COUNT', String(PURGE_STEP)] as const
      const reply = await link.send([...step], PURGE_STEP_MS)
      const [next, names] = reply as unknown as readonly [Buffer, readonly Buffer[]]
      // One command per key, since in a cluster the keys are in different slots.
      await Promise.all(names.map(name => link.send(['UNLINK', name], PURGE_STEP_MS)))
      cursor = String(next)
    } while (cursor !== '0')
  }

  /**
   * Appends the purged partition to the endpoint's mark. A mark that becomes too long is replaced, which drops all kept rows of the
   * endpoint.
   */
  async #addToMark(name: string, partition: string): Promise<void> {
    const { link } = this.#options
    await link.send(['SET', name, newMark(), 'NX', 'PX', String(MARK_MS)])
    const length = await link.send(['APPEND', name, `,${partition}`])
    if (Number(length) > MAX_MARK - MAX_PART) await link.send(['SET', name, newMark(), 'PX', String(MARK_MS)])
  }

  async #publish(event: ReplicaEvent): Promise<void> {
    await this.#options.link.send(['PUBLISH', this.#channel, this.#signer.seal(JSON.stringify(event), this.#channel)])
  }

  #receive(sealed: string): void {
    const isLong = sealed.length > MAX_MESSAGE
    const event = isLong ? null : readJson(this.#signer.open(sealed, this.#channel) ?? '')
    if (isEvent(event)) this.#notify(event)
    else this.#options.onTrouble('message', new StoreError(FOREIGN))
  }

  #notify(event: ReplicaEvent): void {
    this.#events.emit(EVENT, event)
    if (event.type === 'stored') this.#events.emit(nameOf(event.key), { kind: 'stored' })
    if (event.type === 'ended') this.#events.emit(nameOf(event.key), event.outcome)
  }

  /** Braces make a hash tag: in a cluster the result and the lease of a key are in one slot. */
  #resultName(key: string): string {
    return `${this.#options.prefix}${RESULTS}:{${key}}`
  }

  #markName(keyPrefix: string): string {
    return `${this.#options.prefix}p:{${keyPrefix}}`
  }

  /**
   * Reads a value together with the marks of purges. If Redis has lost a mark, it may have lost a purge too. So a missing mark is replaced
   * by a new one, and results stored under the old one are not used any more.
   */
  async #read(name: string, marks: readonly string[]): Promise<{ value: Buffer | null; purges: PurgeMarks }> {
    const { link } = this.#options
    for (const isLast of [false, true]) {
      const reply = await link.send(['MGET', name, ...marks])
      const [value = null, ...texts] = Array.isArray(reply) ? (reply as readonly (Buffer | null)[]) : []
      const purges = texts.map(mark => (mark && mark.byteLength <= MAX_MARK ? String(mark) : ''))
      if (purges.length === marks.length && !purges.includes('')) return { value, purges }
      const make = (mark: string) => link.send(['SET', mark, newMark(), 'NX', 'PX', String(MARK_MS)])
      if (!isLast) await Promise.all(marks.filter((_, i) => !purges[i]).map(make))
    }
    throw new StoreError('Redis does not keep the marks of purges')
  }
}

const FOREIGN = 'a message was not written by a replica with the same version and SLUICE_REDIS_KEY'

const EVENT = 'event'
/** Prefixed, since an EventEmitter throws on an event named `error`. */
const nameOf = (key: string): string => `outcome of ${key}`

/**
 * The result with later purges applied: null after a purge of the whole entry; after purges of partitions, a result with kept rows, on
 * which those partitions are marked as purged, and null for any other result.
 */
function applyPurges(
  { result, purges }: { result: StoredResult; purges: PurgeMarks },
  currentPurges: PurgeMarks,
): StoredResult | null {
  if (purges.slice(0, -1).some((mark, i) => mark !== currentPurges[i])) return null
  const [before, after] = [purges.at(-1)!, currentPurges.at(-1)!]
  if (before === after) return result
  return result.kept && after.startsWith(`${before},`) ? withPart(result, after.slice(before.length + 1)) : null
}

const newMark = (): string => randomBytes(12).toString('base64url')

const escapeGlob = (text: string): string => text.replace(/[\\*?[\]^]/g, '\\$&')
