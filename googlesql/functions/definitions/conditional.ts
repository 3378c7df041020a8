/**
 * Conditional functions. The functions themselves never fail; their arguments may. CASE is not a function but a kind of
 * expression in the plan.
 */

import { typeName } from '../../types/types.js'
import {
  BEYOND_BIGQUERY,
  type Check,
  each,
  type FunctionEntry,
  functionsOf,
  NEVER_FAILS,
  NUMBERS,
} from '../catalogue.js'
import { ARGUMENT, ONE_OF_ARGUMENTS, UNKNOWN } from '../result-facts.js'
import { checkOrder, isComparable } from './operators.js'

const conditional = functionsOf('conditional_expressions')
const beyond = functionsOf('conditional_expressions', BEYOND_BIGQUERY)
const mathematical = functionsOf('mathematical_functions')

const needsEquality: Check = args => {
  const type = args[0]?.type
  return type && !isComparable(type) ? `NULLIF is not defined for arguments of type ${typeName(type)}` : null
}

export const CONDITIONAL_FUNCTIONS: readonly FunctionEntry[] = [
  conditional('IF', NEVER_FAILS, ARGUMENT, ['(BOOL, T, T) -> T'], { evaluation: 'chosen' }),
  conditional('IFNULL', NEVER_FAILS, ARGUMENT, ['(T, T) -> T'], { evaluation: 'until-value' }),
  conditional('COALESCE', NEVER_FAILS, ARGUMENT, ['(T...) -> T'], { evaluation: 'until-value' }),
  conditional('NULLIF', NEVER_FAILS, ARGUMENT, ['(T, T) -> T'], { check: needsEquality }),
  beyond('NULLIFZERO', NEVER_FAILS, UNKNOWN, each(NUMBERS, '(#) -> #')),
  beyond('ZEROIFNULL', NEVER_FAILS, UNKNOWN, each(NUMBERS, '(#) -> #')),
  mathematical('GREATEST', NEVER_FAILS, ONE_OF_ARGUMENTS, ['(T...) -> T'], { check: checkOrder('GREATEST') }),
  mathematical('LEAST', NEVER_FAILS, ONE_OF_ARGUMENTS, ['(T...) -> T'], { check: checkOrder('LEAST') }),
]
