/** Times that are computed from parameters and constants: they are read from the plan as plain data, and evaluated for arguments. */
import type { CallExpr, Expr } from '../plan/nodes.js'
import { civilFromDays, daysFromCivil, FIRST_DAY, LAST_DAY, monthsLater } from '../values/civil-date.js'
import { dateLiteral, datetimeLiteral, timestampLiteral, zonedTimestampMicros } from '../values/literals.js'
import { canonicalPart, civilOf, DAY, floorTo, instantOf, lengthOf, startBefore } from './time-cells.js'
import { isTimeType, type TimeType, zoneOf } from './time-column.js'

/** A time as plain data. The zone of `truncate` is null for a DATETIME or a DATE, which is civil already. */
export type TimeExpr =
  | { readonly kind: 'literal'; readonly type: TimeType; readonly text: string }
  | { readonly kind: 'parameter'; readonly type: TimeType; readonly name: string }
  | {
      readonly kind: 'add'
      readonly time: TimeExpr
      /** Months, or microseconds in digits. */
      readonly unit: { readonly months: number } | { readonly micros: string }
      /** An integer in digits, or the parameter that has it. */
      readonly count: { readonly digits: string } | { readonly parameter: string }
      readonly sign: 1 | -1
    }
  | { readonly kind: 'truncate'; readonly time: TimeExpr; readonly part: string; readonly zone: string | null }
  | { readonly kind: 'toCivil' | 'toInstant'; readonly time: TimeExpr; readonly zone: string }

type Sum = Extract<TimeExpr, { readonly kind: 'add' }>

/** Returns the argument of a parameter, in the form in which the query gets it. */
export type ArgumentOf = (parameter: string) => unknown

/** The time as data; null for an expression that is not a time, or that this file cannot evaluate. */
export function timeExpr(expr: Expr): TimeExpr | null {
  const type = expr.type.kind
  if (!isTimeType(type)) return null
  switch (expr.kind) {
    case 'literal':
      return typeof expr.value === 'string' ? { kind: 'literal', type, text: expr.value } : null
    case 'parameter':
      return { kind: 'parameter', type, name: expr.name }
    case 'cast':
      return expr.isSafe || expr.format || expr.timeZone ? null : convert(expr.operand, type, 'UTC')
    case 'call':
      return expr.isSafe ? null : fromCall(expr, type)
    default:
      return null
  }
}

function fromCall(call: CallExpr, type: TimeType): TimeExpr | null {
  const [first, second, third] = call.arguments
  switch (call.name) {
    case 'TIMESTAMP_ADD':
    case 'DATETIME_ADD':
    case 'DATE_ADD':
    case '$add':
      return addInterval(first, second, 1)
    case 'TIMESTAMP_SUB':
    case 'DATETIME_SUB':
    case 'DATE_SUB':
    case '$subtract':
      return addInterval(first, second, -1)
    case 'TIMESTAMP_TRUNC':
    case 'DATETIME_TRUNC':
    case 'DATE_TRUNC': {
      const time = first && timeExpr(first)
      const zone = type === 'TIMESTAMP' ? zoneOf(third) : null
      if (!time || second?.kind !== 'word' || (type === 'TIMESTAMP' && zone === null)) return null
      return { kind: 'truncate', time, part: canonicalPart(second.word), zone }
    }
    case 'TIMESTAMP':
    case 'DATETIME':
    case 'DATE': {
      const zone = call.arguments.length > 2 || (second && second.type.kind !== 'STRING') ? null : zoneOf(second)
      return first && zone !== null ? convert(first, type, zone) : null
    }
    default:
      return null
  }
}

function convert(operand: Expr, type: TimeType, zone: string): TimeExpr | null {
  const time = timeExpr(operand)
  const from = operand.type.kind
  if (time === null || from === type) return time
  if (type === 'TIMESTAMP') return { kind: 'toInstant', time, zone }
  const civil: TimeExpr = from === 'TIMESTAMP' ? { kind: 'toCivil', time, zone } : time
  return type === 'DATE' ? { kind: 'truncate', time: civil, part: 'DAY', zone: null } : civil
}

const MONTHS: Readonly<Record<string, number>> = { MONTH: 1, QUARTER: 3, YEAR: 12 }

/** The sum of a time and an interval of one part, or of a DATE and a number of days. */
function addInterval(operand: Expr | null | undefined, amount: Expr | null | undefined, sign: 1 | -1): TimeExpr | null {
  const time = operand && timeExpr(operand)
  if (!time || !amount) return null
  const isInterval = amount.kind === 'call' && amount.name === '$interval'
  const [number, part] = isInterval ? amount.arguments : [amount, null]
  const count = number ? countOf(number) : null
  const unit = unitOf(part?.kind === 'word' ? part.word : 'DAY', operand!.type.kind)
  return count !== null && unit !== null && (isInterval || operand!.type.kind === 'DATE')
    ? { kind: 'add', time, unit, count, sign }
    : null
}

function unitOf(part: string, type: string): Sum['unit'] | null {
  if (Object.hasOwn(MONTHS, part)) return type === 'TIMESTAMP' ? null : { months: MONTHS[part]! }
  const micros = part === 'WEEK' ? 7n * DAY : lengthOf(part)
  return micros === undefined ? null : { micros: String(micros) }
}

function countOf(number: Expr): Sum['count'] | null {
  if (number.type.kind !== 'INT64') return null
  if (number.kind === 'parameter') return { parameter: number.name }
  return number.kind === 'literal' && typeof number.value === 'string' ? { digits: number.value } : null
}

/** The time in microseconds since 1970, civil for DATETIME and DATE; null for NULL, and for a time out of range. */
export function evaluate(time: TimeExpr, argumentOf: ArgumentOf): bigint | null {
  const micros = evaluateUnchecked(time, argumentOf)
  return micros !== null && isInRange(micros) ? micros : null
}

const isInRange = (micros: bigint): boolean => micros >= BigInt(FIRST_DAY) * DAY && micros < BigInt(LAST_DAY + 1) * DAY

function evaluateUnchecked(time: TimeExpr, argumentOf: ArgumentOf): bigint | null {
  if (time.kind === 'literal') return microsOf(time.type, time.text)
  if (time.kind === 'parameter') return microsOf(time.type, argumentOf(time.name))
  const inner = evaluate(time.time, argumentOf)
  if (inner === null) return null
  switch (time.kind) {
    case 'add': {
      const count = integerOf('digits' in time.count ? time.count.digits : argumentOf(time.count.parameter))
      return count === null ? null : sumOf(inner, time.unit, count * BigInt(time.sign))
    }
    case 'truncate':
      return truncateTo(inner, time.part, time.zone)
    case 'toCivil':
      return civilOf(inner, time.zone)
    case 'toInstant':
      return instantOf(inner, time.zone)
  }
}

function sumOf(time: bigint, unit: Sum['unit'], count: bigint): bigint | null {
  if ('micros' in unit) return time + count * BigInt(unit.micros)
  const day = floorTo(time, DAY)
  const months = Number(count) * unit.months
  if (!Number.isSafeInteger(months) || Math.abs(months) > 12 * 10_000) return null
  const later = monthsLater(civilFromDays(Number(day / DAY)), months)
  return BigInt(daysFromCivil(later.year, later.month, later.day)) * DAY + (time - day)
}

function truncateTo(time: bigint, part: string, zone: string | null): bigint {
  if (zone === null) return startBefore(time, part)
  const civil = civilOf(time, zone)
  const length = lengthOf(part)
  // For a part shorter than a day, the time since its start is subtracted from the instant. Converting the civil start back would be
  // ambiguous in an hour that the clocks show twice.
  return length === undefined || length >= DAY
    ? instantOf(startBefore(civil, part), zone)
    : time - (civil - floorTo(civil, length))
}

const CANONICAL: Readonly<Record<TimeType, (text: string) => string | null>> = {
  TIMESTAMP: timestampLiteral,
  DATETIME: datetimeLiteral,
  DATE: dateLiteral,
}

/** A value in microseconds: from ISO text, or for TIMESTAMP from a number or digits of microseconds; null for any other. */
export function microsOf(type: TimeType, value: unknown): bigint | null {
  const micros = type === 'TIMESTAMP' ? integerOf(value) : null
  if (micros !== null || typeof value !== 'string') return micros
  const text = CANONICAL[type](value)
  return text === null ? null : zonedTimestampMicros(text.replace('+00', ''), () => 0)
}

function integerOf(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : null
  return typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? BigInt(value) : null
}
