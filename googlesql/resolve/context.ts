/** The state that all parts of the resolver share while one query is resolved. */
import type * as ast from '../ast/nodes.js'
import type { SqlMistake } from '../mistakes.js'
import type { AggregateCall, Column, Computed, Expr, Scan, TableReference, WindowCall } from '../plan/nodes.js'
import type { TableCatalogue } from '../tables.js'
import { coerceTo } from '../types/apply-coercion.js'
import type { Type } from '../types/types.js'
import type { NameScope } from './name-scope.js'

/** The resolution of one query. Its functions connect the parts of the resolver without import cycles. */
export interface ResolveContext {
  readonly source: string
  readonly tables: TableCatalogue
  /** The types of the query's parameters, by lower-case name. */
  readonly parameterTypes: ReadonlyMap<string, Type>
  /** Called for each use of a parameter without a type; null where such a use is an error. */
  readonly onUndeclared: ((name: string, at: number) => void) | null
  /** The parameters used so far: from the lower-case name to the spelling of the first use. */
  readonly usedParameters: Map<string, string>
  readonly usedTables: Set<string>
  /** The places that name tables, by offset, because a part of a query may be resolved more than once. */
  readonly tableReferences: Map<number, TableReference>
  /** The temporary functions that may be called here. */
  readonly functions: Functions
  /** The variables that may be read here. */
  readonly variables: Variables
  readonly calls: CallCount
  /** Returns the same resolution with these functions and without variables, for the body of a temporary function. */
  withFunctions(functions: Functions): QueryEnv
  /**
   * Returns the same resolution for the text of a function that is kept in a dataset. Its offsets refer to that text. The text
   * may read these variables, but no temporary function and no query parameter.
   */
  withStoredText(source: string, variables?: Variables): QueryEnv
  newColumn(name: string, type: Type): Column
  newCte(): number
  /** @throws SqlError; the hint of the mistake ends its message. */
  fail(reason: string, at: number, mistake?: SqlMistake): never
  expression(node: ast.Expression, env: ExpressionEnv): Expr
  query(node: ast.Query, env: QueryEnv): QueryResult
}

/** The properties of a temporary function that its calls need. */
export interface TemporaryFunction {
  readonly definition: ast.FunctionDefinition
  readonly parameters: readonly { readonly name: string; readonly type: Type | null }[]
  readonly returns: Type | null
  /** The depth of the body (see bodyDepth); 0 for JavaScript. */
  readonly depth: number
  /** The functions defined before this one, which its body may call. */
  readonly earlier: Functions
}
/** Temporary functions, by lower-case name. */
export type Functions = ReadonlyMap<string, TemporaryFunction>

/** A variable of the script with its value. */
export interface Variable {
  readonly name: string
  readonly type: Type
  /** Returns the expression of the value, for one place in the plan. */
  readonly read: () => Expr
}
/** Variables, by lower-case name. */
export type Variables = ReadonlyMap<string, Variable>

/** Counts that limit the size of the plan, in which bodies replace calls. */
export interface CallCount {
  /** The number of calls of functions with a body so far. */
  total: number
  /** The sum of the depths of the bodies around the current place. */
  depth: number
  /** The number of reads of variables so far. */
  variables: number
  /** The functions kept in a dataset whose bodies are around the current place, outermost first. */
  readonly stored: string[]
}

/** A common table expression in scope. */
export interface CteBinding {
  readonly id: number
  readonly name: string
  readonly columns: readonly NamedColumn[]
  readonly isValueTable: boolean
}
export type Ctes = ReadonlyMap<string, CteBinding>

/** The environment of a query: what it may refer to. */
export interface QueryEnv extends ResolveContext {
  /** The scope of the enclosing queries; null at the top. */
  readonly outer: NameScope | null
  readonly ctes: Ctes
}

export interface NamedColumn {
  /** Empty for a column without a name. */
  readonly name: string
  readonly column: Column
}

export interface QueryResult {
  readonly scan: Scan
  readonly columns: readonly NamedColumn[]
  /** True for SELECT AS STRUCT and SELECT AS VALUE: a row is the value of the only column. */
  readonly isValueTable: boolean
}

/** The aggregate and window calls in the expressions of one SELECT; a column replaces each call in its expression. */
export interface CollectedCalls {
  readonly aggregates: { readonly column: Column; readonly call: AggregateCall }[]
  readonly windows: { readonly column: Column; readonly call: WindowCall }[]
  /** GROUPING(x) calls; their columns belong to the aggregate scan. */
  readonly groupings: { readonly column: Column; readonly expr: Expr; readonly at: number }[]
}

/** The environment of an expression: what it may refer to and contain. */
export interface ExpressionEnv extends QueryEnv {
  readonly scope: NameScope | null
  /** The clause, for messages: `SELECT list`, `WHERE clause`. */
  readonly clause: string
  /** The collection of aggregate calls, and the scope of their arguments; null where aggregates are not allowed. */
  readonly aggregates: { readonly collected: CollectedCalls; readonly scope: NameScope } | null
  /** The collection of window calls, and the named windows; null where window calls are not allowed. */
  readonly windows: { readonly collected: CollectedCalls; readonly named: ReadonlyMap<string, ast.Window> } | null
  /** True where a select alias means its expression and not its column: in HAVING, and inside calls. */
  readonly inlinesAliases: boolean
}

/** The environment of a clause without aggregates and window functions, in which an alias means its expression. */
export const clauseEnv = (scope: NameScope | null, env: QueryEnv, clause: string): ExpressionEnv => ({
  ...env,
  scope,
  clause,
  aggregates: null,
  windows: null,
  inlinesAliases: true,
})

/** The expression as a new column. */
export const computedColumn = (name: string, expr: Expr, context: ResolveContext): Computed => ({
  column: context.newColumn(name, expr.type),
  expr,
})

/** The expression coerced to the type. @throws SqlError with this reason where the language does not coerce it */
export const coerceOrFail = (expr: Expr, type: Type, reason: string, context: ResolveContext, at = expr.at): Expr =>
  coerceTo(expr, type, context.source) ?? context.fail(reason, at)
