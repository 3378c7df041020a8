/**
 * Writes filters on the column that a table is partitioned by as filters on its partitions, so that DuckDB opens only the
 * files of matching partitions. The table's view has two hidden columns for this (see table-view.ts), which are NULL where a
 * row's partition is not known.
 */

import type { CallExpr, Column, Expr, TableScan } from '../../../googlesql/plan/nodes.js'
import type { Type } from '../../../googlesql/types/types.js'
import { keyColumn, readsOnly } from '../../analysis/key-conditions.js'
import { type Context, inScope } from '../context.js'
import { FROM_COLUMN, UNTIL_COLUMN } from './hidden-columns.js'

/** The SQL of the conditions over the hidden columns of the partitioned table with this alias. */
export function partitionTests(scan: TableScan, alias: string, context: Context): readonly string[] {
  const column = keyColumn(scan)
  if (!column || scan.wildcard) return []
  return (context.keyConditions.get(scan) ?? []).flatMap(condition => {
    const test = partitionTest(condition, column)
    return test ? testSql(test, { column, alias, context }) : []
  })
}

type Operator = '<' | '<=' | '>' | '>=' | '='
const OPERATORS: Readonly<Record<string, Operator>> = { $lt: '<', $le: '<=', $gt: '>', $ge: '>=', $eq: '=' }
const MIRRORED = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '=': '=' } as const
/** The most values of an IN list that are tested one by one. */
const MAX_VALUES = 100

/** A test of a partition. It is true for each partition that may contain a row for which the query's condition is true. */
type PartitionTest =
  | { readonly kind: 'both' | 'either'; readonly tests: readonly PartitionTest[] }
  | {
      readonly kind: 'compare'
      /** The column, or a function of it. */
      readonly value: Expr
      readonly operator: Operator
      readonly bound: Expr
      /** See slackOf. */
      readonly slack: number
    }

/** The test of a partition that follows from the condition on this column; null where the condition excludes no partition. */
export function partitionTest(condition: Expr, column: Column): PartitionTest | null {
  if (condition.kind !== 'call') return null
  const parts = condition.arguments
  const [value, low, high] = parts
  switch (condition.name) {
    case '$and':
      return bothTests(partitionTest(parts[0]!, column), partitionTest(parts[1]!, column))
    case '$or':
      return eitherTest([partitionTest(parts[0]!, column), partitionTest(parts[1]!, column)])
    case '$between':
      return bothTests(comparisonTest(value!, '>=', low!, column), comparisonTest(value!, '<=', high!, column))
    case '$in':
      if (parts.length > MAX_VALUES) return null
      return eitherTest(parts.slice(1).map(item => comparisonTest(value!, '=', item!, column)))
    default:
      return operatorTest(condition, column)
  }
}

function operatorTest({ name, arguments: [left, right] }: CallExpr, column: Column): PartitionTest | null {
  const operator = OPERATORS[name]
  if (!operator || !left || !right) return null
  return comparisonTest(left, operator, right, column) ?? comparisonTest(right, MIRRORED[operator], left, column)
}

function comparisonTest(value: Expr, operator: Operator, bound: Expr, column: Column): PartitionTest | null {
  if (!readsOnly(bound, new Set())) return null
  const slack = slackOf(value, column)
  return slack === null ? null : { kind: 'compare', value, operator, bound, slack }
}

const bothTests = (a: PartitionTest | null, b: PartitionTest | null): PartitionTest | null =>
  a === null ? b : b === null ? a : { kind: 'both', tests: [a, b] }

function eitherTest(tests: readonly (PartitionTest | null)[]): PartitionTest | null {
  const nonNull = tests.filter(test => test !== null)
  return nonNull.length < tests.length ? null : { kind: 'either', tests: nonNull }
}

// ---- SQL

/** The table whose partitions are tested. */
interface Target {
  readonly column: Column
  readonly alias: string
  readonly context: Context
}

function testSql(test: PartitionTest, target: Target): string {
  if (test.kind !== 'compare') {
    const parts = test.tests.map(part => testSql(part, target))
    return test.kind === 'both' ? parts.join(' AND ') : `(${parts.map(part => `(${part})`).join(' OR ')})`
  }
  const { value, operator, bound, slack } = test
  const sql = target.context.expr(bound, inScope(null, target.context)).text
  // `date < bound` means `date <= bound - 1 day`, so the bound moves by a day.
  const shift = value.type.kind !== 'DATE' ? 0 : operator === '<' ? -DAY : operator === '>' ? DAY : 0
  const [upper, lower] =
    value.kind === 'column' ? limitsOfColumn(sql, target) : limitsOfFunction(value.type, { slack, shift }, sql, target)
  if (operator === '=') return `${lower} AND ${upper}`
  return operator === '<' || operator === '<=' ? upper : lower
}

function limitsOfColumn(bound: string, { alias }: Target): readonly [upper: string, lower: string] {
  const [from, until] = [`${alias}.${FROM_COLUMN}`, `${alias}.${UNTIL_COLUMN}`]
  return [`(${from} IS NULL OR ${from} <= ${bound})`, `(${until} IS NULL OR ${until} > ${bound})`]
}

/**
 * The limits for a function whose value is at most the column's, and less than `slack` microseconds below it (0: equal).
 * `shift` microseconds are added to the bound.
 */
function limitsOfFunction(
  type: Type,
  { slack, shift }: { readonly slack: number; readonly shift: number },
  bound: string,
  { column: { type: column }, alias }: Target,
): readonly [upper: string, lower: string] {
  const micros = `epoch_us(${type.kind === 'DATE' ? `CAST(${bound} AS TIMESTAMP)` : bound})`
  const time = (more: number): string => {
    if (column.kind === 'TIMESTAMP') return `make_timestamptz(${micros} + ${more})`
    const civil = `make_timestamp(${micros} + ${more})`
    return column.kind === 'DATE' ? `CAST(${civil} AS DATE)` : civil
  }
  const [from, until] = [`${alias}.${FROM_COLUMN}`, `${alias}.${UNTIL_COLUMN}`]
  // Where the column is a DATE, a bound with a time of day is cut to its date, and the partition of that date may match.
  const isBelow = slack > 0 && (column.kind !== 'DATE' || type.kind === 'DATE') ? '<' : '<='
  return [
    `(${from} IS NULL OR ${from} ${isBelow} ${time(shift + slack)})`,
    `(${until} IS NULL OR ${until} > ${time(shift)})`,
  ]
}

const DAY = 86_400_000_000
/** For each part, a number of microseconds: truncation to the part lowers a time by less than that. */
const PARTS: Readonly<Record<string, number>> = {
  MICROSECOND: 1,
  MILLISECOND: 1_000,
  SECOND: 1_000_000,
  MINUTE: 60_000_000,
  HOUR: 3_600_000_000,
  DAY,
  WEEK: 7 * DAY,
  ISOWEEK: 7 * DAY,
  MONTH: 31 * DAY,
  QUARTER: 92 * DAY,
  YEAR: 366 * DAY,
}
const TIMES: ReadonlySet<string> = new Set(['DATE', 'DATETIME', 'TIMESTAMP'])
const TRUNCATIONS: ReadonlySet<string> = new Set(['DATE_TRUNC', 'DATETIME_TRUNC', 'TIMESTAMP_TRUNC'])

/**
 * A function of the column is at most the column's value, and less than this number of microseconds below it: a day for its date; 0 for the
 * column itself, which is equal. Null for any other function, and for a time zone other than UTC, since clocks there may be turned back.
 */
export function slackOf(expr: Expr, column: Column): number | null {
  if (expr.kind === 'column') return expr.column.id === column.id ? 0 : null
  const isCast = expr.kind === 'cast' && TIMES.has(expr.type.kind) && !expr.format && !expr.timeZone
  if (isCast) return plus(slackOf(expr.operand, column), expr.type.kind === 'DATE' ? DAY : 0)
  if (expr.kind !== 'call') return null
  const [time, ...others] = expr.arguments
  const [part, zone] = TRUNCATIONS.has(expr.name) ? [others[0], others[1]] : [undefined, others[0]]
  if (!time || (zone && !(zone.kind === 'literal' && UTC.has(zone.value)))) return null
  if (TIMES.has(expr.name)) return plus(slackOf(time, column), expr.name === 'DATE' ? DAY : 0)
  if (part?.kind !== 'word' || !TRUNCATIONS.has(expr.name)) return null
  const size = PARTS[part.word.startsWith('WEEK') ? 'WEEK' : part.word]
  return size === undefined ? null : plus(slackOf(time, column), size)
}

const UTC: ReadonlySet<unknown> = new Set(['UTC', '+00', '+00:00'])

const plus = (slack: number | null, more: number): number | null => (slack === null ? null : slack + more)
