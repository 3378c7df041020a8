/** TIME functions. Source: the language reference, "Time functions". */
import { CAN_FAIL, type CanFail, canFailWith, type FunctionEntry, NEVER_FAILS } from '../catalogue.js'
import { NEVER_NULL, NULL_FROM_NULL, type ResultFacts, UNKNOWN } from '../result-facts.js'
import { addedTo, type Check, checkInterval, checkPart, checkTruncation, DIFFERENCE_PARTS } from './date-parts.js'

const time = (
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
  documentation: `time_functions#${name.toLowerCase()}`,
  ...(check ? { check } : {}),
})

export const TIME_FUNCTIONS: readonly FunctionEntry[] = [
  { ...time('CURRENT_TIME', canFailWith(0), NEVER_NULL, ['([STRING]) -> TIME']), volatility: 'stable' },
  time('TIME', canFailWith(1), NULL_FROM_NULL, [
    '(INT64, INT64, INT64) -> TIME',
    '(TIMESTAMP, [STRING]) -> TIME',
    '(DATETIME) -> TIME',
    '(TIME) -> TIME',
  ]),
  time(
    'TIME_ADD',
    NEVER_FAILS,
    NULL_FROM_NULL,
    ['(TIME, INTERVAL) -> TIME'],
    checkInterval('TIME_ADD', addedTo('TIME'), 1),
  ),
  time(
    'TIME_SUB',
    NEVER_FAILS,
    NULL_FROM_NULL,
    ['(TIME, INTERVAL) -> TIME'],
    checkInterval('TIME_SUB', addedTo('TIME'), 1),
  ),
  time(
    'TIME_DIFF',
    NEVER_FAILS,
    NULL_FROM_NULL,
    ['(TIME, TIME, PART) -> INT64'],
    checkPart('TIME_DIFF', DIFFERENCE_PARTS, 2, 0),
  ),
  time('TIME_TRUNC', NEVER_FAILS, NULL_FROM_NULL, ['(TIME, PART) -> TIME'], checkTruncation('TIME_TRUNC')),
  time('FORMAT_TIME', NEVER_FAILS, NULL_FROM_NULL, ['(STRING, TIME) -> STRING']),
  time('PARSE_TIME', CAN_FAIL, UNKNOWN, ['(STRING, STRING) -> TIME']),
]
