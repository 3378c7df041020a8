/**
 * Time zones by their names in GoogleSQL: a name of the tz database, `UTC`, or an offset such as `-08`, `+05:30`, `UTC+3`.
 */
import { BoundedMap, memo } from '../../../../googlesql/data.js'
import { localToInstant, writtenOffset, zoneOffset } from '../../../../googlesql/values/time-zone.js'
import { fail, type ScalarFunction, scalar } from '../scalar-function.js'
import { splitMicros } from './civil-time.js'

/** The rules of a zone: returns the seconds east of Greenwich at an instant in seconds since 1970. */
export type TimeZone = (epochSeconds: number) => number

const DAY_SECONDS = 86_400

/** Seconds east of Greenwich for a name that is an offset or UTC; undefined for any other name. */
export const fixedOffset = (name: string): number | undefined =>
  name === 'UTC' || name === 'Etc/UTC' ? 0 : writtenOffset(name)

/** The rules of a zone of the tz database; null for an unknown name. */
function namedZone(name: string): TimeZone | null {
  // The platform accepts offsets too, including some that GoogleSQL does not; all names of the database begin with a letter.
  return /^[A-Za-z]/.test(name) && fixedOffset(name) === undefined ? zoneOffset(name) : null
}

/** A query may use any text as a zone, so the cache is bounded. */
const zones = new BoundedMap<string, TimeZone>(1_000)

/** The zone of this name. @throws ScalarFunctionError in BigQuery's words for an unknown name. */
export const timeZone = (name: string): TimeZone => memo(zones, name, makeZone)

function makeZone(name: string): TimeZone {
  if (name === '') fail('Invalid empty time zone')
  const fixed = fixedOffset(name)
  if (fixed !== undefined) return () => fixed
  const named = namedZone(name)
  if (named === null) fail(`Invalid time zone: ${name}`)
  return cacheByDay(named)
}

interface DayOffsets {
  readonly oldOffset: number
  readonly newOffset: number
  /** The instant, in seconds since 1970, from which `newOffset` applies. */
  readonly change: number
}

// The platform takes microseconds to find the offset of an instant. The rows of a query are usually close in time, so the offsets
// are cached per day. No zone has changed its offset twice within a day.
function cacheByDay(zone: TimeZone): TimeZone {
  const days = new BoundedMap<number, DayOffsets>(20_000)
  const offsetsOf = (day: number): DayOffsets => offsetsOfDay(zone, day)
  return epochSeconds => {
    const offsets = memo(days, Math.floor(epochSeconds / DAY_SECONDS), offsetsOf)
    return epochSeconds < offsets.change ? offsets.oldOffset : offsets.newOffset
  }
}

function offsetsOfDay(zone: TimeZone, day: number): DayOffsets {
  let low = day * DAY_SECONDS
  let high = low + DAY_SECONDS - 1
  const oldOffset = zone(low)
  const newOffset = zone(high)
  if (oldOffset === newOffset) return { oldOffset, newOffset, change: low }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (zone(middle) === oldOffset) low = middle
    else high = middle
  }
  return { oldOffset, newOffset, change: high }
}

/** The instant of a civil time, both in microseconds. */
export function instantMicros(zone: TimeZone, civilMicros: bigint): bigint {
  const { seconds, micro } = splitMicros(civilMicros)
  return BigInt(localToInstant(seconds, zone)) * 1_000_000n + BigInt(micro)
}

export const TIME_ZONE_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  // Returns microseconds east of Greenwich at an instant in microseconds.
  scalar(
    'bq_zone_offset',
    ['VARCHAR', 'BIGINT'],
    'BIGINT',
    (name, micros) => BigInt(timeZone(name)(splitMicros(micros).seconds)) * 1_000_000n,
  ),
  // Returns the instant of a civil time, both in microseconds.
  scalar('bq_zone_instant', ['VARCHAR', 'BIGINT'], 'BIGINT', (name, micros) => instantMicros(timeZone(name), micros)),
]
