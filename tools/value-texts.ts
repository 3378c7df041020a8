/** What columns of each type take of text files, in words: for the table in docs/data.md. What messages expect is in leaf.ts. */
import type { ScalarKind } from '../googlesql/data.js'

/** In Markdown. */
interface ValueText {
  /** The values of NDJSON and of rows of tests that are taken. */
  readonly ndjson: string
  /** The cells of CSV that are taken; '' where CSV has no such values. */
  readonly csv: string
  readonly refused: string
}

const RANGE: ValueText = {
  ndjson: '`"[2026-01-31, UNBOUNDED)"`, also with NULL for UNBOUNDED',
  csv: 'the same without its quotes',
  refused: 'bounds that are equal or in the other order; `(` or `]`',
}

export const VALUE_TEXTS: Readonly<Record<ScalarKind | 'STRUCT', ValueText>> = {
  STRING: {
    ndjson: 'a text; a number, true and false as they are written: `1.50` stays `1.50`',
    csv: 'any cell; `""` is the empty text',
    refused: 'an object, a list; more characters than `maxLength`',
  },
  INT64: {
    ndjson: 'a whole number, also `1.0`, `1e3` and `"7"`',
    csv: '`7`, `+7`, `1.0`',
    refused: 'a fraction, true, a number beyond 64 bits',
  },
  FLOAT64: {
    ndjson: 'a number, also in quotes; `"NaN"`, `"Infinity"`, `"-Infinity"`',
    csv: 'the same without quotes',
    refused: 'true, a number beyond FLOAT64 such as `1e400`',
  },
  NUMERIC: {
    ndjson:
      'a number with all its digits, also in quotes or with an exponent; rounded to its scale: 9, or the declared one',
    csv: 'the same without quotes',
    refused: 'more than 29 digits before the point, or than `precision` allows; true, `"NaN"`',
  },
  BIGNUMERIC: {
    ndjson: 'as NUMERIC; the scale is 38',
    csv: 'the same without quotes',
    refused: 'more than 39 digits before the point, or than `precision` allows',
  },
  BOOL: {
    ndjson: 'true and false, also in quotes',
    csv: '`true`, `t`, `yes`, `y`, 1 and `false`, `f`, `no`, `n`, 0, in either case',
    refused: 'in NDJSON numbers and `"yes"`',
  },
  BYTES: {
    ndjson: 'base64 in quotes: `"aGk="`',
    csv: 'base64',
    refused: 'a number; base64 without its padding; more bytes than `maxLength`',
  },
  DATE: {
    ndjson: '`"2026-01-05"`, `"2026-1-5"`',
    csv: 'the same without quotes',
    refused: 'slashes, a time of day, a day that does not exist',
  },
  TIME: {
    ndjson: '`"09:05:00.5"`, `"9:5:0"`; digits beyond microseconds are cut',
    csv: 'the same without quotes',
    refused: '`"09:05"`, an offset',
  },
  DATETIME: {
    ndjson: 'a DATE, and after a space or `T` a TIME',
    csv: 'the same without quotes',
    refused: 'an offset, a zone, slashes',
  },
  TIMESTAMP: {
    ndjson:
      'a DATETIME, also with slashes: `"2026/01/31 12:00:00"`; after it `Z`, an offset (`+01`, `+1:00`, ` -05:00`), UTC or a zone such as ` Europe/Berlin`; without one it is UTC. A number since 1970, also in quotes: up to 11 digits are seconds, 12 to 14 milliseconds, more microseconds; with a fraction seconds',
    csv: 'the same without quotes',
    refused: 'an unknown zone; `31.01.2026`',
  },
  JSON: {
    ndjson: 'any value; null is the NULL of the column',
    csv: 'JSON',
    refused: 'a number beyond FLOAT64; in CSV a cell that is not JSON',
  },
  INTERVAL: {
    ndjson: '`"1-2 3 4:5:6.789"`, `"P1Y2M3D"`',
    csv: 'the same without quotes',
    refused: 'a number',
  },
  'RANGE<DATE>': RANGE,
  'RANGE<DATETIME>': RANGE,
  'RANGE<TIMESTAMP>': RANGE,
  STRUCT: {
    ndjson: 'an object; for REPEATED a list; a missing or null list is empty',
    csv: '',
    refused: 'another value; a key that the schema lacks; a key twice; null in a list, unless its type is JSON',
  },
}
