/** Results in the memory of this process, bounded in bytes; the least recently used are evicted first. */
import { LRUCache } from 'lru-cache'
import type { CacheSize, PurgeMarks, Replicas, ResultStore, StoredResult } from '../../model/ports.js'

/**
 * The memory of an entry besides body and key. Its objects take about 1 kB; those of evicted entries take twice that until
 * V8 collects them. `make storm` measures it.
 */
const ENTRY_OVERHEAD_BYTES = 3_072

/** The largest share of the store that one result may take; otherwise a few large results would evict all others. */
export const LARGEST_SHARE = 0.25

interface Entry {
  readonly result: StoredResult
  readonly bytes: number
  /** The marks of purges that it was stored with; undefined where it is in this memory alone. */
  readonly purges: PurgeMarks | undefined
}

export class MemoryStore implements ResultStore {
  readonly replicas?: Replicas
  readonly #cache: LRUCache<string, Entry>
  readonly #maxEntryBytes: number

  /** @param options `maxBytes` bounds keys, bodies, finished headers and compressed representations together */
  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxEntryBytes = maxBytes * LARGEST_SHARE
    this.#cache = new LRUCache({ maxSize: Math.max(1, Math.floor(maxBytes)), sizeCalculation: ({ bytes }) => bytes })
  }

  entry(key: string): StoredResult | undefined {
    return this.#cache.get(key)?.result
  }

  set(key: string, result: StoredResult, keepMs: number, purges?: PurgeMarks): Promise<boolean> | boolean {
    if ((this.entry(key)?.storedAt ?? 0) > result.storedAt) return false
    const bytes = result.body.byteLength + 2 * key.length + ENTRY_OVERHEAD_BYTES
    if (bytes <= this.#maxEntryBytes) this.#cache.set(key, { result, bytes, purges }, { ttl: Math.ceil(keepMs) })
    else this.#cache.delete(key)
    return bytes <= this.#maxEntryBytes
  }

  keep(result: StoredResult, key: string, as: string, keepMs: number): Promise<boolean> | boolean {
    const entry = this.#cache.get(key)
    if (entry?.result !== result) return false
    return this.keptMs(as) >= keepMs || this.set(as, result, 2 * keepMs, entry.purges)
  }

  async shared(_key: string): Promise<unknown> {
    return
  }

  keptMs(key: string): number {
    return this.#cache.getRemainingTTL(key)
  }

  grow(key: string, bytes: number): void {
    const entry = this.#cache.get(key)
    if (entry) this.#cache.set(key, { ...entry, bytes: entry.bytes + bytes }, { noUpdateTTL: true })
  }

  purge(prefix: string): Promise<void> | void {
    this.forget(key => key.startsWith(prefix))
  }

  forget(isGone: (key: string) => boolean): void {
    for (const key of [...this.#cache.keys()]) if (isGone(key)) this.#cache.delete(key)
  }

  size(): CacheSize {
    return { entries: this.#cache.size, bytes: this.#cache.calculatedSize }
  }

  async close(): Promise<void> {
    this.#cache.clear()
  }
}
