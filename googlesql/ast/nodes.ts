/**
 * The syntax tree of one GoogleSQL query, as written: no name is looked up and no type is known. `at` is the offset of the
 * node's first character in the SQL text; the `at` of an operator's node is the offset of the operator.
 */

export interface Identifier {
  readonly name: string
  readonly at: number
  /** True for a name between backticks. */
  readonly isQuoted: boolean
}

/** The members of every node. */
export interface AstNode<Kind extends string> {
  readonly kind: Kind
  readonly at: number
}

// ---- scripts

/** One query, and the temporary functions that are defined before it. */
export interface Script {
  readonly functions: readonly FunctionDefinition[]
  /** The DECLARE and SET statements, in the order of the text. */
  readonly variables: readonly VariableStatement[]
  readonly query: Query
}
export type VariableStatement =
  | {
      readonly kind: 'declare'
      readonly at: number
      readonly names: readonly Identifier[]
      /** Null where the type follows from the default. */
      readonly type: TypeNode | null
      readonly value: Expression | null
    }
  | {
      readonly kind: 'set'
      readonly at: number
      readonly names: readonly Identifier[]
      /** True for `SET (a, b) = …`. */
      readonly isTuple: boolean
      readonly value: Expression
    }
/** `CREATE TEMP FUNCTION name(parameters) RETURNS type AS (body);`, or with `LANGUAGE js AS "body"`. */
export interface FunctionDefinition {
  readonly at: number
  readonly name: Identifier
  readonly mode: 'new' | 'replace' | 'if-not-exists'
  readonly parameters: readonly {
    readonly name: Identifier
    /** Null for ANY TYPE. */
    readonly type: TypeNode | null
  }[]
  /** Null where RETURNS is not written: the function then has the body's type. */
  readonly returns: TypeNode | null
  readonly body: Expression | JavaScriptBody
}
/** A function that is called in FROM: `CREATE TABLE FUNCTION`. */
export interface TableFunctionDefinition {
  readonly at: number
  readonly name: Identifier
  readonly parameters: FunctionDefinition['parameters']
  /** The columns of RETURNS TABLE<…>; null where RETURNS is not written: the function then has the query's columns. */
  readonly returns: readonly { readonly name: Identifier; readonly type: TypeNode }[] | null
  readonly body: Query
}
/** The text of a JavaScript function's body. */
export interface JavaScriptBody extends AstNode<'javascript'> {
  readonly text: string
  /** Whether the function is declared DETERMINISTIC: equal arguments give equal results. */
  readonly isDeterministic: boolean
}

// ---- queries

export interface Query extends AstNode<'query'> {
  readonly ctes: readonly Cte[]
  readonly isRecursive: boolean
  readonly body: QueryBody
  readonly orderBy: readonly OrderItem[]
  readonly limit: Expression | null
  readonly offset: Expression | null
  /** The pipe operators that are applied to the query, in order. */
  readonly pipes: readonly Pipe[]
}
export interface Cte {
  readonly name: Identifier
  readonly query: Query
  readonly at: number
}
export type QueryBody = Select | SetOperation | FromQuery | Query
/** A query that begins with FROM: it gives all rows of FROM to the pipe operators that follow. */
export interface FromQuery extends AstNode<'from'> {
  readonly from: From
}

export type SetOperator = 'UNION' | 'INTERSECT' | 'EXCEPT'
/** `a UNION ALL b UNION ALL c` is one node with three inputs. */
export interface SetOperation extends AstNode<'set-operation'> {
  readonly operator: SetOperator
  readonly isAll: boolean
  /** BY NAME or CORRESPONDING: columns are matched by name. */
  readonly match: 'position' | 'by-name' | 'corresponding'
  /** The columns of `BY NAME ON (…)`, or null. */
  readonly matchColumns: readonly Identifier[] | null
  readonly mode: 'inner' | 'left' | 'full' | null
  readonly isStrict: boolean
  readonly inputs: readonly QueryBody[]
}

export interface Select extends AstNode<'select'> {
  readonly isDistinct: boolean
  /** SELECT AS STRUCT, SELECT AS VALUE. */
  readonly as: 'struct' | 'value' | null
  readonly items: readonly SelectItem[]
  readonly from: From | null
  readonly where: Expression | null
  readonly groupBy: GroupBy | null
  readonly having: Expression | null
  readonly qualify: Expression | null
  readonly windows: readonly NamedWindow[]
}
export type SelectItem = SelectExpression | SelectStar
export interface SelectExpression extends AstNode<'expression'> {
  readonly expression: Expression
  readonly alias: Identifier | null
}
/** `*` or `path.*`, with its EXCEPT and REPLACE. */
export interface SelectStar extends AstNode<'star'> {
  readonly path: Expression | null
  readonly except: readonly Identifier[]
  readonly replace: readonly { readonly expression: Expression; readonly name: Identifier }[]
}
export interface GroupBy {
  readonly at: number
  /** True for GROUP BY ALL, where `items` is empty. */
  readonly isAll: boolean
  readonly items: readonly GroupingItem[]
}
export type GroupingItem =
  | {
      readonly kind: 'expression'
      readonly expression: Expression
      /** Only in the pipe operator AGGREGATE. */
      readonly alias: Identifier | null
      /** Only in the pipe operator AGGREGATE. */
      readonly order: PipeOrder | null
      readonly at: number
    }
  /** `()` : the grand total. */
  | { readonly kind: 'empty'; readonly at: number }
  /** Each element is one expression or a parenthesised list. */
  | { readonly kind: 'rollup' | 'cube'; readonly sets: readonly (readonly Expression[])[]; readonly at: number }
  | { readonly kind: 'grouping-sets'; readonly items: readonly GroupingSetItem[]; readonly at: number }
export type GroupingSetItem =
  | { readonly kind: 'set'; readonly expressions: readonly Expression[] }
  | { readonly kind: 'rollup' | 'cube'; readonly sets: readonly (readonly Expression[])[] }
export interface OrderItem {
  readonly expression: Expression
  readonly isDescending: boolean
  /** NULLS FIRST, NULLS LAST, or null when not written. */
  readonly nulls: 'first' | 'last' | null
  readonly at: number
}
export interface NamedWindow {
  readonly name: Identifier
  readonly window: Window
}
/**
 * A window as written in OVER or WINDOW; `base` names another window, alone (`OVER w`) or extended (`OVER (w ORDER BY x)`).
 */
export interface Window {
  readonly at: number
  readonly base: Identifier | null
  readonly partitionBy: readonly Expression[]
  readonly orderBy: readonly OrderItem[]
  readonly frame: Frame | null
}
export interface Frame {
  readonly unit: 'rows' | 'range'
  readonly start: FrameBound
  /** Null where only one bound is written: the frame then ends at the current row. */
  readonly end: FrameBound | null
  readonly at: number
}
export interface FrameBound {
  readonly kind: 'unbounded-preceding' | 'preceding' | 'current-row' | 'following' | 'unbounded-following'
  readonly offset: Expression | null
  readonly at: number
}

// ---- pipe operators

export type Pipe =
  | PipeSelect
  | PipeExtend
  | PipeSet
  | PipeDrop
  | PipeRename
  | PipeAs
  | PipeWhere
  | PipeAggregate
  | PipeDistinct
  | PipeOrderBy
  | PipeLimit
  | PipeJoin
  | PipeSetOperation
  | PipeWith
  | PipePivot
  | PipeUnpivot

/** `|> SELECT …`: a select without FROM, WHERE, GROUP BY, HAVING and QUALIFY. */
export interface PipeSelect extends AstNode<'pipe-select'> {
  readonly select: Select
}
/** The operator EXTEND, or the older operator WINDOW, whose items must contain window functions. */
export interface PipeExtend extends AstNode<'pipe-extend'> {
  readonly items: readonly SelectItem[]
  readonly windows: readonly NamedWindow[]
  readonly isWindow: boolean
}
export interface PipeSet extends AstNode<'pipe-set'> {
  readonly items: readonly { readonly name: Identifier; readonly expression: Expression }[]
}
export interface PipeDrop extends AstNode<'pipe-drop'> {
  readonly columns: readonly Identifier[]
}
export interface PipeRename extends AstNode<'pipe-rename'> {
  readonly items: readonly { readonly from: Identifier; readonly to: Identifier }[]
}
/** `|> AS t`; the parser makes the same node from `(query) AS t |> …`. */
export interface PipeAs extends AstNode<'pipe-as'> {
  readonly alias: Identifier
}
export interface PipeWhere extends AstNode<'pipe-where'> {
  readonly condition: Expression
}
/** ASC or DESC after a column of AGGREGATE. */
export interface PipeOrder {
  readonly isDescending: boolean
  readonly nulls: 'first' | 'last' | null
}
export interface PipeAggregate extends AstNode<'pipe-aggregate'> {
  readonly items: readonly {
    readonly expression: Expression
    readonly alias: Identifier | null
    readonly order: PipeOrder | null
  }[]
  readonly groupBy: GroupBy | null
  /** True for GROUP AND ORDER BY. */
  readonly isOrdered: boolean
}
export type PipeDistinct = AstNode<'pipe-distinct'>
export interface PipeOrderBy extends AstNode<'pipe-order-by'> {
  readonly orderBy: readonly OrderItem[]
}
export interface PipeLimit extends AstNode<'pipe-limit'> {
  readonly limit: Expression
  readonly offset: Expression | null
}
/** A join in a pipe: its left side is the table that comes through the pipe. */
export interface PipeJoin extends AstNode<'pipe-join'> {
  readonly join: Exclude<Join['join'], 'comma'>
  readonly right: From
  readonly on: Expression | null
  readonly using: readonly Identifier[] | null
}
/** A set operation in a pipe: its first input is the table that comes through the pipe. */
export interface PipeSetOperation extends Omit<SetOperation, 'kind' | 'inputs'> {
  readonly kind: 'pipe-set-operation'
  readonly queries: readonly Query[]
}
export interface PipeWith extends AstNode<'pipe-with'> {
  readonly ctes: readonly Cte[]
  readonly isRecursive: boolean
}
export interface PipePivot extends Omit<Pivot, 'kind' | 'input'> {
  readonly kind: 'pipe-pivot'
}
export interface PipeUnpivot extends Omit<Unpivot, 'kind' | 'input'> {
  readonly kind: 'pipe-unpivot'
}

// ---- FROM

export type From = TablePath | TableCall | UnnestFrom | SubqueryFrom | Join | ParenthesisedJoin | Pivot | Unpivot
/** A table, a CTE, or a correlated array (`t.metadata`); the resolver decides which of them the path names. */
export interface TablePath extends AstNode<'table'> {
  /** The offset after the path. */
  readonly pathEnd: number
  /** `` `a.b`.c `` has the two parts `a.b` and `c`; a dashed first part (my-project) is one part. */
  readonly path: readonly Identifier[]
  readonly alias: Identifier | null
  /** WITH OFFSET [AS alias]: allowed when the path is an array. The alias is `offset` when not written. */
  readonly offset: Identifier | null
}
/** A call of a table function. */
export interface TableCall extends AstNode<'table-call'> {
  readonly path: readonly Identifier[]
  /** Null where one of the arguments is not an expression: `TABLE t`, `MODEL m`, a query. */
  readonly arguments: readonly Argument[] | null
  readonly alias: Identifier | null
}
export interface UnnestFrom extends AstNode<'unnest'> {
  readonly expression: Expression
  readonly alias: Identifier | null
  readonly offset: Identifier | null
}
export interface SubqueryFrom extends AstNode<'subquery'> {
  readonly query: Query
  readonly alias: Identifier | null
}
export interface Join extends AstNode<'join'> {
  /** `comma` has the precedence of `cross`. */
  readonly join: 'comma' | 'cross' | 'inner' | 'left' | 'right' | 'full'
  readonly left: From
  readonly right: From
  readonly on: Expression | null
  readonly using: readonly Identifier[] | null
}
export interface ParenthesisedJoin extends AstNode<'parenthesised'> {
  readonly from: From
}
export interface Pivot extends AstNode<'pivot'> {
  readonly input: From
  readonly aggregates: readonly { readonly expression: Expression; readonly alias: Identifier | null }[]
  readonly on: Expression
  readonly values: readonly { readonly expression: Expression; readonly alias: Identifier | null }[]
  readonly alias: Identifier | null
}
export interface UnpivotedColumn {
  /** The `t` of `t.a`; null for a column's name alone. */
  readonly table: Identifier | null
  readonly column: Identifier
}
export interface Unpivot extends AstNode<'unpivot'> {
  readonly input: From
  readonly includesNulls: boolean
  /** The value columns, one or several. */
  readonly values: readonly Identifier[]
  readonly name: Identifier
  readonly groups: readonly {
    readonly columns: readonly UnpivotedColumn[]
    /** AS 'label' or AS 1: a literal. */
    readonly label: Expression | null
  }[]
  readonly alias: Identifier | null
}

// ---- types as written

export type TypeNode =
  | {
      readonly kind: 'named'
      readonly name: string
      /** The integers of `STRING(10)` and `NUMERIC(10, 2)`, as text. */
      readonly parameters: readonly string[]
      readonly at: number
    }
  | { readonly kind: 'array'; readonly element: TypeNode; readonly at: number }
  | {
      readonly kind: 'struct'
      readonly fields: readonly { readonly name: string; readonly type: TypeNode }[]
      readonly at: number
    }

// ---- expressions

export type Expression =
  | Literal
  | Parameter
  | Name
  | Dot
  | Index
  | Unary
  | Binary
  | IsTest
  | IsDistinct
  | Between
  | InList
  | InUnnest
  | InQuery
  | Like
  | LikeQuantified
  | Case
  | Cast
  | Extract
  | IntervalExpression
  | ArrayConstructor
  | StructConstructor
  | Subquery
  | Call
  | Lambda
  | WithExpression

export type RangeTypeName = 'RANGE<DATE>' | 'RANGE<DATETIME>' | 'RANGE<TIMESTAMP>'

export type Literal =
  | { readonly kind: 'null'; readonly at: number }
  | { readonly kind: 'bool'; readonly value: boolean; readonly at: number }
  /** `value` has decimal digits without a sign; a hexadecimal literal is already converted. */
  | { readonly kind: 'int'; readonly value: string; readonly at: number }
  /** `value` is the number as written. */
  | { readonly kind: 'float'; readonly value: string; readonly at: number }
  /** The escapes in `value` are already resolved. */
  | { readonly kind: 'string'; readonly value: string; readonly at: number }
  | { readonly kind: 'bytes'; readonly value: Uint8Array; readonly at: number }
  /** `DATE '2026-01-31'`, `JSON '{}'`; `typed` is the canonical type name. */
  | {
      readonly kind: 'typed'
      readonly typed: 'DATE' | 'DATETIME' | 'TIME' | 'TIMESTAMP' | 'NUMERIC' | 'BIGNUMERIC' | 'JSON' | RangeTypeName
      readonly value: string
      readonly at: number
    }
export interface Parameter extends AstNode<'parameter'> {
  readonly name: string
}
export interface Name extends AstNode<'name'> {
  readonly name: string
  readonly isQuoted: boolean
}
/** `operand.name`; `at` is the place of the name. */
export interface Dot extends AstNode<'dot'> {
  readonly operand: Expression
  readonly name: Identifier
}
/** `operand[index]`, `operand[OFFSET(index)]` and the other subscripts. */
export interface Index extends AstNode<'index'> {
  readonly operand: Expression
  readonly mode: 'plain' | 'offset' | 'ordinal' | 'safe-offset' | 'safe-ordinal'
  readonly index: Expression
}
export interface Unary extends AstNode<'unary'> {
  readonly operator: '-' | '+' | '~' | 'NOT'
  readonly operand: Expression
}
export type BinaryOperator =
  | 'OR'
  | 'AND'
  | '='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | '|'
  | '^'
  | '&'
  | '<<'
  | '>>'
  | '+'
  | '-'
  | '*'
  | '/'
  | '||'
/** An operator with two operands; the operator of `<>` is `!=`. */
export interface Binary extends AstNode<'binary'> {
  readonly operator: BinaryOperator
  readonly left: Expression
  readonly right: Expression
}
/** A test of an operand, which may be written with NOT. */
export interface AstTest<Kind extends string> extends AstNode<Kind> {
  readonly operand: Expression
  readonly isNegated: boolean
}
export interface IsTest extends AstTest<'is'> {
  readonly test: 'NULL' | 'TRUE' | 'FALSE' | 'UNKNOWN'
}
export interface IsDistinct extends AstNode<'is-distinct'> {
  readonly left: Expression
  readonly right: Expression
  /** True for IS NOT DISTINCT FROM. */
  readonly isNegated: boolean
}
export interface Between extends AstTest<'between'> {
  readonly low: Expression
  readonly high: Expression
}
export interface InList extends AstTest<'in-list'> {
  readonly items: readonly Expression[]
}
export interface InUnnest extends AstTest<'in-unnest'> {
  readonly array: Expression
}
export interface InQuery extends AstTest<'in-query'> {
  readonly query: Query
}
export interface Like extends AstTest<'like'> {
  readonly pattern: Expression
}
/**
 * `x LIKE ANY (…)`; the quantifier of SOME is ANY. The patterns are a list, an array (UNNEST) or a subquery; the other two
 * fields are null.
 */
export interface LikeQuantified extends AstTest<'like-quantified'> {
  readonly quantifier: 'ANY' | 'ALL'
  readonly patterns: readonly Expression[] | null
  readonly array: Expression | null
  readonly query: Query | null
}
export interface Case extends AstNode<'case'> {
  readonly operand: Expression | null
  readonly branches: readonly { readonly when: Expression; readonly then: Expression }[]
  readonly otherwise: Expression | null
}
export interface Cast extends AstNode<'cast'> {
  readonly operand: Expression
  readonly type: TypeNode
  readonly isSafe: boolean
  readonly format: Expression | null
  readonly timeZone: Expression | null
}
/** A date part in upper case, with the weekday of `WEEK(MONDAY)`. */
export interface DatePart {
  readonly part: string
  readonly weekday: string | null
  readonly at: number
}
export interface Extract extends AstNode<'extract'> {
  readonly part: DatePart
  readonly operand: Expression
  readonly timeZone: Expression | null
}
/** `INTERVAL 5 DAY`, `INTERVAL '1-2' YEAR TO MONTH`. */
export interface IntervalExpression extends AstNode<'interval'> {
  readonly value: Expression
  readonly part: DatePart
  readonly to: DatePart | null
}
export interface ArrayConstructor extends AstNode<'array'> {
  /** The element type of `ARRAY<T>[…]`; null where it is not written. */
  readonly element: TypeNode | null
  readonly items: readonly Expression[]
}
/** `STRUCT(…)`, `STRUCT<…>(…)`, or a tuple `(a, b)`. */
export interface StructConstructor extends AstNode<'struct'> {
  readonly type: TypeNode | null
  readonly isTuple: boolean
  readonly fields: readonly { readonly expression: Expression; readonly alias: Identifier | null }[]
}
/** `(SELECT …)`, `ARRAY(SELECT …)`, `EXISTS(SELECT …)`. */
export interface Subquery extends AstNode<'subquery'> {
  readonly form: 'scalar' | 'array' | 'exists'
  readonly query: Query
}
export interface Call extends AstNode<'call'> {
  /** The parts of the function's name as written: `['SAFE', 'SUBSTR']`, `['NET', 'HOST']`. */
  readonly path: readonly Identifier[]
  readonly arguments: readonly Argument[]
  /** True for COUNT(*). */
  readonly isStar: boolean
  readonly isDistinct: boolean
  readonly nulls: 'ignore' | 'respect' | null
  readonly having: { readonly extreme: 'max' | 'min'; readonly expression: Expression } | null
  readonly orderBy: readonly OrderItem[]
  readonly limit: Expression | null
  readonly over: Window | null
}
/**
 * An argument, plain or named (`name => argument`). A date part is parsed as an expression too: `DAY` as a name, and
 * `WEEK(MONDAY)` as a call of `WEEK`. The resolver knows where a date part is expected.
 */
export interface Argument {
  readonly name: Identifier | null
  readonly expression: Expression
  /** The alias of an argument `expression AS alias`, the syntax of the fields of STRUCT(…); null for most arguments. */
  readonly alias: Identifier | null
}
export interface Lambda extends AstNode<'lambda'> {
  readonly parameters: readonly Identifier[]
  readonly body: Expression
}
/** `WITH(a AS 1, b AS a + 1, a + b)`. */
export interface WithExpression extends AstNode<'with'> {
  readonly bindings: readonly { readonly name: Identifier; readonly expression: Expression }[]
  readonly result: Expression
}
