/** Where results and counts are kept. */
import { randomUUID } from 'node:crypto'
import { openMemoryCounters } from '../cache/stores/counters.js'
import { openMemoryStore } from '../cache/stores/memory.js'
import { openRedis } from '../cache/stores/redis/cluster.js'
import { openRedisCounters } from '../cache/stores/redis/counters.js'
import { openRedisStore } from '../cache/stores/redis/store.js'
import { openTieredStore } from '../cache/stores/tiered.js'
import { manifestId } from '../manifest/manifest-id.js'
import { SetupError, UsageError } from '../model/errors.js'
import type { CounterStore, ResultStore } from '../model/ports.js'
import { keyPrefix } from '../model/result-key.js'
import { systemClock } from '../platform/clock.js'
import { BYTES_PER_MB, type Settings } from '../settings/settings.js'
import type { Closers } from './closers.js'
import type { EngineDeps } from './engine.js'

/** Opens the stores of results and counters: in memory, and with REDIS_URL also in Redis. `opened` closes them. */
export async function openStores(
  { cacheMb, redisUrl, redisPrefix, redisKey }: Settings,
  { observe, clock }: EngineDeps,
  opened: Closers,
): Promise<{ readonly store: ResultStore; readonly counters: CounterStore }> {
  const memory = openMemoryStore({ maxBytes: cacheMb * BYTES_PER_MB })
  if (redisUrl === null) return { store: opened.add(memory), counters: openMemoryCounters(clock) }
  const onTrouble = (cause: Error): void => observe({ kind: 'store.failed', operation: 'connect', cause })
  const link = opened.add(await openRedis({ url: redisUrl, clock, random: Math.random, onTrouble }))
  const shared = openRedisStore({
    link,
    prefix: redisPrefix,
    clock,
    replica: randomUUID(),
    key: redisKey,
    onTrouble: cause => observe({ kind: 'store.failed', operation: 'message', cause }),
  })
  const store = opened.add(openTieredStore({ memory, shared, clock, observe }))
  return { store, counters: openRedisCounters(link, redisPrefix) }
}

/** The timeout of Redis commands in `sluice cache purge`, in milliseconds: only the command line waits for them. */
const PURGE_MS = 5_000

/**
 * Purges the results of one endpoint, by name or id, or of all endpoints: from Redis and from the memory of every replica.
 * @throws UsageError when no manifest has this name; SetupError when Redis cannot be reached or the purge fails.
 */
export async function purgeShared(settings: Settings, ref: string | null): Promise<void> {
  const { redisUrl, redisPrefix, redisKey } = settings
  if (redisUrl === null) throw new UsageError(['REDIS_URL names no Redis'])
  const prefix = ref === null ? '' : keyPrefix(await findEndpointId(settings.endpointsDir, ref))
  const clock = systemClock()
  const link = await openRedis({ url: redisUrl, clock, random: Math.random, commandMs: PURGE_MS })
  try {
    const [replica, onTrouble] = [randomUUID(), (): void => {}]
    await openRedisStore({ link, prefix: redisPrefix, clock, replica, key: redisKey, onTrouble }).purge(prefix)
  } catch (cause) {
    throw new SetupError(`nothing, or not all, was purged: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    })
  } finally {
    await link.close()
  }
}

async function findEndpointId(endpointsDir: string, ref: string): Promise<string> {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(ref)) return ref.toLowerCase()
  const id = await manifestId(endpointsDir, ref)
  if (id === null) throw new UsageError([`no manifest in ${endpointsDir} has the name "${ref}"`])
  return id
}
