/** Reads the cases of kept and refused queries, and the tables that they read. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import {
  type KeptQuery,
  keptQuery,
  parseTypeName,
  type ResolvedQuery,
  resolveQuery,
  type TableDefinition,
  type Type,
  tableCatalogue,
} from '../../../googlesql/index.js'
import type { BoundValue } from '../../../runner/index.js'

export interface QueryCase {
  readonly sql: string
  readonly parameters?: Readonly<Record<string, BoundValue>>
}

export interface KeptCase extends QueryCase {
  readonly says: string
  readonly table?: string
  readonly column: string
  readonly cells: string
  readonly bucket: string
  readonly order?: string
  readonly nulls?: boolean
  readonly bound?: readonly string[]
  readonly window?: readonly (string | null)[]
}

export interface RefusedCase extends QueryCase {
  readonly reason: string
  readonly at: string
}

/** `lower` and `upper` are what the texts contain; absent for a query of which no part is kept. */
export interface SplitCase extends QueryCase {
  readonly lower?: string
  readonly upper?: string
  readonly bound?: readonly string[]
}

export const NOW = '2026-03-15T12:34:56.789012Z'

const read = (name: string): unknown => parse(readFileSync(`test/cases/refresh/${name}.yaml`, 'utf8'))

export const CASES = {
  kept: read('kept') as readonly KeptCase[],
  refused: read('refused') as readonly RefusedCase[],
  split: read('split') as readonly SplitCase[],
}

type Columns = Readonly<Record<string, string>>
const TABLE_CASES = read('tables') as Readonly<
  Record<string, { readonly columns: Columns; readonly pseudo?: Columns; readonly required?: readonly string[] }>
>
const fields = (columns: Columns): TableDefinition['columns'] =>
  Object.entries(columns).map(([name, type]) => ({ name, type: parseTypeName(type)! }))

export const DEFINITIONS: readonly TableDefinition[] = Object.entries(TABLE_CASES).map(([name, table]) => ({
  name,
  columns: fields(table.columns),
  ...(table.pseudo && { pseudoColumns: fields(table.pseudo) }),
}))
/** A function that reads a table. */
const RECENT = {
  name: 'logs.recent',
  file: 'logs.recent.sql',
  text: 'CREATE TABLE FUNCTION logs.recent(since DATE) AS (SELECT * FROM logs.hits WHERE day >= since)',
}
export const TABLES = tableCatalogue(DEFINITIONS, { project: null, defaultDataset: null }, new Map(), {
  functions: [RECENT],
  folder: null,
})

export const typesOf = ({ parameters = {} }: QueryCase): Readonly<Record<string, Type>> => ({
  now: parseTypeName('TIMESTAMP')!,
  ...Object.fromEntries(Object.entries(parameters).map(([name, { type }]) => [name, parseTypeName(type)!])),
})

export const resolved = (one: QueryCase): ResolvedQuery => resolveQuery(one.sql, TABLES, typesOf(one))

/** How the whole query is kept. @throws TypeError where it is not. */
export function keptOf(one: QueryCase): KeptQuery {
  const kept = keptQuery(one.sql, resolved(one), { ...askedOf(one), resolve: null })
  if ('reason' in kept) throw new TypeError(`${kept.reason}: ${one.sql.slice(kept.at)}`)
  return kept
}

/** What a proof may ask. */
export const askedOf = (one: QueryCase): Parameters<typeof keptQuery>[2] => ({
  clock: 'now',
  isRequired: (table, column) => TABLE_CASES[table]!.required?.includes(column) ?? false,
  resolve: (sql, rows) => resolveQuery(sql, TABLES, { ...typesOf(one), ...(rows && { _rows: rows }) }),
})
