/** Results in Redis or Valkey, shared by replicas, which also agree through it on which of them runs a key. */
import type { Clock, Lease, Replicas, ResultStore, StoredResult } from '../../../model/ports.js'
import { StoreError } from '../store-error.js'
import { openReplicaChannel } from './events.js'
import { createLeases, type HeldLease } from './leases.js'
import type { NodeLink, RedisLink } from './link.js'
import { openPurgeLog } from './purges.js'
import { compileSchemas, type ReplicaEvent } from './schemas.js'
import { createScripts } from './scripts.js'
import { Signer } from './signer.js'
import { type KeptResult, setUnlessNewer, ValueFormat } from './value.js'

/** The number of keys that one step of a purge scans; a step may take PURGE_STEP_MS. */
const PURGE_STEP = 1_000
const PURGE_STEP_MS = 2_000

export interface RedisStoreOptions {
  readonly link: RedisLink
  /** The prefix of every key and channel: installations with different prefixes are separate. */
  readonly prefix: string
  readonly clock: Clock
  /** An id of this process. */
  readonly replica: string
  /** SLUICE_REDIS_KEY; null where it is not set. */
  readonly key: string | null
  /** Called with the reason when a message of another program is ignored. */
  readonly onTrouble: (cause: StoreError) => void
}

export interface RedisStore extends ResultStore {
  /** The entry, with its expiry. */
  find(key: string): Promise<KeptResult | undefined>
  /** Registers a listener for events of other replicas. */
  onEvent(listener: (event: ReplicaEvent) => void): void
  readonly replicas: Replicas
}

/** Opens the store over a link, which the caller closes. Methods reject with a StoreError while Redis fails. */
export function openRedisStore({ link, prefix, clock, replica, key, onTrouble }: RedisStoreOptions): RedisStore {
  // Braces make a hash tag: in a cluster all keys about one result are in one slot.
  const resultKey = (key: string): string => `${prefix}r:{${key}}`
  const purges = openPurgeLog(link, `${prefix}purges`, clock)
  const signer = new Signer(key)
  const schemas = compileSchemas()
  const values = new ValueFormat(signer, schemas)
  const events = openReplicaChannel({ link, prefix, replica, clock, purges, signer, schemas, onTrouble })
  const scripts = createScripts(link, clock)
  const leases = createLeases({ link, scripts, clock, nameOf: (key, state) => `${prefix}l:{${key}}${state}` })
  /** Writes that Redis has not confirmed. */
  const writing = new Set<Promise<boolean>>()

  async function find(key: string): Promise<KeptResult | undefined> {
    const name = resultKey(key)
    const value = await link.send(['GET', name])
    if (value === null) return undefined
    if (!Buffer.isBuffer(value)) throw new StoreError('the value is not one of ours')
    const aheadMs = link.aheadMs(name)
    const kept = values.decode(name, value, clock.nowMs() + aheadMs)
    if (!kept) return undefined
    // It may have been written after a purge that its writer did not know.
    const isPast = purges.isPast(key, kept.purges)
    events.learn(key, kept.purges)
    if (isPast) return undefined
    const here = shiftTimes(kept, -aheadMs)
    return clock.nowMs() < here.keepUntil ? here : undefined
  }

  /** Writes a result; false where a result exists whose query began later. */
  async function write(key: string, kept: KeptResult, keepMs: number): Promise<boolean> {
    const name = resultKey(key)
    const aheadMs = link.aheadMs(name)
    const { storedAt } = kept.result
    const value = values.encode(name, shiftTimes(kept, aheadMs))
    const reply = await scripts.run(setUnlessNewer(name, value, keepMs, clock.nowMs() + aheadMs), async () => {
      // A value that is not ours is overwritten.
      const held = await find(key).catch(() => undefined)
      if (held && held.result.storedAt > storedAt) return 0
      return link.send(['SET', name, value, 'PX', String(Math.ceil(keepMs))])
    })
    if (reply === 0) return false
    // A purge came in the meantime, so the result is useless.
    if (purges.isPast(key, kept.purges)) await link.send(['UNLINK', name])
    else await events.announce({ type: 'stored', key, storedAt: storedAt + aheadMs })
    return true
  }

  const latest = async (key: string): Promise<StoredResult | undefined> => (await find(key))?.result

  const leaseOf = (key: string, lease: HeldLease): Lease => ({
    async release(outcome) {
      await lease.release()
      // A stored result was announced already.
      if (outcome.kind !== 'stored') await events.announce({ type: 'ended', key, outcome }).catch(() => {})
    },
  })

  async function claim(key: string, state: string): Promise<Lease | null> {
    const lease = await leases.claim(key, state)
    return lease && leaseOf(key, lease)
  }

  async function claimUnlessStored(key: string, state: string): Promise<Lease | 'stored' | null> {
    const lease = await leases.claimUnless(key, state, resultKey(key))
    return lease === null || lease === 'stored' ? lease : leaseOf(key, lease)
  }

  async function unlinkAll({ send }: Pick<NodeLink, 'send'>, pattern: string): Promise<void> {
    let cursor = '0'
    do {
      const reply = await send(['SCAN', cursor, 'MATCH', pattern, 'COUNT', String(PURGE_STEP)], PURGE_STEP_MS)
      const [next, keys] = Array.isArray(reply)
        ? (reply as unknown as readonly [Buffer, readonly Buffer[]])
        : [null, []]
      if (next === null) throw new StoreError('Redis does not list its keys')
      // One command per key, since in a cluster the keys are in different slots.
      await Promise.all(keys.map(key => send(['UNLINK', key], PURGE_STEP_MS)))
      cursor = String(next)
    } while (cursor !== '0')
  }

  return {
    find,
    get: latest,
    async set(key, result, keepMs) {
      if (!values.hasRoomFor(result.body)) return false
      // The caller has just checked that there was no purge during the query.
      const kept = { result, keepUntil: clock.nowMs() + keepMs, purges: purges.of(key) }
      const written = write(key, kept, keepMs)
      writing.add(written)
      return written.finally(() => writing.delete(written))
    },
    async purge(keyPrefix) {
      // From here on no replica uses results that were stored before; deleting them only frees memory.
      await events.announcePurge(keyPrefix)
      const pattern = `${escapeGlob(`${prefix}r:{${keyPrefix}`)}*`
      await Promise.all((await link.masters()).map(master => unlinkAll(master, pattern)))
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
      claimUnlessStored,
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

/** Shifts the times of a result. Times in Redis follow Redis' clock, since the clocks of replicas may differ. */
function shiftTimes(kept: KeptResult, byMs: number): KeptResult {
  if (byMs === 0) return kept
  const { storedAt, freshUntil, ...rest } = kept.result
  const result = { ...rest, storedAt: storedAt + byMs, freshUntil: freshUntil + byMs }
  return { ...kept, result, keepUntil: kept.keepUntil + byMs }
}
