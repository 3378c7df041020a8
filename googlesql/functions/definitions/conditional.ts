/**
 * Conditional functions. The functions themselves never fail; their arguments may. CASE is not a function but a kind of
 * expression in the plan.
 */

import { typeName } from '../../types/types.js'
import { beyondBigQuery, type Evaluation, type FunctionEntry, NEVER_FAILS } from '../catalogue.js'
import { ARGUMENT, EXTREME, type ResultFacts, UNKNOWN } from '../result-facts.js'
import { isComparable, isOrderable } from './operators.js'

const conditional = (
  name: string,
  evaluation: Evaluation,
  result: ResultFacts,
  signatures: readonly string[],
  check?: FunctionEntry['check'],
  page = 'conditional_expressions',
): FunctionEntry => ({
  name,
  kind: 'scalar',
  canFail: NEVER_FAILS,
  volatility: 'immutable',
  evaluation,
  result,
  signatures,
  documentation: `${page}#${name.toLowerCase()}`,
  ...(check ? { check } : {}),
})

const NUMBERS = ['(INT64) -> INT64', '(NUMERIC) -> NUMERIC', '(BIGNUMERIC) -> BIGNUMERIC', '(FLOAT64) -> FLOAT64']

const needsEquality: FunctionEntry['check'] = args => {
  const type = args[0]?.type
  return type && !isComparable(type) ? `NULLIF is not defined for arguments of type ${typeName(type)}` : null
}

const needsOrder =
  (name: string): FunctionEntry['check'] =>
  args => {
    const type = args[0]?.type
    return type && !isOrderable(type) ? `${name} is not defined for arguments of type ${typeName(type)}` : null
  }

export const CONDITIONAL_FUNCTIONS: readonly FunctionEntry[] = [
  conditional('IF', 'chosen', ARGUMENT, ['(BOOL, T, T) -> T']),
  conditional('IFNULL', 'until-value', ARGUMENT, ['(T, T) -> T']),
  conditional('COALESCE', 'until-value', ARGUMENT, ['(T...) -> T']),
  conditional('NULLIF', 'all', ARGUMENT, ['(T, T) -> T'], needsEquality),
  beyondBigQuery(conditional('NULLIFZERO', 'all', UNKNOWN, NUMBERS)),
  beyondBigQuery(conditional('ZEROIFNULL', 'all', UNKNOWN, NUMBERS)),
  conditional('GREATEST', 'all', EXTREME, ['(T...) -> T'], needsOrder('GREATEST'), 'mathematical_functions'),
  conditional('LEAST', 'all', EXTREME, ['(T...) -> T'], needsOrder('LEAST'), 'mathematical_functions'),
]
