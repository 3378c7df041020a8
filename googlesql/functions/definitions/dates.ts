/** DATE functions. Source: the language reference, "Date functions", "Array functions" and "Time series functions". */
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
  LAST_DAY_PARTS,
} from './date-parts.js'

const date = (
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
  documentation: `date_functions#${name.toLowerCase()}`,
  ...(check ? { check } : {}),
})

const ADDITIONS = ['(DATE, INTERVAL) -> DATE', '(DATETIME, INTERVAL) -> DATETIME', '(TIMESTAMP, INTERVAL) -> TIMESTAMP']

export const DATE_FUNCTIONS: readonly FunctionEntry[] = [
  { ...date('CURRENT_DATE', canFailWith(0), NEVER_NULL, ['([STRING]) -> DATE']), volatility: 'stable' },
  {
    ...date('DATE', args => canFailWith(1)(args) || args[0]?.type.kind === 'STRING', NULL_FROM_NULL, [
      '(TIMESTAMP, [STRING]) -> DATE',
      '(DATETIME) -> DATE',
      '(INT64, INT64, INT64) -> DATE',
      '(DATE) -> DATE',
      '(STRING) -> DATE',
    ]),
    notForTextLiterals: ['STRING'],
  },
  date('DATE_ADD', CAN_FAIL, NULL_FROM_NULL, ADDITIONS, checkInterval('DATE_ADD', ADDED_PARTS, 1)),
  date('DATE_SUB', CAN_FAIL, NULL_FROM_NULL, ADDITIONS, checkInterval('DATE_SUB', ADDED_PARTS, 1)),
  {
    ...date(
      'DATE_DIFF',
      NEVER_FAILS,
      SMALL_INTEGER,
      ['(DATE, DATE, PART) -> INT64', '(DATETIME, DATETIME, PART) -> INT64', '(TIMESTAMP, TIMESTAMP, PART) -> INT64'],
      checkPart('DATE_DIFF', DIFFERENCE_PARTS, 2, 0),
    ),
    notForTextConstants: ['DATETIME, DATETIME, PART', 'TIMESTAMP, TIMESTAMP, PART'],
  },
  date(
    'DATE_TRUNC',
    CAN_FAIL,
    NULL_FROM_NULL,
    ['(DATE, PART) -> DATE', '(DATETIME, PART) -> DATETIME', '(TIMESTAMP, PART, [STRING]) -> TIMESTAMP'],
    checkTruncation('DATE_TRUNC'),
  ),
  date('DATE_FROM_UNIX_DATE', CAN_FAIL, NULL_FROM_NULL, ['(INT64) -> DATE']),
  date('UNIX_DATE', NEVER_FAILS, SMALL_INTEGER, ['(DATE) -> INT64']),
  date('FORMAT_DATE', CAN_FAIL, NULL_FROM_NULL, [
    '(STRING, DATE) -> STRING',
    '(STRING, DATETIME) -> STRING',
    '(STRING, TIMESTAMP, [STRING]) -> STRING',
  ]),
  date('PARSE_DATE', CAN_FAIL, UNKNOWN, ['(STRING, STRING) -> DATE']),
  date(
    'LAST_DAY',
    CAN_FAIL,
    NULL_FROM_NULL,
    ['(DATE, [PART]) -> DATE', '(DATETIME, [PART]) -> DATE'],
    checkPart('LAST_DAY', LAST_DAY_PARTS, 1, 0),
  ),
  beyondBigQuery(date('ADD_MONTHS', CAN_FAIL, UNKNOWN, ['(DATE, INT64) -> DATE', '(DATETIME, INT64) -> DATETIME'])),
  beyondBigQuery(
    date('MONTHS_BETWEEN', NEVER_FAILS, UNKNOWN, ['(DATE, DATE) -> FLOAT64', '(DATETIME, DATETIME) -> FLOAT64']),
  ),
  beyondBigQuery(date('NEXT_DAY', CAN_FAIL, UNKNOWN, ['(DATE, STRING) -> DATE', '(DATETIME, STRING) -> DATE'])),
  {
    name: 'GENERATE_DATE_ARRAY',
    kind: 'scalar',
    canFail: CAN_FAIL,
    volatility: 'immutable',
    evaluation: 'all',
    result: WITHOUT_NULL,
    signatures: ['(DATE, DATE, [INTERVAL]) -> ARRAY<DATE>'],
    documentation: 'array_functions#generate_date_array',
    check: checkInterval('GENERATE_DATE_ARRAY', addedTo('DATE'), 2),
  },
  {
    name: 'DATE_BUCKET',
    kind: 'scalar',
    canFail: CAN_FAIL,
    volatility: 'immutable',
    evaluation: 'all',
    result: UNKNOWN,
    signatures: [
      '(DATE, INTERVAL, [DATE]) -> DATE',
      '(DATETIME, INTERVAL, [DATETIME]) -> DATETIME',
      '(TIMESTAMP, INTERVAL, [TIMESTAMP]) -> TIMESTAMP',
    ],
    notForTextConstants: ['DATETIME, INTERVAL, [DATETIME]', 'TIMESTAMP, INTERVAL, [TIMESTAMP]'],
    documentation: 'time-series-functions#date_bucket',
  },
]
