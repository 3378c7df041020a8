/** TIME functions. Source: the language reference, "Time functions". */
import type { FunctionEntry } from './catalogue.js'
import { ADDED_PARTS, type Check, checkInterval, checkPart, DIFFERENCE_PARTS, TRUNCATED_PARTS } from './date-checks.js'

const time = (name: string, signatures: readonly string[], check?: Check): FunctionEntry => ({
  name,
  kind: 'scalar',
  signatures,
  documentation: `time_functions#${name.toLowerCase()}`,
  ...(check ? { check } : {}),
})

export const TIME_FUNCTIONS: readonly FunctionEntry[] = [
  time('CURRENT_TIME', ['([STRING]) -> TIME']),
  time('TIME', [
    '(INT64, INT64, INT64) -> TIME',
    '(TIMESTAMP, [STRING]) -> TIME',
    '(DATETIME) -> TIME',
    '(TIME) -> TIME',
  ]),
  time('TIME_ADD', ['(TIME, INTERVAL) -> TIME'], checkInterval('TIME_ADD', ADDED_PARTS, 1)),
  time('TIME_SUB', ['(TIME, INTERVAL) -> TIME'], checkInterval('TIME_SUB', ADDED_PARTS, 1)),
  time('TIME_DIFF', ['(TIME, TIME, PART) -> INT64'], checkPart('TIME_DIFF', DIFFERENCE_PARTS, 2, 0)),
  time('TIME_TRUNC', ['(TIME, PART) -> TIME'], checkPart('TIME_TRUNC', TRUNCATED_PARTS, 1, 0)),
  time('FORMAT_TIME', ['(STRING, TIME) -> STRING']),
  time('PARSE_TIME', ['(STRING, STRING) -> TIME']),
]
