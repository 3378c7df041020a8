/** Bit functions. */
import { type FunctionEntry, NEVER_FAILS } from '../catalogue.js'
import { UNKNOWN } from '../result-facts.js'

export const BIT_FUNCTIONS: readonly FunctionEntry[] = [
  {
    name: 'BIT_COUNT',
    kind: 'scalar',
    canFail: NEVER_FAILS,
    volatility: 'immutable',
    evaluation: 'all',
    result: UNKNOWN,
    signatures: ['(INT64) -> INT64', '(BYTES) -> INT64'],
    documentation: 'bit_functions#bit_count',
  },
]
