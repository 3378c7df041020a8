/** DATETIME functions. Source: the language reference, "Datetime functions" and "Time series functions". */
import { CAN_FAIL, type CanFail, canFailWith, type FunctionEntry, NEVER_FAILS } from '../catalogue.js'
import { NEVER_NULL, NULL_FROM_NULL, type ResultFacts, UNKNOWN } from '../result-facts.js'
import { ADDED_PARTS, type Check, checkInterval, checkPart, checkTruncation, DIFFERENCE_PARTS } from './date-parts.js'

/** A DATE with a TIME always makes a DATETIME. Numbers and text may be out of range, and a time zone may be unknown. */
const ofParts: CanFail = ([first, second]) =>
  first?.type.kind === 'STRING' || (second !== undefined && second !== null && first?.type.kind !== 'DATE')

const datetime = (
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
  documentation: `datetime_functions#${name.toLowerCase()}`,
  ...(check ? { check } : {}),
})

const ADDITIONS = ['(DATETIME, INTERVAL) -> DATETIME', '(TIMESTAMP, INTERVAL) -> TIMESTAMP']

export const DATETIME_FUNCTIONS: readonly FunctionEntry[] = [
  { ...datetime('CURRENT_DATETIME', canFailWith(0), NEVER_NULL, ['([STRING]) -> DATETIME']), volatility: 'stable' },
  datetime('DATETIME', ofParts, NULL_FROM_NULL, [
    '(INT64, INT64, INT64, INT64, INT64, INT64) -> DATETIME',
    '(DATE, TIME) -> DATETIME',
    '(TIMESTAMP, [STRING]) -> DATETIME',
    '(DATE) -> DATETIME',
    '(DATETIME) -> DATETIME',
    '(STRING) -> DATETIME',
  ]),
  datetime('DATETIME_ADD', CAN_FAIL, NULL_FROM_NULL, ADDITIONS, checkInterval('DATETIME_ADD', ADDED_PARTS, 1)),
  datetime('DATETIME_SUB', CAN_FAIL, NULL_FROM_NULL, ADDITIONS, checkInterval('DATETIME_SUB', ADDED_PARTS, 1)),
  {
    ...datetime(
      'DATETIME_DIFF',
      NEVER_FAILS,
      NULL_FROM_NULL,
      ['(DATETIME, DATETIME, PART) -> INT64', '(TIMESTAMP, TIMESTAMP, PART) -> INT64'],
      checkPart('DATETIME_DIFF', DIFFERENCE_PARTS, 2, 0),
    ),
    notForTextConstants: ['TIMESTAMP, TIMESTAMP, PART'],
  },
  datetime(
    'DATETIME_TRUNC',
    CAN_FAIL,
    NULL_FROM_NULL,
    ['(DATETIME, PART) -> DATETIME', '(TIMESTAMP, PART, [STRING]) -> TIMESTAMP'],
    checkTruncation('DATETIME_TRUNC'),
  ),
  datetime('FORMAT_DATETIME', CAN_FAIL, NULL_FROM_NULL, [
    '(STRING, DATETIME) -> STRING',
    '(STRING, TIMESTAMP, [STRING]) -> STRING',
  ]),
  datetime('PARSE_DATETIME', CAN_FAIL, UNKNOWN, ['(STRING, STRING) -> DATETIME']),
  {
    name: 'DATETIME_BUCKET',
    kind: 'scalar',
    canFail: CAN_FAIL,
    volatility: 'immutable',
    evaluation: 'all',
    result: UNKNOWN,
    signatures: [
      '(DATETIME, INTERVAL, [DATETIME]) -> DATETIME',
      '(DATE, INTERVAL, [DATE]) -> DATE',
      '(TIMESTAMP, INTERVAL, [TIMESTAMP]) -> TIMESTAMP',
    ],
    notForTextConstants: ['DATE, INTERVAL, [DATE]', 'TIMESTAMP, INTERVAL, [TIMESTAMP]'],
    documentation: 'time-series-functions#datetime_bucket',
  },
]
