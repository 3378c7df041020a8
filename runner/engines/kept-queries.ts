/** Remembers for which queries a result can be put together from kept buckets. */
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
const NOW = 'now'

export class KeptQueries {
  readonly #isStrict: boolean
  readonly #keptQueries = new BoundedMap<string, KeptQuery | NotKept>(MAX_QUERIES)

  /** @param isStrict whether a REQUIRED column never has a NULL */
  constructor(isStrict: boolean) {
    this.#isStrict = isStrict
  }

  /** @param revision a number that changes whenever `tables` change */
  keptQueryOf({ sql, parameters }: Query, tables: TableCatalogue, revision: number): KeptQuery | NotKept {
    const types = Object.entries(parameters).map(([name, { type }]) => [name, type])
    return memo(this.#keptQueries, JSON.stringify([revision, types, sql]), () => {
      const isRequired = (table: string, column: string): boolean =>
        this.#isStrict && tables.find(table)?.required?.includes(column) === true
      const parameterTypes = typesOf(parameters)
      const resolve = (text: string, rows: Type | null): ResolvedQuery =>
        resolveQuery(text, tables, rows ? { ...parameterTypes, _rows: rows } : parameterTypes)
      const kept = orMistake(() => keptQuery(sql, resolve(sql, null), { clock: NOW, isRequired, resolve }))
      return kept instanceof SqlError ? { reason: kept.reason, at: kept.offset } : kept
    })
  }
}
