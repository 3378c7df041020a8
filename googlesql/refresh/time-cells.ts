/**
 * Civil time: the starts of minutes, days, weeks and months in a zone, and the boundaries between cells. All times are in
 * microseconds: an instant since 1970, or the time that a zone's clocks show, as if it were UTC.
 */
import { BoundedMap, memo } from '../memo.js'
import { civilFromDays, daysFromCivil, LAST_DAY } from '../values/civil-date.js'
import { MIN_TIMESTAMP_MICROS } from '../values/civil-text.js'
import { localToInstant, writtenOffset, zoneOffset } from '../values/time-zone.js'

/** Divides time into cells: each lasts from a civil start of the part in the zone to the next start. */
export interface Cells {
  /** A part that is not shorter than a minute. */
  readonly part: string
  readonly zone: string
  /** Present where all times before 1970, and the day after them, are one cell. */
  readonly since1970?: true
}

export const DAY = 86_400_000_000n
const SECOND = 1_000_000n
/** The parts with a fixed length in microseconds, the shortest first. Each lies within one interval of every later part. */
const LENGTHS: Readonly<Record<string, bigint>> = {
  MICROSECOND: 1n,
  MILLISECOND: 1_000n,
  SECOND,
  MINUTE: 60n * SECOND,
  HOUR: 3_600n * SECOND,
  DAY,
}
const SHORT_PARTS = Object.keys(LENGTHS)
const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY']
/** The most days of a part. */
const MOST_DAYS: Readonly<Record<string, bigint>> = { MONTH: 31n, QUARTER: 92n, YEAR: 366n, ISOYEAR: 371n }
/** For parts longer than a day: the longer parts within which they lie. Only weeks that begin on Monday lie within a longer part. */
const WITHIN: Readonly<Record<string, readonly string[]>> = {
  MONTH: ['QUARTER', 'YEAR'],
  QUARTER: ['YEAR'],
  WEEK_MONDAY: ['ISOYEAR'],
}

/** The canonical name of a part: WEEK becomes WEEK_SUNDAY, and ISOWEEK becomes WEEK_MONDAY. */
export const canonicalPart = (word: string): string =>
  word === 'WEEK' ? 'WEEK_SUNDAY' : word === 'ISOWEEK' ? 'WEEK_MONDAY' : word

/** The part whose cells contain buckets of this part: the part itself, or MINUTE for a shorter part and for null (not truncated). */
export const cellPart = (part: string | null): string => (part === null || isWithin(part, 'MINUTE') ? 'MINUTE' : part)

/** Whether each interval of the first part lies within one interval of the second. */
export function isWithin(part: string, longer: string): boolean {
  if (part === longer) return true
  const [index, longerIndex] = [SHORT_PARTS.indexOf(part), SHORT_PARTS.indexOf(longer)]
  if (index >= 0) return longerIndex < 0 || index < longerIndex
  return WITHIN[part]?.includes(longer) ?? false
}

/** The length of a part that is not longer than a day; undefined for others. */
export const lengthOf = (part: string): bigint | undefined => (Object.hasOwn(LENGTHS, part) ? LENGTHS[part] : undefined)

export const floorTo = (value: bigint, unit: bigint): bigint => value - (((value % unit) + unit) % unit)

/** The last start of the part at or before this civil time. */
export function startBefore(civil: bigint, part: string): bigint {
  const length = lengthOf(part)
  if (length !== undefined) return floorTo(civil, length)
  const days = Number(floorTo(civil, DAY) / DAY)
  return BigInt(startDay(days, part)) * DAY
}

/** The first start of the part at or after this civil time. */
export function startAfter(civil: bigint, part: string): bigint {
  const start = startBefore(civil, part)
  if (start === civil) return start
  const length = lengthOf(part) ?? (MOST_DAYS[part] ?? 7n) * DAY
  return startBefore(start + length, part)
}

function startDay(days: number, part: string): number {
  if (part.startsWith('WEEK_')) return weekStart(days, WEEKDAYS.indexOf(part.slice(5)))
  // An ISO year begins with the week of its fourth of January; the year of a week is that of its Thursday.
  if (part === 'ISOYEAR') return weekStart(daysFromCivil(civilFromDays(weekStart(days, 1) + 3).year, 1, 4), 1)
  const { year, month } = civilFromDays(days)
  const months = part === 'MONTH' ? 1 : part === 'QUARTER' ? 3 : 12
  return daysFromCivil(year, month - ((month - 1) % months), 1)
}

/** 1970-01-01 was a Thursday. */
const weekStart = (days: number, weekday: number): number => days - ((((days + 4 - weekday) % 7) + 7) % 7)

// ---- zones

type Offset = (seconds: number) => number
const offsets = new BoundedMap<string, Offset | false>(1_000)

/** The zone's offset from UTC by instant, in seconds; null for an unknown zone. */
function offsetOf(zone: string): Offset | null {
  const make = (): Offset | false => (isFixed(zone) ? () => writtenOffset(zone) ?? 0 : (zoneOffset(zone) ?? false))
  return memo(offsets, zone, make) || null
}

/** Zones of cities for which the tz databases of platforms and engines differ. They also differ for zones of no city (CET, EST5EDT). */
const DISPUTED: readonly string[] = ['Europe/Chisinau', 'Europe/Tiraspol']

/** The canonical name of a zone; null for an unknown zone, or where tz databases differ. */
export function canonicalZone(zone: string): string | null {
  if (zone === 'UTC' || zone === 'Etc/UTC' || writtenOffset(zone) === 0) return 'UTC'
  const isCertain = isFixed(zone) || (zone.includes('/') && !DISPUTED.includes(zone))
  return isCertain && offsetOf(zone) !== null ? zone : null
}

/** Whether the zone's offset never changes, so that no civil time occurs twice. */
export const isFixed = (zone: string): boolean => zone === 'UTC' || writtenOffset(zone) !== undefined

const secondsOf = (micros: bigint): number => Number(floorTo(micros, SECOND) / SECOND)

/** What the clocks of a known zone show at this instant. */
export const civilOf = (instant: bigint, zone: string): bigint =>
  zone === 'UTC' ? instant : instant + BigInt(offsetOf(zone)!(secondsOf(instant))) * SECOND

/** The instant at which the clocks of a known zone show this time, as GoogleSQL chooses it. */
export function instantOf(civil: bigint, zone: string): bigint {
  if (zone === 'UTC') return civil
  const whole = floorTo(civil, SECOND)
  return BigInt(localToInstant(Number(whole / SECOND), offsetOf(zone)!)) * SECOND + (civil - whole)
}

// ---- boundaries

/** More than the largest change of a zone's offset, 24 hours. */
const MARGIN_HOURS = 26
const MARGIN = BigInt(MARGIN_HOURS) * 3_600n * SECOND

/** The last boundary at or before this instant; null where all boundaries are later. */
export function boundaryBefore({ part, zone, since1970 }: Cells, instant: bigint): bigint | null {
  for (let at = instant; ; ) {
    const boundary = instantOf(startBefore(civilOf(at, zone), part), zone)
    if (boundary < (since1970 ? MARGIN : MIN_TIMESTAMP_MICROS)) return null
    const change = changeNear(boundary, zone)
    if (change === null) return ifInRange(boundary)
    at = change - MARGIN - SECOND
  }
}

/** The first boundary at or after this instant; null after the year 9999. */
export function boundaryAfter({ part, zone, since1970 }: Cells, instant: bigint): bigint | null {
  for (let at = since1970 && instant < MARGIN ? MARGIN : instant; ; ) {
    const boundary = instantOf(startAfter(civilOf(at, zone), part), zone)
    if (boundary >= END) return null
    const change = changeNear(boundary, zone)
    if (change === null) return ifInRange(boundary)
    at = change + MARGIN
  }
}

const END = BigInt(LAST_DAY + 1) * DAY
const ifInRange = (boundary: bigint): bigint | null =>
  boundary >= MIN_TIMESTAMP_MICROS && boundary < END ? boundary : null

/** Whether the instant is a boundary of the cells. */
export const isBoundary = (cells: Cells, instant: bigint): boolean => boundaryAfter(cells, instant) === instant

/**
 * The instant at which the zone's offset changes, if it is within 26 hours of this instant; otherwise null. In the tz database
 * (2025c) a zone's changes are at least 95 hours apart, so at most one is that near.
 */
function changeNear(instant: bigint, zone: string): bigint | null {
  if (isFixed(zone)) return null
  const offsetAt = offsetOf(zone)!
  const middle = secondsOf(instant)
  for (let hours = -MARGIN_HOURS; hours < MARGIN_HOURS; hours += MARGIN_HOURS / 2) {
    let [before, after] = [middle + hours * 3600, middle + (hours + MARGIN_HOURS / 2) * 3600]
    const offset = offsetAt(before)
    if (offsetAt(after) === offset) continue
    while (after - before > 1) {
      const between = Math.floor((before + after) / 2)
      if (offsetAt(between) === offset) before = between
      else after = between
    }
    return BigInt(after) * SECOND
  }
  return null
}
