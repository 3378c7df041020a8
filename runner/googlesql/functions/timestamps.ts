/** TIMESTAMP functions, and EXTRACT. Source: the language reference, "Timestamp functions" and "Time series functions". */
import type { Expr } from '../resolved.js'
import { DATE, DATETIME, TIME, type Type } from '../types.js'
import { beyondBigQuery, type FunctionEntry } from './catalogue.js'
import {
  ADDED_PARTS,
  type Check,
  checkInterval,
  checkPart,
  DIFFERENCE_PARTS,
  EXTRACTED_PARTS,
  partText,
  TRUNCATED_PARTS,
} from './date-checks.js'

const timestamp = (name: string, signatures: readonly string[], check?: Check): FunctionEntry => ({
  name,
  kind: 'scalar',
  signatures,
  documentation: `timestamp_functions#${name.toLowerCase()}`,
  ...(check ? { check } : {}),
})

const ADDITIONS = ['(TIMESTAMP, INTERVAL) -> TIMESTAMP', '(DATETIME, INTERVAL) -> DATETIME']
const FROM_UNIX = ['(INT64) -> TIMESTAMP', '(TIMESTAMP) -> TIMESTAMP']

const checkExtract: Check = args => {
  const [part, value] = args
  const kind = value?.type.kind ?? ''
  const allowed: readonly string[] = Object.hasOwn(EXTRACTED_PARTS, kind) ? EXTRACTED_PARTS[kind as 'DATE']! : []
  if (part?.kind !== 'word' || allowed.includes(part.word)) return null
  return `EXTRACT from ${kind} does not support the ${partText(part.word)} date part`
}

/** DATE, TIME and DATETIME as parts give values of these types, every other part a number. */
const PART_TYPES: Readonly<Record<string, Type>> = { DATE, TIME, DATETIME }
const extractedType = (args: readonly (Expr | null)[], declared: Type | null): Type => {
  const part = args[0]
  return (part?.kind === 'word' && PART_TYPES[part.word]) || declared!
}

export const TIMESTAMP_FUNCTIONS: readonly FunctionEntry[] = [
  timestamp('CURRENT_TIMESTAMP', ['() -> TIMESTAMP']),
  // Text without a zone is a TIMESTAMP by coercion, or a cast where it is no literal.
  timestamp('TIMESTAMP', [
    '(STRING, STRING) -> TIMESTAMP',
    '(STRING) -> TIMESTAMP',
    '(DATE, [STRING]) -> TIMESTAMP',
    '(DATETIME, [STRING]) -> TIMESTAMP',
    '(TIMESTAMP) -> TIMESTAMP',
  ]),
  timestamp('TIMESTAMP_ADD', ADDITIONS, checkInterval('TIMESTAMP_ADD', ADDED_PARTS, 1)),
  timestamp('TIMESTAMP_SUB', ADDITIONS, checkInterval('TIMESTAMP_SUB', ADDED_PARTS, 1)),
  timestamp(
    'TIMESTAMP_DIFF',
    ['(TIMESTAMP, TIMESTAMP, PART) -> INT64', '(DATETIME, DATETIME, PART) -> INT64'],
    checkPart('TIMESTAMP_DIFF', DIFFERENCE_PARTS, 2, 0),
  ),
  timestamp(
    'TIMESTAMP_TRUNC',
    ['(TIMESTAMP, PART, [STRING]) -> TIMESTAMP', '(DATETIME, PART) -> DATETIME'],
    checkPart('TIMESTAMP_TRUNC', TRUNCATED_PARTS, 1, 0),
  ),
  timestamp('FORMAT_TIMESTAMP', ['(STRING, TIMESTAMP, [STRING]) -> STRING', '(STRING, DATETIME) -> STRING']),
  timestamp('PARSE_TIMESTAMP', ['(STRING, STRING, [STRING]) -> TIMESTAMP']),
  // Of JSON it gives the text that the JSON string is.
  timestamp('STRING', [
    '(TIMESTAMP, [STRING]) -> STRING',
    '(DATE) -> STRING',
    '(TIME) -> STRING',
    '(DATETIME) -> STRING',
    '(JSON) -> STRING',
  ]),
  timestamp('TIMESTAMP_SECONDS', ['(INT64) -> TIMESTAMP']),
  timestamp('TIMESTAMP_MILLIS', ['(INT64) -> TIMESTAMP']),
  timestamp('TIMESTAMP_MICROS', ['(INT64) -> TIMESTAMP']),
  beyondBigQuery(timestamp('TIMESTAMP_FROM_UNIX_SECONDS', FROM_UNIX)),
  beyondBigQuery(timestamp('TIMESTAMP_FROM_UNIX_MILLIS', FROM_UNIX)),
  beyondBigQuery(timestamp('TIMESTAMP_FROM_UNIX_MICROS', FROM_UNIX)),
  timestamp('UNIX_SECONDS', ['(TIMESTAMP) -> INT64']),
  timestamp('UNIX_MILLIS', ['(TIMESTAMP) -> INT64']),
  timestamp('UNIX_MICROS', ['(TIMESTAMP) -> INT64']),
  {
    name: 'GENERATE_TIMESTAMP_ARRAY',
    kind: 'scalar',
    signatures: ['(TIMESTAMP, TIMESTAMP, INTERVAL) -> ARRAY<TIMESTAMP>'],
    documentation: 'array_functions#generate_timestamp_array',
    check: checkInterval('GENERATE_TIMESTAMP_ARRAY', ADDED_PARTS, 2),
  },
  {
    name: 'TIMESTAMP_BUCKET',
    kind: 'scalar',
    signatures: [
      '(TIMESTAMP, INTERVAL, [TIMESTAMP]) -> TIMESTAMP',
      '(DATETIME, INTERVAL, [DATETIME]) -> DATETIME',
      '(DATE, INTERVAL, [DATE]) -> DATE',
    ],
    documentation: 'time-series-functions#timestamp_bucket',
  },
  {
    name: '$extract',
    kind: 'scalar',
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
