/** What was made of manifests, for as long as the files stay as they were: reading one edit of thousands is quick then. */
import type { TableCatalogue } from '../../googlesql/index.js'
import type { SourceText } from './discover.js'
import type { Partial } from './load-partials.js'

/** One engine's. What stands in it is of the last load that went through, and of the one that is under way. */
export interface LoadMemory<T> {
  /** A load begins. Other tables mean that nothing is known. */
  begin(tables: TableCatalogue): void
  /** What was kept of the same text with the same partials. */
  find(source: SourceText, partials: ReadonlyMap<string, Partial>): T | undefined
  /** `read` are the names of the partials that went into it. */
  keep(source: SourceText, partials: ReadonlyMap<string, Partial>, read: Iterable<string>, value: T): void
}

interface Entry<T> {
  readonly text: string
  /** Texts by name. */
  readonly partials: readonly (readonly [name: string, text: string])[]
  readonly value: T
}

export function createLoadMemory<T>(): LoadMemory<T> {
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
