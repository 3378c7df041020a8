/** DATETIME functions. Source: the language reference, "Datetime functions" and "Time series functions". */
import type { FunctionEntry } from './catalogue.js'
import { ADDED_PARTS, type Check, checkInterval, checkPart, DIFFERENCE_PARTS, TRUNCATED_PARTS } from './date-checks.js'

const datetime = (name: string, signatures: readonly string[], check?: Check): FunctionEntry => ({
  name,
  kind: 'scalar',
  signatures,
  documentation: `datetime_functions#${name.toLowerCase()}`,
  ...(check ? { check } : {}),
})

const ADDITIONS = ['(DATETIME, INTERVAL) -> DATETIME', '(TIMESTAMP, INTERVAL) -> TIMESTAMP']

export const DATETIME_FUNCTIONS: readonly FunctionEntry[] = [
  datetime('CURRENT_DATETIME', ['([STRING]) -> DATETIME']),
  datetime('DATETIME', [
    '(INT64, INT64, INT64, INT64, INT64, INT64) -> DATETIME',
    '(DATE, TIME) -> DATETIME',
    '(TIMESTAMP, [STRING]) -> DATETIME',
    '(DATE) -> DATETIME',
    '(DATETIME) -> DATETIME',
    '(STRING) -> DATETIME',
  ]),
  datetime('DATETIME_ADD', ADDITIONS, checkInterval('DATETIME_ADD', ADDED_PARTS, 1)),
  datetime('DATETIME_SUB', ADDITIONS, checkInterval('DATETIME_SUB', ADDED_PARTS, 1)),
  datetime(
    'DATETIME_DIFF',
    ['(DATETIME, DATETIME, PART) -> INT64', '(TIMESTAMP, TIMESTAMP, PART) -> INT64'],
    checkPart('DATETIME_DIFF', DIFFERENCE_PARTS, 2, 0),
  ),
  datetime(
    'DATETIME_TRUNC',
    ['(DATETIME, PART) -> DATETIME', '(TIMESTAMP, PART, [STRING]) -> TIMESTAMP'],
    checkPart('DATETIME_TRUNC', TRUNCATED_PARTS, 1, 0),
  ),
  datetime('FORMAT_DATETIME', ['(STRING, DATETIME) -> STRING', '(STRING, TIMESTAMP, [STRING]) -> STRING']),
  datetime('PARSE_DATETIME', ['(STRING, STRING) -> DATETIME']),
  {
    name: 'DATETIME_BUCKET',
    kind: 'scalar',
    signatures: [
      '(DATETIME, INTERVAL, [DATETIME]) -> DATETIME',
      '(DATE, INTERVAL, [DATE]) -> DATE',
      '(TIMESTAMP, INTERVAL, [TIMESTAMP]) -> TIMESTAMP',
    ],
    documentation: 'time-series-functions#datetime_bucket',
  },
]
