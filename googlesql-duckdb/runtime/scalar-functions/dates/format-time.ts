/** FORMAT_DATE, FORMAT_TIME, FORMAT_DATETIME and FORMAT_TIMESTAMP: format values by `%` elements. */

import { keepLast } from '../keep-last.js'
import { fail, type ScalarFunction, scalar } from '../scalar-function.js'
import {
  type CivilTime,
  civilFromSeconds,
  DAY_NAMES,
  dayOfYear,
  isoYearOf,
  isoYearStart,
  MONTH_NAMES,
  splitMicros,
  weekdayOf,
} from './civil-time.js'
import { timeZone } from './time-zones.js'

export type TimeKind = 'DATE' | 'TIME' | 'DATETIME' | 'TIMESTAMP'

/** The elements for parts that values of this type do not have. They are copied to the result unchanged. */
export const FOREIGN_ELEMENTS: Readonly<Record<TimeKind, string>> = {
  DATE: 'cHIklMPpRrSsTXZz',
  TIME: 'AaBbhCcDdeFGgjJmQsUuVWwxYyZz',
  DATETIME: 'Zz',
  TIMESTAMP: '',
}

export const pad = (value: number, width: number, fill = '0'): string => String(value).padStart(width, fill)

/** The offset as `+05:30`, with the given separator. Its seconds, which zones had in early years, are cut off. */
export function offsetText(seconds: number, separator: string): string {
  const minutes = Math.floor(Math.abs(seconds) / 60)
  // An offset of less than a minute is written as zero, with a plus.
  const sign = seconds < 0 && minutes > 0 ? '-' : '+'
  return `${sign}${pad(Math.floor(minutes / 60), 2)}${separator}${pad(minutes % 60, 2)}`
}

/** GoogleSQL's name of a zone in results: `UTC`, `UTC-5`, `UTC+0530`. */
function zoneText(seconds: number): string {
  const minutes = Math.floor(Math.abs(seconds) / 60)
  if (minutes === 0) return 'UTC'
  const sign = seconds < 0 ? '-' : '+'
  return `UTC${minutes % 60 === 0 ? `${sign}${minutes / 60}` : offsetText(seconds, '')}`
}

export type Moment = ReturnType<typeof momentOf>

/** A value to format: its civil time, the offset of its zone at that time, and the instant in seconds. */
export function momentOf(micros: bigint, zone: string) {
  const { seconds, micro } = splitMicros(micros)
  const exactOffset = timeZone(zone)(seconds)
  // Only offsets of early years have seconds. A text cannot contain these, so the civil time in the text is computed without
  // them as well. Source: GetNormalizedTimeZone of the reference implementation.
  const offsetSeconds = exactOffset - (exactOffset % 60)
  return { time: civilFromSeconds(seconds + offsetSeconds, micro), offsetSeconds, epochSeconds: seconds }
}

const twelveHour = (hour: number): number => hour % 12 || 12
const shortName = (name: string): string => name.slice(0, 3)
const weekNumber = (time: CivilTime, firstWeekday: number): number =>
  Math.floor((dayOfYear(time) + 6 - ((weekdayOf(time.days) - firstWeekday + 7) % 7)) / 7)

export type Writer = (moment: Moment) => string
const clock: Writer = ({ time }) => `${pad(time.hour, 2)}:${pad(time.minute, 2)}:${pad(time.second, 2)}`
const slashedDate: Writer = ({ time }) => `${pad(time.month, 2)}/${pad(time.day, 2)}/${pad(time.year % 100, 2)}`
const month: Writer = ({ time }) => MONTH_NAMES[time.month - 1]!
const weekday: Writer = ({ time }) => DAY_NAMES[weekdayOf(time.days)]!
const halfDay: Writer = ({ time }) => (time.hour < 12 ? 'AM' : 'PM')

export const WRITERS = {
  A: weekday,
  a: moment => shortName(weekday(moment)),
  B: month,
  b: moment => shortName(month(moment)),
  h: moment => shortName(month(moment)),
  // No leading zero, as in the reference implementation; strftime would write one.
  C: ({ time }) => String(Math.floor(time.year / 100)),
  c: moment =>
    `${shortName(weekday(moment))} ${shortName(month(moment))} ${pad(moment.time.day, 2, ' ')} ${clock(moment)} ` +
    `${moment.time.year}`,
  D: slashedDate,
  d: ({ time }) => pad(time.day, 2),
  e: ({ time }) => pad(time.day, 2, ' '),
  F: ({ time }) => `${time.year}-${pad(time.month, 2)}-${pad(time.day, 2)}`,
  G: ({ time }) => String(isoYearOf(time.days)),
  g: ({ time }) => pad(isoYearOf(time.days) % 100, 2),
  H: ({ time }) => pad(time.hour, 2),
  I: ({ time }) => pad(twelveHour(time.hour), 2),
  J: ({ time }) => pad(time.days - isoYearStart(isoYearOf(time.days)) + 1, 3),
  j: ({ time }) => pad(dayOfYear(time), 3),
  k: ({ time }) => pad(time.hour, 2, ' '),
  l: ({ time }) => pad(twelveHour(time.hour), 2, ' '),
  M: ({ time }) => pad(time.minute, 2),
  m: ({ time }) => pad(time.month, 2),
  n: () => '\n',
  P: moment => halfDay(moment).toLowerCase(),
  p: halfDay,
  Q: ({ time }) => String(Math.floor((time.month - 1) / 3) + 1),
  R: ({ time }) => `${pad(time.hour, 2)}:${pad(time.minute, 2)}`,
  r: moment =>
    `${pad(twelveHour(moment.time.hour), 2)}:${pad(moment.time.minute, 2)}:${pad(moment.time.second, 2)} ` +
    halfDay(moment),
  S: ({ time }) => pad(time.second, 2),
  s: ({ epochSeconds }) => String(epochSeconds),
  T: clock,
  t: () => '\t',
  U: ({ time }) => pad(weekNumber(time, 0), 2),
  u: ({ time }) => String(weekdayOf(time.days) || 7),
  V: ({ time }) => pad(Math.floor((time.days - isoYearStart(isoYearOf(time.days))) / 7) + 1, 2),
  W: ({ time }) => pad(weekNumber(time, 1), 2),
  w: ({ time }) => String(weekdayOf(time.days)),
  X: clock,
  x: slashedDate,
  Y: ({ time }) => String(time.year),
  y: ({ time }) => pad(time.year % 100, 2),
  Z: ({ offsetSeconds }) => zoneText(offsetSeconds),
  z: ({ offsetSeconds }) => offsetText(offsetSeconds, ''),
  '%': () => '%',
} satisfies Readonly<Record<string, Writer>>

/** Text between elements, or the function that writes an element. */
type Piece = string | Writer

export const fractionDigits = (micro: number, digits: number): string =>
  pad(micro, 6).padEnd(digits, '0').slice(0, digits)
const trimmedFraction = (micro: number): string => pad(micro, 6).replace(/0+$/, '')

interface ExtendedElement {
  readonly letter: string
  readonly length: number
  readonly write: Writer
  /**
   * Whether the element is also allowed for a DATE: the reference implementation recognises `%E1S` as a part of a time, but not
   * `%E10S`.
   */
  readonly isOfDate: boolean
}

/** The most digits that a fraction is written with, even if the format asks for more. */
const MAX_FRACTION_DIGITS = 18
/** The most digits that a format may ask for; with more, the text is not an element. */
const MAX_DIGITS_ASKED = 1024

/** The `%E…` element; `rest` is the format after the `E`. Null where `rest` does not begin with such an element. */
function extendedElement(rest: string): ExtendedElement | null {
  const match = /^(z|T|4Y|\*S|\*f|\d+S|\d+f)/.exec(rest)
  if (match === null) return null
  const element = match[0]
  const letter = element.at(-1)!
  const isOfDate = /^\d\d+S$/.test(element)
  const elementWith = (write: Writer): ExtendedElement => ({ letter, length: element.length, write, isOfDate })
  if (element === 'z') return elementWith(({ offsetSeconds }) => offsetText(offsetSeconds, ':'))
  // `%ET` is the letter between date and time in RFC 3339.
  if (element === 'T') return elementWith(() => 'T')
  if (element === '4Y') return elementWith(({ time }) => pad(time.year, 4))
  if (Number(element.slice(0, -1)) > MAX_DIGITS_ASKED) return null
  const digits = Math.min(Number(element.slice(0, -1)), MAX_FRACTION_DIGITS)
  if (letter === 'f') {
    if (element === '*f') return elementWith(({ time }) => trimmedFraction(time.micro) || '0')
    return elementWith(({ time }) => fractionDigits(time.micro, digits))
  }
  const fraction = (micro: number) => (element === '*S' ? trimmedFraction(micro) : fractionDigits(micro, digits))
  return elementWith(({ time }) => {
    const text = fraction(time.micro)
    return pad(time.second, 2) + (text === '' ? '' : `.${text}`)
  })
}

/** The number of digits to which each element is padded, as in strftime; `%e`, `%k` and `%l` are padded with spaces. */
const NUMBER_DIGITS: Readonly<Record<string, number>> = {
  ...Object.fromEntries([...'dgHIMmSUVWyekl'].map(letter => [letter, 2])),
  ...Object.fromEntries([...'CGsuwY'].map(letter => [letter, 1])),
  j: 3,
}
const SPACE_PADDED = 'ekl'
/** Elements that strftime does not have; they take no flags. */
const WITHOUT_FLAGS = 'JQ'
const UPPER_BY_CHANGE = 'aAbBh'
const LOWER_BY_CHANGE = 'pPZ'

type Flags = ReturnType<typeof flagsOf>

/** GoogleSQL's limit on the output of functions. */
const MAX_OUTPUT = 1 << 20

function checkSize(size: number): number {
  if (size > MAX_OUTPUT) fail('Output of a format exceeds max allowed output size of 1MB')
  return size
}

/** Flags and a width between `%` and the element, as glibc's strftime reads them: `%-d` is a day without a leading zero. */
function flagsOf(flags: string, width: string) {
  const pads = flags.replace(/[\^#]/g, '')
  return {
    /** `-` for no padding, `_` for spaces, `0` for zeros; '' for the element's own padding. */
    pad: pads.at(-1) ?? '',
    isUpper: flags.includes('^'),
    changesCase: flags.includes('#'),
    width: checkSize(Number(width)),
  }
}

function withFlags(write: Writer, letter: string, { pad: padding, isUpper, changesCase, width }: Flags): Writer {
  const fill = (text: string): string => text.padStart(width, padding === '0' ? '0' : ' ')
  const digits = NUMBER_DIGITS[letter]
  if (digits !== undefined) {
    const ownPadding = SPACE_PADDED.includes(letter) && padding !== '0' && padding !== '-' ? '_' : padding
    return moment => {
      const number = write(moment)
        .trim()
        .replace(/^0+(?=\d)/, '')
      return ownPadding === '-'
        ? fill(number)
        : number.padStart(Math.max(digits, width), ownPadding === '_' ? ' ' : '0')
    }
  }
  if (letter === 'z') {
    return moment => {
      const [sign, number] = [write(moment).slice(0, 1), write(moment).slice(1)]
      if (padding === '-') return fill(sign + number.replace(/^0+(?=\d)/, ''))
      return fill(sign + (padding === '_' ? number.replace(/^0+(?=\d)/, '').padStart(4) : number))
    }
  }
  const changeCase = (text: string): string => {
    if (changesCase && UPPER_BY_CHANGE.includes(letter)) return text.toUpperCase()
    if (changesCase && LOWER_BY_CHANGE.includes(letter)) return text.toLowerCase()
    return isUpper && letter !== 'P' ? text.toUpperCase() : text
  }
  return moment => fill(changeCase(write(moment)))
}

/**
 * Elements that must not follow the modifier E or O; after it, they are copied to the result unchanged. Source: the reference
 * implementation.
 */
const WITHOUT_MODIFIERS = { E: 'aAbBhDdeFgGHIJjklmMQSUVwW', O: 'aAcDFJQxXY' } as const

function compileFormat(format: string, kind: TimeKind): readonly Piece[] {
  const foreign = FOREIGN_ELEMENTS[kind]
  const pieces: Piece[] = []
  let at = 0
  while (at < format.length) {
    const percent = format.indexOf('%', at)
    if (percent < 0 || percent === format.length - 1) {
      pieces.push(format.slice(at))
      break
    }
    if (percent > at) pieces.push(format.slice(at, percent))
    const [prefix, flags, width] = /^%([_\-0^#]*)(\d*)/.exec(format.slice(percent))!
    let letterAt = percent + prefix.length
    if (letterAt >= format.length) {
      pieces.push(format.slice(percent))
      break
    }
    let letter = format[letterAt]!
    let write: Writer | undefined
    let isPlain = false
    let isForeign: boolean | null = null
    const isModified = (letter === 'E' || letter === 'O') && letterAt + 1 < format.length
    if (isModified) {
      const extended = letter === 'E' ? extendedElement(format.slice(letterAt + 1)) : null
      letterAt += extended?.length ?? 1
      isPlain = extended === null && WITHOUT_MODIFIERS[letter as 'E' | 'O'].includes(format[letterAt]!)
      // The modifiers in `%Ey`, `%Od` and so on have no effect, since English has no alternative calendars or digits.
      letter = extended?.letter ?? format[letterAt]!
      write = extended?.write
      if (kind === 'DATE' && prefix === '%' && extended?.isOfDate) isForeign = false
    }
    if (!isPlain) write ??= Object.hasOwn(WRITERS, letter) ? WRITERS[letter as keyof typeof WRITERS] : undefined
    if (prefix !== '%' && WITHOUT_FLAGS.includes(letter)) write = undefined
    if (write !== undefined && prefix !== '%') write = withFlags(write, letter, flagsOf(flags!, width!))
    isForeign ??= foreign.includes(letter)
    pieces.push(write === undefined || isForeign ? format.slice(percent, letterAt + 1) : write)
    at = letterAt + 1
  }
  return pieces
}

const piecesOf = keepLast(compileFormat)

/** Formats a value in microseconds: in UTC for a TIMESTAMP, in its own calendar for the other types. */
export function formatTime(format: string, kind: TimeKind, micros: bigint, zone: string): string {
  const moment = momentOf(micros, zone)
  let text = ''
  for (const piece of piecesOf(format, kind)) {
    text += typeof piece === 'string' ? piece : piece(moment)
    checkSize(text.length)
  }
  return text
}

export const FORMAT_TIME_SCALAR_FUNCTIONS: readonly ScalarFunction[] = [
  // Parameters: format string, type, microseconds, time zone.
  scalar('bq_format_time', ['VARCHAR', 'VARCHAR', 'BIGINT', 'VARCHAR'], 'VARCHAR', formatTime),
  // A TIMESTAMP as text in a zone, in the form of CAST and STRING: `2026-01-31 12:00:00.123+05:30`.
  scalar('bq_timestamp_text_in', ['BIGINT', 'VARCHAR'], 'VARCHAR', (micros, zone) => {
    const { micro } = splitMicros(micros)
    const digits = micro === 0 ? 0 : micro % 1_000 === 0 ? 3 : 6
    return formatTime(`%E4Y-%m-%d %H:%M:%E${digits}S%Ez`, 'TIMESTAMP', micros, zone).replace(/:00$/, '')
  }),
]
