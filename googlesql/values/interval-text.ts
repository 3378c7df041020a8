/** Reads an INTERVAL from text (`1-2 3 4:5:6.789`, one part or a range of its parts, or an ISO 8601 duration), and writes it as text. */
import { fractionText } from './civil-text.js'

/** Months, days and microseconds. */
export type IntervalParts = readonly [bigint, bigint, bigint]

const FIELDS = ['YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND'] as const
type Field = (typeof FIELDS)[number]

/** The months, days and microseconds of one unit. */
const UNITS: Readonly<Record<string, IntervalParts>> = {
  YEAR: [12n, 0n, 0n],
  QUARTER: [3n, 0n, 0n],
  MONTH: [1n, 0n, 0n],
  WEEK: [0n, 7n, 0n],
  DAY: [0n, 1n, 0n],
  HOUR: [0n, 0n, 3_600_000_000n],
  MINUTE: [0n, 0n, 60_000_000n],
  SECOND: [0n, 0n, 1_000_000n],
  MILLISECOND: [0n, 0n, 1_000n],
  MICROSECOND: [0n, 0n, 1n],
}

const SIGN = '([-+])?'
const FRACTION = String.raw`(?:\.(\d{1,9}))?`

/** The pattern of `from TO to`, with a sign before years and months, one before the days, and one before the time. */
function rangePattern(from: Field, to: Field): RegExp {
  const first = FIELDS.indexOf(from)
  const last = FIELDS.indexOf(to)
  const has = (field: Field) => FIELDS.indexOf(field) >= first && FIELDS.indexOf(field) <= last
  const group = (field: Field) => `(?<${field}>\\d+)`
  const months = (['YEAR', 'MONTH'] as const).filter(has).map(group).join('-')
  const time = (['HOUR', 'MINUTE', 'SECOND'] as const).filter(has).map(group).join(':')
  const sections = [
    months === '' ? '' : SIGN.replace('(', '(?<monthSign>') + months,
    has('DAY') ? String.raw`(?<DAY>[-+]?\d+)` : '',
    time === '' ? '' : SIGN.replace('(', '(?<timeSign>') + time,
  ]
  const fraction = to === 'SECOND' ? FRACTION.replace('(\\d', '(?<fraction>\\d') : ''
  return new RegExp(`^${sections.filter(section => section !== '').join(' ')}${fraction}$`)
}

class IntervalError extends Error {
  override readonly name = 'IntervalError'
}

const invalid = (text: string, why = ''): never => {
  throw new IntervalError(`Invalid INTERVAL value '${text}'${why === '' ? '' : `: ${why}`}`)
}

// BigQuery has no units below a microsecond: it refuses a fraction with more digits, and does not cut it.
function fractionMicros(text: string, digits: string): bigint {
  if (/[1-9]/.test(digits.slice(6))) invalid(text)
  return BigInt(digits.slice(0, 6).padEnd(6, '0'))
}

function parseRange(text: string, from: Field, to: Field): IntervalParts {
  const groups = rangePattern(from, to).exec(text)?.groups
  if (groups === undefined) return invalid(text)
  const value = (name: string) => BigInt(groups[name] ?? 0)
  const months = value('YEAR') * 12n + value('MONTH')
  const micros =
    value('HOUR') * 3_600_000_000n +
    value('MINUTE') * 60_000_000n +
    value('SECOND') * 1_000_000n +
    fractionMicros(text, groups['fraction'] ?? '')
  return [
    groups['monthSign'] === '-' ? -months : months,
    BigInt((groups['DAY'] ?? '0').replace('+', '')),
    groups['timeSign'] === '-' ? -micros : micros,
  ]
}

function parseSingle(text: string, part: string): IntervalParts {
  const unit = UNITS[part]
  if (unit === undefined) throw new IntervalError(`Unsupported interval datetime field ${part}`)
  const withFraction = part === 'SECOND' ? /^([-+])?(\d*)\.(\d{1,9})$/.exec(text) : null
  if (withFraction !== null) {
    const micros =
      BigInt(withFraction[2] === '' ? 0 : withFraction[2]!) * 1_000_000n + fractionMicros(text, withFraction[3]!)
    return [0n, 0n, withFraction[1] === '-' ? -micros : micros]
  }
  if (!/^[-+]?\d+$/.test(text)) return invalid(text)
  const value = BigInt(text.replace('+', ''))
  return [value * unit[0], value * unit[1], value * unit[2]]
}

/**
 * The first and the last part of a text whose parts are not named. The key has three digits: the number
 * of spaces, of colons, and of dashes after a digit.
 */
const SHAPES: Readonly<Record<string, readonly [Field, Field]>> = {
  '221': ['YEAR', 'SECOND'],
  '211': ['YEAR', 'MINUTE'],
  '201': ['YEAR', 'HOUR'],
  '101': ['YEAR', 'DAY'],
  '001': ['YEAR', 'MONTH'],
  '200': ['MONTH', 'HOUR'],
  '210': ['MONTH', 'MINUTE'],
  '220': ['MONTH', 'SECOND'],
  '110': ['DAY', 'MINUTE'],
  '120': ['DAY', 'SECOND'],
  '020': ['HOUR', 'SECOND'],
}

function parseAny(text: string): IntervalParts {
  if (text.startsWith('P')) return parseDuration(text)
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
  const shape = SHAPES[`${count(/ /g)}${count(/:/g)}${count(/(?<=\d)-/g)}`]
  return shape === undefined ? invalid(text) : parseRange(text, ...shape)
}

const DURATION_UNITS: Readonly<Record<'date' | 'time', Readonly<Record<string, string>>>> = {
  date: { Y: 'YEAR', M: 'MONTH', W: 'WEEK', D: 'DAY' },
  time: { H: 'HOUR', M: 'MINUTE', S: 'SECOND' },
}

/** Reads an ISO 8601 duration, with a sign before each number and the parts in any order. */
function parseDuration(text: string): IntervalParts {
  if (text.length === 1) invalid(text, 'At least one datetime part must be defined in the interval')
  let section: 'date' | 'time' = 'date'
  let total: IntervalParts = [0n, 0n, 0n]
  let at = 1
  while (at < text.length) {
    if (text[at] === 'T') {
      if (section === 'time') invalid(text, "Unexpected duplicate time separator 'T'")
      section = 'time'
      at++
      continue
    }
    const sign = text[at] === '-' ? '-' : ''
    const rest = text.slice(at + sign.length)
    const number = /^(\d+)(?:[.,](\d{1,9}))?/.exec(rest)
    if (number === null) {
      const actual = rest === '' ? 'end of input' : `'${rest[0]}'`
      return invalid(text, sign === '' ? `Unexpected ${actual}` : `Expected number at ${actual}`)
    }
    const letter = rest[number[0].length] ?? ''
    const part = DURATION_UNITS[section][letter]
    const actual = letter === '' ? 'end of input' : `'${letter}'`
    if (part === undefined) return invalid(text, `Unexpected ${actual} in the ${section} portion of interval`)
    if (number[2] !== undefined && part !== 'SECOND') invalid(text, 'Fractional values are only allowed for seconds')
    const digits = number[2] === undefined ? number[1]! : `${number[1]}.${number[2]}`
    const parts = parseSingle(sign + digits, part)
    total = [total[0] + parts[0], total[1] + parts[1], total[2] + parts[2]]
    at += sign.length + number[0].length + 1
  }
  return total
}

/**
 * Reads a text as months, days and microseconds; returns a message in BigQuery's words for a text that is not valid. With `part`
 * alone the text is one number; with `part` and `to` it is a range of parts. If both are empty, the form of the text
 * determines its parts.
 */
export function readInterval(text: string, part: string, to: string): IntervalParts | string {
  try {
    const parts =
      part === '' ? parseAny(text) : to === '' ? parseSingle(text, part) : parseRange(text, part as Field, to as Field)
    // This bound is far beyond INTERVAL's range, but within BIGINT. The INTERVAL's own range is checked when it is created.
    return parts.every(value => value > -(10n ** 18n) && value < 10n ** 18n) ? parts : invalid(text)
  } catch (error) {
    if (error instanceof IntervalError) return error.message
    throw error
  }
}

/** The canonical text of an INTERVAL, such as `1-2 3 4:5:6.789`: each of the three parts has its sign; a fraction has 3 or 6 digits. */
export function intervalText(months: bigint | number, days: bigint | number, micros: bigint): string {
  const sign = (part: bigint | number): string => (part < 0 ? '-' : '')
  const m = BigInt(months < 0 ? -months : months)
  const u = micros < 0n ? -micros : micros
  const clock = `${u / 3_600_000_000n}:${(u / 60_000_000n) % 60n}:${(u / 1_000_000n) % 60n}`
  return `${sign(months)}${m / 12n}-${m % 12n} ${days} ${sign(micros)}${clock}${fractionText(Number(u % 1_000_000n))}`
}
