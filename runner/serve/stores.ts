/** Where results and counts are kept. */
import { MemoryCounters } from '../cache/stores/counters.js'
import { MemoryStore } from '../cache/stores/memory.js'
import { TieredStore } from '../cache/stores/tiered.js'
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
  const maxBytes = cacheMb * BYTES_PER_MB
  if (redisUrl === null)
    return { store: opened.add(new MemoryStore({ maxBytes })), counters: opened.add(new MemoryCounters()) }
  const onTrouble = (cause: Error): void => observe({ kind: 'store.failed', operation: 'connect', cause })
  const { RedisCounters, RedisLink, RedisStore } = await redisModules()
  const link = opened.add(new RedisLink({ url: redisUrl, clock, random: Math.random, onTrouble }))
  const shared = new RedisStore({
    link,
    prefix: redisPrefix,
    clock,
    key: redisKey,
    onTrouble: (operation, cause) => observe({ kind: 'store.failed', operation, cause }),
  })
  const store = opened.add(new TieredStore({ maxBytes, shared, observe }))
  await link.open()
  return { store, counters: new RedisCounters(link, redisPrefix) }
}

/** Loaded only where REDIS_URL is set. */
async function redisModules() {
  const modules = [import('../cache/stores/redis/counters.js'), import('../cache/stores/redis/link.js')] as const
  const [counters, link] = await Promise.all(modules)
  return { ...counters, ...link, ...(await import('../cache/stores/redis/store.js')) }
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
  const { RedisLink, RedisStore } = await redisModules()
  const link = new RedisLink({ url: redisUrl, clock, random: Math.random, commandMs: PURGE_MS })
  try {
    const store = new RedisStore({ link, prefix: redisPrefix, clock, key: redisKey, onTrouble: () => {} })
    await link.open()
    await store.purge(prefix)
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
