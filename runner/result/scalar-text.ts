/**
 * Writes scalar values as JSON text, as BigQuery's TO_JSON_STRING does (reference, "JSON encodings"), except NUMERIC and
 * BIGNUMERIC. Engines pass each value in one exact form; only this file decides how it is written.
 */
import {
  dateText,
  datetimeText,
  elementOfRange,
  MAX_TIMESTAMP_MICROS,
  MIN_TIMESTAMP_MICROS,
  type RangeKind,
  timeText,
} from '../../googlesql/data.js'
import { BrokenContractError } from './broken-contract.js'

export interface ScalarOptions {
  readonly timestamps: 'iso8601' | 'unix_micros'
  /**
   * The form of the numbers, as `json` in a contract chooses it. `number`: always a JSON number, and a BrokenContractError
   * for a number that JSON's readers cannot hold. `string`: INT64, NUMERIC and BIGNUMERIC always as strings. Null: INT64 as a
   * number up to ±(2^53−1) and FLOAT64 where it is finite, else as strings; NUMERIC and BIGNUMERIC as strings.
   */
  readonly numbers: 'number' | 'string' | null
}

/** A value outside the range of its type; the engine turns it into a failed query. */
export class ValueError extends Error {
  override readonly name = 'ValueError'
}

/** One function per type: exact value → text. */
export type ScalarTexts = ReturnType<typeof scalarTexts>

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER)

export function scalarTexts({ timestamps, numbers }: ScalarOptions) {
  return {
    int64(value: bigint): string {
      if (numbers !== 'string' && value <= MAX_SAFE && value >= -MAX_SAFE) return value.toString()
      if (numbers === 'number') throw new BrokenContractError('holds an integer beyond ±(2^53−1)')
      return `"${value}"`
    },
    float64(value: number): string {
      if (Number.isFinite(value)) return value === 0 && Object.is(value, -0) ? '-0' : String(value)
      if (numbers === 'number') throw new BrokenContractError('holds a number that is not finite')
      return quote(String(value))
    },
    /** Takes decimal text without an exponent, such as `-12.5`; trailing zeros of the fraction are dropped. */
    numeric: numbers === 'number' ? trimFraction : (text: string) => `"${trimFraction(text)}"`,
    bool: (value: boolean) => (value ? 'true' : 'false'),
    string: quoteText,
    bytes: (value: Uint8Array) =>
      quote(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')),
    /** Days since 1970. */
    date: (days: number) => quote(checkRange(dateText(days), 'DATE')),
    /** Microseconds since midnight. */
    time: (micros: number) => quote(timeText(micros)),
    /** Microseconds since 1970, without a zone. */
    datetime: (micros: bigint) => quote(checkRange(datetimeText(micros), 'DATETIME')),
    /** Microseconds since 1970; exact, also as a number. */
    timestamp(micros: bigint | number): string {
      if (timestamps === 'iso8601') return quote(`${checkRange(datetimeText(micros), 'TIMESTAMP')}Z`)
      if (micros < MIN_TIMESTAMP_MICROS || micros > MAX_TIMESTAMP_MICROS) checkRange(undefined, 'TIMESTAMP')
      return micros.toString()
    },
    /** Takes text in canonical form. */
    interval: quote,
    /**
     * Takes valid JSON text, in which line breaks can only be between tokens. They become spaces, since NDJSON has one row per line.
     */
    json: (text: string) => (/[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, ' ') : text).trim(),
  }
}

const quote = (text: string): string => `"${text}"`

// Characters that JSON.stringify escapes, and all surrogates, since it escapes lone surrogates.
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/
const SHORT = 256

/** The same as JSON.stringify, in half the time for short texts without escapes. */
const quoteText = (text: string): string =>
  text.length <= SHORT && !ESCAPED.test(text) ? `"${text}"` : JSON.stringify(text)

function checkRange(text: string | undefined, type: string): string {
  if (text === undefined) throw new ValueError(`${type} value is out of the range of the years 1 to 9999`)
  return text
}

function trimFraction(text: string): string {
  if (!text.includes('.')) return text === '-0' ? '0' : text
  let end = text.length
  while (text[end - 1] === '0') end--
  if (text[end - 1] === '.') end--
  const trimmed = text.slice(0, end)
  return trimmed === '-0' ? '0' : trimmed
}

/**
 * The text of a range: `[2026-01-31, 2026-02-01)`, with bounds as their own type has them.
 * @param bounds canonical texts of GoogleSQL, `2026-01-31 12:00:00+00`, or ISO 8601; null is unbounded
 */
export function rangeResultText(kind: RangeKind, bounds: readonly (string | null)[]): string {
  const element = elementOfRange(kind)
  const [start, end] = bounds.map(bound => {
    if (bound === null) return 'UNBOUNDED'
    if (element === 'DATE') return bound
    const text = bound.replace(' ', 'T')
    return element === 'TIMESTAMP' ? text.replace(/\+00$|Z$/, 'Z') : text
  })
  return `[${start}, ${end})`
}
