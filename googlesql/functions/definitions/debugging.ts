/** ERROR, GENERATE_UUID and TYPEOF. Source: the language reference, "Debugging functions" and "Utility functions". */
import { CAN_FAIL, type FunctionEntry, NEVER_FAILS } from '../catalogue.js'
import { NEVER_NULL, UNKNOWN } from '../result-facts.js'

export const DEBUGGING_FUNCTIONS: readonly FunctionEntry[] = [
  // ERROR has the type INT64 unless its context needs another: coercion treats the call as an untyped NULL.
  {
    name: 'ERROR',
    kind: 'scalar',
    canFail: CAN_FAIL,
    volatility: 'immutable',
    evaluation: 'all',
    result: UNKNOWN,
    signatures: ['(STRING) -> INT64'],
    documentation: 'debugging_functions#error',
  },
  {
    name: 'GENERATE_UUID',
    kind: 'scalar',
    canFail: NEVER_FAILS,
    volatility: 'volatile',
    evaluation: 'all',
    result: NEVER_NULL,
    signatures: ['() -> STRING'],
    documentation: 'utility-functions#generate_uuid',
    allowsSafe: false,
  },
  {
    name: 'TYPEOF',
    kind: 'scalar',
    canFail: NEVER_FAILS,
    volatility: 'immutable',
    evaluation: 'all',
    result: UNKNOWN,
    signatures: ['(ANY) -> STRING'],
    documentation: 'utility-functions#typeof',
    allowsSafe: false,
  },
]
