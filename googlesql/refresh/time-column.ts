/** Finds the expressions that are a time of the table, truncated or converted: their values lie in cells of that time. */
import type { CallExpr, Expr } from '../plan/nodes.js'
import type { NotKept } from './not-kept.js'
import { type Cells, canonicalPart, canonicalZone, cellPart, isFixed, isWithin, lengthOf } from './time-cells.js'

export type TimeType = 'TIMESTAMP' | 'DATETIME' | 'DATE'

/** A value computed from a time column of the table: it grows with the column, and is NULL where the column is. */
export interface TableTime {
  /** The column of the table. */
  readonly column: string
  readonly type: TimeType
  /** The part to which it is truncated; null for a time that is not truncated. */
  readonly part: string | null
  /** The zone in which it is truncated or read; null for a TIMESTAMP that is not truncated. */
  readonly zone: string | null
  /** Whether each value is a start of `part`; false where values only lie within a `part`, as values of TIMESTAMP_BUCKET do. */
  readonly isStart: boolean
  /** Present where only values after 1970 lie in cells. */
  readonly since1970?: true
  /** Present for a text like 20260131, whose day is the time. */
  readonly isText?: true
}

/** The table's time that an expression holds; a reason where a step has lost that time; null where the expression does not read it. */
export type Trace = TableTime | NotKept | null

export const isTime = (traced: Trace | undefined): traced is TableTime => traced != null && 'column' in traced

const TIME_TYPES: readonly string[] = ['TIMESTAMP', 'DATETIME', 'DATE'] satisfies readonly TimeType[]
export const isTimeType = (kind: string): kind is TimeType => TIME_TYPES.includes(kind)

/** The cells in which values of the time lie. */
export const cellsOf = ({ part, zone, since1970 }: TableTime): Cells => ({
  part: cellPart(part),
  zone: zone ?? 'UTC',
  ...(since1970 && { since1970 }),
})

/** A column of texts like 20260131. A part of the table that has any other text in it has unknown times. */
export const textTime = (column: string): TableTime => ({ ...columnTime(column, 'DATE'), isText: true })

/** A column of the table itself. A DATE is a start of a day. */
export const columnTime = (column: string, type: TimeType): TableTime => ({
  column,
  type,
  part: type === 'DATE' ? 'DAY' : null,
  zone: type === 'TIMESTAMP' ? null : 'UTC',
  isStart: type === 'DATE',
})

/** The time of the table that the expression is. @param columns the times that columns hold, by the ids of the columns */
export function timeOf(expr: Expr, columns: ReadonlyMap<number, Trace>): Trace {
  if (expr.kind === 'column') return columns.get(expr.column.id) ?? null
  if (expr.kind === 'cast') {
    const time = timeOf(expr.operand, columns)
    if (!isTime(time) || time.isText || expr.format || expr.timeZone || expr.isSafe) return isTime(time) ? null : time
    return cast(time, expr.type.kind, null, expr)
  }
  if (expr.kind !== 'call' || expr.isSafe) return null
  if (expr.name === 'TIMESTAMP_SECONDS') return traceDivision(expr, columns)
  if (!Object.hasOwn(CALLS, expr.name)) return null
  const { argument, trace } = CALLS[expr.name]!
  const value = expr.arguments[argument]
  const time = value ? timeOf(value, columns) : null
  if (!isTime(time)) return time
  return time.isText && trace !== traceParse ? null : trace(time, expr)
}

interface TracedCall {
  /** The index of the argument with the time. */
  readonly argument: number
  readonly trace: (time: TableTime, call: CallExpr) => Trace
}

const TRUNCATE: TracedCall = {
  argument: 0,
  trace: (time, call) => truncate(time, wordOf(call.arguments[1]), call.arguments[2], call),
}
const CAST: TracedCall = { argument: 0, trace: (time, call) => cast(time, call.type.kind, call.arguments[1], call) }
const BUCKET: TracedCall = { argument: 0, trace: traceBuckets }

const CALLS: Readonly<Record<string, TracedCall>> = {
  TIMESTAMP_TRUNC: TRUNCATE,
  DATETIME_TRUNC: TRUNCATE,
  DATE_TRUNC: TRUNCATE,
  TIMESTAMP: CAST,
  DATETIME: CAST,
  DATE: CAST,
  TIMESTAMP_BUCKET: BUCKET,
  DATETIME_BUCKET: BUCKET,
  PARSE_DATE: { argument: 1, trace: traceParse },
  $extract: {
    argument: 1,
    trace: (time, call) => (wordOf(call.arguments[0]) === 'DATE' ? cast(time, 'DATE', call.arguments[2], call) : null),
  },
}

function traceParse({ isText, ...time }: TableTime, { arguments: [format] }: CallExpr): Trace {
  const isDay = format?.kind === 'literal' && format.value === '%Y%m%d'
  return isText && isDay ? time : null
}

const wordOf = (expr: Expr | null | undefined): string | null => (expr?.kind === 'word' ? expr.word : null)

/** The zone that an argument names: UTC without an argument, null where it is not a constant or not a zone that `canonicalZone` accepts. */
export function zoneOf(argument: Expr | null | undefined): string | null {
  if (!argument) return 'UTC'
  const isText = argument.kind === 'literal' && argument.type.kind === 'STRING' && typeof argument.value === 'string'
  return isText ? canonicalZone(argument.value as string) : null
}

const loss = (reason: string, { at }: Expr): NotKept => ({ reason, at })

const TWO_ZONES = 'the time of the table is read in two time zones, one after the other'
const NO_ZONE = 'the time zone is not a constant with the name of a city, such as Europe/Paris'

function truncate(time: TableTime, word: string | null, zoneExpr: Expr | null | undefined, call: Expr): Trace {
  if (word === null) return null
  const zone = time.type === 'TIMESTAMP' ? zoneOf(zoneExpr) : time.zone
  if (zone === null) return loss(NO_ZONE, call)
  if (time.zone !== null && time.zone !== zone) return loss(TWO_ZONES, call)
  const part = canonicalPart(word)
  if (time.part !== null && !isWithin(time.part, part)) {
    return loss(`the time is already truncated to ${time.part}, which does not lie within one ${part}`, call)
  }
  return refuseRepeatedHours({ ...time, part, zone, isStart: true }, call)
}

function cast(time: TableTime, kind: string, zoneExpr: Expr | null | undefined, call: Expr): Trace {
  if (!isTimeType(kind)) return null
  if (time.type === 'TIMESTAMP' && kind === 'TIMESTAMP') return time
  if (time.type !== 'TIMESTAMP' && kind !== 'TIMESTAMP') {
    return zoneExpr ? null : kind === 'DATE' ? toDay({ ...time, type: kind }) : { ...time, type: kind }
  }
  const zone = zoneOf(zoneExpr)
  if (zone === null) return loss(NO_ZONE, call)
  if (time.zone !== null && time.zone !== zone) return loss(TWO_ZONES, call)
  if (kind === 'TIMESTAMP') return { ...time, type: kind }
  const civil = { ...time, type: kind, zone }
  return kind === 'DATE' ? toDay(civil) : refuseRepeatedHours(civil, call)
}

const toDay = (time: TableTime): TableTime =>
  time.part === null || isWithin(time.part, 'DAY') ? { ...time, part: 'DAY', isStart: true } : time

/** Refuses a DATETIME truncated to less than a day, in a zone whose clocks are set back: one such DATETIME stands for two instants. */
function refuseRepeatedHours(time: TableTime, call: Expr): Trace {
  const isTwice = time.type === 'DATETIME' && time.part !== null && time.part !== 'DAY' && isWithin(time.part, 'DAY')
  if (!isTwice || isFixed(time.zone!)) return time
  return loss(`a DATETIME in ${time.zone} has each hour twice that the clocks are set back: truncate it to days`, call)
}

/** Buckets of a length that divides an hour or a day, counted from the default origin, which is a midnight in UTC. */
function traceBuckets(time: TableTime, call: CallExpr): Trace {
  const [, interval, origin] = call.arguments
  const [count, part] = interval?.kind === 'call' && interval.name === '$interval' ? interval.arguments : []
  const length = lengthOf(wordOf(part) ?? '')
  if (origin || count?.kind !== 'literal' || typeof count.value !== 'string' || length === undefined) {
    return loss('buckets are traced only where they are of a constant length and have the default origin', call)
  }
  return toBuckets(time, BigInt(count.value) * length, call)
}

/** TIMESTAMP_SECONDS(300 * DIV(UNIX_SECONDS(time), 300)). DIV rounds towards zero: a bucket before 1970 is later than the times in it. */
function traceDivision(call: CallExpr, columns: ReadonlyMap<number, Trace>): Trace {
  const product = argumentsOf(call.arguments[0], '$multiply')
  const factor = product.find(part => part?.kind === 'literal')
  const [seconds, divisor] = argumentsOf(
    product.find(part => part !== factor),
    'DIV',
  )
  const [timestamp] = argumentsOf(seconds, 'UNIX_SECONDS')
  const time = timestamp ? timeOf(timestamp, columns) : null
  if (!isTime(time) || factor?.kind !== 'literal' || divisor?.kind !== 'literal') return isTime(time) ? null : time
  if (typeof factor.value !== 'string' || factor.value !== divisor.value) return null
  const bucket = toBuckets(time, BigInt(factor.value) * lengthOf('SECOND')!, call)
  return isTime(bucket) ? { ...bucket, since1970: true } : bucket
}

const argumentsOf = (expr: Expr | null | undefined, name: string): readonly (Expr | null)[] =>
  expr?.kind === 'call' && expr.name === name && !expr.isSafe ? expr.arguments : []

function toBuckets(time: TableTime, bucket: bigint, call: Expr): Trace {
  if (time.zone !== null && time.zone !== 'UTC') return loss(TWO_ZONES, call)
  const cell = ['MINUTE', 'HOUR', 'DAY'].find(longer => bucket > 0n && lengthOf(longer)! % bucket === 0n)
  if (cell === undefined) return loss('the length of these buckets does not divide a day', call)
  const length = time.part === null ? 1n : lengthOf(time.part)
  if (length === undefined || bucket % length !== 0n || (time.part !== null && !time.isStart)) {
    return loss(`the time is already truncated to ${time.part}, which does not lie within one bucket`, call)
  }
  return { ...time, part: cell, zone: 'UTC', isStart: false }
}
