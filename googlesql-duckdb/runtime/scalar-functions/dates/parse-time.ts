/** PARSE_DATE, PARSE_TIME, PARSE_DATETIME and PARSE_TIMESTAMP: read text by a format of `%` elements. */
import { civilFromDays, daysFromCivil, isLeapYear, isValidDate } from '../../../../googlesql/values/civil-date.js'
import { MAX_TIMESTAMP_MICROS, MIN_TIMESTAMP_MICROS } from '../../../../googlesql/values/civil-text.js'
import { localToInstant } from '../../../../googlesql/values/time-zone.js'
import { fail, type ScalarFunction, ScalarFunctionError, scalar } from '../scalar-function.js'
import { checkMicros, DAY_NAMES, isoYearStart, MONTH_NAMES, weekdayOf } from './civil-time.js'
import { FOREIGN_ELEMENTS as FOREIGN, type TimeKind } from './format-time.js'
import { type TimeZone, timeZone } from './time-zones.js'

/** Elements for parts that a value of this type does not have; a format with such an element is an error. */
const FOREIGN_ELEMENTS: Readonly<Record<TimeKind, string>> = { ...FOREIGN, TIME: FOREIGN.TIME.replace('Q', '') }

/** A part that gives a date only together with other parts, such as a weekday. `place` is the position of its element in the format. */
interface Part {
  readonly value: number
  readonly place: number
}

class Fields {
  year = 1970
  month = 1
  day = 1
  hour = 0
  minute = 0
  second = 0
  micro = 0
  isTwelveHour = false
  isAfternoon = false
  century = 0
  usesCentury = false
  hasWrittenCentury = false
  offsetSeconds: number | null = null
  zone: TimeZone
  epochSeconds: number | null = null
  /** The positions of the last elements that set the year, month and day; -1 where no element did. */
  yearPlace = -1
  monthPlace = -1
  dayPlace = -1
  hasDatePart = false
  weekday: Part | null = null
  dayOfYear: Part | null = null
  week: (Part & { readonly firstWeekday: number }) | null = null
  isoYear: Part | null = null
  isoWeek: Part | null = null
  isoDayOfYear: Part | null = null

  constructor(zone: TimeZone) {
    this.zone = zone
  }
}

const isSpace = (character: string): boolean => /[ \t\n\v\f\r]/.test(character)

class Mismatch extends ScalarFunctionError {}

/** Reads the elements of a format from a text, one after the other. */
class Reader {
  readonly text: string
  at = 0
  place = 0
  readonly fields: Fields

  constructor(text: string, zone: TimeZone) {
    this.text = text
    this.fields = new Fields(zone)
  }

  fail(): never {
    throw new Mismatch(`Failed to parse input string ${JSON.stringify(this.text)}`)
  }

  skipSpaces(): void {
    while (this.at < this.text.length && isSpace(this.text[this.at]!)) this.at++
  }

  /** Reads a number of up to `width` characters, whose value must be within the bounds. */
  number(width: number, low: number, high: number): number {
    const match = /^-?\d+/.exec(this.text.slice(this.at, this.at + width))
    if (match === null) this.fail()
    const value = Number(match[0])
    if (value < low || value > high) this.fail()
    this.at += match[0].length
    return value
  }

  spacedNumber(width: number, low: number, high: number): number {
    this.skipSpaces()
    return this.number(width, low, high)
  }

  /**
   * Reads a number as strptime does: it does not read a digit that would make the number too large, such as the 0 after the day 5 in
   * `5022024`.
   */
  shortNumber(low: number, high: number): number {
    this.skipSpaces()
    let value = this.number(1, 0, 9)
    for (let limit = Math.floor(high / 10); limit > 0 && value * 10 <= high; limit = Math.floor(limit / 10)) {
      const digit = /^\d/.exec(this.text.slice(this.at, this.at + 1))
      if (digit === null) break
      value = value * 10 + Number(digit[0])
      this.at++
    }
    return value < low || value > high ? this.fail() : value
  }

  expect(character: string): void {
    if (this.text[this.at] !== character) this.fail()
    this.at++
  }

  /** Reads a name, in full or by its first three letters, in any case. Returns its index. */
  name(names: readonly string[]): number {
    for (const [index, name] of names.entries()) {
      for (const candidate of [name, name.slice(0, 3)]) {
        if (this.text.slice(this.at, this.at + candidate.length).toLowerCase() === candidate.toLowerCase()) {
          this.at += candidate.length
          return index
        }
      }
    }
    return this.fail()
  }

  twelveHour(): void {
    this.fields.hour = this.spacedNumber(2, 1, 12) % 12
    this.fields.isTwelveHour = true
  }

  halfDay(): void {
    const word = this.text.slice(this.at, this.at + 2).toLowerCase()
    if (word !== 'am' && word !== 'pm') this.fail()
    this.fields.isAfternoon = word === 'pm'
    this.at += 2
  }

  /** Reads a year. `mayHaveFive`: the year may have five digits, since the next element cannot begin with a digit. */
  year(mayHaveFive: boolean): void {
    this.fields.year = mayHaveFive ? this.number(5, 0, 10_000) : this.number(4, 0, 9_999)
    this.fields.usesCentury = false
    this.fields.hasWrittenCentury = false
  }

  shortYear(): void {
    this.fields.year = this.number(2, 0, 99)
    if (!this.fields.hasWrittenCentury) this.fields.century = this.fields.year < 69 ? 20 : 19
    this.fields.usesCentury = true
  }

  /**
   * Reads the year of `%D`, `%F` or `%c`. Each of them reads its own century. If the format also has an element for the
   * century, only the years since 1900 are stored, to which that century is added.
   */
  yearWithin(read: () => void): void {
    const { century, usesCentury, hasWrittenCentury } = this.fields
    this.fields.hasWrittenCentury = false
    read()
    const year = this.fields.year + (this.fields.usesCentury ? this.fields.century * 100 : 0)
    Object.assign(this.fields, { year: usesCentury ? year - 1900 : year, century, usesCentury, hasWrittenCentury })
  }

  century(mayHaveThree: boolean): void {
    this.fields.century = mayHaveThree ? this.number(3, 0, 100) : this.number(2, 0, 99)
    if (!this.fields.usesCentury) this.fields.year = 0
    this.fields.usesCentury = true
    this.fields.hasWrittenCentury = true
  }

  fraction(digits: number): void {
    if (this.text[this.at] !== '.') return
    const match = /^\d+/.exec(this.text.slice(this.at + 1, digits === 0 ? undefined : this.at + 1 + digits))
    if (match === null) this.fail()
    this.fields.micro = Number(match[0].padEnd(6, '0').slice(0, 6))
    this.at += 1 + match[0].length
  }

  offset(separator: string): void {
    if (separator === ':' && this.text[this.at] === 'Z') {
      this.fields.offsetSeconds = 0
      this.at++
      return
    }
    const match = /^([+-])(\d\d)(?:(:?)([0-5]\d))?/.exec(this.text.slice(this.at))
    if (match === null || Number(match[2]) > 23) this.fail()
    // Where no separator is allowed, only the hours of `+05:30` are read as the offset, and the rest of the text then does not
    // match.
    const hasMinutes = match[4] !== undefined && (match[3] === '' || separator === ':')
    const minutes = Number(match[2]) * 60 + (hasMinutes ? Number(match[4]) : 0)
    if (minutes > 14 * 60) fail('Timezone offset out of valid range -14:00 to +14:00: ' + match[0])
    this.fields.offsetSeconds = (match[1] === '-' ? -minutes : minutes) * 60
    this.at += hasMinutes ? match[0].length : 3
  }

  zoneName(): void {
    const match = /^\S+/.exec(this.text.slice(this.at))
    if (match === null) this.fail()
    this.fields.zone = timeZone(match[0])
    this.fields.offsetSeconds = null
    this.at += match[0].length
  }

  makePart(value: number): Part {
    return { value, place: this.place }
  }

  markDate(...places: readonly ('yearPlace' | 'monthPlace' | 'dayPlace')[]): void {
    this.fields.hasDatePart = true
    for (const name of places) this.fields[name] = this.place
  }
}

const clock = (reader: Reader, hasSeconds: boolean): void => {
  const { fields } = reader
  fields.hour = reader.spacedNumber(2, 0, 23)
  reader.expect(':')
  fields.minute = reader.spacedNumber(2, 0, 59)
  if (hasSeconds) {
    reader.expect(':')
    fields.second = reader.spacedNumber(2, 0, 60)
  }
  fields.isTwelveHour = false
}

const slashedDate = (reader: Reader): void => {
  reader.fields.month = reader.spacedNumber(2, 1, 12)
  reader.expect('/')
  reader.fields.day = reader.spacedNumber(2, 1, 31)
  reader.expect('/')
  reader.skipSpaces()
  reader.yearWithin(() => reader.shortYear())
  reader.markDate('yearPlace', 'monthPlace', 'dayPlace')
}

const weekNumber =
  (firstWeekday: number) =>
  (reader: Reader): void => {
    reader.markDate()
    reader.fields.week = { ...reader.makePart(reader.number(2, 0, 53)), firstWeekday }
  }
const monthName = (reader: Reader): void => {
  reader.fields.month = reader.name(MONTH_NAMES) + 1
  reader.markDate('monthPlace')
}
const weekdayName = (reader: Reader): void => {
  reader.fields.weekday = reader.makePart(reader.name(DAY_NAMES))
}
/** Reads a number into a field. `places` are the fields for its position, if it is a part of a date. */
const field =
  (
    name: 'month' | 'day' | 'minute' | 'second',
    low: number,
    high: number,
    ...places: readonly ('monthPlace' | 'dayPlace')[]
  ): ReadElement =>
  reader => {
    reader.fields[name] = reader.number(2, low, high)
    if (places.length > 0) reader.markDate(...places)
  }
const partField =
  (
    name: 'weekday' | 'isoYear' | 'isoWeek' | 'isoDayOfYear',
    width: number,
    low: number,
    high: number,
    convert: (value: number) => number = value => value,
  ): ReadElement =>
  reader => {
    reader.fields[name] = reader.makePart(convert(reader.number(width, low, high)))
  }

type ReadElement = (reader: Reader, mayBeLonger: boolean) => void
const READERS: Readonly<Record<string, ReadElement>> = {
  A: weekdayName,
  a: weekdayName,
  B: monthName,
  b: monthName,
  h: monthName,
  C: (reader, mayBeLonger) => {
    reader.century(mayBeLonger)
    reader.markDate('yearPlace')
  },
  c: reader => {
    weekdayName(reader)
    reader.skipSpaces()
    reader.fields.month = reader.name(MONTH_NAMES) + 1
    reader.fields.day = reader.spacedNumber(2, 1, 31)
    reader.skipSpaces()
    clock(reader, true)
    reader.skipSpaces()
    reader.yearWithin(() => reader.year(false))
    reader.markDate('yearPlace', 'monthPlace', 'dayPlace')
  },
  D: slashedDate,
  x: slashedDate,
  d: field('day', 1, 31, 'dayPlace'),
  e: reader => {
    reader.fields.day = reader.shortNumber(1, 31)
    reader.markDate('dayPlace')
  },
  F: reader => {
    reader.skipSpaces()
    reader.yearWithin(() => reader.year(false))
    reader.expect('-')
    reader.fields.month = reader.spacedNumber(2, 1, 12)
    reader.expect('-')
    reader.fields.day = reader.spacedNumber(2, 1, 31)
    reader.markDate('yearPlace', 'monthPlace', 'dayPlace')
  },
  G: partField('isoYear', 20, 0, 99_999),
  g: partField('isoYear', 2, 0, 99, year => (year <= 68 ? 2000 + year : 1900 + year)),
  H: reader => {
    reader.fields.hour = reader.number(2, 0, 23)
    reader.fields.isTwelveHour = false
  },
  I: reader => reader.twelveHour(),
  l: reader => reader.twelveHour(),
  J: partField('isoDayOfYear', 3, 1, 371),
  j: reader => {
    reader.markDate()
    reader.fields.dayOfYear = reader.makePart(reader.number(3, 1, 366))
  },
  k: reader => {
    reader.fields.hour = reader.shortNumber(0, 23)
    reader.fields.isTwelveHour = false
  },
  M: field('minute', 0, 59),
  m: field('month', 1, 12, 'monthPlace'),
  n: reader => reader.skipSpaces(),
  t: reader => reader.skipSpaces(),
  P: reader => reader.halfDay(),
  p: reader => reader.halfDay(),
  Q: reader => {
    reader.fields.month = (reader.number(1, 1, 4) - 1) * 3 + 1
    reader.fields.day = 1
    reader.markDate('monthPlace', 'dayPlace')
  },
  R: reader => clock(reader, false),
  r: reader => {
    reader.twelveHour()
    reader.expect(':')
    reader.fields.minute = reader.number(2, 0, 59)
    reader.expect(':')
    reader.fields.second = reader.number(2, 0, 60)
    reader.skipSpaces()
    reader.halfDay()
  },
  S: field('second', 0, 60),
  s: reader => {
    reader.fields.epochSeconds = reader.number(
      12,
      Number(MIN_TIMESTAMP_MICROS / 1_000_000n),
      Number(MAX_TIMESTAMP_MICROS / 1_000_000n),
    )
    reader.markDate('yearPlace', 'monthPlace', 'dayPlace')
  },
  T: reader => clock(reader, true),
  X: reader => clock(reader, true),
  U: weekNumber(0),
  W: weekNumber(1),
  u: partField('weekday', 1, 1, 7, day => day % 7),
  w: partField('weekday', 1, 0, 6),
  V: partField('isoWeek', 2, 1, 53),
  Y: (reader, mayBeLonger) => {
    reader.year(mayBeLonger)
    reader.markDate('yearPlace')
  },
  y: reader => {
    reader.shortYear()
    reader.markDate('yearPlace')
  },
  Z: reader => reader.zoneName(),
  z: reader => reader.offset(''),
  '%': reader => reader.expect('%'),
}

/** Reads one element, whose `%` is at `percent`. Returns the index after it in the format. */
function readElement(reader: Reader, format: string, percent: number, kind: TimeKind): number {
  let at = percent + 1
  if (at === format.length) fail("Format string cannot end with a single '%'")
  reader.place++
  let letter = format[at]!
  if (letter === 'E') {
    const extended = /^(z|4Y|\*S|\dS)/.exec(format.slice(at + 1))
    if (extended !== null) {
      readExtended(reader, extended[0])
      return at + 1 + extended[0].length
    }
  }
  // The modifiers in `%Ey`, `%Od` and so on have no effect, since English has no alternative calendars or digits.
  if ((letter === 'E' || letter === 'O') && at + 1 < format.length) letter = format[++at]!
  if (!Object.hasOwn(READERS, letter) || FOREIGN_ELEMENTS[kind].includes(letter)) reader.fail()
  READERS[letter]!(reader, format[at + 1] !== '%')
  return at + 1
}

function readExtended(reader: Reader, element: string): void {
  if (element === 'z') {
    reader.offset(':')
  } else if (element === '4Y') {
    const start = reader.at
    reader.fields.year = reader.number(4, 0, 9_999)
    if (reader.at - start !== 4) reader.fail()
    reader.fields.usesCentury = false
    reader.markDate('yearPlace')
  } else {
    reader.fields.second = reader.number(2, 0, 60)
    if (element === '*S') reader.fraction(0)
    else if (element !== '0S') reader.fraction(Number(element[0]))
  }
}

function checkFormat(format: string, kind: TimeKind): void {
  for (const match of format.matchAll(/%(?:E(?:4Y|\*S|\dS|[A-Za-z])|O?[A-Za-z%])/g)) {
    const letter = match[0].at(-1)!
    if (letter !== '%' && FOREIGN_ELEMENTS[kind].includes(letter))
      fail(`Invalid format: ${match[0]} is not allowed for the ${kind} type.`)
  }
}

function readAll(reader: Reader, format: string, kind: TimeKind): void {
  let at = 0
  reader.skipSpaces()
  while (reader.at < reader.text.length && at < format.length) {
    const character = format[at]!
    if (isSpace(character)) {
      reader.skipSpaces()
      at++
    } else if (character === '%') {
      at = readElement(reader, format, at, kind)
    } else if (reader.text[reader.at] === character) {
      reader.at++
      at++
    } else {
      fail(`Mismatch between format character '${character}' and string character '${reader.text[reader.at]}'`)
    }
  }
  reader.skipSpaces()
  // The rest of the format may only be white space.
  if (reader.at < reader.text.length || !/^(?:\s|%[nt])*$/.test(format.slice(at))) reader.fail()
}

/**
 * The day, in days since 1970-01-01. The ISO parts determine it if the format has no other part of a date. Otherwise it is the
 * date of the fields, changed by a week number or a day of the year.
 */
function dayOf(fields: Fields): number {
  let { year } = fields
  if (fields.usesCentury) year += fields.century * 100
  const { isoYear } = fields
  if (!fields.hasDatePart && isoYear !== null) return isoDay(fields, isoYear.value)
  const override = weekOrYearDay(fields, year)
  let { month, day } = fields
  if (override !== null) {
    const date = civilFromDays(override.days)
    // Sets only fields that no later element has set.
    if (fields.yearPlace < override.place) year = date.year
    if (fields.monthPlace < override.place) month = date.month
    if (fields.dayPlace < override.place) day = date.day
  }
  if (!isValidDate(year, month, day)) fail('Out-of-range datetime field in parsing function')
  return daysFromCivil(year, month, day)
}

function isoDay(fields: Fields, isoYear: number): number {
  const start = isoYearStart(isoYear)
  const length = isoYearStart(isoYear + 1) - start
  const { isoWeek, isoDayOfYear, weekday } = fields
  // If there are both a week and a day of the year, the later element counts; if there is no weekday, the day of the year counts.
  if (isoDayOfYear !== null && (isoWeek === null || weekday === null || isoDayOfYear.place > isoWeek.place)) {
    if (isoDayOfYear.value > length)
      fail(`ISO Year ${isoYear} has ${length} days, but the specified day of year was ${isoDayOfYear.value}`)
    return start + isoDayOfYear.value - 1
  }
  if (isoWeek === null) return start
  if (isoWeek.value * 7 > length) fail(`Invalid ISO week ${isoWeek.value} specified for ISO year ${isoYear}`)
  return start + (isoWeek.value - 1) * 7 + (weekday === null ? 0 : (weekday.value + 6) % 7)
}

function weekOrYearDay(fields: Fields, year: number): { readonly days: number; readonly place: number } | null {
  const { week, dayOfYear, weekday } = fields
  const first = daysFromCivil(year, 1, 1)
  if (dayOfYear !== null && (week === null || weekday === null || dayOfYear.place > week.place)) {
    if (dayOfYear.value === 366 && !isLeapYear(year))
      fail(`Year ${year} has 365 days, but the specified day of year was 366`)
    return { days: first + dayOfYear.value - 1, place: dayOfYear.place }
  }
  if (week === null) return null
  const firstWeek = first + ((week.firstWeekday - weekdayOf(first) + 7) % 7)
  const lowest = firstWeek === first ? 1 : 0
  const highest = Math.floor((first + (isLeapYear(year) ? 365 : 364) - firstWeek) / 7) + 1
  if (week.value < lowest || week.value > highest) fail(`Week number ${week.value} is invalid for year ${year}`)
  const offset = weekday === null ? 0 : (weekday.value - week.firstWeekday + 7) % 7
  return { days: firstWeek + (week.value - 1) * 7 + offset, place: week.place }
}

/** Parses a text. Returns microseconds: in UTC for a TIMESTAMP, in its own calendar for the other types. */
export function parseTime(format: string, text: string, kind: TimeKind, zone: string): bigint {
  checkFormat(format, kind)
  const reader = new Reader(text, timeZone(zone))
  readAll(reader, format, kind)
  const { fields } = reader
  return checkMicros(microsOf(fields), 'Invalid result from parsing function')
}

function microsOf(fields: Fields): bigint {
  if (fields.epochSeconds !== null) return BigInt(fields.epochSeconds) * 1_000_000n
  const hour = fields.hour + (fields.isTwelveHour && fields.isAfternoon ? 12 : 0)
  const isLeapSecond = fields.second === 60
  const civil = dayOf(fields) * 86_400 + hour * 3_600 + fields.minute * 60 + (isLeapSecond ? 59 : fields.second)
  const instant = fields.offsetSeconds === null ? localToInstant(civil, fields.zone) : civil - fields.offsetSeconds
  return BigInt(instant) * 1_000_000n + (isLeapSecond ? 1_000_000n : BigInt(fields.micro))
}

export const PARSE_TIME_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  // Parameters: format string, text, type, time zone. Returns microseconds.
  scalar('bq_parse_time', ['VARCHAR', 'VARCHAR', 'VARCHAR', 'VARCHAR'], 'BIGINT', parseTime),
]
