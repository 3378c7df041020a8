/** Results in this process's memory, bounded in bytes: what was asked for longest ago goes first. */
import NodeCache from 'node-cache'
import type { ResultStore, StoredResult } from '../model/ports.js'

/** What an entry costs beside its body and key: objects, column list, bookkeeping. An estimate on the safe side. */
const ENTRY_OVERHEAD_BYTES = 1_024

export interface MemoryStoreOptions {
  readonly maxBytes: number
}

/** An empty store. A result of more than `maxBytes` is not kept. */
export function openMemoryStore({ maxBytes }: MemoryStoreOptions): ResultStore {
  // Stored results are frozen in practice; cloning would cost more than everything else on a hit.
  const cache = new NodeCache({ useClones: false, checkperiod: 60 })
  /** Sizes by key, the one asked for longest ago first. */
  const sizes = new Map<string, number>()
  let totalBytes = 0

  const forget = (key: string): void => {
    totalBytes -= sizes.get(key) ?? 0
    sizes.delete(key)
  }
  cache.on('del', forget) // deletions, evictions and expiries alike

  return {
    get(key) {
      const size = sizes.get(key)
      if (size === undefined) return undefined // node-cache finds members of every object in its own
      const found = cache.get<StoredResult>(key)
      if (found) {
        sizes.delete(key)
        sizes.set(key, size)
      }
      return found
    },
    set(key, result, keepMs) {
      cache.del(key)
      const size = result.body.byteLength + 2 * key.length + ENTRY_OVERHEAD_BYTES
      if (size > maxBytes) return false
      for (const oldest of sizes.keys()) {
        if (totalBytes + size <= maxBytes) break
        cache.del(oldest)
      }
      cache.set(key, result, keepMs / 1000)
      sizes.set(key, size)
      totalBytes += size
      return true
    },
    delete(key) {
      cache.del(key)
    },
    async close() {
      cache.close()
      cache.flushAll()
      sizes.clear()
      totalBytes = 0
    },
  }
}
