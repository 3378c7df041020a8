/** Functions that exist with OVER only: numbering, navigation and percentiles. */
import type { Expr } from '../../plan/nodes.js'
import { mapExpr } from '../../plan/rewrite.js'
import {
  type AggregateTraits,
  type Args,
  CAN_FAIL,
  type Check,
  canFailUnlessLiteral,
  type FunctionEntry,
  functionsOf,
  NEVER_FAILS,
} from '../catalogue.js'
import { ARGUMENT, COUNT, NEVER_NULL, UNKNOWN } from '../result-facts.js'
import { checkOrder } from './operators.js'

const RANKING: AggregateTraits = { allowsOver: true, requiresOver: true, requiresOrder: true }
const NAVIGATION: AggregateTraits = {
  allowsOver: true,
  requiresOver: true,
  requiresOrder: true,
  allowsFrame: true,
  allowsNullsClause: true,
  ignoresNullsByDefault: false,
}

const numbering = functionsOf('numbering_functions', { kind: 'window', aggregate: RANKING, allowsSafe: false })
const navigation = functionsOf('navigation_functions', { kind: 'window', aggregate: NAVIGATION, allowsSafe: false })

/** Whether the expression is a literal or a parameter, with or without a cast, or an array, a struct or a negation of these. */
function isConstant(expr: Expr): boolean {
  if (expr.kind === 'literal' || expr.kind === 'parameter') return true
  if (expr.kind === 'cast') return isConstant(expr.operand)
  if (expr.kind === 'array') return expr.items.every(isConstant)
  if (expr.kind === 'struct') return expr.fields.every(isConstant)
  return expr.kind === 'call' && expr.name === '$negate' && isConstant(expr.arguments[0]!)
}

/**
 * Whether the value may differ from row to row. An expression that reads only constants has one value, unless it is volatile.
 */
function differsByRow(expr: Expr, isVolatileCall: (expr: Expr) => boolean): boolean {
  let differs = false
  mapExpr(expr, part => {
    differs ||= isVolatileCall(part) || part.kind === 'column' || part.kind === 'subquery' || part.kind === 'in-query'
    return differs ? part : undefined
  })
  return differs
}

/** Checks the offset and the default of LEAD and LAG. */
const checkShift =
  (name: string): Check =>
  (args, isVolatileCall) => {
    const [, offset, fallback] = args
    if (offset) {
      if (!isConstant(offset)) return `The offset to the function ${name} must be constant`
      if (offset.kind === 'literal' && offset.value === null)
        return `The offset to the function ${name} must not be null`
      const isNegative = offset.kind === 'literal' ? String(offset.value).startsWith('-') : offset.kind === 'call'
      if (isNegative) return `The offset to the function ${name} must not be negative`
    }
    return fallback && differsByRow(fallback, isVolatileCall)
      ? `The third argument (the default expression) to ${name} must be constant`
      : null
  }

const checkConstant =
  (message: string, index = 1) =>
  (args: Args): string | null =>
    args[index] && !isConstant(args[index]) ? message : null

const checkPercentile =
  (name: string) =>
  (args: Args): string | null => {
    const orderProblem = checkOrder(name)(args)
    const percentile = args[1]
    if (orderProblem !== null || !percentile) return orderProblem
    if (!isConstant(percentile))
      return `The second argument to the function ${name} must be a literal or query parameter`
    const constant = percentile.kind === 'cast' ? percentile.operand : percentile
    if (constant.kind !== 'literal') return null
    if (constant.value === null) return `The second argument to the function ${name} must not be NULL`
    const number = Number(constant.value)
    return number >= 0 && number <= 1 ? null : `The second argument to the function ${name} must be in [0, 1]`
  }

const PERCENTILE: AggregateTraits = {
  allowsOver: true,
  refusesOrder: true,
  requiresOver: true,
  allowsNullsClause: true,
  ignoresNullsByDefault: true,
}

export const WINDOW_FUNCTIONS: readonly FunctionEntry[] = [
  numbering('ROW_NUMBER', NEVER_FAILS, COUNT, ['() -> INT64'], {
    aggregate: { allowsOver: true, requiresOver: true },
  }),
  numbering('RANK', NEVER_FAILS, COUNT, ['() -> INT64']),
  numbering('DENSE_RANK', NEVER_FAILS, COUNT, ['() -> INT64']),
  numbering('PERCENT_RANK', NEVER_FAILS, NEVER_NULL, ['() -> FLOAT64']),
  numbering('CUME_DIST', NEVER_FAILS, NEVER_NULL, ['() -> FLOAT64']),
  numbering('NTILE', canFailUnlessLiteral(0), UNKNOWN, ['(INT64) -> INT64'], {
    check: checkConstant('The argument to the function NTILE must be a literal or query parameter', 0),
  }),

  navigation('FIRST_VALUE', NEVER_FAILS, ARGUMENT, ['(T) -> T']),
  navigation('LAST_VALUE', NEVER_FAILS, ARGUMENT, ['(T) -> T']),
  navigation('NTH_VALUE', canFailUnlessLiteral(1), ARGUMENT, ['(T, INT64) -> T'], {
    check: checkConstant('The second argument to the function NTH_VALUE must be a literal or query parameter'),
  }),
  ...['LAG', 'LEAD'].map(name =>
    navigation(name, canFailUnlessLiteral(1), UNKNOWN, ['(T, [INT64, T]) -> T'], {
      aggregate: RANKING,
      check: checkShift(name),
    }),
  ),
  navigation(
    'PERCENTILE_CONT',
    CAN_FAIL,
    UNKNOWN,
    ['(FLOAT64, FLOAT64) -> FLOAT64', '(NUMERIC, NUMERIC) -> NUMERIC', '(BIGNUMERIC, BIGNUMERIC) -> BIGNUMERIC'],
    { aggregate: PERCENTILE, check: checkPercentile('PERCENTILE_CONT'), decimalsNeedAll: true },
  ),
  navigation(
    'PERCENTILE_DISC',
    canFailUnlessLiteral(1),
    UNKNOWN,
    ['(T, FLOAT64) -> T', '(T, NUMERIC) -> T', '(T, BIGNUMERIC) -> T'],
    { aggregate: PERCENTILE, check: checkPercentile('PERCENTILE_DISC') },
  ),
]
