/** Caches loaded manifests by their text, so that a reload after one edit among thousands is quick. */
import type { TableCatalogue } from '../../googlesql/index.js'
import type { SourceText } from './discover.js'
import type { Partial } from './load-partials.js'

interface Entry<T> {
  readonly text: string
  /** The name and text of each partial that the manifest includes. */
  readonly partials: readonly (readonly [string, string])[]
  readonly tables: TableCatalogue
  readonly value: T
}

/** The cache of one engine, by files. A load that is given up leaves the entries that it has not replaced. */
export class LoadCache<T> {
  readonly #entries = new Map<string, Entry<T>>()

  get size(): number {
    return this.#entries.size
  }

  /**
   * Begins a load of these manifests. The entries of other files and of other tables are dropped. An empty cache does not wait
   * for the tables.
   */
  async begin(tables: TableCatalogue | Promise<TableCatalogue>, manifests: readonly SourceText[]): Promise<void> {
    if (this.#entries.size === 0) return
    const [files, current] = [new Set(manifests.map(({ file }) => file)), await tables]
    for (const [file, entry] of this.#entries) {
      if (!files.has(file) || entry.tables !== current) this.#entries.delete(file)
    }
  }

  /** The entry for the same text with the same partials. */
  find({ file, text }: SourceText, partials: ReadonlyMap<string, Partial>): T | undefined {
    const entry = this.#entries.get(file)
    const isSame = entry?.text === text && entry.partials.every(([name, read]) => partials.get(name)?.text === read)
    return isSame ? entry.value : undefined
  }

  /** Adds an entry; `included` has the name and text of each partial that the manifest includes. */
  keep({ file, text }: SourceText, included: Entry<T>['partials'], tables: TableCatalogue, value: T): void {
    this.#entries.set(file, { text, partials: included, tables, value })
  }
}
