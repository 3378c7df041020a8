/** Bit functions. */
import { type FunctionEntry, functionsOf, NEVER_FAILS } from '../catalogue.js'
import { UNKNOWN } from '../result-facts.js'

export const BIT_FUNCTIONS: readonly FunctionEntry[] = [
  functionsOf('bit_functions')('BIT_COUNT', NEVER_FAILS, UNKNOWN, ['(INT64) -> INT64', '(BYTES) -> INT64']),
]
