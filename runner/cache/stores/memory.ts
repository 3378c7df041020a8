/** Results in this process's memory, bounded in bytes: what was asked for longest ago goes first. */
import NodeCache from 'node-cache'
import type { HeldResult, ResultStore, StoredResult } from '../../model/ports.js'
import { endpointIdOf } from '../../model/result-key.js'

/** What an entry costs beside its body and key: objects, column list, bookkeeping. An estimate on the safe side. */
const ENTRY_OVERHEAD_BYTES = 1_024

/** Of the whole, what one result may take: a few large ones would drive out all others. */
const LARGEST_SHARE = 0.25

/** Entries that nobody asks for any more leave so many at a time: callers have the thread in between. */
const LEAVING_AT_ONCE = 500

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
  /** It and the others of its endpoint. */
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
  // Stored results are frozen in practice; cloning would cost more than everything else on a hit. Looking through
  // every entry for expired ones would stop the process for as long as there are many: they leave as they are met.
  const cache = new NodeCache({ useClones: false, checkperiod: 0 })
  let oldest: Entry | null = null
  let newest: Entry | null = null
  let totalBytes = 0
  let count = 0
  /** By the endpoint's id. */
  const groups = new Map<string, Set<Entry>>()
  /** Of endpoints that are no more, or not as they were. */
  const leaving = new Set<Set<Entry>>()

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

  /** Some of what is leaving, then the rest. */
  function leaveOn(): void {
    let left = LEAVING_AT_ONCE
    for (const group of leaving) {
      for (const { key } of group) {
        if (left === 0) {
          setImmediate(leaveOn)
          return
        }
        left -= 1
        cache.del(key)
      }
      leaving.delete(group)
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
    return found instanceof Entry ? found : undefined // node-cache finds members of every object in its own
  }

  /** Down to the bound, but for the one entry that was asked for last. */
  function shrink(): void {
    while (totalBytes > maxBytes && oldest && oldest !== newest) cache.del(oldest.key)
  }

  cache.on('del', (_key: string, entry: Entry) => {
    // Deletions, evictions and expiries alike.
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
      // Whoever asks is told of expired entries by node-cache, which lets go of them then.
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
      const isUnderWay = leaving.size > 0
      for (const id of endpointIds) {
        const group = groups.get(id)
        if (!group) continue
        // Results that are stored from now on are of the endpoint as it is now.
        groups.delete(id)
        leaving.add(group)
      }
      if (!isUnderWay && leaving.size > 0) leaveOn()
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
      leaving.clear()
    },
  }
}

/** What an entry takes before it grows. */
const bytesOf = (key: string, { body }: StoredResult): number => body.byteLength + 2 * key.length + ENTRY_OVERHEAD_BYTES
