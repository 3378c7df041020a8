/**
 * A resolved query: every name is a column with a number of its own, every expression has a type, and every rule of the
 * language about scopes, aliases and coercion has been applied. What is left for an engine is to write it down.
 * The shape follows the resolved AST of GoogleSQL's reference implementation (a tree of scans).
 */
import type { ArrayType, StructType, Type } from '../types/types.js'

/** A column of one scan. `id` is unique within the query; two columns may have one name. */
export interface Column {
  readonly id: number
  readonly name: string
  readonly type: Type
  /** Why nothing may read it; such a column is in no scan, and its type means nothing. */
  readonly unreadable?: string
}

export interface ResolvedQuery {
  readonly scan: Scan
  /** What the caller gets, in order; names are unique without regard to case, and none is empty. */
  readonly columns: readonly OutputColumn[]
  /** The names of the parameters that the text refers to, as spelled in its first use. */
  readonly parameters: readonly string[]
  /** The tables it reads, by their names as the catalogue spells them. */
  readonly tables: readonly string[]
}
export interface OutputColumn {
  readonly name: string
  readonly type: Type
  readonly column: Column
}

// ---- scans: each gives rows of its `columns`

export type Scan =
  | OneRowScan
  | TableScan
  | CteScan
  | UnnestScan
  | JoinScan
  | FilterScan
  | ProjectScan
  | AggregateScan
  | WindowScan
  | SetScan
  | OrderScan
  | LimitScan
  | WithScan

/** One row without columns: SELECT without FROM. */
export interface OneRowScan {
  readonly kind: 'one-row'
  readonly columns: readonly []
}
export interface TableScan {
  readonly kind: 'table'
  readonly table: string
  /** The column that tells the partition of a row, where there is one. */
  readonly partitionedBy?: string
  /** The table's columns, all of them, in its order; each column's `name` is the table's own spelling. */
  readonly columns: readonly Column[]
}
/** Reads a common table expression; the columns stand for those of the definition's scan output, by position. */
export interface CteScan {
  readonly kind: 'cte'
  readonly cte: number
  readonly columns: readonly Column[]
}
/**
 * One row for each element of the array: `columns` are those of the input, then the element, then the offset. Without
 * an input the array is not correlated. An outer one keeps an input row that has no element (or none that meets
 * `condition`), with NULLs. NULL arrays have no element.
 */
export interface UnnestScan {
  readonly kind: 'unnest'
  readonly input: Scan | null
  readonly array: Expr
  readonly element: Column
  readonly offset: Column | null
  readonly isOuter: boolean
  readonly condition: Expr | null
  readonly columns: readonly Column[]
}
export interface JoinScan {
  readonly kind: 'join'
  readonly join: 'cross' | 'inner' | 'left' | 'right' | 'full'
  readonly left: Scan
  readonly right: Scan
  /** Null for a cross join. */
  readonly condition: Expr | null
  readonly columns: readonly Column[]
}
export interface FilterScan {
  readonly kind: 'filter'
  readonly input: Scan
  readonly condition: Expr
  readonly columns: readonly Column[]
  /** An engine put it in: the condition holds wherever the branch is taken that the query stands in. */
  readonly isGuard?: true
}
/** Adds computed columns and keeps `columns`, each of the input or computed. */
export interface ProjectScan {
  readonly kind: 'project'
  readonly input: Scan
  readonly computed: readonly Computed[]
  readonly columns: readonly Column[]
}
export interface Computed {
  readonly column: Column
  readonly expr: Expr
}
/** `columns` are the keys', the aggregates' and the grouping calls'. Without keys it gives one row. DISTINCT is one with keys only. */
export interface AggregateScan {
  readonly kind: 'aggregate'
  readonly input: Scan
  readonly keys: readonly Computed[]
  readonly aggregates: readonly ComputedAggregate[]
  /** Of ROLLUP, CUBE and GROUPING SETS: the sets, each a list of indexes into `keys`; null for plain GROUP BY. */
  readonly groupingSets: readonly (readonly number[])[] | null
  /** GROUPING(key): 1 where the row's set leaves the key out, otherwise 0. */
  readonly groupingCalls: readonly { readonly column: Column; readonly key: number }[]
  readonly columns: readonly Column[]
}
export interface ComputedAggregate {
  readonly column: Column
  readonly call: AggregateCall
  /** An engine put them in: FLOAT64 columns of the input whose totals are finite wherever the value is right. */
  readonly witnesses?: readonly Column[]
}
/** `columns` are those of the input, then the functions'. */
export interface WindowScan {
  readonly kind: 'window'
  readonly input: Scan
  readonly functions: readonly { readonly column: Column; readonly call: WindowCall }[]
  readonly columns: readonly Column[]
}
/** Inputs have as many columns as `columns`, of the same types, matched by position. */
export interface SetScan {
  readonly kind: 'set'
  readonly operator: 'UNION' | 'INTERSECT' | 'EXCEPT'
  readonly isAll: boolean
  readonly inputs: readonly Scan[]
  readonly columns: readonly Column[]
}
export interface OrderScan {
  readonly kind: 'order'
  readonly input: Scan
  readonly keys: readonly SortKey[]
  readonly columns: readonly Column[]
}
export interface SortKey {
  readonly expr: Expr
  readonly isDescending: boolean
  /** As written or as the language says: first when ascending, last when descending. */
  readonly nullsFirst: boolean
}
export interface LimitScan {
  readonly kind: 'limit'
  readonly input: Scan
  readonly limit: Expr
  readonly offset: Expr | null
  readonly columns: readonly Column[]
}
export interface WithScan {
  readonly kind: 'with'
  readonly ctes: readonly ResolvedCte[]
  readonly body: Scan
  readonly columns: readonly Column[]
}
export interface ResolvedCte {
  /** Unique within the query. */
  readonly id: number
  readonly name: string
  readonly scan: Scan
  /** The columns that CteScans stand for, by position. */
  readonly columns: readonly Column[]
  /** A recursive one: `scan` is the base term, these the recursive terms, which read the CTE by its id. */
  readonly recursion: { readonly isAll: boolean; readonly terms: readonly Scan[] } | null
  /** It is computed by itself before what reads it, though that be one place only. @default false */
  readonly isComputedFirst?: boolean
}

// ---- expressions

export type Expr =
  | LiteralExpr
  | ParameterExpr
  | ColumnExpr
  | CallExpr
  | CastExpr
  | FieldExpr
  | StructExpr
  | ArrayExpr
  | CaseExpr
  | SubqueryExpr
  | InQueryExpr
  | LambdaExpr
  | LetExpr
  | WordExpr

/**
 * `value` by type: null (an untyped NULL, which coerces to any type; its type is INT64 until then; a typed one is a cast); boolean for BOOL; decimal text for INT64, NUMERIC and BIGNUMERIC; a number for FLOAT64; text for
 * STRING and JSON; bytes for BYTES; for DATE, DATETIME, TIME and TIMESTAMP the canonical text of the value
 * (`2026-01-31`, `2026-01-31 12:00:00.123456`, `12:00:00`, and for TIMESTAMP that of UTC with `+00`).
 */
export interface LiteralExpr {
  readonly kind: 'literal'
  readonly type: Type
  readonly value: null | boolean | number | string | Uint8Array
  /** Of a FLOAT64 literal, its text: a NUMERIC made of it keeps every digit. */
  readonly written?: string
  readonly at: number
}
export interface ParameterExpr {
  readonly kind: 'parameter'
  readonly type: Type
  readonly name: string
  readonly at: number
}
/** May be a column of an outer query: `isCorrelated` says so. */
export interface ColumnExpr {
  readonly kind: 'column'
  readonly type: Type
  readonly column: Column
  readonly isCorrelated: boolean
  readonly at: number
}
/**
 * A scalar function or operator. Operators have functions' names: `$add`, `$eq`, `$and`, `$in`, … (the list is
 * definitions/operators.ts). Arguments are already coerced to the signature; an optional argument that was not given is null.
 */
export interface CallExpr {
  readonly kind: 'call'
  readonly type: Type
  readonly name: string
  readonly arguments: readonly (Expr | null)[]
  /** Called as `SAFE.name`: an error of the function itself gives NULL. */
  readonly isSafe: boolean
  readonly at: number
}
export interface CastExpr {
  readonly kind: 'cast'
  readonly type: Type
  readonly operand: Expr
  readonly isSafe: boolean
  /** Put in by coercion, not written. */
  readonly isImplicit: boolean
  readonly format: Expr | null
  readonly timeZone: Expr | null
  /** Null where none are written. */
  readonly typeParameters: TypeParameters | null
  readonly at: number
}
/** Of STRING(10) or NUMERIC(10, 2) the numbers; of an array its element's, of a struct its fields' parameters. */
export interface TypeParameters {
  readonly numbers: readonly number[]
  readonly parts: readonly (TypeParameters | null)[]
}
/** A field of a struct, by its index. */
export interface FieldExpr {
  readonly kind: 'field'
  readonly type: Type
  readonly operand: Expr
  readonly index: number
  readonly at: number
}
export interface StructExpr {
  readonly kind: 'struct'
  readonly type: StructType
  readonly fields: readonly Expr[]
  /** `STRUCT<a INT64>(…)`: the type was written, so a literal of it is no longer coerced freely. */
  readonly hasWrittenType: boolean
  readonly at: number
}
export interface ArrayExpr {
  readonly kind: 'array'
  readonly type: ArrayType
  readonly items: readonly Expr[]
  /** `ARRAY<INT64>[…]`: the type was written. Without it an empty array coerces to any array type. */
  readonly hasWrittenType: boolean
  readonly at: number
}
/** CASE WHEN, and IF, IFNULL and friends are calls. `CASE x WHEN y` has become conditions `$eq(x, y)` over a let. */
export interface CaseExpr {
  readonly kind: 'case'
  readonly type: Type
  readonly branches: readonly { readonly when: Expr; readonly then: Expr }[]
  readonly otherwise: Expr | null
  readonly at: number
}
/** A scalar subquery gives NULL for no row and an error for several. `scan` has exactly one column, but any number for exists. */
export interface SubqueryExpr {
  readonly kind: 'subquery'
  readonly type: Type
  readonly form: 'scalar' | 'array' | 'exists'
  readonly scan: Scan
  readonly at: number
}
export interface InQueryExpr {
  readonly kind: 'in-query'
  readonly type: Type
  readonly operand: Expr
  /** Its one column has the operand's type. */
  readonly scan: Scan
  readonly at: number
}
export interface LambdaExpr {
  readonly kind: 'lambda'
  /** The body's type. */
  readonly type: Type
  readonly parameters: readonly Column[]
  readonly body: Expr
  readonly at: number
}
/** `WITH(a AS …, result)`, each binding evaluated once. */
export interface LetExpr {
  readonly kind: 'let'
  readonly type: Type
  readonly bindings: readonly Computed[]
  readonly result: Expr
  readonly at: number
}
/** A date part (`DAY`, `WEEK`, `WEEK(MONDAY)` as `WEEK_MONDAY`) or a keyword (`NFKC`) as an argument. The type is meaningless. */
export interface WordExpr {
  readonly kind: 'word'
  readonly type: Type
  readonly word: string
  readonly at: number
}

/** An aggregate call; also the aggregate inside a window. */
export interface AggregateCall {
  readonly type: Type
  readonly name: string
  /** COUNT(*) is `$count_star` without arguments. */
  readonly arguments: readonly (Expr | null)[]
  readonly isDistinct: boolean
  /** As the function's default says when not written. */
  readonly ignoresNulls: boolean
  readonly having: { readonly extreme: 'max' | 'min'; readonly expr: Expr } | null
  readonly orderBy: readonly SortKey[]
  readonly limit: Expr | null
  /** Only rows that meet this (PIVOT); null for all. */
  readonly filter: Expr | null
  readonly isSafe: boolean
  readonly at: number
}
export interface WindowCall {
  readonly call: AggregateCall
  readonly partitionBy: readonly Expr[]
  readonly orderBy: readonly SortKey[]
  /** Null where the function takes none, or none is written (then: range to the current row with an order, else all). */
  readonly frame: ResolvedFrame | null
}
export interface ResolvedFrame {
  readonly unit: 'rows' | 'range'
  readonly start: ResolvedBound
  readonly end: ResolvedBound
}
export interface ResolvedBound {
  readonly kind: 'unbounded-preceding' | 'preceding' | 'current-row' | 'following' | 'unbounded-following'
  readonly offset: Expr | null
}
