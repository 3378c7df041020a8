/** Results in Redis or Valkey, shared by replicas: they see each other's results and agree on who runs what. */
import type { Clock, Lease, Replicas, ResultStore, StoredResult } from '../model/ports.js'
import { openReplicaChannel, type ReplicaEvent } from './redis-events.js'
import { createLeases } from './redis-leases.js'
import type { NodeLink, RedisLink } from './redis-link.js'
import { decodeValue, encodeValue, type KeptResult } from './redis-value.js'
import { StoreError } from './store-error.js'

/** A larger result is kept in memory only: on its way it would hold up everything else. */
const MAX_VALUE_BYTES = 4_000_000
/** Keys looked at in one step of a purge, which may take PURGE_STEP_MS. */
const PURGE_STEP = 1_000
const PURGE_STEP_MS = 2_000

export interface RedisStoreOptions {
  readonly link: RedisLink
  /** Before every key and channel: installations with different ones do not see each other. */
  readonly prefix: string
  readonly clock: Clock
  /** Different in each process. */
  readonly replica: string
}

export interface RedisStore extends ResultStore {
  /** The entry with the end of its time. */
  find(key: string): Promise<KeptResult | undefined>
  /** Told of what other replicas do. */
  onEvent(listener: (event: ReplicaEvent) => void): void
  readonly replicas: Replicas
}

/** Whoever opened the link closes it. Methods reject with a StoreError while Redis fails. */
export function openRedisStore({ link, prefix, clock, replica }: RedisStoreOptions): RedisStore {
  // Braces: in a cluster everything about one key lies in one slot.
  const resultKey = (key: string): string => `${prefix}r:{${key}}`
  const events = openReplicaChannel({ link, prefix, replica, clock })
  const leases = createLeases({ link, clock, keyOf: key => `${prefix}l:{${key}}` })
  const purges = new Set<(keyPrefix: string) => void>()
  /** Results that are on their way to Redis. */
  const writing = new Set<Promise<void>>()
  events.onEvent(event => {
    if (event.type === 'purged') for (const note of purges) note(event.prefix)
  })

  async function find(key: string): Promise<KeptResult | undefined> {
    const value = await link.send(['GET', resultKey(key)])
    if (value === null) return undefined
    if (!Buffer.isBuffer(value)) throw new StoreError('the value is not one of ours')
    const kept = decodeValue(key, value)
    if (!kept) return undefined
    const here = shiftTimes(kept, -link.aheadMs(resultKey(key)))
    return clock.nowMs() < here.keepUntil ? here : undefined
  }

  /** A purge by another replica meanwhile is about this result too, whichever reached Redis first. */
  async function write(key: string, kept: KeptResult, keepMs: number): Promise<void> {
    let isPurged = false
    const note = (keyPrefix: string): void => {
      isPurged ||= key.startsWith(keyPrefix)
    }
    purges.add(note)
    try {
      const value = encodeValue(key, shiftTimes(kept, link.aheadMs(resultKey(key))))
      await link.send(['SET', resultKey(key), value, 'PX', String(Math.ceil(keepMs))])
    } finally {
      purges.delete(note)
    }
    if (isPurged) await link.send(['UNLINK', resultKey(key)])
    else await events.announce({ type: 'stored', key, storedAt: kept.result.storedAt + link.aheadMs(resultKey(key)) })
  }

  const latest = async (key: string): Promise<StoredResult | undefined> => (await find(key))?.result

  async function claim(key: string): Promise<Lease | null> {
    const lease = await leases.claim(key)
    return (
      lease && {
        async release(outcome) {
          await lease.release()
          // What was stored has been announced already.
          if (outcome.kind !== 'stored') await events.announce({ type: 'ended', key, outcome }).catch(() => {})
        },
      }
    )
  }

  async function unlinkAll({ send }: Pick<NodeLink, 'send'>, pattern: string): Promise<void> {
    let cursor = '0'
    do {
      const reply = await send(['SCAN', cursor, 'MATCH', pattern, 'COUNT', String(PURGE_STEP)], PURGE_STEP_MS)
      const [next, keys] = Array.isArray(reply)
        ? (reply as unknown as readonly [Buffer, readonly Buffer[]])
        : [null, []]
      if (next === null) throw new StoreError('Redis does not list its keys')
      // One command a key: in a cluster they lie in different slots.
      await Promise.all(keys.map(key => send(['UNLINK', key], PURGE_STEP_MS)))
      cursor = String(next)
    } while (cursor !== '0')
  }

  return {
    find,
    get: latest,
    async set(key, result, keepMs) {
      if (result.body.byteLength > MAX_VALUE_BYTES) return false
      const written = write(key, { result, keepUntil: clock.nowMs() + keepMs }, keepMs)
      writing.add(written)
      await written.finally(() => writing.delete(written))
      return true
    },
    async delete(key) {
      await link.send(['UNLINK', resultKey(key)])
    },
    async purge(keyPrefix) {
      // Before, so that nothing that is under way is kept; behind, so that nothing that was read in between is.
      await events.announcePurge(keyPrefix)
      const pattern = `${escapeGlob(`${prefix}r:{${keyPrefix}`)}*`
      await Promise.all((await link.masters()).map(master => unlinkAll(master, pattern)))
      await events.announcePurge(keyPrefix)
    },
    onEvent(listener) {
      events.onEvent(event =>
        listener(
          event.type === 'stored' ? { ...event, storedAt: event.storedAt - link.aheadMs(resultKey(event.key)) } : event,
        ),
      )
    },
    replicas: {
      claim,
      latest,
      outcome: events.outcome,
      onPurge: listener => events.onEvent(event => event.type === 'purged' && listener(event.prefix)),
    },
    async close() {
      events.close()
      await Promise.allSettled(writing)
    },
  }
}

const escapeGlob = (text: string): string => text.replace(/[\\*?[\]^]/g, '\\$&')

/** Times in Redis are by Redis' clock: those of replicas may differ. */
function shiftTimes({ result, keepUntil }: KeptResult, byMs: number): KeptResult {
  if (byMs === 0) return { result, keepUntil }
  const { storedAt, freshUntil, ...rest } = result
  return { result: { ...rest, storedAt: storedAt + byMs, freshUntil: freshUntil + byMs }, keepUntil: keepUntil + byMs }
}
