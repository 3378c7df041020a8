/** CAST … FORMAT between STRING and the date and time types: `YYYY-MM-DD HH24:MI:SS`. */

import { daysFromCivil, isValidDate } from '../../../../googlesql/values/civil-date.js'
import { localToInstant } from '../../../../googlesql/values/time-zone.js'
import { checkMicros, civilFromSeconds, MONTH_NAMES, splitMicros, weekdayOf } from '../dates/civil-time.js'
import {
  fractionDigits,
  momentOf,
  offsetText,
  pad,
  type TimeKind,
  WRITERS as WRITERS_BY_LETTER,
  type Writer,
} from '../dates/format-time.js'
import { timeZone } from '../dates/time-zones.js'
import { keepLast } from '../keep-last.js'
import { fail, type ScalarFunction, scalar } from '../scalar-function.js'

type Category = 'LITERAL' | keyof typeof NAMES

interface Element {
  /** The element in upper case. For a literal: ' ' for spaces, '"' for quoted text, else the character itself. */
  readonly name: string
  readonly category: Category
  readonly length: number
  /** The text of a literal. */
  readonly literal: string
  readonly casing: 'upper' | 'capital' | 'lower'
}

const FRACTIONS = Array.from({ length: 9 }, (_, index) => `FF${index + 1}`)
const NAMES = {
  YEAR: ['YYYY', 'YYY', 'YY', 'Y', 'RRRR', 'RR', 'Y,YYY', 'IYYY', 'IYY', 'IY', 'I', 'SYYYY', 'YEAR', 'SYEAR'],
  MONTH: ['MM', 'MON', 'MONTH', 'RM'],
  DAY: ['DDD', 'DD', 'D', 'DAY', 'DY', 'J'],
  HOUR: ['HH', 'HH12', 'HH24'],
  MINUTE: ['MI'],
  SECOND: ['SS', 'SSSSS', ...FRACTIONS],
  MERIDIAN_INDICATOR: ['AM', 'PM', 'A.M.', 'P.M.'],
  TIME_ZONE: ['TZH', 'TZM'],
  OTHER: ['CC', 'SCC', 'Q', 'IW', 'WW', 'W', 'AD', 'BC', 'A.D.', 'B.C.', 'SP', 'TH', 'SPTH', 'THSP', 'FM'],
}
const LITERALS = "-./,';:"
/** The names of all elements, longest first, so that the first matching name is also the longest. */
const ALL_NAMES = Object.entries(NAMES)
  .flatMap(([category, names]) => names.map(name => ({ name, category: category as Category })))
  .sort((a, b) => b.name.length - a.name.length)

const show = (element: Element): string =>
  element.name === '"'
    ? `'"${element.literal}"'`
    : `'${element.category === 'LITERAL' ? element.literal : element.name}'`

/** Splits a format into its elements. @throws ScalarFunctionError where no element matches. */
const elementsOf = keepLast((format: string): readonly Element[] => {
  const elements: Element[] = []
  let at = 0
  while (at < format.length) {
    const element = elementAt(format, at)
    elements.push(element)
    at += element.length
  }
  return elements
})

function elementAt(format: string, at: number): Element {
  const literal = (name: string, length: number, text: string): Element => ({
    name,
    category: 'LITERAL',
    length,
    literal: text,
    casing: 'upper',
  })
  const character = format[at]!
  if (LITERALS.includes(character)) return literal(character, 1, character)
  if (character === ' ') {
    const spaces = /^ +/.exec(format.slice(at))![0]
    return literal(' ', spaces.length, spaces)
  }
  if (character === '"') return unquote(format, at, literal)
  const rest = format.slice(at, at + 5).toUpperCase()
  const match = ALL_NAMES.find(({ name }) => rest.startsWith(name))
  if (match === undefined) fail(`Cannot find matched format element at ${at}`)
  const { name, category } = match
  return {
    name,
    category,
    length: name.length,
    literal: '',
    casing: casingOf(format.slice(at, at + name.length), category),
  }
}

function unquote(format: string, at: number, create: (name: string, length: number, text: string) => Element): Element {
  let text = ''
  for (let i = at + 1; i < format.length; i++) {
    const character = format[i]!
    if (character === '"') return create('"', i - at + 1, text)
    if (character === '\\') {
      const escaped = format[++i]
      if (escaped !== '\\' && escaped !== '"') fail(`Unsupported escape sequence \\${escaped ?? ''} in text at ${at}`)
      text += escaped
    } else {
      text += character
    }
  }
  fail(`Cannot find matching " for quoted literal at ${at}`)
}

function casingOf(text: string, category: Category): Element['casing'] {
  const isLower = (character: string | undefined) => character !== undefined && /[a-z]/.test(character)
  if (isLower(text[0])) return 'lower'
  if (category === 'MERIDIAN_INDICATOR') return 'upper'
  return isLower(text[1]) ? 'capital' : 'upper'
}

// ---- to text

const FORMATTED_CATEGORIES: Readonly<Record<TimeKind, readonly Category[]>> = {
  DATE: ['LITERAL', 'YEAR', 'MONTH', 'DAY'],
  TIME: ['LITERAL', 'HOUR', 'MINUTE', 'SECOND', 'MERIDIAN_INDICATOR'],
  DATETIME: ['LITERAL', 'YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND', 'MERIDIAN_INDICATOR'],
  TIMESTAMP: ['LITERAL', 'YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND', 'MERIDIAN_INDICATOR', 'TIME_ZONE'],
}

const year =
  (digits: number): Writer =>
  ({ time }) =>
    pad(time.year % 10 ** digits, digits)
const meridianWithDots: Writer = ({ time }) => (time.hour < 12 ? 'A.M.' : 'P.M.')

const WRITERS: Readonly<Record<string, Writer>> = {
  YYYY: year(4),
  RRRR: year(4),
  YYY: year(3),
  YY: year(2),
  RR: year(2),
  Y: year(1),
  MM: WRITERS_BY_LETTER.m,
  MON: WRITERS_BY_LETTER.b,
  MONTH: WRITERS_BY_LETTER.B,
  D: ({ time }) => String(weekdayOf(time.days) + 1),
  DD: WRITERS_BY_LETTER.d,
  DDD: WRITERS_BY_LETTER.j,
  DAY: WRITERS_BY_LETTER.A,
  DY: WRITERS_BY_LETTER.a,
  HH: WRITERS_BY_LETTER.I,
  HH12: WRITERS_BY_LETTER.I,
  HH24: WRITERS_BY_LETTER.H,
  MI: WRITERS_BY_LETTER.M,
  SS: WRITERS_BY_LETTER.S,
  SSSSS: ({ time }) => pad(time.hour * 3_600 + time.minute * 60 + time.second, 5),
  ...Object.fromEntries(
    FRACTIONS.map((name, i): [string, Writer] => [name, ({ time }) => fractionDigits(time.micro, i + 1)]),
  ),
  AM: WRITERS_BY_LETTER.p,
  PM: WRITERS_BY_LETTER.p,
  'A.M.': meridianWithDots,
  'P.M.': meridianWithDots,
  TZH: ({ offsetSeconds }) => offsetText(offsetSeconds, ':').slice(0, 3),
  TZM: ({ offsetSeconds }) => offsetText(offsetSeconds, ':').slice(4),
}

/** Formats a value in microseconds: in UTC for a TIMESTAMP, in its own calendar for the other types. */
function formatCast(format: string, kind: TimeKind, micros: bigint, zone: string): string {
  const elements = elementsOf(format)
  for (const element of elements) {
    if (element.category !== 'OTHER' && !FORMATTED_CATEGORIES[kind].includes(element.category))
      fail(`${kind} does not support ${show(element)}`)
  }
  const moment = momentOf(micros, zone)
  return elements
    .map(element => {
      if (element.category === 'LITERAL') return element.literal
      const text = WRITERS[element.name]?.(moment)
      if (text === undefined) fail(`Unsupported format element ${show(element)}`)
      if (element.casing === 'capital') return text
      return element.casing === 'upper' ? text.toUpperCase() : text.toLowerCase()
    })
    .join('')
}

// ---- from text

const UNPARSED_CATEGORIES: Readonly<Record<TimeKind, readonly Category[]>> = {
  DATE: ['HOUR', 'MINUTE', 'SECOND', 'MERIDIAN_INDICATOR', 'TIME_ZONE'],
  TIME: ['YEAR', 'MONTH', 'DAY', 'TIME_ZONE'],
  DATETIME: ['TIME_ZONE'],
  TIMESTAMP: [],
}

/** Checks what does not depend on the text: the rules for formats that read texts. @throws ScalarFunctionError */
function checkParsing(elements: readonly Element[], kind: TimeKind): void {
  const fieldElements = elements.filter(element => element.category !== 'LITERAL')
  const byName = (name: string) => fieldElements.find(element => element.name === name)
  const inCategory = (category: Category) => fieldElements.filter(element => element.category === category)
  const seen = new Set<string>()
  for (const element of fieldElements) {
    if (!Object.hasOwn(READERS, element.name)) fail(`Format element ${show(element)} is not supported for parsing`)
    // FF1 to FF9 count as the same element here.
    const name = element.name.replace(/^FF\d$/, 'FF')
    if (seen.has(name)) fail(`Format element ${show(element)} appears more than once in the format string`)
    seen.add(name)
  }
  for (const category of UNPARSED_CATEGORIES[kind]) {
    const [first] = inCategory(category)
    if (first) fail(`Format element in category ${category} (${show(first)}) is not allowed for output type ${kind}`)
  }
  for (const category of ['MERIDIAN_INDICATOR', 'YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE'] as const) {
    const [first, second] = inCategory(category)
    if (first && second) {
      fail(`More than one format element in category ${category} exist: ${show(first)} and ${show(second)}`)
    }
  }
  const [meridian] = inCategory('MERIDIAN_INDICATOR')
  const refuseBoth = (element: Element | undefined, other: Element | undefined): void => {
    if (element && other) {
      fail(
        `Format element in category ${element.category} (${show(element)}) and format element ${show(other)} cannot exist simultaneously`,
      )
    }
  }
  refuseBoth(meridian, byName('HH24'))
  const twelveHour = byName('HH') ?? byName('HH12')
  if (twelveHour && !meridian) {
    fail(`Format element in category MERIDIAN_INDICATOR is required when format element ${show(twelveHour)} exists`)
  }
  if (meridian && !twelveHour) {
    fail(
      `Format element of type HH/HH12 is required when format element in category MERIDIAN_INDICATOR (${show(meridian)}) exists`,
    )
  }
  const secondOfDay = byName('SSSSS')
  refuseBoth(inCategory('HOUR')[0], secondOfDay)
  refuseBoth(inCategory('MINUTE')[0], secondOfDay)
  if (secondOfDay && byName('SS')) fail(`Format elements 'SSSSS' and 'SS' cannot exist simultaneously`)
}

/** Whether the element may begin with a digit. The element before it then reads exactly its number of digits. */
function beginsWithDigit(elements: readonly Element[], index: number): boolean {
  const element = elements[index]
  if (element === undefined) return false
  if (element.name === '"') {
    return element.literal === '' ? beginsWithDigit(elements, index + 1) : /^\d/.test(element.literal)
  }
  return element.category !== 'LITERAL' && !['MON', 'MONTH', 'A.M.', 'P.M.', 'TZH'].includes(element.name)
}

const DEFAULT_FIELDS = {
  day: 1,
  hour: 0,
  minute: 0,
  second: 0,
  micro: 0,
  twelveHour: 0,
  isAfternoon: false,
  offsetSign: 1,
  offsetHours: 0,
  offsetMinutes: 0,
  hasOffset: false,
}
type CastFields = typeof DEFAULT_FIELDS & { year: number; month: number }

/**
 * Reads an element at the start of the text. Returns the number of characters read, or -1 where the text does not match. `isExact`: a
 * number must have all its digits.
 */
type Reader = (text: string, isExact: boolean, fields: CastFields) => number
type Store = (fields: CastFields, value: number) => void

const number =
  (width: number, low: number, high: number, store: Store, start = 0): Reader =>
  (text, isExact, fields) => {
    const digits = /^\d*/.exec(text.slice(start, start + width))![0]
    const value = Number(digits)
    if (digits.length < (isExact ? width : 1) || value < low || value > high) return -1
    store(fields, value)
    return start + digits.length
  }

const field = (
  name: 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'twelveHour',
  width: number,
  low: number,
  high: number,
): Reader =>
  number(width, low, high, (fields, value) => {
    fields[name] = value
  })

/** One of the names, in any case; stores its index. */
const oneOf =
  (names: readonly string[], store: Store): Reader =>
  (text, _, fields) => {
    const index = names.findIndex(name => text.slice(0, name.length).toUpperCase() === name.toUpperCase())
    if (index < 0) return -1
    store(fields, index)
    return names[index]!.length
  }

const setMonth: Store = (fields, index) => {
  fields.month = index + 1
}
const halfDay = oneOf(['A.M.', 'P.M.'], (fields, index) => {
  fields.isAfternoon = index === 1
})

const fullYear: Reader = (text, isExact, fields) => field('year', isExact ? 4 : 5, 0, 10_000)(text, isExact, fields)

/** The last digits of a year; the others are those of the current year. */
const shortYear = (digits: number): Reader =>
  number(digits, 0, 10 ** digits - 1, (fields, value) => {
    fields.year += value - (fields.year % 10 ** digits)
  })

const fraction =
  (width: number): Reader =>
  (text, isExact, fields) => {
    const digits = new RegExp(`^\\d{${isExact ? width : 1},${width}}`).exec(text)?.[0]
    if (digits === undefined) return -1
    fields.micro = Number(digits.padEnd(6, '0').slice(0, 6))
    return digits.length
  }

const READERS: Readonly<Record<string, Reader>> = {
  YYYY: fullYear,
  RRRR: fullYear,
  YYY: shortYear(3),
  YY: shortYear(2),
  Y: shortYear(1),
  RR: number(2, 0, 99, (fields, value) => {
    const now = fields.year % 100
    const century = Math.floor(fields.year / 100) + (value < 50 && now >= 50 ? 1 : value >= 50 && now < 50 ? -1 : 0)
    fields.year = century * 100 + value
  }),
  'Y,YYY': (text, _, fields) => {
    const match = /^(\d{1,2}),(\d{3})/.exec(text)
    if (match === null || Number(match[1]) > 10) return -1
    fields.year = Number(match[1]) * 1_000 + Number(match[2])
    return match[0].length
  },
  MM: field('month', 2, 1, 12),
  MON: oneOf(
    MONTH_NAMES.map(month => month.slice(0, 3)),
    setMonth,
  ),
  MONTH: oneOf(MONTH_NAMES, setMonth),
  DD: field('day', 2, 1, 31),
  HH: field('twelveHour', 2, 1, 12),
  HH12: field('twelveHour', 2, 1, 12),
  HH24: field('hour', 2, 0, 23),
  'A.M.': halfDay,
  'P.M.': halfDay,
  MI: field('minute', 2, 0, 59),
  SS: field('second', 2, 0, 59),
  SSSSS: number(5, 0, 86_399, (fields, value) => {
    fields.hour = Math.floor(value / 3_600)
    fields.minute = Math.floor((value % 3_600) / 60)
    fields.second = value % 60
  }),
  ...Object.fromEntries(FRACTIONS.map((name, i) => [name, fraction(i + 1)])),
  TZH: (text, isExact, fields) => {
    if (!/^[-+ ]/.test(text)) return -1
    const sign = text[0] === '-' ? -1 : 1
    const store: Store = (_, offsetHours) => Object.assign(fields, { offsetSign: sign, offsetHours, hasOffset: true })
    return number(2, 0, 14, store, 1)(text, isExact, fields)
  },
  TZM: number(2, 0, 59, (fields, offsetMinutes) => Object.assign(fields, { offsetMinutes, hasOffset: true })),
}

function readElement(element: Element, text: string, isExact: boolean, fields: CastFields): number {
  if (element.name === ' ') return /^\s*/u.exec(text)![0].length || -1
  if (element.category === 'LITERAL') return text.startsWith(element.literal) ? element.literal.length : -1
  return READERS[element.name]!(text, isExact, fields)
}

/**
 * Parses a text. Returns microseconds: in UTC for a TIMESTAMP, in its own calendar for the other types. If the format has no
 * year or month, the result has the year and month of `now`, which is in microseconds.
 */
function parseCast(format: string, text: string, kind: TimeKind, zone: string, now: bigint): bigint {
  const elements = elementsOf(format)
  checkParsing(elements, kind)
  const rules = timeZone(zone)
  const nowSeconds = splitMicros(now).seconds
  const today = civilFromSeconds(nowSeconds + rules(nowSeconds), 0)
  const fields: CastFields = { ...DEFAULT_FIELDS, year: today.year, month: today.month }
  let at = /^\s*/u.exec(text)![0].length
  let index = 0
  while (at < text.length && index < elements.length) {
    const length = readElement(elements[index]!, text.slice(at), beginsWithDigit(elements, index + 1), fields)
    if (length < 0)
      fail(`Failed to parse input timestamp string at ${at} with format element ${show(elements[index]!)}`)
    at += length
    index++
  }
  at += /^\s*/u.exec(text.slice(at))![0].length
  while (elements[index]?.name === '"' && elements[index]!.literal === '') index++
  if (at < text.length) fail(`Illegal non-space trailing data '${text.slice(at)}' in timestamp string`)
  if (index < elements.length)
    fail(`Entire timestamp string has been parsed before dealing with format element ${show(elements[index]!)}`)
  return microsOfFields(kind, fields, rules)
}

function microsOfFields(kind: TimeKind, fields: CastFields, rules: (epochSeconds: number) => number): bigint {
  const hour = fields.twelveHour === 0 ? fields.hour : (fields.twelveHour % 12) + (fields.isAfternoon ? 12 : 0)
  const { year, month, day } = kind === 'TIME' ? { year: 1970, month: 1, day: 1 } : fields
  if (!isValidDate(year, month, day)) fail('Invalid result from year, month, day values after parsing')
  const civil = daysFromCivil(year, month, day) * 86_400 + hour * 3_600 + fields.minute * 60 + fields.second
  const offset = fields.offsetSign * (fields.offsetHours * 60 + fields.offsetMinutes) * 60
  const instant = fields.hasOffset ? civil - offset : localToInstant(civil, rules)
  const micros = BigInt(instant) * 1_000_000n + BigInt(fields.micro)
  return checkMicros(micros, 'The parsing result is out of valid time range')
}

export const CAST_TIME_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  // Parameters: format, type of the value, microseconds, time zone.
  scalar('bq_cast_time_to_text', ['VARCHAR', 'VARCHAR', 'BIGINT', 'VARCHAR'], 'VARCHAR', formatCast),
  // Parameters: format, text, type of the result, time zone, current time in microseconds. Returns microseconds.
  scalar('bq_cast_text_to_time', ['VARCHAR', 'VARCHAR', 'VARCHAR', 'VARCHAR', 'BIGINT'], 'BIGINT', parseCast),
]
