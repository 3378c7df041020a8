/** Results in this process's memory, bounded in bytes: what was asked for longest ago goes first. */
import NodeCache from 'node-cache'
import type { HeldResult, ResultStore, StoredResult } from '../model/ports.js'

/** What an entry costs beside its body and key: objects, column list, bookkeeping. An estimate on the safe side. */
const ENTRY_OVERHEAD_BYTES = 1_024

/** Of the whole, what one result may take: a few large ones would drive out all others. */
const LARGEST_SHARE = 0.25

export interface MemoryStoreOptions {
  /** Of keys, bodies, finished headers and compressed forms together. */
  readonly maxBytes: number
  /** A larger result is not kept. @default a quarter of `maxBytes` */
  readonly maxEntryBytes?: number
}

/** A result between the one asked for before it and the one asked for after it. */
class Entry implements HeldResult {
  readonly key: string
  /** Null once it is no entry any more: somebody may still hold it. */
  result: StoredResult | null
  bytes: number
  older: Entry | null = null
  newer: Entry | null = null

  constructor(key: string, result: StoredResult) {
    this.key = key
    this.result = result
    this.bytes = result.body.byteLength + 2 * key.length + ENTRY_OVERHEAD_BYTES
  }
}

/** An empty store. */
export function openMemoryStore({
  maxBytes,
  maxEntryBytes = maxBytes * LARGEST_SHARE,
}: MemoryStoreOptions): ResultStore {
  // Stored results are frozen in practice; cloning would cost more than everything else on a hit. Looking through
  // every entry for expired ones would stop the process for as long as there are many: they leave as they are met.
  const cache = new NodeCache({ useClones: false, checkperiod: 0 })
  let oldest: Entry | null = null
  let newest: Entry | null = null
  let totalBytes = 0

  function unlink(entry: Entry): void {
    if (entry.older) entry.older.newer = entry.newer
    else oldest = entry.newer
    if (entry.newer) entry.newer.older = entry.older
    else newest = entry.older
    entry.older = null
    entry.newer = null
  }

  function append(entry: Entry): void {
    entry.older = newest
    if (newest) newest.newer = entry
    else oldest = entry
    newest = entry
  }

  function find(key: string): Entry | undefined {
    const found = cache.get<Entry>(key)
    return found instanceof Entry ? found : undefined // node-cache finds members of every object in its own
  }

  /** Down to the bound, but for the one entry that was asked for last. */
  function shrink(): void {
    while (totalBytes > maxBytes && oldest && oldest !== newest) cache.del(oldest.key)
  }

  cache.on('del', (_key: string, entry: Entry) => {
    // Deletions, evictions and expiries alike.
    unlink(entry)
    totalBytes -= entry.bytes
    entry.result = null
  })

  function hold(key: string, before?: HeldResult | null): Entry | undefined {
    const entry = before instanceof Entry && before.result ? before : find(key)
    if (entry && entry !== newest) {
      unlink(entry)
      append(entry)
    }
    return entry
  }

  return {
    hold,
    get: key => hold(key)?.result ?? undefined,
    set(key, result, keepMs) {
      cache.del(key)
      const entry = new Entry(key, result)
      if (entry.bytes > maxEntryBytes) return false
      cache.set(key, entry, keepMs / 1000)
      append(entry)
      totalBytes += entry.bytes
      // Whoever asks is told of expired entries by node-cache, which lets go of them then.
      if (oldest && oldest !== newest) find(oldest.key)
      shrink()
      return true
    },
    delete(key) {
      cache.del(key)
    },
    purge(prefix) {
      for (let entry = oldest; entry; ) {
        const { key, newer } = entry
        if (key.startsWith(prefix)) cache.del(key)
        entry = newer
      }
    },
    grow(key, bytes) {
      const entry = find(key)
      if (!entry) return
      entry.bytes += bytes
      totalBytes += bytes
      shrink()
    },
    async close() {
      cache.close()
      cache.removeAllListeners()
      cache.flushAll()
      for (let entry = oldest; entry; entry = entry.newer) entry.result = null
      oldest = null
      newest = null
      totalBytes = 0
    },
  }
}
