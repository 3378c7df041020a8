/** Remembers which queries can be put together from kept buckets. */
import {
  type KeptQuery,
  keptQuery,
  type NotKept,
  orMistake,
  type ResolvedQuery,
  resolveQuery,
  SqlError,
  type TableCatalogue,
  type Type,
} from '../../googlesql/index.js'
import { BoundedMap, memo } from '../model/bounded-map.js'
import { typesOf } from '../model/parameter-types.js'
import type { Query } from '../model/query.js'

const MAX_QUERIES = 1_000
/** The parameter with the time of the request. */
const CLOCK = 'now'

export class KeptQueries {
  readonly #isStrict: boolean
  readonly #known = new BoundedMap<string, KeptQuery | NotKept>(MAX_QUERIES)

  /** @param isStrict whether a REQUIRED column never has a NULL */
  constructor(isStrict: boolean) {
    this.#isStrict = isStrict
  }

  /** @param revision a number that changes whenever `tables` change */
  of({ sql, parameters }: Query, tables: TableCatalogue, revision: number): KeptQuery | NotKept {
    const types = Object.entries(parameters).map(([name, { type }]) => [name, type])
    return memo(this.#known, JSON.stringify([revision, types, sql]), () => {
      const isRequired = (table: string, column: string): boolean =>
        this.#isStrict && tables.find(table)?.required?.includes(column) === true
      const own = typesOf(parameters)
      const resolve = (text: string, rows: Type | null): ResolvedQuery =>
        resolveQuery(text, tables, rows ? { ...own, _rows: rows } : own)
      const kept = orMistake(() => keptQuery(sql, resolve(sql, null), { clock: CLOCK, isRequired, resolve }))
      return kept instanceof SqlError ? { reason: kept.reason, at: kept.offset } : kept
    })
  }
}
