/** A small memory in front of a store that replicas share. */
import type { Observer } from '../../model/events.js'
import type { Clock, ResultStore, StoredResult } from '../../model/ports.js'
import type { RedisStore } from './redis/store.js'

export interface TieredStoreOptions {
  readonly memory: ResultStore
  readonly shared: RedisStore
  readonly clock: Clock
  readonly observe: Observer
}

/** Closing it closes both. What another replica stores or purges reaches this memory too. */
export function openTieredStore({ memory, shared, clock, observe }: TieredStoreOptions): ResultStore {
  const asking = new Map<string, Promise<StoredResult | undefined>>()
  /** Purges by other replicas so far. */
  let purges = 0
  /** How often endpoints have been forgotten. */
  let forgotten = 0
  const inMemory = (key: string): StoredResult | undefined => memory.get(key) as StoredResult | undefined

  async function fetch(key: string): Promise<StoredResult | undefined> {
    const [purgesBefore, forgottenBefore] = [purges, forgotten]
    const kept = await shared.find(key)
    // What was read before a purge may be what the purge was about.
    if (!kept || purges !== purgesBefore) return undefined
    const newer = inMemory(key)
    if (newer && newer.storedAt >= kept.result.storedAt) return newer
    // It may be of an endpoint that nobody will ask for again: then it is for whoever asked just now.
    if (forgotten === forgottenBefore) memory.set(key, kept.result, kept.keepUntil - clock.nowMs())
    return kept.result
  }

  /** Callers at the same time share one question. */
  function fetchOnce(key: string): Promise<StoredResult | undefined> {
    let asked = asking.get(key)
    if (!asked) {
      asked = fetch(key).finally(() => asking.delete(key))
      asking.set(key, asked)
    }
    return asked
  }

  shared.onEvent(event => {
    if (event.type === 'purged') {
      purges += 1
      memory.purge(event.prefix)
    }
    if (event.type !== 'stored') return
    const held = inMemory(event.key)
    // The older one is served until the newer one is here.
    if (held && held.storedAt < event.storedAt) fetchOnce(event.key).catch(() => {})
  })

  return {
    hold: (key, before) => memory.hold?.(key, before),
    get: key => inMemory(key) ?? fetchOnce(key),
    async set(key, result, keepMs) {
      if (isOlder(result, inMemory(key))) return false
      const isHeld = memory.set(key, result, keepMs) === true
      const written = Promise.resolve(shared.set(key, result, keepMs))
      if (!isHeld) return written
      // Nobody waits for Redis to have it: it does before it hears, on the same connection, that the key is free again.
      written
        .then(isWritten => (isWritten ? undefined : fetch(key))) // another replica's may be newer
        .catch((cause: unknown) => observe({ kind: 'store.failed', operation: 'set', cause }))
      return true
    },
    async purge(prefix) {
      purges += 1
      memory.purge(prefix)
      await shared.purge(prefix)
      memory.purge(prefix)
    },
    forget(endpointIds) {
      forgotten += 1
      memory.forget?.(endpointIds)
    },
    ...(memory.size && { size: memory.size }),
    grow: (key, bytes) => memory.grow?.(key, bytes),
    // A question of its own: one that was asked before the key was claimed may miss what its last owner stored.
    replicas: { ...shared.replicas, latest: fetch },
    async close() {
      await memory.close()
      await shared.close()
    },
  }
}

const isOlder = (result: StoredResult, other: StoredResult | undefined): boolean =>
  other !== undefined && other.storedAt > result.storedAt
