/** Finds the expressions that are a time of the table, truncated or converted: their values lie in cells of that time. */
import type { CallExpr, Expr } from '../plan/nodes.js'
import type { NotKept } from './not-kept.js'
import { type Cells, cellPart, isFixed, isWithin, lengthOf, partNamed, zoneNamed } from './time-cells.js'

export type TimeType = 'TIMESTAMP' | 'DATETIME' | 'DATE'

/** A value computed from a time column of the table: it grows with the column, and is NULL where the column is. */
export interface TimeOf {
  /** The column of the table. */
  readonly column: string
  readonly type: TimeType
  /** The part to which it is truncated; null for a time that is not truncated. */
  readonly part: string | null
  /** The zone in which it is truncated or read; null for a TIMESTAMP that is not truncated. */
  readonly zone: string | null
  /** Whether each value is a start of `part`; false where values only lie within one, as those of TIMESTAMP_BUCKET. */
  readonly isStart: boolean
  /** Present where only values after 1970 lie in cells. */
  readonly since1970?: true
  /** Present for a text like 20260131, whose day is the time. */
  readonly isText?: true
}

/** The time of the table that an expression is; a reason where it has stopped being one; null where it has nothing to do with the time. */
export type Traced = TimeOf | NotKept | null

export const isTime = (traced: Traced | undefined): traced is TimeOf => traced != null && 'column' in traced

const TIME_TYPES: readonly string[] = ['TIMESTAMP', 'DATETIME', 'DATE'] satisfies readonly TimeType[]
export const isTimeType = (kind: string): kind is TimeType => TIME_TYPES.includes(kind)

/** The cells in which values of the time lie. */
export const cellsOf = ({ part, zone, since1970 }: TimeOf): Cells => ({
  part: cellPart(part),
  zone: zone ?? 'UTC',
  ...(since1970 && { since1970 }),
})

/** A column of texts like 20260131. A part of the table that has any other text in it has unknown times. */
export const ofText = (column: string): TimeOf => ({ ...ofColumn(column, 'DATE'), isText: true })

/** A column of the table itself. A DATE is a start of a day. */
export const ofColumn = (column: string, type: TimeType): TimeOf => ({
  column,
  type,
  part: type === 'DATE' ? 'DAY' : null,
  zone: type === 'TIMESTAMP' ? null : 'UTC',
  isStart: type === 'DATE',
})

/** The time of the table that the expression is. @param columns the times that columns hold, by the ids of the columns */
export function timeOf(expr: Expr, columns: ReadonlyMap<number, Traced>): Traced {
  if (expr.kind === 'column') return columns.get(expr.column.id) ?? null
  if (expr.kind === 'cast') {
    const of = timeOf(expr.operand, columns)
    if (!isTime(of) || of.isText || expr.format || expr.timeZone || expr.isSafe) return isTime(of) ? null : of
    return converted(of, expr.type.kind, null, expr)
  }
  if (expr.kind !== 'call' || expr.isSafe) return null
  if (expr.name === 'TIMESTAMP_SECONDS') return divided(expr, columns)
  if (!Object.hasOwn(CALLS, expr.name)) return null
  const { argument, trace } = CALLS[expr.name]!
  const value = expr.arguments[argument]
  const of = value ? timeOf(value, columns) : null
  if (!isTime(of)) return of
  return of.isText && trace !== parsed ? null : trace(of, expr)
}

interface TracedCall {
  /** The index of the argument with the time. */
  readonly argument: number
  readonly trace: (of: TimeOf, call: CallExpr) => Traced
}

const truncating: TracedCall = {
  argument: 0,
  trace: (of, call) => truncated(of, wordOf(call.arguments[1]), call.arguments[2], call),
}
const converting: TracedCall = {
  argument: 0,
  trace: (of, call) => converted(of, call.type.kind, call.arguments[1], call),
}
const bucketing: TracedCall = { argument: 0, trace: bucketed }

const CALLS: Readonly<Record<string, TracedCall>> = {
  TIMESTAMP_TRUNC: truncating,
  DATETIME_TRUNC: truncating,
  DATE_TRUNC: truncating,
  TIMESTAMP: converting,
  DATETIME: converting,
  DATE: converting,
  TIMESTAMP_BUCKET: bucketing,
  DATETIME_BUCKET: bucketing,
  PARSE_DATE: { argument: 1, trace: parsed },
  $extract: {
    argument: 1,
    trace: (of, call) => (wordOf(call.arguments[0]) === 'DATE' ? converted(of, 'DATE', call.arguments[2], call) : null),
  },
}

function parsed({ isText, ...of }: TimeOf, { arguments: [format] }: CallExpr): Traced {
  const isDay = format?.kind === 'literal' && format.value === '%Y%m%d'
  return isText && isDay ? of : null
}

const wordOf = (expr: Expr | null | undefined): string | null => (expr?.kind === 'word' ? expr.word : null)

/** The zone that an argument names: UTC without an argument, null where it is not a constant or not a zone that `zoneNamed` accepts. */
export function zoneOf(argument: Expr | null | undefined): string | null {
  if (!argument) return 'UTC'
  const isText = argument.kind === 'literal' && argument.type.kind === 'STRING' && typeof argument.value === 'string'
  return isText ? zoneNamed(argument.value as string) : null
}

const lost = (reason: string, { at }: Expr): NotKept => ({ reason, at })

const TWO_ZONES = 'the time of the table is read in two time zones, one after the other'
const NO_ZONE = 'the time zone is not a constant with the name of a city, such as Europe/Paris'

function truncated(of: TimeOf, word: string | null, zoned: Expr | null | undefined, call: Expr): Traced {
  if (word === null) return null
  const zone = of.type === 'TIMESTAMP' ? zoneOf(zoned) : of.zone
  if (zone === null) return lost(NO_ZONE, call)
  if (of.zone !== null && of.zone !== zone) return lost(TWO_ZONES, call)
  const part = partNamed(word)
  if (of.part !== null && !isWithin(of.part, part)) {
    return lost(`the time is already truncated to ${of.part}, which does not lie within one ${part}`, call)
  }
  return unlessTwice({ ...of, part, zone, isStart: true }, call)
}

function converted(of: TimeOf, kind: string, zoned: Expr | null | undefined, call: Expr): Traced {
  if (!isTimeType(kind)) return null
  if (of.type === 'TIMESTAMP' && kind === 'TIMESTAMP') return of
  if (of.type !== 'TIMESTAMP' && kind !== 'TIMESTAMP') {
    return zoned ? null : kind === 'DATE' ? toDay({ ...of, type: kind }) : { ...of, type: kind }
  }
  const zone = zoneOf(zoned)
  if (zone === null) return lost(NO_ZONE, call)
  if (of.zone !== null && of.zone !== zone) return lost(TWO_ZONES, call)
  if (kind === 'TIMESTAMP') return { ...of, type: kind }
  const civil = { ...of, type: kind, zone }
  return kind === 'DATE' ? toDay(civil) : unlessTwice(civil, call)
}

const toDay = (of: TimeOf): TimeOf =>
  of.part === null || isWithin(of.part, 'DAY') ? { ...of, part: 'DAY', isStart: true } : of

/** Refuses a DATETIME truncated to less than a day, in a zone whose clocks are set back: one such DATETIME stands for two instants. */
function unlessTwice(of: TimeOf, call: Expr): Traced {
  const isTwice = of.type === 'DATETIME' && of.part !== null && of.part !== 'DAY' && isWithin(of.part, 'DAY')
  if (!isTwice || isFixed(of.zone!)) return of
  return lost(`a DATETIME in ${of.zone} has each hour twice that the clocks are set back: truncate it to days`, call)
}

/** Buckets of a length that divides an hour or a day, counted from the default origin, which is a midnight in UTC. */
function bucketed(of: TimeOf, call: CallExpr): Traced {
  const [, interval, origin] = call.arguments
  const [count, part] = interval?.kind === 'call' && interval.name === '$interval' ? interval.arguments : []
  const length = lengthOf(wordOf(part) ?? '')
  if (origin || count?.kind !== 'literal' || typeof count.value !== 'string' || length === undefined) {
    return lost('buckets are traced only where they are of a constant length and have the default origin', call)
  }
  return inBuckets(of, BigInt(count.value) * length, call)
}

/** TIMESTAMP_SECONDS(300 * DIV(UNIX_SECONDS(time), 300)). DIV rounds towards zero: a bucket before 1970 is later than the times in it. */
function divided(call: CallExpr, columns: ReadonlyMap<number, Traced>): Traced {
  const product = argumentsOf(call.arguments[0], '$multiply')
  const factor = product.find(part => part?.kind === 'literal')
  const [seconds, divisor] = argumentsOf(
    product.find(part => part !== factor),
    'DIV',
  )
  const [time] = argumentsOf(seconds, 'UNIX_SECONDS')
  const of = time ? timeOf(time, columns) : null
  if (!isTime(of) || factor?.kind !== 'literal' || divisor?.kind !== 'literal') return isTime(of) ? null : of
  if (typeof factor.value !== 'string' || factor.value !== divisor.value) return null
  const bucket = inBuckets(of, BigInt(factor.value) * lengthOf('SECOND')!, call)
  return isTime(bucket) ? { ...bucket, since1970: true } : bucket
}

const argumentsOf = (expr: Expr | null | undefined, name: string): readonly (Expr | null)[] =>
  expr?.kind === 'call' && expr.name === name && !expr.isSafe ? expr.arguments : []

function inBuckets(of: TimeOf, bucket: bigint, call: Expr): Traced {
  if (of.zone !== null && of.zone !== 'UTC') return lost(TWO_ZONES, call)
  const cell = ['MINUTE', 'HOUR', 'DAY'].find(longer => bucket > 0n && lengthOf(longer)! % bucket === 0n)
  if (cell === undefined) return lost('the length of these buckets does not divide a day', call)
  const own = of.part === null ? 1n : lengthOf(of.part)
  if (own === undefined || bucket % own !== 0n || (of.part !== null && !of.isStart)) {
    return lost(`the time is already truncated to ${of.part}, which does not lie within one bucket`, call)
  }
  return { ...of, part: cell, zone: 'UTC', isStart: false }
}
