/** TIMESTAMP functions, and EXTRACT. Source: the language reference, "Timestamp functions" and "Time series functions". */
import { isBareNull } from '../../plan/walk.js'
import { DATE, DATETIME, TIME, type Type } from '../../types/types.js'
import {
  type Args,
  BEYOND_BIGQUERY,
  CAN_FAIL,
  type CanFail,
  type Check,
  canFailWith,
  type FunctionEntry,
  functionsOf,
  NEVER_FAILS,
} from '../catalogue.js'
import { NULL_FROM_NULL, SMALL_INTEGER, UNKNOWN, WITHOUT_NULL } from '../result-facts.js'
import { addedPartsOf, checkInterval, EXTRACTED_PARTS, INTERVAL_PARTS, partText } from './date-parts.js'
import { bucketOf, familyOf } from './time-families.js'

/** TIMESTAMP(…) can fail for text, which may not be a valid timestamp, and with a time zone, whose name may be unknown. */
const timestampCanFail: CanFail = args => args[0]?.type.kind === 'STRING' || canFailWith(1)(args)
const stringCanFail: CanFail = args => args[0]?.type.kind === 'JSON' || canFailWith(1)(args)

const timestamp = functionsOf('timestamp_functions')
const beyond = functionsOf('timestamp_functions', BEYOND_BIGQUERY)

// A parameter that holds a text counts as a DATE. Source: the reference implementation.
const checkExtract: Check = ([part, value], _, [, uncoerced]) => {
  const isText = uncoerced?.type.kind === 'STRING' && !isBareNull(uncoerced)
  if (isText && uncoerced.kind === 'literal') {
    return { reason: 'EXTRACT does not support literal STRING arguments', mistake: { code: 'extract-from-text' } }
  }
  const kind = isText ? 'DATE' : (value?.type.kind ?? '')
  const allowed: readonly string[] = Object.hasOwn(EXTRACTED_PARTS, kind) ? EXTRACTED_PARTS[kind as 'DATE']! : []
  if (part?.kind !== 'word' || allowed.includes(part.word)) return null
  return `EXTRACT from ${kind} does not support the ${partText(part.word)} date part`
}

const intervalLacksPart = ([part, value]: Args): boolean =>
  value?.type.kind === 'INTERVAL' && part?.kind === 'word' && !INTERVAL_PARTS.includes(part.word)

/** The types of the parts DATE, TIME and DATETIME; every other part gives an INT64. */
const PART_TYPES: Readonly<Record<string, Type>> = { DATE, TIME, DATETIME }
const extractedType = (args: Args, declared: Type | null): Type => {
  const part = args[0]
  return (part?.kind === 'word' && PART_TYPES[part.word]) || declared!
}

export const TIMESTAMP_FUNCTIONS: readonly FunctionEntry[] = [
  ...familyOf('TIMESTAMP'),
  // A STRING literal without a zone is coerced to TIMESTAMP; any other STRING is cast.
  timestamp('TIMESTAMP', timestampCanFail, NULL_FROM_NULL, [
    '(STRING, STRING) -> TIMESTAMP',
    '(STRING) -> TIMESTAMP',
    '(DATE, [STRING]) -> TIMESTAMP',
    '(DATETIME, [STRING]) -> TIMESTAMP',
    '(TIMESTAMP) -> TIMESTAMP',
  ]),
  // A text literal is a DATE here, as in the reference implementation. For JSON, STRING returns the value of a JSON string.
  timestamp('STRING', stringCanFail, UNKNOWN, [
    '(DATE) -> STRING',
    '(TIMESTAMP, [STRING]) -> STRING',
    '(TIME) -> STRING',
    '(DATETIME) -> STRING',
    '(JSON) -> STRING',
  ]),
  ...['SECONDS', 'MILLIS', 'MICROS'].flatMap(unit => [
    timestamp(`TIMESTAMP_${unit}`, CAN_FAIL, NULL_FROM_NULL, ['(INT64) -> TIMESTAMP']),
    beyond(`TIMESTAMP_FROM_UNIX_${unit}`, CAN_FAIL, UNKNOWN, ['(INT64) -> TIMESTAMP', '(TIMESTAMP) -> TIMESTAMP']),
  ]),
  timestamp('UNIX_SECONDS', NEVER_FAILS, SMALL_INTEGER, ['(TIMESTAMP) -> INT64']),
  timestamp('UNIX_MILLIS', NEVER_FAILS, SMALL_INTEGER, ['(TIMESTAMP) -> INT64']),
  timestamp('UNIX_MICROS', NEVER_FAILS, NULL_FROM_NULL, ['(TIMESTAMP) -> INT64']),
  functionsOf('array_functions')(
    'GENERATE_TIMESTAMP_ARRAY',
    CAN_FAIL,
    WITHOUT_NULL,
    ['(TIMESTAMP, TIMESTAMP, INTERVAL) -> ARRAY<TIMESTAMP>'],
    { check: checkInterval('GENERATE_TIMESTAMP_ARRAY', addedPartsOf('TIMESTAMP'), 2) },
  ),
  bucketOf(['TIMESTAMP', 'DATETIME', 'DATE']),
  timestamp(
    '$extract',
    args => canFailWith(2)(args) || intervalLacksPart(args),
    SMALL_INTEGER,
    [
      '(PART, TIMESTAMP, [STRING]) -> INT64',
      '(PART, DATE) -> INT64',
      '(PART, DATETIME) -> INT64',
      '(PART, TIME) -> INT64',
      '(PART, INTERVAL) -> INT64',
    ],
    {
      documentation: 'timestamp_functions#extract',
      resultType: extractedType,
      check: checkExtract,
      allowsSafe: false,
    },
  ),
]
