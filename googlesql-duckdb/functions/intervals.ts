/** INTERVAL values as DuckDB SQL. */
import type { Expr } from '../../googlesql/plan/nodes.js'
import { type IntervalParts, readInterval } from '../../googlesql/values/interval-text.js'
import { DAY_MICROS, type Unit, unitOf } from './dates/units.js'
import { heavyOperator, type SqlWriter, type SqlWriters } from './function-sql.js'

/** The value of an INT64 literal with its sign; null for any other expression. */
export function writtenInt64(expr: Expr | null | undefined): bigint | null {
  if (expr?.kind === 'call' && expr.name === '$negate') {
    const value = writtenInt64(expr.arguments[0])
    return value === null ? null : -value
  }
  const isInt64 = expr?.kind === 'literal' && expr.type.kind === 'INT64' && expr.value !== null
  return isInt64 ? BigInt(expr.value as string) : null
}

/**
 * The largest absolute numbers of months, days and microseconds of an INTERVAL. Source: the language reference, "Interval
 * type".
 */
const MAX_PARTS = { months: 120_000n, days: 3_660_000n, micros: 316_224_000_000_000_000n }

const isInRange = (value: bigint, base: Unit['base']): boolean => value <= MAX_PARTS[base] && value >= -MAX_PARTS[base]

/** The months, days or microseconds of a literal number of units; null for any other expression, and out of range. */
function writtenTotal(count: Expr | null | undefined, { base, size }: Unit): bigint | null {
  const literal = writtenInt64(count)
  const total = literal === null ? null : literal * BigInt(size)
  return total !== null && isInRange(total, base) ? total : null
}

/**
 * The microseconds of an `INTERVAL n PART` with a literal n and a part up to a week; null for any other expression, and for an
 * INTERVAL out of range.
 */
export function writtenMicros(expr: Expr): bigint | null {
  if (expr.kind !== 'call' || expr.name !== '$interval') return null
  const [count, part] = expr.arguments
  const unit = part?.kind === 'word' ? unitOf(part.word) : undefined
  if (unit === undefined || unit.base === 'months') return null
  const total = writtenTotal(count, unit)
  return total !== null && unit.base === 'days' ? total * BigInt(DAY_MICROS) : total
}

/**
 * The parts of an INTERVAL that a literal text gives. Null for any other expression, and for an INTERVAL out of range, which is
 * an error only where a row evaluates it.
 */
function writtenParts(text: Expr, part: string, to: string): IntervalParts | null {
  if (text.kind !== 'literal' || typeof text.value !== 'string') return null
  const parts = readInterval(text.value, part, to)
  if (typeof parts === 'string') return null
  const [months, days, micros] = parts
  return isInRange(months, 'months') && isInRange(days, 'days') && isInRange(micros, 'micros') ? parts : null
}

function partsSql([months, days, micros]: IntervalParts): string {
  const sums = [
    ...(months === 0n ? [] : [`to_months(${months}::INTEGER)`]),
    ...(days === 0n ? [] : [`to_days(${days}::INTEGER)`]),
    ...(micros === 0n && (months !== 0n || days !== 0n) ? [] : [`to_microseconds(${micros}::BIGINT)`]),
  ]
  return sums.length === 1 ? sums[0]! : `(${sums.join(' + ')})`
}

const interval: SqlWriter = call => {
  const [value, part, to] = call.sql as readonly [string, string, string | null | undefined]
  if (call.args[0]!.type.kind === 'STRING') {
    const parts = writtenParts(call.args[0]!, part, to ?? '')
    return parts ? partsSql(parts) : `bq_interval_from_text(${value}, '${part}', '${to ?? ''}')`
  }
  const unit = unitOf(part)!
  const total = writtenTotal(call.args[0], unit)
  if (total === null) return `bq_interval_of_${unit.base}(${value}, ${unit.size})`
  return unit.base === 'micros' ? `to_microseconds(${total}::BIGINT)` : `to_${unit.base}(${total}::INTEGER)`
}

export const INTERVAL_WRITERS: SqlWriters = {
  $interval: { ...heavyOperator(interval), isNullFor: 'first' },
  // See passes/interval-keys.ts.
  $interval_key: ({ sql: [i] }) => `CAST(bq_interval_key(${i}) AS BIGINT)`,
  $interval_of_one_sign: ({ sql: [i] }) => `bq_interval_of_one_sign(${i})`,
  MAKE_INTERVAL: ({ sql }) => {
    const [years, months, days, hours, minutes, seconds] = sql.map(value => value ?? '0')
    return `bq_make_interval(${years} * 12 + ${months}, ${days}, ${hours} * 3600000000 + ${minutes} * 60000000 + ${seconds} * 1000000)`
  },
  JUSTIFY_DAYS: ({ sql }) => `bq_justify_days(${sql[0]})`,
  JUSTIFY_HOURS: ({ sql }) => `bq_justify_hours(${sql[0]})`,
  JUSTIFY_INTERVAL: ({ sql }) => `bq_justify_interval(${sql[0]})`,
}
