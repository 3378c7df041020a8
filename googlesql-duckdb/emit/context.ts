/** The state that all parts of the generator share while they write one query. */

import type { Column, Expr, LiteralExpr, ParameterExpr, ResolvedCte, Scan } from '../../googlesql/plan/nodes.js'
import type { NewColumn } from '../../googlesql/plan/walk.js'
import type { KeyConditions } from '../analysis/key-conditions.js'
import type { Fragment } from './fragment.js'
import type { Filling } from './scans/null-arrays.js'
import type { ShardReads, WrittenPartitionRead } from './shard-views.js'

/** The SQL of a column within a scope. */
export interface Entry {
  readonly column: Column
  readonly sql: Fragment
  /**
   * `column`: a column of the FROM clause. `path`: a field of such a column. `constant`: a literal or a parameter.
   * `computed`: any other expression, written in the select list; `derive` must give it a name before an expression may read
   * it.
   */
  readonly kind: 'column' | 'path' | 'constant' | 'computed'
  readonly isVolatile: boolean
  /** The number of the value: entries with the same number have the same value. */
  readonly source: number
}

export interface SqlScope {
  readonly entries: ReadonlyMap<number, Entry>
  readonly outer: SqlScope | null
  /**
   * True for the scope of a lambda's parameters or of a let's bindings, which belongs to the same query as the scope around
   * it.
   */
  readonly isLambda?: boolean
}

/** How a common table expression is read: written in place of its one use, or read by name. */
export type CteSource =
  | { readonly kind: 'inline'; readonly cte: ResolvedCte; readonly outer: SqlScope | null }
  | { readonly kind: 'named'; readonly name: string; readonly columns: readonly string[] }

/**
 * The shared state of one query. The parts of the generator call each other through its methods, since direct imports would
 * form a cycle.
 */
export interface Context {
  /** The name of a column in derived tables: `timestamp_12`. It is safe without quotes, and no other column has it. */
  name(column: Column): string
  readonly newColumn: NewColumn
  newAlias(): string
  /** `$1`: the parameter's position in the `parameters` that `generate` returns. */
  placeholder(parameter: ParameterExpr): string
  cteName(cte: ResolvedCte): string
  /** Whether the common table expression is written in place of its one use. */
  isInline(cte: ResolvedCte): boolean
  readonly ctes: Map<number, CteSource>
  /** The conditions that the query sets on the partitions and shards of its tables. */
  readonly keyConditions: KeyConditions
  readonly shardReads: ShardReads
  /** Collects the reads of partitioned tables; null where the caller does not ask for them. */
  readonly partitionReads: WrittenPartitionRead[] | null
  /**
   * Whether sums of NUMERIC must allow intermediate results beyond the type's range. This is slower, so it is used only to
   * repeat a query that failed.
   */
  readonly addsByParts: boolean
  /** The table columns whose NULL arrays must be replaced by empty arrays, by column id. */
  readonly fillings: ReadonlyMap<number, Filling>
  /** The SQL of an expression as an operand: it needs no parentheses. */
  expr(expr: Expr, env: Env): Fragment
  /** The text of a query that returns these columns of the scan under these names. */
  query(scan: Scan, columns: readonly Column[], names: readonly string[], env: Env): string
  /** The text of a query that returns the values of one column as a list. */
  arrayQuery(scan: Scan, column: Column, env: Env): Fragment
}

/** The shared state, with the scope in which an expression is written; for a query, the scope around the query. */
export interface Env extends Context {
  readonly scope: SqlScope | null
}

/** The environment within a lambda with these parameters, or after these bindings. */
export const inLambda = (entries: readonly Entry[], env: Env): Env =>
  inScope({ entries: new Map(entries.map(entry => [entry.column.id, entry])), outer: env.scope, isLambda: true }, env)

export const inScope = (scope: SqlScope | null, context: Context): Env => ({ ...context, scope })

/** Thrown for a construct that cannot be written. `at` is its offset in the source; null until a caller adds it. */
export class GenerateError extends Error {
  override readonly name = 'GenerateError'
  readonly at: number | null

  constructor(message: string, at: number | null, cause?: unknown) {
    super(message, { cause })
    this.at = at
  }
}

/** The entry of the column with this id; null where the column is not in scope. */
export function entryOf(id: number, scope: SqlScope | null): Entry | null {
  for (let current = scope; current; current = current.outer) {
    const entry = current.entries.get(id)
    if (entry) return entry
  }
  return null
}

/** The entry of a column that must be in scope; throws where it is not. */
export function findEntry(scope: SqlScope | null, column: Column): Entry {
  const entry = entryOf(column.id, scope)
  if (entry) return entry
  throw new GenerateError(`Internal error: no column ${column.name}#${column.id} in sight`, null)
}

export const isConstant = (expr: Expr): expr is LiteralExpr | ParameterExpr =>
  expr.kind === 'literal' || expr.kind === 'parameter'
