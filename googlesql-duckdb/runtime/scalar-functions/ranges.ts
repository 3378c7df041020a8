/** Ranges: their texts, and how many GENERATE_RANGE_ARRAY makes. */
import type { RangeElementKind } from '../../../googlesql/types/types.js'
import { civilFromDays, daysFromCivil, monthsLater } from '../../../googlesql/values/civil-date.js'
import { readRange } from '../../../googlesql/values/ranges.js'
import { fail, type ScalarFunction, scalar } from './scalar-function.js'

const DAY_MICROS = 86_400_000_000n
const MAX_RANGES = 1_000_000

/** The bounds as DuckDB reads them, infinite where the range is unbounded. */
function readBounds(text: string, name: string): string[] {
  const bounds = readRange(text, name.toUpperCase() as RangeElementKind)
  if (typeof bounds === 'string') fail(bounds)
  return [bounds.start ?? '-infinity', bounds.end ?? 'infinity']
}

/** Adds months to a time. If the resulting month has no such day, the result is its last day. */
function addMonths(micros: bigint, months: number): bigint {
  const time = ((micros % DAY_MICROS) + DAY_MICROS) % DAY_MICROS
  const { year, month, day } = monthsLater(civilFromDays(Number((micros - time) / DAY_MICROS)), months)
  return BigInt(daysFromCivil(year, month, day)) * DAY_MICROS + time
}

/** The number of whole steps of some months from the start to the end. */
function wholeSteps(start: bigint, end: bigint, months: number): number {
  const monthOf = (micros: bigint): number => {
    const { year, month } = civilFromDays(Number(micros / DAY_MICROS))
    return year * 12 + month
  }
  let count = Math.ceil((monthOf(end) - monthOf(start)) / months)
  while (count > 0 && addMonths(start, count * months) > end) count--
  return count
}

/** The number of subranges. */
function countRanges(
  name: string,
  parts: readonly (bigint | null)[],
  isNull: boolean,
  keepsPart: boolean,
): bigint | null {
  if (isNull) return null
  const [start, end, months, days, micros] = parts as [bigint | null, bigint | null, bigint, bigint, bigint]
  const amounts = [months, days, micros].filter(part => part !== 0n)
  if (amounts.length === 0) fail('step cannot be 0')
  if (amounts.some(part => part < 0n)) fail('step cannot be negative')
  if (name === 'timestamp' && months !== 0n) fail('step with non-zero MONTH or YEAR part is not supported')
  if (name === 'date' && micros !== 0n) fail('step with non-zero (H:M:S[.F]) part is not supported')
  if (months !== 0n && amounts.length > 1) fail('step must have a single date and time part')
  if (start === null || end === null) fail('input RANGE cannot have UNBOUNDED endpoints')
  const length = days * DAY_MICROS + micros
  const whole = months === 0n ? (end - start) / length : BigInt(wholeSteps(start, end, Number(months)))
  const last = months === 0n ? start + whole * length : addMonths(start, Number(whole * months))
  const count = keepsPart && last < end ? whole + 1n : whole
  if (count > MAX_RANGES) fail(`Cannot generate arrays with more than ${MAX_RANGES} elements.`)
  return count
}

export const RANGE_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_read_range', ['VARCHAR', 'VARCHAR'], 'VARCHAR[]', readBounds),
  scalar('bq_range_count', ['VARCHAR', 'BIGINT[]', 'BOOLEAN', 'BOOLEAN'], 'BIGINT', countRanges, { handlesNull: true }),
]
