/** Resolves the casts that a query writes; coercion adds other casts. */
import type * as ast from '../../ast/nodes.js'
import type { CastExpr, Expr } from '../../plan/nodes.js'
import { mayCast } from '../../types/cast-rules.js'
import { STRING, shortTypeName, type Type } from '../../types/types.js'
import { coerceOrFail, type ExpressionEnv } from '../context.js'
import { resolveParameterizedType } from '../type.js'

/** CAST and SAFE_CAST. */
export function resolveCast(node: ast.Cast, env: ExpressionEnv): Expr {
  const operand = env.expression(node.operand, env)
  const { type, parameters } = resolveParameterizedType(node.type, env.source)
  const isUntyped = operand.kind === 'literal' && operand.value === null
  const isEmptyArray = operand.kind === 'array' && operand.items.length === 0 && !operand.hasWrittenType
  if (isEmptyArray && type.kind === 'ARRAY') return { ...operand, type, hasWrittenType: true }
  if (!isUntyped && !mayCast(operand.type, type) && !(node.format && mayCastWithFormat(operand.type, type))) {
    return env.fail(`Invalid cast from ${shortTypeName(operand.type)} to ${shortTypeName(type)}`, operand.at)
  }
  const text = (part: ast.Expression | null, what: string): Expr | null => {
    if (!part) return null
    const expr = env.expression(part, env)
    return coerceOrFail(expr, STRING, `${what} must be a STRING, not ${shortTypeName(expr.type)}`, env, part.at)
  }
  const cast: CastExpr = {
    kind: 'cast',
    type,
    operand: isUntyped ? { ...operand, type } : operand,
    isSafe: node.isSafe,
    isImplicit: false,
    format: text(node.format, 'The format of a cast'),
    timeZone: text(node.timeZone, 'A time zone'),
    typeParameters: parameters,
    at: node.at,
  }
  return cast
}

const mayCastWithFormat = (from: Type, to: Type): boolean =>
  (from.kind === 'STRING' && to.kind !== 'ARRAY' && to.kind !== 'STRUCT') || to.kind === 'STRING'
