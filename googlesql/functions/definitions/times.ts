/** TIME functions. Source: the language reference, "Time functions". */
import { canFailWith, type FunctionEntry, functionsOf } from '../catalogue.js'
import { NULL_FROM_NULL } from '../result-facts.js'
import { familyOf } from './time-families.js'

export const TIME_FUNCTIONS: readonly FunctionEntry[] = [
  ...familyOf('TIME'),
  functionsOf('time_functions')('TIME', canFailWith(1), NULL_FROM_NULL, [
    '(INT64, INT64, INT64) -> TIME',
    '(TIMESTAMP, [STRING]) -> TIME',
    '(DATETIME) -> TIME',
    '(TIME) -> TIME',
  ]),
]
