/** Caches each faultless manifest by its text for as long as the tables stay the same, also across unfinished loads. */
import type { TableCatalogue } from '../../googlesql/index.js'
import type { LoadCache } from '../../runner/manifest/load-cache.js'

interface Kept<T> {
  readonly text: string
  /** The texts of the partials that it includes, by name. */
  readonly partials: readonly (readonly [name: string, text: string])[]
  readonly value: T
}

/** Unlike a server's cache, it keeps what it has when a load is given up for a newer edit. */
export function keepManifests<T>(): LoadCache<T> & { readonly size: () => number } {
  const kept = new Map<string, Kept<T>>()
  let known: TableCatalogue | null = null
  return {
    size: () => kept.size,
    begin(tables) {
      if (tables !== known) kept.clear()
      known = tables
    },
    find({ file, text }, partials) {
      const entry = kept.get(file)
      const isSame = entry?.text === text && entry.partials.every(([name, read]) => partials.get(name)?.text === read)
      return isSame ? entry?.value : undefined
    },
    keep({ file, text }, partials, read, value) {
      kept.set(file, { text, partials: [...read].map(name => [name, partials.get(name)!.text]), value })
    },
  }
}
