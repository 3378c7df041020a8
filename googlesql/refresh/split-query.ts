/**
 * Splits a query that is not kept as a whole. The result of one part of its text may be kept: of a table expression, of the text before
 * the last ORDER BY, or of the groups below window functions. The rest of the text is run over those rows. README.md has the rules.
 */
import { type Token, tokenize } from '../lex/tokenize.js'
import type {
  AggregateCall,
  AggregateScan,
  Expr,
  OutputColumn,
  ResolvedCte,
  ResolvedQuery,
  Scan,
  WindowCall,
} from '../plan/nodes.js'
import { exprsOfScan, inputsOfScan, partsOf } from '../plan/walk.js'
import { arrayOf, structOf, type Type } from '../types/types.js'
import { quoteName } from './narrow-query.js'
import { isTotal } from './row-keys.js'
import { splitWindows } from './split-windows.js'
import { isWithoutOrder, whyVolatile } from './trace-rows.js'

/** Two texts: the result of `lower` is kept, and `upper` is run over its rows. */
export interface Split {
  readonly lower: string
  /**
   * @param names the names of the columns of `lower`
   * @param keys the indexes of the columns that tell its rows apart; null where they are not known
   */
  readonly upper: (names: readonly string[], keys: readonly number[] | null) => string
  /** Whether each name means the same in both texts as in the query. */
  readonly isClear: (lower: ResolvedQuery) => boolean
}

/** The most splits that are tried: each takes some milliseconds. */
const MAX_SPLITS = 4

/** The ways to split a text. The splits that are expected to keep the fewest rows come first. */
export function splitsOf(sql: string): readonly Split[] {
  const tokens = tokenize(sql)
  const outer = outerTokens(tokens)
  if (outer.some(({ term }) => term === '|>')) return []
  const expressions = tableExpressions(outer)
  const select = outer.find(({ term }) => term === 'SELECT')
  const firstGrouped = expressions.findIndex(({ open, close }) =>
    tokens.some(({ term, at: place }) => GROUPING.includes(term) && place > open && place < close),
  )
  const grouped = firstGrouped < 0 ? [] : expressions.slice(firstGrouped).reverse()
  const splits = [
    ...beforeOrder(sql, outer),
    ...(select ? windowsOf(sql, tokens.slice(tokens.indexOf(select)), { start: select.at, end: sql.length }) : []),
    ...grouped.flatMap(({ name, open, close }) => {
      const inner = tokens.filter(({ at }) => at > open && at < close)
      const all = `SELECT * FROM ${name}`
      const before = sql.slice(0, open + 1)
      const whole: Split = {
        lower: `${before}${sql.slice(open + 1, close + 1)} ${all}`,
        upper: (names, keys) => `${before}${rowsOf(names, keys)}${sql.slice(close)}`,
        isClear: () => true,
      }
      return [whole, ...windowsOf(sql, inner, { start: open + 1, end: close, suffix: `) ${all}` })]
    }),
  ]
  return splits.slice(0, MAX_SPLITS)
}

/** The split at the last ORDER BY: the text before it is kept. */
function beforeOrder(sql: string, outer: readonly Token[]): readonly Split[] {
  const order = outer.findLastIndex(({ term }, i) => term === 'ORDER' && outer[i + 1]?.term === 'BY')
  if (order < 0) return []
  const { at } = outer[order]!
  const start = sql.slice(0, outer[0]!.at)
  const upper: Split['upper'] = (names, keys) => `${start}SELECT * FROM (${rowsOf(names, keys)}) ${sql.slice(at)}`
  return [{ lower: sql.slice(0, at), upper, isClear: () => true }]
}

/** Where a query stands in a text, and what follows it in the text that is kept. */
interface Place {
  readonly start: number
  readonly end: number
  readonly suffix?: string
}

/** The split of the query with these tokens at its window functions: its groups are kept. */
function windowsOf(sql: string, tokens: readonly Token[], { start, end, suffix: then = '' }: Place): readonly Split[] {
  const split = splitWindows(sql, tokens, outerTokens(tokens))
  if (split === null) return []
  const before = sql.slice(0, start)
  return [
    {
      lower: `${before}${split.lower}${then}`,
      upper: (names, keys) => `${before}${split.upper(names, columns => rowsOf(columns, keys))}${sql.slice(end)}`,
      isClear: split.isClear,
    },
  ]
}

/** A table expression without any of these words has no groups. */
const GROUPING: readonly string[] = ['GROUP', 'DISTINCT', 'AGGREGATE']

/**
 * The text of a query that gives the rows of the parameter @_rows, each as a group, so that rows that ORDER BY leaves tied come in the
 * order of their columns, as groups of the whole query do. The key of a group is the columns that tell rows apart, or the row's index.
 */
function rowsOf(names: readonly string[], keys: readonly number[] | null): string {
  const isKey = (index: number): boolean => keys?.includes(index) ?? false
  const value = (index: number): string => `_kept.${fieldOf(index)}`
  const columns = names.map((name, i) => `${isKey(i) ? value(i) : `ANY_VALUE(${value(i)})`} AS ${quoteName(name)}`)
  const groups = keys && keys.length > 0 ? keys.map(value).join(', ') : '_row'
  return `SELECT ${columns.join(', ')} FROM UNNEST(@_rows) AS _kept WITH OFFSET AS _row GROUP BY ${groups}`
}

const fieldOf = (index: number): string => `c${index}`

/** The tokens of the last statement that stand outside all brackets. */
function outerTokens(tokens: readonly Token[]): readonly Token[] {
  let depth = 0
  let outer: Token[] = []
  for (const token of tokens) {
    if (CLOSING.includes(token.term)) depth -= 1
    if (depth === 0) outer.push(token)
    if (OPENING.includes(token.term)) depth += 1
    if (depth === 0 && token.term === ';' && tokens.at(-2) !== token) outer = []
  }
  return outer
}

const OPENING = ['(', '[', '{']
const CLOSING = [')', ']', '}']

interface TableExpression {
  /** As it is written. */
  readonly name: string
  /** The offsets of its brackets. */
  readonly open: number
  readonly close: number
}

/** The table expressions of the WITH that begins the last statement. @param outer the tokens of the statement outside brackets */
function tableExpressions(outer: readonly Token[]): TableExpression[] {
  if (outer[0]?.term !== 'WITH' || outer[1]?.term === 'RECURSIVE') return []
  const ctes: TableExpression[] = []
  for (let i = 1; ; i += 5) {
    const [name, as, open, close, comma] = outer.slice(i, i + 5)
    if (!name || as?.term !== 'AS' || open?.term !== '(' || close?.term !== ')') return ctes
    ctes.push({ name: name.kind === 'quoted' ? quoteName(name.text) : name.text, open: open.at, close: close.at })
    if (comma?.term !== ',') return ctes
  }
}

// ---- the rest of the query

/** The types whose values do not change when they are written to a result and read back. */
const PASSED_TYPES: readonly string[] = [
  ...['BOOL', 'INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC', 'STRING', 'BYTES', 'DATE', 'DATETIME', 'TIME', 'TIMESTAMP'],
]

/** The type of @_rows; null where one of the columns cannot be passed on. */
export function rowsType(columns: readonly OutputColumn[]): Type | null {
  const canPass = ({ kind }: Type): boolean => PASSED_TYPES.includes(kind)
  if (!columns.every(({ type }) => canPass(type.kind === 'ARRAY' ? type.element : type))) return null
  return arrayOf(structOf(columns.map(({ type }, i) => ({ name: fieldOf(i), type }))))
}

/**
 * Whether the query can be run over kept rows: its result depends only on these rows and the arguments, and not on the order of the rows.
 * A table expression that no scan reads does not count.
 */
export function isUpper({ scan }: ResolvedQuery): boolean {
  const ctes = new Map<number, ResolvedCte>()
  const seen = new Set<number>()
  const isUpperScan = (part: Scan): boolean => {
    if (part.kind === 'aggregate' && readsKeptRows(part)) return true
    if (part.kind === 'with') {
      for (const cte of part.ctes) ctes.set(cte.id, cte)
      return isUpperScan(part.body)
    }
    if (part.kind !== 'cte')
      return (
        isDeterministic(part, ctes) &&
        exprsOfScan(part).every(expr => isPassedOn(expr, part) || isUpperExpr(expr)) &&
        inputsOfScan(part).every(isUpperScan)
      )
    const { scan: base, recursion } = ctes.get(part.cte)!
    if (seen.has(part.cte)) return true
    seen.add(part.cte)
    return isUpperScan(base) && (recursion?.terms ?? []).every(isUpperScan)
  }
  const isUpperExpr = (expr: Expr): boolean => {
    if (expr.kind === 'call' && whyVolatile(expr) !== null) return false
    // A NULL list comes back from a result as an empty list. So it may be passed on to the result, but no expression may read it.
    if (expr.kind === 'column' && expr.type.kind === 'ARRAY') return false
    if (expr.kind === 'subquery' && expr.form === 'array' && !isOrdered(expr.scan)) return false
    const isQuery = expr.kind === 'subquery' || expr.kind === 'in-query'
    return (!isQuery || isUpperScan(expr.scan)) && partsOf(expr).every(isUpperExpr)
  }
  return isUpperScan(scan)
}

/** Whether the scan passes a column on without a change. */
const isPassedOn = (expr: Expr, { kind }: Scan): boolean => kind === 'project' && expr.kind === 'column'

function isDeterministic(scan: Scan, ctes: Map<number, ResolvedCte>): boolean {
  switch (scan.kind) {
    case 'table':
      return false
    case 'limit':
      return scan.input.kind === 'order'
    case 'aggregate':
      return scan.aggregates.every(({ call }) => isDeterministicCall(call))
    case 'window':
      return scan.functions.every(
        ({ call }) => isDeterministicCall(call.call) && (hasNoTies(call) || isTotal(call, scan.input, ctes)),
      )
    default:
      return true
  }
}

/** Whether the aggregation comes from the text of `rowsOf`. */
const readsKeptRows = ({ input }: AggregateScan): boolean =>
  input.kind === 'unnest' && input.array.kind === 'parameter' && input.array.name === '_rows'

/** Whether the rows come in an order that the query asks for. */
export function isOrdered(scan: Scan): boolean {
  if (scan.kind === 'with') return isOrdered(scan.body)
  return scan.kind === 'order' || ((scan.kind === 'limit' || scan.kind === 'project') && isOrdered(scan.input))
}

/** Whether rows that the window's order leaves tied have the same value. */
const hasNoTies = ({ call, frame }: WindowCall): boolean =>
  TIED_FUNCTIONS.includes(call.name) || (isWithoutOrder(call) && frame?.unit !== 'rows')

const TIED_FUNCTIONS: readonly string[] = ['RANK', 'DENSE_RANK', 'PERCENT_RANK', 'CUME_DIST', 'PERCENTILE_DISC']

/** Sums of FLOAT64 depend on the order of additions. */
const isDeterministicCall = (call: AggregateCall): boolean =>
  (isWithoutOrder(call) || WINDOW_FUNCTIONS.includes(call.name)) &&
  !(SUMS.test(call.name) && call.arguments.some(argument => argument?.type.kind === 'FLOAT64'))

const SUMS = /^(?:SUM|AVG|CORR|COVAR|STDDEV|VAR)/
const WINDOW_FUNCTIONS: readonly string[] = [
  ...['ROW_NUMBER', 'RANK', 'DENSE_RANK', 'PERCENT_RANK', 'CUME_DIST', 'NTILE', 'LAG', 'LEAD'],
  ...['FIRST_VALUE', 'LAST_VALUE', 'NTH_VALUE', 'PERCENTILE_DISC'],
]
