/** Results in the memory of this process, bounded in bytes; the least recently used are evicted first. */
import { LRUCache } from 'lru-cache'
import type { CacheSize, PurgeMarks, Replicas, ResultStore, StoredResult } from '../../model/ports.js'
import { isPaged } from '../../model/result-key.js'
import { withPart } from './purged-part.js'

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

/** Results that are given out in pages, and these pages, have this room of their own, so that they evict no other result. */
const PAGED_SHARE = 0.5

type Cache = LRUCache<string, Entry>

export class MemoryStore implements ResultStore {
  readonly replicas?: Replicas
  readonly #results: Cache
  readonly #paged: Cache
  readonly #maxEntryBytes: number

  /**
   * @param options `maxBytes` bounds keys, bodies, finished headers and compressed representations together; results that are given
   *   out in pages may take half as much again
   */
  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxEntryBytes = maxBytes * LARGEST_SHARE
    this.#results = cacheOf(maxBytes)
    this.#paged = cacheOf(maxBytes * PAGED_SHARE)
  }

  entry(key: string): StoredResult | undefined {
    return this.#of(key).get(key)?.result
  }

  set(key: string, result: StoredResult, keepMs: number, purges?: PurgeMarks): Promise<boolean> | boolean {
    if ((this.entry(key)?.storedAt ?? 0) > result.storedAt) return false
    const bytes = result.body.byteLength + 2 * key.length + ENTRY_OVERHEAD_BYTES + factsBytes(result)
    if (bytes <= this.#maxEntryBytes) this.#of(key).set(key, { result, bytes, purges }, { ttl: Math.ceil(keepMs) })
    else this.#of(key).delete(key)
    return bytes <= this.#maxEntryBytes
  }

  keep(result: StoredResult, key: string, as: string, keepMs: number): Promise<boolean> | boolean {
    const entry = this.#of(key).get(key)
    if (entry?.result !== result) return false
    return this.keptMs(as) >= keepMs || this.set(as, result, 2 * keepMs, entry.purges)
  }

  async shared(_key: string): Promise<unknown> {
    return
  }

  keptMs(key: string): number {
    return this.#of(key).getRemainingTTL(key)
  }

  grow(key: string, bytes: number): void {
    const entry = this.#of(key).get(key)
    if (entry) this.#of(key).set(key, { ...entry, bytes: entry.bytes + bytes }, { noUpdateTTL: true })
  }

  purge(prefix: string, part?: string): Promise<void> | void {
    this.forget(key => key.startsWith(prefix) && (part === undefined || !this.#addPart(key, part)))
  }

  forget(isGone: (key: string) => boolean): void {
    for (const cache of [this.#results, this.#paged]) {
      for (const key of [...cache.keys()]) if (isGone(key)) cache.delete(key)
    }
  }

  size(): CacheSize {
    const [results, paged] = [this.#results, this.#paged]
    return { entries: results.size + paged.size, bytes: results.calculatedSize + paged.calculatedSize }
  }

  async close(): Promise<void> {
    this.forget(() => true)
  }

  /** False where the entry is not rows kept for a refresh: only those list their parts. */
  #addPart(key: string, part: string): boolean {
    const entry = this.#of(key).peek(key)
    if (!entry?.result.kept) return false
    const more = { result: withPart(entry.result, part), bytes: entry.bytes + part.length }
    this.#of(key).set(key, { ...entry, ...more }, { noUpdateTTL: true })
    return true
  }

  #of(key: string): Cache {
    return isPaged(key) ? this.#paged : this.#results
  }
}

/** The memory of the parts and spans of kept rows: about 200 bytes for each span with its short texts. */
const factsBytes = ({ kept }: StoredResult): number => (kept ? kept.parts.length + 200 * kept.spans.length : 0)

const cacheOf = (maxBytes: number): Cache =>
  new LRUCache({ maxSize: Math.max(1, Math.floor(maxBytes)), sizeCalculation: ({ bytes }) => bytes })
