/** Conversions that are functions. CAST is not a function but a kind of expression in the plan. */
import { CAN_FAIL, type FunctionEntry } from '../catalogue.js'
import { UNKNOWN } from '../result-facts.js'

const conversion = (name: string, signature: string): FunctionEntry => ({
  name,
  kind: 'scalar',
  canFail: CAN_FAIL,
  volatility: 'immutable',
  evaluation: 'all',
  result: UNKNOWN,
  signatures: [signature],
  documentation: `conversion_functions#${name.toLowerCase()}`,
})

export const CONVERSION_FUNCTIONS: readonly FunctionEntry[] = [
  conversion('PARSE_NUMERIC', '(STRING) -> NUMERIC'),
  conversion('PARSE_BIGNUMERIC', '(STRING) -> BIGNUMERIC'),
]
