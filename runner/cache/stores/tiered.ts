/** A memory store in front of a store that replicas share. */
import type { Observer } from '../../model/events.js'
import type { Clock, ResultStore, StoredResult } from '../../model/ports.js'
import type { RedisStore } from './redis/store.js'

export interface TieredStoreOptions {
  readonly memory: ResultStore
  readonly shared: RedisStore
  readonly clock: Clock
  readonly observe: Observer
}

/** Opens the two stores as one; closing it closes both. Results and purges of other replicas reach this memory too. */
export function openTieredStore({ memory, shared, clock, observe }: TieredStoreOptions): ResultStore {
  const asking = new Map<string, Promise<StoredResult | undefined>>()
  /** The number of purges by other replicas. */
  let purges = 0
  /** The number of times that endpoints were dropped. */
  let forgotten = 0
  const inMemory = (key: string): StoredResult | undefined => memory.get(key) as StoredResult | undefined

  async function fetch(key: string): Promise<StoredResult | undefined> {
    const [purgesBefore, forgottenBefore] = [purges, forgotten]
    const kept = await shared.find(key)
    // A value that was read before a purge may be among the purged ones.
    if (!kept || purges !== purgesBefore) return undefined
    const newer = inMemory(key)
    if (newer && newer.storedAt >= kept.result.storedAt) return newer
    // If its endpoint was dropped in the meantime, the result is returned to this caller but not kept.
    if (forgotten === forgottenBefore) memory.set(key, kept.result, kept.keepUntil - clock.nowMs())
    return kept.result
  }

  /** Reads a key; concurrent callers share one request. */
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
      // The caller does not wait for this write: Redis receives it before the release of the lease, on the same connection.
      written
        .then(isWritten => (isWritten ? undefined : fetch(key))) // Another replica's result may be newer.
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
    // Not shared with other lookups: one that began before the claim could miss the result of the previous owner.
    replicas: { ...shared.replicas, latest: fetch },
    async close() {
      await memory.close()
      await shared.close()
    },
  }
}

const isOlder = (result: StoredResult, other: StoredResult | undefined): boolean =>
  other !== undefined && other.storedAt > result.storedAt
