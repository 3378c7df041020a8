/** Operators: each becomes a call of its function in definitions/operators.ts. */

import type * as ast from '../../ast/nodes.js'
import { startOf } from '../../ast/start-of.js'
import { OPERATOR_SYMBOLS } from '../../functions/definitions/operators.js'
import { call, literal } from '../../plan/build.js'
import type { Expr } from '../../plan/nodes.js'
import { isBareNull } from '../../plan/walk.js'
import { arrayOf, BOOL, INT64, shortTypeName } from '../../types/types.js'
import { coerceOrFail, type ExpressionEnv, type ResolveContext } from '../context.js'
import { operatorCall } from './arguments.js'
import { floatLiteral, MAX_INT64 } from './literal.js'
import { resolveOneColumn } from './subquery.js'

/** The expression, inside a NOT if its operator is written with NOT. */
export function negateIf(isNegated: boolean, expr: Expr, at: number): Expr {
  return isNegated ? call('$not', BOOL, [expr], at) : expr
}

/** `-x`, `+x`, `~x` and NOT. */
export function resolveUnary(node: ast.Unary, env: ExpressionEnv): Expr {
  const { operand } = node
  if (node.operator === '-' && operand.kind === 'int') {
    // -9223372036854775808 is a valid literal, although 9223372036854775808 is not.
    if (BigInt(operand.value) > MAX_INT64 + 1n) return env.fail(`Invalid integer literal: -${operand.value}`, node.at)
    return literal(INT64, (-BigInt(operand.value)).toString(), node.at)
  }
  if (node.operator === '-' && operand.kind === 'float') {
    return { ...floatLiteral(`-${operand.value}`, operand.at), at: node.at }
  }
  if (node.operator === '+') {
    const expr = env.expression(operand, env)
    if (isBareNull(expr)) return env.fail('Operands of + cannot be literal NULL', expr.at)
    if (!['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC', 'INTERVAL'].includes(expr.type.kind)) {
      return env.fail(`Operands of + must be numeric type but was ${shortTypeName(expr.type)}`, expr.at)
    }
    return expr
  }
  const name = { '-': '$negate', '~': '$bitnot', NOT: '$not' }[node.operator]
  return refuseNullOperand(node.operator, operatorCall(name, [operand], node.at, env), env)
}

/** Returns the call. Refuses an operand that is a literal NULL, because `x = NULL` is usually a mistake for `x IS NULL`. */
function refuseNullOperand(operator: string, call: Expr, context: ResolveContext): Expr {
  const operands = call.kind === 'call' ? call.arguments : []
  // Where undeclared parameters are allowed, a parameter without a type is a literal NULL too.
  const bareNull = context.onUndeclared ? undefined : operands.find(isBareNull)
  if (!bareNull) return call
  return context.fail(`Operands of ${operator} cannot be literal NULL`, bareNull.at, { code: 'null-operand', operator })
}

/** The operators that accept a literal NULL as an operand. */
const TAKES_NULL: ReadonlySet<ast.BinaryOperator> = new Set(['AND', 'OR', '<<', '>>'])

/** The function of each operator symbol. Where two functions share a symbol (`-`), the first in OPERATOR_SYMBOLS is meant. */
const BINARY: ReadonlyMap<string, string> = new Map(
  Object.entries(OPERATOR_SYMBOLS)
    .toReversed()
    .map(([name, symbol]) => [symbol, name]),
)

/**
 * A chain such as `a AND b AND …` is a tree that is deep on its left: a loop walks the tree, because recursion would need a
 * deep stack.
 */
export function resolveBinary(node: ast.Binary, env: ExpressionEnv): Expr {
  const chain: ast.Binary[] = []
  let left: ast.Expression = node
  while (left.kind === 'binary') {
    chain.push(left)
    left = left.left
  }
  const start = startOf(left)
  let expr = env.expression(left, env)
  for (const operator of chain.reverse()) {
    const call = operatorCall(BINARY.get(operator.operator)!, [expr, operator.right], start, env)
    expr = TAKES_NULL.has(operator.operator) ? call : refuseNullOperand(operator.operator, call, env)
  }
  return expr
}

/** LIKE; a literal NULL as an operand is refused. */
export function resolveLike(node: ast.Like, env: ExpressionEnv): Expr {
  const call = operatorCall('$like', [node.operand, node.pattern], startOf(node), env)
  return negateIf(node.isNegated, refuseNullOperand('LIKE', call, env), node.at)
}

/** IS NULL, IS UNKNOWN, IS TRUE and IS FALSE, also with NOT. */
export function resolveIs(node: ast.IsTest, env: ExpressionEnv): Expr {
  const name = { NULL: '$is_null', UNKNOWN: '$is_null', TRUE: '$is_true', FALSE: '$is_false' }[node.test]
  const operand = env.expression(node.operand, env)
  const reason = `No matching signature for operator IS UNKNOWN for argument types: ${shortTypeName(operand.type)}`
  const condition = node.test === 'UNKNOWN' ? coerceOrFail(operand, BOOL, reason, env, startOf(node)) : operand
  return negateIf(node.isNegated, operatorCall(name, [condition], startOf(node), env), node.at)
}

/** LIKE ANY, LIKE SOME and LIKE ALL. */
export function resolveLikeQuantified(node: ast.LikeQuantified, env: ExpressionEnv): Expr {
  // `x NOT LIKE ANY (…)` is NOT (x LIKE ANY (…)), as in the reference implementation; its documentation differs.
  const quantifier = node.quantifier.toLowerCase()
  const suffix = node.patterns ? '' : '_array'
  let patterns: (ast.Expression | Expr)[]
  if (node.query) {
    const { column, scan } = resolveOneColumn(node.query, 'Subquery of type LIKE must have only one output column', env)
    patterns = [{ kind: 'subquery', type: arrayOf(column.type), form: 'array', scan, at: node.at }]
  } else {
    patterns = [...(node.patterns ?? [node.array!])]
  }
  const call = operatorCall(`$like_${quantifier}${suffix}`, [node.operand, ...patterns], node.at, env)
  return negateIf(node.isNegated, call, node.at)
}
