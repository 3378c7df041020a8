/** Ranges: their texts, and the steps of GENERATE_RANGE_ARRAY. */
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

/** The bounds between the subranges, in microseconds, from the start of the first subrange to the end of the last. */
function split(name: string, parts: readonly (bigint | null)[], isNull: boolean, keepsPart: boolean): bigint[] | null {
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
  const bounds = [start]
  for (let i = 1; bounds.at(-1)! < end; i++) {
    if (i > MAX_RANGES) fail(`Cannot generate arrays with more than ${MAX_RANGES} elements.`)
    const next = months === 0n ? start + BigInt(i) * length : addMonths(start, i * Number(months))
    if (next <= end) bounds.push(next)
    else if (keepsPart) bounds.push(end)
    else break
  }
  return bounds
}

export const RANGE_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('bq_read_range', ['VARCHAR', 'VARCHAR'], 'VARCHAR[]', readBounds),
  scalar('bq_range_steps', ['VARCHAR', 'BIGINT[]', 'BOOLEAN', 'BOOLEAN'], 'BIGINT[]', split, { handlesNull: true }),
]
