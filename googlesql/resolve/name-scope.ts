/** Scopes: the names that an expression may use, and what each name refers to. */
import { columnExpr } from '../plan/build.js'
import type { Column, ColumnExpr, Expr } from '../plan/nodes.js'
import { nearest } from '../suggest.js'
import { structOf, type Type } from '../types/types.js'

/** A column that a name can refer to: a column of a scan, or one field of a row that is a struct value. */
export interface VisibleColumn {
  /** Empty for a column without a name. */
  readonly name: string
  readonly column: Column
  readonly field: number | null
  readonly type: Type
}

/** What an alias in FROM refers to: the row of a table, or one value (UNNEST, SELECT AS STRUCT). */
export type Range =
  | {
      readonly kind: 'table'
      readonly name: string
      readonly columns: readonly VisibleColumn[]
      /** Pseudo columns: they have names and are not part of the row. @default none */
      readonly hidden?: readonly VisibleColumn[]
      /** The whole path of a table without an alias, such as `d.t`; the path is a second name of the table. */
      readonly path?: string
    }
  | { readonly kind: 'value'; readonly name: string; readonly column: Column }

export type Target =
  | { readonly kind: 'range'; readonly range: Range }
  | { readonly kind: 'column'; readonly column: VisibleColumn }
  | { readonly kind: 'ambiguous' }
  /** A select alias: its expression, and the column that holds it once the select list is computed. */
  | { readonly kind: 'alias'; readonly expr: Expr; readonly column: Column | null; readonly contains: ContainedCalls }

/** The kind of calls that the expression of a select alias contains. */
export type ContainedCalls = 'aggregate' | 'window' | 'neither'

export interface NameScope {
  readonly parent: NameScope | null
  /** True for the outermost scope of a subquery: a name that is found in a parent of this scope is an outer reference. */
  readonly isBoundary: boolean
  /**
   * True for the scope of a function's parameters: CTEs in the function's body see it, although they see no other outer name.
   */
  readonly isParameters?: true
  /** `name` is in lower case. */
  find(name: string): Target | undefined
  names(): Iterable<string>
}

/** The names that a FROM clause brings into scope. */
export interface FromNames {
  readonly ranges: readonly Range[]
  /** The columns, in the order of `*`. */
  readonly columns: readonly VisibleColumn[]
  /** Pseudo columns, which are not in `*`. @default none */
  readonly hidden?: readonly VisibleColumn[]
}

export const NO_NAMES: FromNames = { ranges: [], columns: [] }

export const visibleColumn = (column: Column, name: string = column.name): VisibleColumn => ({
  name,
  column,
  field: null,
  type: column.type,
})

/** The columns of a row that is one value: the fields of a struct, or the value itself under the alias. */
export function valueColumns(column: Column, alias: string): readonly VisibleColumn[] {
  if (column.type.kind !== 'STRUCT') return [visibleColumn(column, alias)]
  return column.type.fields.map((field, i) => ({ name: field.name, column, field: i, type: field.type }))
}

/** The scope of a FROM clause; a range variable takes precedence over a column of the same name. */
export function fromScope(from: FromNames, parent: NameScope | null, isBoundary = false): NameScope {
  const names = new Map<string, Target>()
  for (const column of [...from.columns, ...(from.hidden ?? [])]) {
    if (column.name === '') continue
    const key = column.name.toLowerCase()
    names.set(key, names.has(key) ? { kind: 'ambiguous' } : { kind: 'column', column })
  }
  const tables = new Map<string, Target>()
  const add = (name: string, range: Range): void => {
    const key = name.toLowerCase()
    if (key !== '') tables.set(key, tables.has(key) ? { kind: 'ambiguous' } : { kind: 'range', range })
  }
  for (const range of from.ranges) {
    add(range.name, range)
    if (range.kind === 'table' && range.path !== undefined && range.path !== range.name) add(range.path, range)
  }
  for (const [key, target] of tables) names.set(key, target)
  return mapScope(names, parent, isBoundary)
}

/** A scope of these names, which are in lower case. */
export function mapScope(names: ReadonlyMap<string, Target>, parent: NameScope | null, isBoundary = false): NameScope {
  return { parent, isBoundary, find: name => names.get(name), names: () => names.keys() }
}

/** The outer scope of common table expressions: it has the parameters of a function, and no other names. */
export function scopeOfCtes(outer: NameScope | null): NameScope | null {
  for (let scope = outer; scope; scope = scope.parent) if (scope.isParameters) return subqueryScope(scope)
  return null
}

/** The boundary of a subquery inside `outer`; it has no names of its own. */
export const subqueryScope = (outer: NameScope | null): NameScope => mapScope(new Map(), outer, true)

/** Searches the scopes from the inside out; undefined where no scope has the name. */
export function lookup(scope: NameScope | null, name: string): { target: Target; isCorrelated: boolean } | undefined {
  const key = name.toLowerCase()
  let isCorrelated = false
  for (let current = scope; current; current = current.parent) {
    const target = current.find(key)
    if (target) return { target, isCorrelated }
    if (current.isBoundary) isCorrelated = true
  }
  return undefined
}

/** The nearest name in scope, for "Did you mean". */
export function suggestName(scope: NameScope | null, name: string): string | undefined {
  const names: string[] = []
  for (let current = scope; current; current = current.parent) names.push(...current.names())
  return nearest(name, names)
}

/** @throws UnreadableColumnError for a column that cannot be read */
export const readableExpr = (column: Column, isCorrelated: boolean, at: number): ColumnExpr =>
  columnExpr(requireReadable(column, at), isCorrelated, at)

/**
 * Returns the column. `at` is the offset at which a query reads it; null for an unknown offset.
 *
 * @throws UnreadableColumnError
 */
export function requireReadable(column: Column, at: number | null): Column {
  if (column.unreadable !== undefined) throw new UnreadableColumnError(column.unreadable, at)
  return column
}

/** A query reads a column that its table has but that cannot be read. */
export class UnreadableColumnError extends Error {
  override readonly name = 'UnreadableColumnError'
  readonly at: number | null
  constructor(reason: string, at: number | null) {
    super(reason)
    this.at = at
  }
}

export function visibleExpr(target: VisibleColumn, isCorrelated: boolean, at: number): Expr {
  const base = readableExpr(target.column, isCorrelated, at)
  return target.field === null ? base : { kind: 'field', type: target.type, operand: base, index: target.field, at }
}

/** A whole row as a value. */
export function rangeExpr(range: Range, isCorrelated: boolean, at: number): Expr {
  if (range.kind === 'value') return readableExpr(range.column, isCorrelated, at)
  return {
    kind: 'struct',
    type: structOf(range.columns.map(column => ({ name: column.name, type: column.type }))),
    fields: range.columns.map(column => visibleExpr(column, isCorrelated, at)),
    hasWrittenType: true,
    at,
  }
}
