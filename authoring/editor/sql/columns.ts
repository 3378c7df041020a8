/** Columns that a query can name at the cursor, and where they come from. */
import type { StructField, Type } from '../../../googlesql/index.js'

/** A column, or a field of a record. */
export interface ScopeColumn {
  readonly name: string
  /** Null where the type is not known, as in a query with mistakes. */
  readonly type: Type | null
  /** The table and the path of the column there, for its documentation. */
  readonly origin: ColumnOrigin | null
}

export interface ColumnOrigin {
  readonly table: string
  readonly path: readonly string[]
}

/** What a FROM clause brings in: a table, a subquery, or the elements of an array. */
export interface FromItem {
  /** The name by which columns are qualified; '' without a name. */
  readonly alias: string
  readonly columns: readonly ScopeColumn[]
  /** The value of the alias itself: an element of an array; null for a table. */
  readonly value: ScopeColumn | null
}

/** A common table expression. */
export interface Cte {
  readonly name: string
  readonly columns: readonly ScopeColumn[]
}

export interface SqlScope {
  readonly items: readonly FromItem[]
  readonly ctes: readonly Cte[]
  /** The scope of the enclosing query, for a correlated subquery. */
  readonly outer: SqlScope | null
  /** The columns of the SELECT list that have a name: for ORDER BY, GROUP BY and HAVING. */
  readonly aliases: readonly string[]
}

/** The fields of a column of type STRUCT, or of ARRAY<STRUCT> where `throughArrays`. */
export function fieldsOf({ type, origin }: ScopeColumn, throughArrays = false): readonly ScopeColumn[] {
  const record = throughArrays && type?.kind === 'ARRAY' ? type.element : type
  return record?.kind === 'STRUCT' ? record.fields.map(field => columnOf(field, origin)) : []
}

/** The column of a field below `origin`. */
export const columnOf = ({ name, type }: StructField, origin: ColumnOrigin | null): ScopeColumn => ({
  name,
  type,
  origin: origin && { table: origin.table, path: [...origin.path, name] },
})

const findColumn = (columns: readonly ScopeColumn[], name: string): ScopeColumn | undefined =>
  columns.find(column => column.name.toLowerCase() === name.toLowerCase())

/** The column that a path names, `entry.metadata` or `user_id`; undefined where no scope has such a column. */
export function resolvePath(scope: SqlScope, path: readonly string[]): ScopeColumn | undefined {
  const [first, ...rest] = path
  if (first === undefined) return undefined
  for (let current: SqlScope | null = scope; current !== null; current = current.outer) {
    const item = current.items.find(({ alias }) => alias !== '' && alias.toLowerCase() === first.toLowerCase())
    const [second, ...after] = rest
    if (item)
      return second === undefined ? (item.value ?? rowOf(item)) : follow(findColumn(item.columns, second), after)
    const column = current.items.map(({ columns }) => findColumn(columns, first)).find(column => column !== undefined)
    if (column) return follow(column, rest)
  }
  return undefined
}

/** A row of the item as a value: a record of its columns. */
const rowOf = ({ alias, columns }: FromItem): ScopeColumn => ({
  name: alias,
  type: columns.every(({ type }) => type !== null)
    ? { kind: 'STRUCT', fields: columns.map(({ name, type }) => ({ name, type: type! })) }
    : null,
  origin: null,
})

const follow = (column: ScopeColumn | undefined, rest: readonly string[]): ScopeColumn | undefined =>
  rest.reduce<ScopeColumn | undefined>((current, name) => current && findColumn(fieldsOf(current), name), column)
