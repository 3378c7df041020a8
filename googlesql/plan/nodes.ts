/**
 * A resolved query: every name is a column with a number of its own, every expression has a type, and every rule of the
 * language about scopes, aliases and coercion has been applied. An engine only has to express it in its own SQL.
 * The shape follows the resolved AST of GoogleSQL's reference implementation (a tree of scans).
 */
import type { Wildcard } from '../table-definition.js'
import type { ArrayType, StructField, StructType, Type } from '../types/types.js'

/** A column of one scan. `id` is unique within the query; two columns may have one name. */
export interface Column {
  readonly id: number
  readonly name: string
  readonly type: Type
  /** Why no query can read the column; such a column is in no scan, and its type is meaningless. */
  readonly unreadable?: string
}

export interface ResolvedQuery {
  readonly scan: Scan
  /** The columns of the result, in order; names are unique without regard to case, and never empty. */
  readonly columns: readonly OutputColumn[]
  /** The names of the parameters that the text refers to, each as the text spells it first. */
  readonly parameters: readonly string[]
  /** The names of the tables that the query reads, as the catalogue spells them. */
  readonly tables: readonly string[]
  /** Each place in the text that names a table; places that name a CTE or an array are left out. */
  readonly tableReferences: readonly TableReference[]
}
export interface TableReference {
  /** The table's name as the catalogue spells it. */
  readonly table: string
  /** The offset of the table's path in the text. */
  readonly at: number
  /** The offset after the path. */
  readonly end: number
  /** The name that the query knows the table by without an alias: `edge` for `` `logs.edge` ``. Null where it has an alias. */
  readonly impliedAlias: string | null
}
export interface OutputColumn extends OutputFacts {
  readonly name: string
  readonly type: Type
  readonly column: Column
}
/** Facts that the query proves about a column of the result, or about a field within it. */
export interface OutputFacts {
  /** True if the value is never NULL; for a field, if it is never NULL where its STRUCT is not NULL. */
  readonly isNeverNull: boolean
  /** True if the value is an INT64 that is NULL or within ±(2^53−1). */
  readonly isSmallInteger: boolean
  /** The facts of the fields, in order, for a STRUCT or an ARRAY of STRUCTs; absent where nothing is known. */
  readonly fields?: readonly OutputFacts[]
}

// ---- scans: each produces rows with its `columns`
export interface ScanNode<Kind extends string> {
  readonly kind: Kind
  readonly columns: readonly Column[]
}

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
export type OneRowScan = ScanNode<'one-row'>
export interface TableScan extends ScanNode<'table'> {
  readonly table: string
  /** The column whose value determines the partition of a row; absent for a table without partitions. */
  readonly partitionedBy?: string
  /** For a wildcard table: its shards, and all columns of each. */
  readonly wildcard?: Wildcard & { readonly columns: readonly StructField[] }
  /**
   * All columns of the table, in its order, then its pseudo columns; each column's `name` is the table's own spelling.
   */
  readonly columns: readonly Column[]
  /** The offset of the table's name in the text. */
  readonly at: number
}
/** Reads a common table expression; its columns correspond by position to the `columns` of the definition (ResolvedCte). */
export interface CteScan extends ScanNode<'cte'> {
  readonly cte: number
}
/**
 * One row for each element of the array: `columns` are the input's columns, then the element, then the offset. `input` holds
 * the FROM items before it; without an input, `array` may still read columns of an outer query. If `isOuter`, an input row is kept,
 * with NULLs, where no element fulfils `condition`. A NULL array has no elements.
 */
export interface UnnestScan extends ScanNode<'unnest'> {
  readonly input: Scan | null
  readonly array: Expr
  readonly element: Column
  readonly offset: Column | null
  readonly isOuter: boolean
  readonly condition: Expr | null
}
export interface JoinScan extends ScanNode<'join'> {
  readonly join: 'cross' | 'inner' | 'left' | 'right' | 'full'
  readonly left: Scan
  readonly right: Scan
  /** Null for a cross join. */
  readonly condition: Expr | null
}
export interface FilterScan extends ScanNode<'filter'> {
  readonly input: Scan
  readonly condition: Expr
  /**
   * True for a filter that an engine added to a subquery in a branch of CASE, IF or COALESCE, so that the subquery has no rows where
   * the branch is not taken. Where the branch is taken, the condition is true.
   */
  readonly isGuard?: true
}
/** Computes columns; `columns` lists the columns that remain, from the input or computed. */
export interface ProjectScan extends ScanNode<'project'> {
  readonly input: Scan
  readonly computed: readonly Computed[]
}
export interface Computed {
  readonly column: Column
  readonly expr: Expr
}
/**
 * GROUP BY; a DISTINCT is an AggregateScan that has only keys. `columns` are the columns of the keys, of the aggregates and of
 * the grouping calls. Without keys the scan produces one row.
 */
export interface AggregateScan extends ScanNode<'aggregate'> {
  readonly input: Scan
  readonly keys: readonly Computed[]
  readonly aggregates: readonly ComputedAggregate[]
  /** The sets of ROLLUP, CUBE and GROUPING SETS, each a list of indexes into `keys`; null for a plain GROUP BY. */
  readonly groupingSets: readonly (readonly number[])[] | null
  /** The calls GROUPING(key), each 1 in rows of a set without the key, otherwise 0; `key` is an index into `keys`. */
  readonly groupingCalls: readonly { readonly column: Column; readonly key: number }[]
}
export interface ComputedAggregate {
  readonly column: Column
  readonly call: AggregateCall
}
/** Window functions: `columns` are the input's columns, then the columns of the functions. */
export interface WindowScan extends ScanNode<'window'> {
  readonly input: Scan
  readonly functions: readonly { readonly column: Column; readonly call: WindowCall }[]
}
/** A set operation. Each input has as many columns as `columns`, with the same types; columns are matched by position. */
export interface SetScan extends ScanNode<'set'> {
  readonly operator: 'UNION' | 'INTERSECT' | 'EXCEPT'
  readonly isAll: boolean
  readonly inputs: readonly Scan[]
}
export interface OrderScan extends ScanNode<'order'> {
  readonly input: Scan
  readonly keys: readonly SortKey[]
}
export interface SortKey {
  readonly expr: Expr
  readonly isDescending: boolean
  /** Whether NULLs come first: as written, or by default true for ascending and false for descending order. */
  readonly nullsFirst: boolean
}
export interface LimitScan extends ScanNode<'limit'> {
  readonly input: Scan
  readonly limit: Expr
  readonly offset: Expr | null
}
export interface WithScan extends ScanNode<'with'> {
  readonly ctes: readonly ResolvedCte[]
  readonly body: Scan
}
export interface ResolvedCte {
  /** Unique within the query. */
  readonly id: number
  readonly name: string
  readonly scan: Scan
  /** The columns of `scan` that every CteScan of this CTE reads, by position. */
  readonly columns: readonly Column[]
  /** For a recursive CTE, its recursive terms, which read the CTE by its id (`scan` is the base term); null for any other CTE. */
  readonly recursion: { readonly isAll: boolean; readonly terms: readonly Scan[] } | null
  /** True for a CTE that an engine computes before the scans that read it, even if only one scan reads it. @default false */
  readonly isComputedFirst?: boolean
}

// ---- expressions
export interface ExprNode<Kind extends string> {
  readonly kind: Kind
  readonly type: Type
  /** The offset in the text. */
  readonly at: number
}

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
 * `value` by type: boolean for BOOL; decimal text for INT64, NUMERIC and BIGNUMERIC; a number for FLOAT64; text for STRING
 * and JSON; bytes for BYTES; for DATE, DATETIME, TIME and TIMESTAMP the canonical text of the value (`2026-01-31`,
 * `2026-01-31 12:00:00.123456`, `12:00:00`, and for TIMESTAMP the time in UTC with `+00`). null is an untyped NULL, which
 * has the type INT64 until it is coerced to any type; a typed NULL is a cast of it.
 */
export interface LiteralExpr extends ExprNode<'literal'> {
  readonly value: null | boolean | number | string | Uint8Array
  /** The text of a FLOAT64 literal, so that a conversion to NUMERIC keeps every digit; absent for other literals. */
  readonly written?: string
}
export interface ParameterExpr extends ExprNode<'parameter'> {
  readonly name: string
}
/** A column; `isCorrelated` is true for an outer reference, which is a column of an enclosing query. */
export interface ColumnExpr extends ExprNode<'column'> {
  readonly column: Column
  readonly isCorrelated: boolean
}
/**
 * A call of a scalar function or an operator. Operators have names that begin with `$`: `$add`, `$eq`, `$and`, `$in`, …
 * (listed in definitions/operators.ts). Arguments are coerced to the signature; null for an optional argument not given.
 */
export interface CallExpr extends ExprNode<'call'> {
  readonly name: string
  readonly arguments: readonly (Expr | null)[]
  /** True for a call with the prefix `SAFE.`: where the function itself fails, the result is NULL. */
  readonly isSafe: boolean
}
export interface CastExpr extends ExprNode<'cast'> {
  readonly operand: Expr
  readonly isSafe: boolean
  /** True for a cast that coercion added, false for a cast in the text. */
  readonly isImplicit: boolean
  readonly format: Expr | null
  readonly timeZone: Expr | null
  /** The parameters of a type such as STRING(10); null where none are written. */
  readonly typeParameters: TypeParameters | null
}
/**
 * Type parameters: the numbers of STRING(10) or NUMERIC(10, 2), or as `parts` the parameters of an array's element or a
 * struct's fields.
 */
export interface TypeParameters {
  readonly numbers: readonly number[]
  readonly parts: readonly (TypeParameters | null)[]
}
/** A field of a struct, by its index from 0. */
export interface FieldExpr extends ExprNode<'field'> {
  readonly operand: Expr
  readonly index: number
}
export interface StructExpr extends ExprNode<'struct'> {
  readonly type: StructType
  readonly fields: readonly Expr[]
  /** True for `STRUCT<a INT64>(…)`: its type is written, so its fields are no longer coerced like literals. */
  readonly hasWrittenType: boolean
}
export interface ArrayExpr extends ExprNode<'array'> {
  readonly type: ArrayType
  readonly items: readonly Expr[]
  /** True for `ARRAY<INT64>[…]`: its type is written. An empty array without a written type coerces to any array type. */
  readonly hasWrittenType: boolean
}
/**
 * CASE WHEN. The resolver turns `CASE x WHEN y` into conditions `$eq(x, y)`, inside a let that binds `x` if it is not cheap.
 * IF, IFNULL and similar functions are calls.
 */
export interface CaseExpr extends ExprNode<'case'> {
  readonly branches: readonly { readonly when: Expr; readonly then: Expr }[]
  readonly otherwise: Expr | null
}
/**
 * A subquery. A scalar subquery is NULL if it has no row, and fails if it has several. `scan` has one column, or any number for
 * `exists`.
 */
export interface SubqueryExpr extends ExprNode<'subquery'> {
  readonly form: 'scalar' | 'array' | 'exists'
  readonly scan: Scan
}
export interface InQueryExpr extends ExprNode<'in-query'> {
  readonly operand: Expr
  /** The scan of the subquery; it has one column, of the operand's type. */
  readonly scan: Scan
}
export interface LambdaExpr extends ExprNode<'lambda'> {
  /** The body's type. */
  readonly type: Type
  readonly parameters: readonly Column[]
  readonly body: Expr
}
/** `WITH(a AS …, result)`: each binding is evaluated once. */
export interface LetExpr extends ExprNode<'let'> {
  readonly bindings: readonly Computed[]
  readonly result: Expr
}
/**
 * A date part (`DAY`, `WEEK`, `WEEK(MONDAY)` as `WEEK_MONDAY`) or a keyword (`NFKC`) as an argument. The type is meaningless.
 */
export interface WordExpr extends ExprNode<'word'> {
  readonly word: string
}

/** A call of an aggregate function, or of the function of a window call. */
export interface AggregateCall {
  readonly type: Type
  readonly name: string
  /** COUNT(*) is `$count_star` without arguments. */
  readonly arguments: readonly (Expr | null)[]
  readonly isDistinct: boolean
  /** Whether the call ignores NULLs: as written, otherwise the function's default. */
  readonly ignoresNulls: boolean
  readonly having: { readonly extreme: 'max' | 'min'; readonly expr: Expr } | null
  readonly orderBy: readonly SortKey[]
  readonly limit: Expr | null
  /** The condition of PIVOT on the rows that are aggregated; null for all rows. */
  readonly filter: Expr | null
  readonly isSafe: boolean
  readonly at: number
}
export interface WindowCall {
  readonly call: AggregateCall
  readonly partitionBy: readonly Expr[]
  readonly orderBy: readonly SortKey[]
  /**
   * Null where the function takes no frame or no frame is written. The default frame is RANGE from the start to the current
   * row if the window has an ORDER BY, otherwise the whole partition.
   */
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
