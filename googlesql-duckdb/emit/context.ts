/** What all parts of the generator share while one query is written. */

import type { Column, Expr, LiteralExpr, ParameterExpr, ResolvedCte, Scan } from '../../googlesql/plan/nodes.js'
import type { NewColumn } from '../../googlesql/plan/walk.js'
import type { PartitionBounds } from '../analysis/partition-bounds.js'
import type { Fragment } from './fragment.js'
import type { Filling } from './scans/null-arrays.js'

/** How a column can be written where it is in sight. */
export interface Entry {
  readonly column: Column
  readonly sql: Fragment
  /**
   * `column`: of the FROM clause. `path`: a field of one. `constant`: a literal or a parameter. `computed`: anything
   * else, written in the select list; it must be given a name (see derive) before an expression may read it.
   */
  readonly kind: 'column' | 'path' | 'constant' | 'computed'
  readonly isVolatile: boolean
  /** Entries that stand for the same value have the same source. */
  readonly source: number
}

export interface SqlScope {
  readonly entries: ReadonlyMap<number, Entry>
  readonly outer: SqlScope | null
  /** Of a lambda's parameters or a let's bindings; those around them belong to the same query. */
  readonly isLambda?: boolean
}

/** How a common table expression is read: in place of its one use, or by name. */
export type CteForm =
  | { readonly kind: 'inline'; readonly cte: ResolvedCte; readonly outer: SqlScope | null }
  | { readonly kind: 'named'; readonly name: string; readonly columns: readonly string[] }

/** The functions tie the parts together, which could not import each other without a cycle. */
export interface Context {
  /** The name of a column in derived tables: `timestamp_12`. It is safe without quotes, and no other column has it. */
  name(column: Column): string
  readonly newColumn: NewColumn
  newAlias(): string
  /** `$1`, as the parameter's place in what generate returns. */
  placeholder(parameter: ParameterExpr): string
  /** The same of a time that is bound too; null where the expression is to be written. */
  timePlaceholder(expr: Expr): string | null
  cteName(cte: ResolvedCte): string
  /** Whether it is written where it is read. */
  isInline(cte: ResolvedCte): boolean
  readonly ctes: Map<number, CteForm>
  /** What the rows must meet that the query reads of its tables. */
  readonly partitionBounds: PartitionBounds
  /** Whether sums of NUMERIC are added up so that they pass its range on their way: slower, and for a query that failed. */
  readonly addsByParts: boolean
  /** Columns of tables whose NULL arrays have to be empty. */
  readonly fillings: ReadonlyMap<number, Filling>
  /** An operand. */
  expr(expr: Expr, scope: SqlScope | null): Fragment
  /** The text of a query that gives these columns of the scan under these names. */
  query(scan: Scan, columns: readonly Column[], names: readonly string[], outer: SqlScope | null): string
  /** The values of the one column as a list. */
  arrayQuery(scan: Scan, column: Column, outer: SqlScope | null): Fragment
}

/** What cannot be written; `at` is the place in the source, null until someone knows it. */
export class GenerateError extends Error {
  override readonly name = 'GenerateError'
  readonly at: number | null

  constructor(message: string, at: number | null, cause?: unknown) {
    super(message, { cause })
    this.at = at
  }
}

/** How the column of this id is written where it is in sight; null where it is not. */
export function entryOf(id: number, scope: SqlScope | null): Entry | null {
  for (let current = scope; current; current = current.outer) {
    const entry = current.entries.get(id)
    if (entry) return entry
  }
  return null
}

/** The same of a column that must be in sight. */
export function findEntry(scope: SqlScope | null, column: Column): Entry {
  const entry = entryOf(column.id, scope)
  if (entry) return entry
  throw new GenerateError(`Internal error: no column ${column.name}#${column.id} in sight`, null)
}

export const isConstant = (expr: Expr): expr is LiteralExpr | ParameterExpr =>
  expr.kind === 'literal' || expr.kind === 'parameter'
