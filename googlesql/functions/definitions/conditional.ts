/** Conditional functions, whose arguments may fail but never they themselves. CASE is a node of the resolved tree of its own. */

import { typeName } from '../../types/types.js'
import { beyondBigQuery, type FunctionEntry, NEVER_FAILS } from '../catalogue.js'
import { isComparable, isOrderable } from './operators.js'

const conditional = (
  name: string,
  signatures: readonly string[],
  check?: FunctionEntry['check'],
  page = 'conditional_expressions',
): FunctionEntry => ({
  name,
  kind: 'scalar',
  canFail: NEVER_FAILS,
  volatility: 'immutable',
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
  conditional('IF', ['(BOOL, T, T) -> T']),
  conditional('IFNULL', ['(T, T) -> T']),
  conditional('COALESCE', ['(T...) -> T']),
  conditional('NULLIF', ['(T, T) -> T'], needsEquality),
  beyondBigQuery(conditional('NULLIFZERO', NUMBERS)),
  beyondBigQuery(conditional('ZEROIFNULL', NUMBERS)),
  conditional('GREATEST', ['(T...) -> T'], needsOrder('GREATEST'), 'mathematical_functions'),
  conditional('LEAST', ['(T...) -> T'], needsOrder('LEAST'), 'mathematical_functions'),
]
