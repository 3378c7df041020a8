/** What all parts of the resolver share while one query is resolved. */
import type * as ast from '../ast/nodes.js'
import type { AggregateCall, Column, Expr, Scan, WindowCall } from '../plan/nodes.js'
import type { TableCatalogue } from '../tables.js'
import type { Type } from '../types/types.js'
import type { NameScope } from './name-scope.js'

/** One query being resolved. The functions tie the parts together, which could not import each other without a cycle. */
export interface ResolveContext {
  readonly source: string
  readonly tables: TableCatalogue
  /** By lower-case name. */
  readonly parameterTypes: ReadonlyMap<string, Type>
  /** Lower-case name → as first spelled. */
  readonly usedParameters: Map<string, string>
  readonly usedTables: Set<string>
  /** The temporary functions that may be called here. */
  readonly functions: Functions
  readonly calls: CallCount
  /** The same resolution where other functions may be called: inside the body of one. */
  within(functions: Functions): ResolveContext
  newColumn(name: string, type: Type): Column
  newCte(): number
  fail(reason: string, at: number): never
  expression(node: ast.Expression, env: ExpressionEnv): Expr
  query(node: ast.Query, env: QueryEnv): QueryResult
}

/** A function as its callers know it. */
export interface TemporaryFunction {
  readonly definition: ast.FunctionDefinition
  readonly parameters: readonly { readonly name: string; readonly type: Type | null }[]
  readonly returns: Type | null
  /** Those defined before it: its body may call them. */
  readonly before: Functions
}
/** By lower-case name. */
export type Functions = ReadonlyMap<string, TemporaryFunction>

/** How often functions were called so far, and how many calls are open. */
export interface CallCount {
  total: number
  open: number
}

/** A common table expression in sight. */
export interface CteBinding {
  readonly id: number
  readonly name: string
  readonly columns: readonly NamedColumn[]
  readonly isValueTable: boolean
}
export type Ctes = ReadonlyMap<string, CteBinding>

export interface QueryEnv {
  /** The names of the queries around this one; null at the top. */
  readonly outer: NameScope | null
  readonly ctes: Ctes
}

export interface NamedColumn {
  /** '' when it has none. */
  readonly name: string
  readonly column: Column
}

export interface QueryResult {
  readonly scan: Scan
  readonly columns: readonly NamedColumn[]
  /** SELECT AS STRUCT or AS VALUE: a row is the value of the one column. */
  readonly isValueTable: boolean
}

/** Aggregate and window calls met in the expressions of one SELECT, each standing in them as a column. */
export interface Collected {
  readonly aggregates: { readonly column: Column; readonly call: AggregateCall }[]
  readonly windows: { readonly column: Column; readonly call: WindowCall }[]
  /** GROUPING(x) calls; their columns belong to the aggregate scan. */
  readonly groupings: { readonly column: Column; readonly expr: Expr; readonly at: number }[]
}

export interface ExpressionEnv {
  readonly scope: NameScope | null
  readonly ctes: Ctes
  /** For messages: `SELECT list`, `WHERE clause`. */
  readonly clause: string
  /** Where aggregate calls go, and the scope of their arguments; null where they are not allowed. */
  readonly aggregates: { readonly collected: Collected; readonly scope: NameScope } | null
  /** Where window calls go; null where they are not allowed. */
  readonly windows: { readonly collected: Collected; readonly named: ReadonlyMap<string, ast.Window> } | null
  /** Select aliases stand for their expressions, not their columns: in HAVING and inside calls. */
  readonly inlinesAliases: boolean
}
