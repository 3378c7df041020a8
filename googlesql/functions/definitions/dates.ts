/**
 * DATE, DATETIME and TIME functions. Source: the language reference, "Date functions", "Datetime functions", "Time functions",
 * "Array functions" and "Time series functions".
 */
import {
  BEYOND_BIGQUERY,
  CAN_FAIL,
  type CanFail,
  canFailWith,
  type FunctionEntry,
  functionsOf,
  NEVER_FAILS,
} from '../catalogue.js'
import { NULL_FROM_NULL, SMALL_INTEGER, UNKNOWN, WITHOUT_NULL } from '../result-facts.js'
import { addedPartsOf, checkInterval, checkPart, LAST_DAY_PARTS } from './date-parts.js'
import { bucketOf, familyOf } from './time-families.js'

const date = functionsOf('date_functions')
const beyond = functionsOf('date_functions', BEYOND_BIGQUERY)

export const DATE_FUNCTIONS: readonly FunctionEntry[] = [
  ...familyOf('DATE'),
  date(
    'DATE',
    args => canFailWith(1)(args) || args[0]?.type.kind === 'STRING',
    NULL_FROM_NULL,
    [
      '(TIMESTAMP, [STRING]) -> DATE',
      '(DATETIME) -> DATE',
      '(INT64, INT64, INT64) -> DATE',
      '(DATE) -> DATE',
      '(STRING) -> DATE',
    ],
    { notForTextLiterals: ['STRING'] },
  ),
  date('DATE_FROM_UNIX_DATE', CAN_FAIL, NULL_FROM_NULL, ['(INT64) -> DATE']),
  date('UNIX_DATE', NEVER_FAILS, SMALL_INTEGER, ['(DATE) -> INT64']),
  date('LAST_DAY', CAN_FAIL, NULL_FROM_NULL, ['(DATE, [PART]) -> DATE', '(DATETIME, [PART]) -> DATE'], {
    check: checkPart('LAST_DAY', LAST_DAY_PARTS, 1),
  }),
  beyond('ADD_MONTHS', CAN_FAIL, UNKNOWN, ['(DATE, INT64) -> DATE', '(DATETIME, INT64) -> DATETIME']),
  beyond('MONTHS_BETWEEN', NEVER_FAILS, UNKNOWN, ['(DATE, DATE) -> FLOAT64', '(DATETIME, DATETIME) -> FLOAT64']),
  beyond('NEXT_DAY', CAN_FAIL, UNKNOWN, ['(DATE, STRING) -> DATE', '(DATETIME, STRING) -> DATE']),
  functionsOf('array_functions')(
    'GENERATE_DATE_ARRAY',
    CAN_FAIL,
    WITHOUT_NULL,
    ['(DATE, DATE, [INTERVAL]) -> ARRAY<DATE>'],
    { check: checkInterval('GENERATE_DATE_ARRAY', addedPartsOf('DATE'), 2) },
  ),
  bucketOf(['DATE', 'DATETIME', 'TIMESTAMP']),
]

/** A DATE with a TIME always makes a DATETIME. Numbers and text may be out of range, and a time zone may be unknown. */
const datetimeCanFail: CanFail = ([first, second]) =>
  first?.type.kind === 'STRING' || (second !== undefined && second !== null && first?.type.kind !== 'DATE')

export const DATETIME_FUNCTIONS: readonly FunctionEntry[] = [
  ...familyOf('DATETIME'),
  functionsOf('datetime_functions')('DATETIME', datetimeCanFail, NULL_FROM_NULL, [
    '(INT64, INT64, INT64, INT64, INT64, INT64) -> DATETIME',
    '(DATE, TIME) -> DATETIME',
    '(TIMESTAMP, [STRING]) -> DATETIME',
    '(DATE) -> DATETIME',
    '(DATETIME) -> DATETIME',
    '(STRING) -> DATETIME',
  ]),
  bucketOf(['DATETIME', 'DATE', 'TIMESTAMP']),
]

export const TIME_FUNCTIONS: readonly FunctionEntry[] = [
  ...familyOf('TIME'),
  functionsOf('time_functions')('TIME', canFailWith(1), NULL_FROM_NULL, [
    '(INT64, INT64, INT64) -> TIME',
    '(TIMESTAMP, [STRING]) -> TIME',
    '(DATETIME) -> TIME',
    '(TIME) -> TIME',
  ]),
]
