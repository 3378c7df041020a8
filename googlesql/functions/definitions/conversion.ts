/** Conversions that are functions. CAST is not a function but a kind of expression in the plan. */
import { CAN_FAIL, type FunctionEntry, functionsOf } from '../catalogue.js'
import { UNKNOWN } from '../result-facts.js'

const conversion = functionsOf('conversion_functions')

export const CONVERSION_FUNCTIONS: readonly FunctionEntry[] = [
  conversion('PARSE_NUMERIC', CAN_FAIL, UNKNOWN, ['(STRING) -> NUMERIC']),
  conversion('PARSE_BIGNUMERIC', CAN_FAIL, UNKNOWN, ['(STRING) -> BIGNUMERIC']),
]
