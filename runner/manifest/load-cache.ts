/** Caches loaded manifests by their text, so that a reload after one edit among thousands is quick. */
import type { TableCatalogue } from '../../googlesql/index.js'
import type { SourceText } from './discover.js'
import type { Partial } from './load-partials.js'

/** The cache of one engine. It holds the entries of the last successful load and of the current one. */
export interface LoadCache<T> {
  /** Begins a load. If the tables have changed, all entries are dropped. */
  begin(tables: TableCatalogue): void
  /** The entry for the same text with the same partials. */
  find(source: SourceText, partials: ReadonlyMap<string, Partial>): T | undefined
  /** Adds an entry; `read` are the names of the partials that the manifest includes. */
  keep(source: SourceText, partials: ReadonlyMap<string, Partial>, read: Iterable<string>, value: T): void
}

interface Entry<T> {
  readonly text: string
  /** The texts of the partials, by name. */
  readonly partials: readonly (readonly [name: string, text: string])[]
  readonly value: T
}

export function createLoadCache<T>(): LoadCache<T> {
  let known: TableCatalogue | null = null
  let before = new Map<string, Entry<T>>()
  let now = new Map<string, Entry<T>>()
  return {
    begin(tables) {
      before = tables === known ? now : new Map()
      now = new Map()
      known = tables
    },
    find(source, partials) {
      const entry = before.get(source.file)
      const isSame =
        entry?.text === source.text && entry.partials.every(([name, text]) => partials.get(name)?.text === text)
      if (!entry || !isSame) return undefined
      now.set(source.file, entry)
      return entry.value
    },
    keep(source, partials, read, value) {
      const texts = [...read].map(name => [name, partials.get(name)!.text] as const)
      now.set(source.file, { text: source.text, partials: texts, value })
    },
  }
}
