/** Translates DuckDB's errors into BigQuery's messages where they are known. DuckDB's own texts appear only in causes. */

import { NATIVE_ERROR_MARK, NO_MATCH_OR } from '../../../../googlesql-duckdb/names-and-types.js'
import { causeText } from '../../../model/cause-text.js'
import { QueryFault } from '../../../model/query-fault.js'
import { BodyTooLargeError } from '../../../result/body.js'
import { BrokenContractError } from '../../../result/broken-contract.js'
import { ValueError } from '../../../result/scalar-text.js'
import { ownFileFailure } from '../engine-folder.js'
import type { Failure } from '../process/messages.js'
import { type Wording, wordingOf } from '../tables/file-fault.js'
import { BindError } from '../values/bind-parameters.js'

/** RE2's messages (re2.cc, `RegexpStatus::CodeText`), which DuckDB passes on unchanged. */
const RE2_MESSAGES =
  /Invalid Input Error: ((?:invalid escape sequence|invalid character class range|invalid character class|missing \]|missing \)|unexpected \)|trailing \\|no argument for repetition operator|invalid repetition size|bad repetition operator|invalid perl operator|invalid UTF-8|invalid named capture group|pattern too large)[^\n]*)/

/** Messages of DuckDB's decoders, which do not name the file. Only these words are taken: bytes of the file may follow. */
const DECODER_FAILURE =
  /^Invalid Error: (don't know what type|Out of buffer|Parquet file is likely corrupted|Page size mismatch|TProtocolException|No more data to read|DELTA_BYTE_ARRAY|DBP decode|Payload value bigger than allowed|Decode bit width too large|Varint-decoding|[^\n:]*\bGZIP\b[^\n:]*|(?:Snappy|ZSTD|Brotli|LZ4) [Dd]ecompression failure)/

/** Why DuckDB cannot decode a Parquet file that it does not name; null for another error. */
export const decoderFault = (error: unknown): string | null => DECODER_FAILURE.exec(textOf(error))?.[1] ?? null

interface FailureWording extends Wording {
  /** False if the failure does not come from an expression, so that a safe expression would not help. @default true */
  readonly isExpressionFault?: false
  /** See Failure. @default false */
  readonly isShortOfRoom?: true
}

const WORDINGS: readonly FailureWording[] = [
  { pattern: RE2_MESSAGES, message: 'Cannot parse regular expression: $1' },
  { pattern: /Pattern failed to parse, error: '([\s\S]*)'/, message: 'Cannot parse regular expression: $1' },
  {
    pattern: /^Invalid Input Error: Failed to read file "([^"\n]*)": ([^\n]*)/,
    message: '$1: it cannot be decoded as Parquet: $2',
    isExpressionFault: false,
  },
  {
    pattern: /^Invalid Input Error: Invalid string encoding found in Parquet file "([^"\n]*)"/,
    message: '$1: it cannot be decoded as Parquet: a text is not UTF-8',
    isExpressionFault: false,
  },
  {
    pattern: DECODER_FAILURE,
    message: 'A Parquet file of a table that the query reads cannot be decoded: $1',
    isExpressionFault: false,
  },
  { pattern: /Overflow in \w+ of INT\d+ \((.*)\)!/, message: 'int64 overflow: $1' },
  { pattern: /Overflow in negation of \w+/i, message: 'int64 overflow' },
  { pattern: /Overflow in \w+ of DECIMAL/, message: 'numeric overflow' },
  // Only a sum of NUMERIC can overflow HUGEINT; a sum of INT64 would need 2^64 rows.
  { pattern: /Overflow in HUGEINT (?:addition|multiplication|subtraction)/, message: 'numeric overflow: SUM' },
  {
    pattern: /could not convert blob to UTF8|invalid UTF-?8|not valid UTF-?8/i,
    message: 'Invalid cast of bytes to UTF8 string',
  },
  { pattern: /Type INT128 with value (-?\d+) can't be cast/, message: 'int64 overflow: $1' },
  { pattern: /Type DOUBLE with value (\S+) can't be cast .* INT64/, message: 'int64 out of range: $1' },
  { pattern: /Could not cast value .* to DECIMAL|Casting value .* to type DECIMAL/, message: 'numeric out of range' },
  { pattern: /Could not convert string '([\s\S]*)' to INT64/, message: 'Bad int64 value: $1' },
  { pattern: /Could not convert string '([\s\S]*)' to DOUBLE/, message: 'Bad double value: $1' },
  { pattern: /Could not convert string '([\s\S]*)' to BOOL/, message: 'Bad bool value: $1' },
  { pattern: /Could not convert string "([\s\S]*)" to DECIMAL/, message: 'Invalid NUMERIC value: $1' },
  { pattern: /(?:invalid )?date field (?:value|format)[^"]*"([^"]*)"/, message: "Invalid date: '$1'" },
  {
    pattern: /(?:invalid timestamp field format|timestamp field value out of range): "([^"]*)"/,
    message: "Invalid timestamp: '$1'",
  },
  {
    pattern:
      /(?:Date|Timestamp|TIMESTAMP) out of range|Could not convert .* to timestamp|Overflow in (?:date|timestamp)/i,
    message: 'Date or time value is out of range',
  },
  {
    pattern: /list_\w+: (?:left|right) argument can not contain NULL/,
    message: 'Cannot compute a distance with a NULL element',
  },
  { pattern: /Division by zero|divide by zero/i, message: 'division by zero' },
  { pattern: /pattern must not end with escape character/, message: 'LIKE pattern ends with a backslash' },
  { pattern: /Malformed JSON/, message: 'Invalid input to JSON' },
  { pattern: /More than one row returned by a subquery/, message: 'Scalar subquery produced more than one element' },
  {
    pattern: /limit was set by the 'max_temp_directory_size' setting/,
    message:
      'Resources exceeded during query execution: the query needs more room on the disk than SLUICE_ENGINE_TEMP (serve: --engine-temp) sets',
    isExpressionFault: false,
    isShortOfRoom: true,
  },
  {
    pattern: /^Out of Memory Error|failed to (?:allocate|pin|offload)|bad_alloc|bad allocation/im,
    message: 'Resources exceeded during query execution: the query needs more memory than it may have',
    isExpressionFault: false,
    isShortOfRoom: true,
  },
  // These entries match all other errors that a value causes.
  { pattern: /^Out of Range Error|value is out of range/, message: 'A value is out of range' },
  { pattern: /^Conversion Error/, message: 'A value cannot be converted to the type asked for' },
]

/**
 * The failure for an error; DuckDB's text appears only in `cause`. `nameOf` gives the name of the file that DuckDB reads under a
 * path.
 */
export function failureOf(error: unknown, nameOf = (path: string): string => path): Failure {
  if (error instanceof BindError) {
    return { kind: 'argument', errors: [{ parameter: error.parameter, detail: error.message }], cause: error.message }
  }
  if (error instanceof QueryFault)
    return { kind: 'query', message: error.message, cause: causeText(error.cause), reason: null }
  if (error instanceof ValueError) return { kind: 'query', message: error.message, cause: '', reason: 'value' }
  if (error instanceof BrokenContractError) return { kind: 'contract', message: error.message }
  if (error instanceof BodyTooLargeError) return { kind: 'too-large', maxBytes: error.maxBytes }
  const text = textOf(error).replace(/(?<=file ")[^"\n]+/, nameOf)
  if (/^INTERRUPT Error/.test(text)) return { kind: 'interrupted' }
  const cause = causeText(error)
  const markAt = text.indexOf(NATIVE_ERROR_MARK)
  if (markAt >= 0) {
    const message = withoutPlace(text.slice(markAt + NATIVE_ERROR_MARK.length))
    return { kind: 'query', message, cause, reason: message.split(':', 1)[0]! }
  }
  const writeFault = ownFileFailure(error)
  if (writeFault) return { kind: 'query', message: writeFault.message, cause, reason: 'file' }
  const match = wordingOf(withoutMiddle(text), WORDINGS)
  if (match) {
    const { isExpressionFault = true, isShortOfRoom = false, pattern } = match.wording
    const reason = isExpressionFault ? pattern.source : null
    // RE2 quotes the pattern with the beginning that a macro may have added.
    return { kind: 'query', message: match.message.replace(NO_MATCH_OR, ''), cause, reason, isShortOfRoom }
  }
  return { kind: 'engine', cause }
}

/** Whether DuckDB has invalidated the whole database, and not only failed the query. */
export const isFatal = (error: unknown): boolean => /^FATAL Error|has been invalidated/m.test(textOf(error))

/** The most characters of each end of DuckDB's message that are searched: a message may quote a value of any length. */
const SEARCHED_LENGTH = 1_000

const withoutMiddle = (text: string): string =>
  text.length <= 2 * SEARCHED_LENGTH ? text : `${text.slice(0, SEARCHED_LENGTH)}…${text.slice(-SEARCHED_LENGTH)}`

// DuckDB appends the place in its SQL to a message.
const withoutPlace = (text: string): string => text.replace(/\n\nLINE \d+:[\s\S]*$/, '')

const textOf = (thrown: unknown): string =>
  thrown === undefined || thrown === null ? '' : thrown instanceof Error ? thrown.message : String(thrown)
