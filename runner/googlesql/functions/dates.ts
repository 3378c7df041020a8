/** DATE functions. Source: the language reference, "Date functions", "Array functions" and "Time series functions". */
import { beyondBigQuery, type FunctionEntry } from './catalogue.js'
import {
  ADDED_PARTS,
  type Check,
  checkInterval,
  checkPart,
  DIFFERENCE_PARTS,
  LAST_DAY_PARTS,
  TRUNCATED_PARTS,
} from './date-checks.js'

const date = (name: string, signatures: readonly string[], check?: Check): FunctionEntry => ({
  name,
  kind: 'scalar',
  signatures,
  documentation: `date_functions#${name.toLowerCase()}`,
  ...(check ? { check } : {}),
})

const ADDITIONS = ['(DATE, INTERVAL) -> DATE', '(DATETIME, INTERVAL) -> DATETIME', '(TIMESTAMP, INTERVAL) -> TIMESTAMP']

export const DATE_FUNCTIONS: readonly FunctionEntry[] = [
  date('CURRENT_DATE', ['([STRING]) -> DATE']),
  {
    ...date('DATE', [
      '(TIMESTAMP, [STRING]) -> DATE',
      '(DATETIME) -> DATE',
      '(INT64, INT64, INT64) -> DATE',
      '(DATE) -> DATE',
      '(STRING) -> DATE',
    ]),
    notForTextLiterals: 'STRING',
  },
  date('DATE_ADD', ADDITIONS, checkInterval('DATE_ADD', ADDED_PARTS, 1)),
  date('DATE_SUB', ADDITIONS, checkInterval('DATE_SUB', ADDED_PARTS, 1)),
  date(
    'DATE_DIFF',
    ['(DATE, DATE, PART) -> INT64', '(DATETIME, DATETIME, PART) -> INT64', '(TIMESTAMP, TIMESTAMP, PART) -> INT64'],
    checkPart('DATE_DIFF', DIFFERENCE_PARTS, 2, 0),
  ),
  date(
    'DATE_TRUNC',
    ['(DATE, PART) -> DATE', '(DATETIME, PART) -> DATETIME', '(TIMESTAMP, PART, [STRING]) -> TIMESTAMP'],
    checkPart('DATE_TRUNC', TRUNCATED_PARTS, 1, 0),
  ),
  date('DATE_FROM_UNIX_DATE', ['(INT64) -> DATE']),
  date('UNIX_DATE', ['(DATE) -> INT64']),
  date('FORMAT_DATE', [
    '(STRING, DATE) -> STRING',
    '(STRING, DATETIME) -> STRING',
    '(STRING, TIMESTAMP, [STRING]) -> STRING',
  ]),
  date('PARSE_DATE', ['(STRING, STRING) -> DATE']),
  date(
    'LAST_DAY',
    ['(DATE, [PART]) -> DATE', '(DATETIME, [PART]) -> DATE'],
    checkPart('LAST_DAY', LAST_DAY_PARTS, 1, 0),
  ),
  beyondBigQuery(date('ADD_MONTHS', ['(DATE, INT64) -> DATE', '(DATETIME, INT64) -> DATETIME'])),
  beyondBigQuery(date('MONTHS_BETWEEN', ['(DATE, DATE) -> FLOAT64', '(DATETIME, DATETIME) -> FLOAT64'])),
  beyondBigQuery(date('NEXT_DAY', ['(DATE, STRING) -> DATE', '(DATETIME, STRING) -> DATE'])),
  {
    name: 'GENERATE_DATE_ARRAY',
    kind: 'scalar',
    signatures: ['(DATE, DATE, [INTERVAL]) -> ARRAY<DATE>'],
    documentation: 'array_functions#generate_date_array',
    check: checkInterval('GENERATE_DATE_ARRAY', ADDED_PARTS, 2),
  },
  {
    name: 'DATE_BUCKET',
    kind: 'scalar',
    signatures: [
      '(DATE, INTERVAL, [DATE]) -> DATE',
      '(DATETIME, INTERVAL, [DATETIME]) -> DATETIME',
      '(TIMESTAMP, INTERVAL, [TIMESTAMP]) -> TIMESTAMP',
    ],
    documentation: 'time-series-functions#date_bucket',
  },
]
