/** ERROR, GENERATE_UUID and TYPEOF. Source: the language reference, "Debugging functions" and "Utility functions". */
import { CAN_FAIL, type FunctionEntry, functionsOf, NEVER_FAILS } from '../catalogue.js'
import { NEVER_NULL, UNKNOWN } from '../result-facts.js'

const utility = functionsOf('utility-functions', { allowsSafe: false })

export const DEBUGGING_FUNCTIONS: readonly FunctionEntry[] = [
  // ERROR has the type INT64 unless its context needs another: coercion treats the call as an untyped NULL.
  functionsOf('debugging_functions')('ERROR', CAN_FAIL, UNKNOWN, ['(STRING) -> INT64']),
  utility('GENERATE_UUID', NEVER_FAILS, NEVER_NULL, ['() -> STRING'], { volatility: 'volatile' }),
  utility('TYPEOF', NEVER_FAILS, UNKNOWN, ['(ANY) -> STRING']),
]
