/** Where results and counts are kept. */
import { MemoryCounters } from '../cache/stores/counters.js'
import { MemoryStore } from '../cache/stores/memory.js'
import { TieredStore } from '../cache/stores/tiered.js'
import { BYTES_PER_MB, type Settings } from '../settings/settings.js'
import type { Closers } from './closers.js'
import type { EngineDeps } from './engine.js'

/** Opens the stores of results and counters: in memory, and with REDIS_URL also in Redis. `opened` closes them. */
export async function openStores(settings: Settings, { observe, clock }: EngineDeps, opened: Closers) {
  const { redisUrl, redisPrefix, redisKey } = settings
  const maxBytes = settings.cacheMb * BYTES_PER_MB
  if (redisUrl === null)
    return { store: opened.add(new MemoryStore({ maxBytes })), counters: opened.add(new MemoryCounters()) }
  const onTrouble = (operation: string, cause: Error): void => observe({ kind: 'store.failed', operation, cause })
  const { RedisCounters, RedisLink, RedisStore } = await redisModules()
  const onLost = (cause: Error): void => onTrouble('connect', cause)
  const link = opened.add(new RedisLink({ url: redisUrl, clock, random: Math.random, onTrouble: onLost }))
  const shared = new RedisStore({ link, prefix: redisPrefix, clock, key: redisKey, onTrouble })
  const store = opened.add(new TieredStore({ maxBytes, shared, observe }))
  await link.open()
  return { store, counters: new RedisCounters(link, redisPrefix) }
}

/** Loaded only where REDIS_URL is set. */
export async function redisModules() {
  const modules = [import('../cache/stores/redis/counters.js'), import('../cache/stores/redis/link.js')] as const
  const [counters, link] = await Promise.all(modules)
  return { ...counters, ...link, ...(await import('../cache/stores/redis/store.js')) }
}
