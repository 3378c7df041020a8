/** TIMESTAMP functions, and EXTRACT. Source: the language reference, "Timestamp functions" and "Time series functions". */
import type { Expr } from '../../plan/nodes.js'
import { isBareNull } from '../../types/coercion-rules.js'
import { DATE, DATETIME, TIME, type Type } from '../../types/types.js'
import { beyondBigQuery, CAN_FAIL, type CanFail, canFailWith, type FunctionEntry, NEVER_FAILS } from '../catalogue.js'
import { NEVER_NULL, NULL_FROM_NULL, type ResultFacts, SMALL_INTEGER, UNKNOWN, WITHOUT_NULL } from '../result-facts.js'
import {
  ADDED_PARTS,
  addedTo,
  type Check,
  checkInterval,
  checkPart,
  checkTruncation,
  DIFFERENCE_PARTS,
  EXTRACTED_PARTS,
  INTERVAL_PARTS,
  partText,
} from './date-parts.js'

/** TIMESTAMP(…) can fail for text, which may not be a valid timestamp, and with a time zone, whose name may be unknown. */
const ofTextOrZone: CanFail = args => args[0]?.type.kind === 'STRING' || canFailWith(1)(args)
const ofJsonOrZone: CanFail = args => args[0]?.type.kind === 'JSON' || canFailWith(1)(args)

const timestamp = (
  name: string,
  canFail: CanFail,
  result: ResultFacts,
  signatures: readonly string[],
  check?: Check,
): FunctionEntry => ({
  name,
  kind: 'scalar',
  canFail,
  volatility: 'immutable',
  evaluation: 'all',
  result,
  signatures,
  documentation: `timestamp_functions#${name.toLowerCase()}`,
  ...(check ? { check } : {}),
})

const ADDITIONS = ['(TIMESTAMP, INTERVAL) -> TIMESTAMP', '(DATETIME, INTERVAL) -> DATETIME']
const FROM_UNIX = ['(INT64) -> TIMESTAMP', '(TIMESTAMP) -> TIMESTAMP']

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

const isLackedByInterval = ([part, value]: readonly (Expr | null)[]): boolean =>
  value?.type.kind === 'INTERVAL' && part?.kind === 'word' && !INTERVAL_PARTS.includes(part.word)

/** The types of the parts DATE, TIME and DATETIME; every other part gives an INT64. */
const PART_TYPES: Readonly<Record<string, Type>> = { DATE, TIME, DATETIME }
const extractedType = (args: readonly (Expr | null)[], declared: Type | null): Type => {
  const part = args[0]
  return (part?.kind === 'word' && PART_TYPES[part.word]) || declared!
}

export const TIMESTAMP_FUNCTIONS: readonly FunctionEntry[] = [
  { ...timestamp('CURRENT_TIMESTAMP', NEVER_FAILS, NEVER_NULL, ['() -> TIMESTAMP']), volatility: 'stable' },
  // A STRING literal without a zone is coerced to TIMESTAMP; any other STRING is cast.
  timestamp('TIMESTAMP', ofTextOrZone, NULL_FROM_NULL, [
    '(STRING, STRING) -> TIMESTAMP',
    '(STRING) -> TIMESTAMP',
    '(DATE, [STRING]) -> TIMESTAMP',
    '(DATETIME, [STRING]) -> TIMESTAMP',
    '(TIMESTAMP) -> TIMESTAMP',
  ]),
  timestamp('TIMESTAMP_ADD', CAN_FAIL, NULL_FROM_NULL, ADDITIONS, checkInterval('TIMESTAMP_ADD', ADDED_PARTS, 1)),
  timestamp('TIMESTAMP_SUB', CAN_FAIL, NULL_FROM_NULL, ADDITIONS, checkInterval('TIMESTAMP_SUB', ADDED_PARTS, 1)),
  {
    ...timestamp(
      'TIMESTAMP_DIFF',
      NEVER_FAILS,
      NULL_FROM_NULL,
      ['(TIMESTAMP, TIMESTAMP, PART) -> INT64', '(DATETIME, DATETIME, PART) -> INT64'],
      checkPart('TIMESTAMP_DIFF', DIFFERENCE_PARTS, 2, 0),
    ),
    notForTextConstants: ['DATETIME, DATETIME, PART'],
  },
  timestamp(
    'TIMESTAMP_TRUNC',
    CAN_FAIL,
    NULL_FROM_NULL,
    ['(TIMESTAMP, PART, [STRING]) -> TIMESTAMP', '(DATETIME, PART) -> DATETIME'],
    checkTruncation('TIMESTAMP_TRUNC'),
  ),
  timestamp('FORMAT_TIMESTAMP', CAN_FAIL, NULL_FROM_NULL, [
    '(STRING, TIMESTAMP, [STRING]) -> STRING',
    '(STRING, DATETIME) -> STRING',
  ]),
  timestamp('PARSE_TIMESTAMP', CAN_FAIL, UNKNOWN, ['(STRING, STRING, [STRING]) -> TIMESTAMP']),
  // A text literal is a DATE here, as in the reference implementation. For JSON it returns the value of a JSON string.
  timestamp('STRING', ofJsonOrZone, UNKNOWN, [
    '(DATE) -> STRING',
    '(TIMESTAMP, [STRING]) -> STRING',
    '(TIME) -> STRING',
    '(DATETIME) -> STRING',
    '(JSON) -> STRING',
  ]),
  timestamp('TIMESTAMP_SECONDS', CAN_FAIL, NULL_FROM_NULL, ['(INT64) -> TIMESTAMP']),
  timestamp('TIMESTAMP_MILLIS', CAN_FAIL, NULL_FROM_NULL, ['(INT64) -> TIMESTAMP']),
  timestamp('TIMESTAMP_MICROS', CAN_FAIL, NULL_FROM_NULL, ['(INT64) -> TIMESTAMP']),
  beyondBigQuery(timestamp('TIMESTAMP_FROM_UNIX_SECONDS', CAN_FAIL, UNKNOWN, FROM_UNIX)),
  beyondBigQuery(timestamp('TIMESTAMP_FROM_UNIX_MILLIS', CAN_FAIL, UNKNOWN, FROM_UNIX)),
  beyondBigQuery(timestamp('TIMESTAMP_FROM_UNIX_MICROS', CAN_FAIL, UNKNOWN, FROM_UNIX)),
  timestamp('UNIX_SECONDS', NEVER_FAILS, SMALL_INTEGER, ['(TIMESTAMP) -> INT64']),
  timestamp('UNIX_MILLIS', NEVER_FAILS, SMALL_INTEGER, ['(TIMESTAMP) -> INT64']),
  timestamp('UNIX_MICROS', NEVER_FAILS, NULL_FROM_NULL, ['(TIMESTAMP) -> INT64']),
  {
    name: 'GENERATE_TIMESTAMP_ARRAY',
    kind: 'scalar',
    canFail: CAN_FAIL,
    volatility: 'immutable',
    evaluation: 'all',
    result: WITHOUT_NULL,
    signatures: ['(TIMESTAMP, TIMESTAMP, INTERVAL) -> ARRAY<TIMESTAMP>'],
    documentation: 'array_functions#generate_timestamp_array',
    check: checkInterval('GENERATE_TIMESTAMP_ARRAY', addedTo('TIMESTAMP'), 2),
  },
  {
    name: 'TIMESTAMP_BUCKET',
    kind: 'scalar',
    canFail: CAN_FAIL,
    volatility: 'immutable',
    evaluation: 'all',
    result: UNKNOWN,
    signatures: [
      '(TIMESTAMP, INTERVAL, [TIMESTAMP]) -> TIMESTAMP',
      '(DATETIME, INTERVAL, [DATETIME]) -> DATETIME',
      '(DATE, INTERVAL, [DATE]) -> DATE',
    ],
    notForTextConstants: ['DATETIME, INTERVAL, [DATETIME]', 'DATE, INTERVAL, [DATE]'],
    documentation: 'time-series-functions#timestamp_bucket',
  },
  {
    name: '$extract',
    kind: 'scalar',
    canFail: args => canFailWith(2)(args) || isLackedByInterval(args),
    volatility: 'immutable',
    evaluation: 'all',
    result: SMALL_INTEGER,
    signatures: [
      '(PART, TIMESTAMP, [STRING]) -> INT64',
      '(PART, DATE) -> INT64',
      '(PART, DATETIME) -> INT64',
      '(PART, TIME) -> INT64',
      '(PART, INTERVAL) -> INT64',
    ],
    documentation: 'timestamp_functions#extract',
    resultType: extractedType,
    check: checkExtract,
    allowsSafe: false,
  },
]
