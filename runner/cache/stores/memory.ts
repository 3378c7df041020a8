/** Results in the memory of this process, bounded in bytes; the least recently used are evicted first. */
import NodeCache from 'node-cache'
import type { HeldResult, ResultStore, StoredResult } from '../../model/ports.js'
import { endpointIdOf } from '../../model/result-key.js'

/**
 * The estimated overhead of an entry besides body and key: objects, column list, bookkeeping; rather too high than too low.
 */
const ENTRY_OVERHEAD_BYTES = 1_024

/** The largest share of the store that one result may take; otherwise a few large results would evict all others. */
const LARGEST_SHARE = 0.25

/** The number of dropped entries that are removed at a time, so that the event loop can serve calls in between. */
const DROPPED_AT_ONCE = 500

export interface MemoryStoreOptions {
  /** The bound for keys, bodies, finished headers and compressed representations together. */
  readonly maxBytes: number
  /** The largest result that is stored. @default a quarter of `maxBytes` */
  readonly maxEntryBytes?: number
}

/** An entry of the linked list that orders results by their last use. */
class Entry implements HeldResult {
  readonly key: string
  /** Null once the entry was removed; callers may still hold the handle. */
  result: StoredResult | null
  bytes: number
  older: Entry | null = null
  newer: Entry | null = null
  /** All entries of the same endpoint, including this one. */
  readonly group: Set<Entry>

  constructor(key: string, result: StoredResult, group: Set<Entry>) {
    this.key = key
    this.result = result
    this.group = group
    this.bytes = bytesOf(key, result)
  }
}

/** An empty store. */
export function openMemoryStore({
  maxBytes,
  maxEntryBytes = maxBytes * LARGEST_SHARE,
}: MemoryStoreOptions): ResultStore {
  // Stored results are never changed, and cloning would cost more than everything else on a hit. A periodic scan for expired
  // entries would block the event loop when there are many, so expired entries are removed when they are found.
  const cache = new NodeCache({ useClones: false, checkperiod: 0 })
  let oldest: Entry | null = null
  let newest: Entry | null = null
  let totalBytes = 0
  let count = 0
  /** The entries of each endpoint, by its id. */
  const groups = new Map<string, Set<Entry>>()
  /** Groups of endpoints that were removed or changed. */
  const dropped = new Set<Set<Entry>>()

  function groupOf(key: string): Set<Entry> {
    const endpoint = endpointIdOf(key)
    let group = groups.get(endpoint)
    if (!group) {
      group = new Set()
      groups.set(endpoint, group)
    }
    return group
  }

  function leaveGroup(entry: Entry): void {
    const { key, group } = entry
    group.delete(entry)
    const endpoint = endpointIdOf(key)
    if (group.size === 0 && groups.get(endpoint) === group) groups.delete(endpoint)
  }

  /** Removes a part of the dropped entries, and schedules the rest. */
  function removeDropped(): void {
    let left = DROPPED_AT_ONCE
    for (const group of dropped) {
      for (const { key } of group) {
        if (left === 0) {
          setImmediate(removeDropped)
          return
        }
        left -= 1
        cache.del(key)
      }
      dropped.delete(group)
    }
  }

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
    return found instanceof Entry ? found : undefined // node-cache would find members of Object.prototype.
  }

  /** Evicts entries until the bound is kept, except the entry used last. */
  function shrink(): void {
    while (totalBytes > maxBytes && oldest && oldest !== newest) cache.del(oldest.key)
  }

  cache.on('del', (_key: string, entry: Entry) => {
    // Called for deletions, evictions and expiries.
    unlink(entry)
    leaveGroup(entry)
    totalBytes -= entry.bytes
    count -= 1
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
      if ((find(key)?.result?.storedAt ?? 0) > result.storedAt) return false
      cache.del(key)
      if (bytesOf(key, result) > maxEntryBytes) return false
      const entry = new Entry(key, result, groupOf(key))
      cache.set(key, entry, keepMs / 1000)
      append(entry)
      entry.group.add(entry)
      totalBytes += entry.bytes
      count += 1
      // A lookup makes node-cache remove the entry if it has expired.
      if (oldest && oldest !== newest) find(oldest.key)
      shrink()
      return true
    },
    purge(prefix) {
      for (let entry = oldest; entry; ) {
        const { key, newer } = entry
        if (key.startsWith(prefix)) cache.del(key)
        entry = newer
      }
    },
    forget(endpointIds) {
      const isUnderWay = dropped.size > 0
      for (const id of endpointIds) {
        const group = groups.get(id)
        if (!group) continue
        // Results stored from now on belong to the new revision.
        groups.delete(id)
        dropped.add(group)
      }
      if (!isUnderWay && dropped.size > 0) removeDropped()
    },
    size: () => ({ entries: count, bytes: totalBytes }),
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
      count = 0
      groups.clear()
      dropped.clear()
    },
  }
}

/** The size of an entry without headers and compressed representations. */
const bytesOf = (key: string, { body }: StoredResult): number => body.byteLength + 2 * key.length + ENTRY_OVERHEAD_BYTES
