/** TIME functions. Source: the language reference, "Time functions". */
import { CAN_FAIL, type CanFail, canFailWith, type FunctionEntry, NEVER_FAILS } from '../catalogue.js'
import { addedTo, type Check, checkInterval, checkPart, DIFFERENCE_PARTS, TRUNCATED_PARTS } from './date-parts.js'

const time = (name: string, canFail: CanFail, signatures: readonly string[], check?: Check): FunctionEntry => ({
  name,
  kind: 'scalar',
  canFail,
  volatility: 'immutable',
  evaluation: 'all',
  signatures,
  documentation: `time_functions#${name.toLowerCase()}`,
  ...(check ? { check } : {}),
})

export const TIME_FUNCTIONS: readonly FunctionEntry[] = [
  { ...time('CURRENT_TIME', canFailWith(0), ['([STRING]) -> TIME']), volatility: 'stable' },
  time('TIME', canFailWith(1), [
    '(INT64, INT64, INT64) -> TIME',
    '(TIMESTAMP, [STRING]) -> TIME',
    '(DATETIME) -> TIME',
    '(TIME) -> TIME',
  ]),
  time('TIME_ADD', NEVER_FAILS, ['(TIME, INTERVAL) -> TIME'], checkInterval('TIME_ADD', addedTo('TIME'), 1)),
  time('TIME_SUB', NEVER_FAILS, ['(TIME, INTERVAL) -> TIME'], checkInterval('TIME_SUB', addedTo('TIME'), 1)),
  time('TIME_DIFF', NEVER_FAILS, ['(TIME, TIME, PART) -> INT64'], checkPart('TIME_DIFF', DIFFERENCE_PARTS, 2, 0)),
  time('TIME_TRUNC', NEVER_FAILS, ['(TIME, PART) -> TIME'], checkPart('TIME_TRUNC', TRUNCATED_PARTS, 1, 0)),
  time('FORMAT_TIME', NEVER_FAILS, ['(STRING, TIME) -> STRING']),
  time('PARSE_TIME', CAN_FAIL, ['(STRING, STRING) -> TIME']),
]
