/** Frames of windows: checks the order of the bounds and the types of their offsets. */
import type * as ast from '../../ast/nodes.js'
import type { Expr, ResolvedBound, ResolvedFrame, SortKey } from '../../plan/nodes.js'
import { INT64, isNumeric, shortTypeName } from '../../types/types.js'
import { coerceOrFail, type ExpressionEnv, type ResolveContext } from '../context.js'

const ORDER_OF_BOUNDS = ['unbounded-preceding', 'preceding', 'current-row', 'following', 'unbounded-following']

const BOUND_WORDS: Readonly<Record<ResolvedBound['kind'], string>> = {
  'unbounded-preceding': 'UNBOUNDED PRECEDING',
  preceding: 'OFFSET PRECEDING',
  'current-row': 'CURRENT ROW',
  following: 'OFFSET FOLLOWING',
  'unbounded-following': 'UNBOUNDED FOLLOWING',
}

/** The frame, with its offsets coerced to INT64 for ROWS, or to the type of the sort key for RANGE. */
export function resolveFrame(frame: ast.Frame, orderBy: readonly SortKey[], env: ExpressionEnv): ResolvedFrame {
  const start = resolveBound(frame.start, frame, orderBy, env)
  const end: ResolvedBound = frame.end
    ? resolveBound(frame.end, frame, orderBy, env)
    : { kind: 'current-row', offset: null }
  const isBackward = ORDER_OF_BOUNDS.indexOf(start.kind) > ORDER_OF_BOUNDS.indexOf(end.kind)
  if (start.kind === 'unbounded-following') {
    return env.fail('Starting window framing expression cannot be UNBOUNDED FOLLOWING', frame.start.at)
  }
  const endAt = (frame.end ?? frame.start).at
  if (end.kind === 'unbounded-preceding') {
    return env.fail('Ending window framing expression cannot be UNBOUNDED PRECEDING', endAt)
  }
  if (isBackward) {
    const [from, to] = [BOUND_WORDS[start.kind], BOUND_WORDS[end.kind]]
    return env.fail(
      start.kind === 'current-row'
        ? `Starting window framing expression cannot be ${from} when the ending window framing expression is ${to}`
        : `Ending window framing expression cannot be ${to} when the starting window framing expression is ${from}`,
      endAt,
    )
  }
  return { unit: frame.unit, start, end }
}

function resolveBound(
  bound: ast.FrameBound,
  frame: ast.Frame,
  orderBy: readonly SortKey[],
  env: ExpressionEnv,
): ResolvedBound {
  if (!bound.offset) return { kind: bound.kind, offset: null }
  const expr = env.expression(bound.offset, { ...env, scope: null, aggregates: null })
  if (frame.unit === 'rows') {
    const reason = `Window framing expression for ROWS can only be of integer type, but has type ${shortTypeName(expr.type)}`
    return checkBound(bound, coerceOrFail(expr, INT64, reason, env, bound.at), env)
  }
  const key = orderBy[0]
  if (!key || orderBy.length !== 1) {
    return env.fail(
      key
        ? 'A RANGE-based window with OFFSET PRECEDING or OFFSET FOLLOWING boundaries must have exactly one ORDER BY key'
        : 'A RANGE-based window including an OFFSET PRECEDING or OFFSET FOLLOWING window frame boundary requires an ORDER BY',
      frame.at,
    )
  }
  if (!isNumeric(key.expr.type)) {
    return env.fail(
      `ORDER BY key must be numeric in a RANGE-based window with OFFSET PRECEDING or OFFSET FOLLOWING boundaries, but has type ${shortTypeName(key.expr.type)}`,
      key.expr.at,
    )
  }
  const [actual, expected] = [expr.type, key.expr.type].map(shortTypeName)
  const reason = `Window framing expression has type ${actual} that cannot coerce to the type of the ORDER BY expression, which is ${expected}`
  return checkBound(bound, coerceOrFail(expr, key.expr.type, reason, env, bound.at), env)
}

function checkBound(bound: ast.FrameBound, offset: Expr, context: ResolveContext): ResolvedBound {
  const operand = offset.kind === 'cast' && offset.isImplicit ? offset.operand : offset
  if (operand.kind === 'literal') {
    if (operand.value === null) return context.fail('Window framing expression cannot be NULL', bound.at)
    if (String(operand.value).startsWith('-')) {
      return context.fail('Window framing expression cannot evaluate to a negative value', bound.at)
    }
  }
  return { kind: bound.kind, offset }
}
