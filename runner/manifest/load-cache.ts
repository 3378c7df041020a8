/** Caches loaded manifests by their text, so that a reload after one edit among thousands is quick. */
import type { TableCatalogue } from '../../googlesql/index.js'
import type { SourceText } from './discover.js'
import type { Partial } from './load-partials.js'

/** The cache of one engine, by files. A load that is given up leaves the entries that it has not replaced. */
export class LoadCache<T> {
  /** `partials`: the name and text of each partial that the manifest includes. */
  readonly #entries = new Map<string, { text: string; partials: readonly (readonly [string, string])[]; value: T }>()
  #tables: TableCatalogue | null = null

  get size(): number {
    return this.#entries.size
  }

  /** Begins a load of these manifests. The entries of other files are dropped, and all entries if the tables have changed. */
  begin(tables: TableCatalogue, manifests: readonly SourceText[]): void {
    const files = new Set(tables === this.#tables ? manifests.map(({ file }) => file) : [])
    for (const file of this.#entries.keys()) if (!files.has(file)) this.#entries.delete(file)
    this.#tables = tables
  }

  /** The entry for the same text with the same partials. */
  find({ file, text }: SourceText, partials: ReadonlyMap<string, Partial>): T | undefined {
    const entry = this.#entries.get(file)
    const isSame = entry?.text === text && entry.partials.every(([name, read]) => partials.get(name)?.text === read)
    return isSame ? entry.value : undefined
  }

  /** Adds an entry; `read` are the names of the partials that the manifest includes. */
  keep({ file, text }: SourceText, partials: ReadonlyMap<string, Partial>, read: Iterable<string>, value: T): void {
    this.#entries.set(file, { text, partials: [...read].map(name => [name, partials.get(name)!.text] as const), value })
  }
}
