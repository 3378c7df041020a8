/** DATE functions. Source: the language reference, "Date functions", "Array functions" and "Time series functions". */
import { beyondBigQuery, CAN_FAIL, type CanFail, canFailWith, type FunctionEntry, NEVER_FAILS } from '../catalogue.js'
import {
  ADDED_PARTS,
  addedTo,
  type Check,
  checkInterval,
  checkPart,
  DIFFERENCE_PARTS,
  LAST_DAY_PARTS,
  TRUNCATED_PARTS,
} from './date-parts.js'

const date = (name: string, canFail: CanFail, signatures: readonly string[], check?: Check): FunctionEntry => ({
  name,
  kind: 'scalar',
  canFail,
  volatility: 'immutable',
  evaluation: 'all',
  signatures,
  documentation: `date_functions#${name.toLowerCase()}`,
  ...(check ? { check } : {}),
})

const ADDITIONS = ['(DATE, INTERVAL) -> DATE', '(DATETIME, INTERVAL) -> DATETIME', '(TIMESTAMP, INTERVAL) -> TIMESTAMP']

export const DATE_FUNCTIONS: readonly FunctionEntry[] = [
  { ...date('CURRENT_DATE', canFailWith(0), ['([STRING]) -> DATE']), volatility: 'stable' },
  {
    ...date('DATE', args => canFailWith(1)(args) || args[0]?.type.kind === 'STRING', [
      '(TIMESTAMP, [STRING]) -> DATE',
      '(DATETIME) -> DATE',
      '(INT64, INT64, INT64) -> DATE',
      '(DATE) -> DATE',
      '(STRING) -> DATE',
    ]),
    notForTextLiterals: ['STRING'],
  },
  date('DATE_ADD', CAN_FAIL, ADDITIONS, checkInterval('DATE_ADD', ADDED_PARTS, 1)),
  date('DATE_SUB', CAN_FAIL, ADDITIONS, checkInterval('DATE_SUB', ADDED_PARTS, 1)),
  date(
    'DATE_DIFF',
    NEVER_FAILS,
    ['(DATE, DATE, PART) -> INT64', '(DATETIME, DATETIME, PART) -> INT64', '(TIMESTAMP, TIMESTAMP, PART) -> INT64'],
    checkPart('DATE_DIFF', DIFFERENCE_PARTS, 2, 0),
  ),
  date(
    'DATE_TRUNC',
    CAN_FAIL,
    ['(DATE, PART) -> DATE', '(DATETIME, PART) -> DATETIME', '(TIMESTAMP, PART, [STRING]) -> TIMESTAMP'],
    checkPart('DATE_TRUNC', TRUNCATED_PARTS, 1, 0),
  ),
  date('DATE_FROM_UNIX_DATE', CAN_FAIL, ['(INT64) -> DATE']),
  date('UNIX_DATE', NEVER_FAILS, ['(DATE) -> INT64']),
  date('FORMAT_DATE', CAN_FAIL, [
    '(STRING, DATE) -> STRING',
    '(STRING, DATETIME) -> STRING',
    '(STRING, TIMESTAMP, [STRING]) -> STRING',
  ]),
  date('PARSE_DATE', CAN_FAIL, ['(STRING, STRING) -> DATE']),
  date(
    'LAST_DAY',
    CAN_FAIL,
    ['(DATE, [PART]) -> DATE', '(DATETIME, [PART]) -> DATE'],
    checkPart('LAST_DAY', LAST_DAY_PARTS, 1, 0),
  ),
  beyondBigQuery(date('ADD_MONTHS', CAN_FAIL, ['(DATE, INT64) -> DATE', '(DATETIME, INT64) -> DATETIME'])),
  beyondBigQuery(date('MONTHS_BETWEEN', NEVER_FAILS, ['(DATE, DATE) -> FLOAT64', '(DATETIME, DATETIME) -> FLOAT64'])),
  beyondBigQuery(date('NEXT_DAY', CAN_FAIL, ['(DATE, STRING) -> DATE', '(DATETIME, STRING) -> DATE'])),
  {
    name: 'GENERATE_DATE_ARRAY',
    kind: 'scalar',
    canFail: CAN_FAIL,
    volatility: 'immutable',
    evaluation: 'all',
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
    signatures: [
      '(DATE, INTERVAL, [DATE]) -> DATE',
      '(DATETIME, INTERVAL, [DATETIME]) -> DATETIME',
      '(TIMESTAMP, INTERVAL, [TIMESTAMP]) -> TIMESTAMP',
    ],
    notForTextConstants: ['DATETIME, INTERVAL, [DATETIME]', 'TIMESTAMP, INTERVAL, [TIMESTAMP]'],
    documentation: 'time-series-functions#date_bucket',
  },
]
