/** Calls of aggregate functions. */
import type * as ast from '../../ast/nodes.js'
import type { AggregateTraits, FunctionEntry } from '../../functions/catalogue.js'
import { isGroupable, isOrderable } from '../../functions/definitions/operators.js'
import { isVolatile } from '../../functions/facts.js'
import { resolveOverload } from '../../functions/overload.js'
import { isSameExpr } from '../../plan/key.js'
import type { AggregateCall, Expr, SortKey } from '../../plan/nodes.js'
import { INT64, shortTypeName } from '../../types/types.js'
import { clauseEnv, type ExpressionEnv, type ResolveContext } from '../context.js'
import { readableExpr } from '../name-scope.js'
import { resolveCount, sortKey } from '../queries/order.js'
import { sourcesOf } from './arguments.js'

/** The beginning of `ExpressionEnv.clause` in the arguments of an aggregate function. */
export const IN_AGGREGATE = 'arguments of aggregate function'
/** The beginning of `ExpressionEnv.clause` in the arguments of an analytic function. */
export const IN_ANALYTIC = 'arguments of analytic function'

/** An aggregate call without OVER: collects the call for the aggregate scan, and returns that scan's column in its place. */
export function aggregateCall(node: ast.Call, entry: FunctionEntry, isSafe: boolean, env: ExpressionEnv): Expr {
  if (entry.kind === 'window' || entry.aggregate?.requiresOver) {
    return env.fail(`Analytic function ${entry.name} cannot be called without an OVER clause`, node.at)
  }
  if (!env.aggregates) {
    const isNested = env.clause.startsWith(IN_AGGREGATE)
    const complaint = `Aggregate function ${displayName(entry)} not allowed in ${env.clause}`
    if (isNested) return env.fail('Aggregations of aggregations are not allowed', node.at)
    return env.fail(complaint, node.at, { code: 'misplaced-aggregate', clause: env.clause })
  }
  const { collected, scope } = env.aggregates
  const inner = clauseEnv(scope, env, `${IN_AGGREGATE} ${displayName(entry)}`)
  const call = aggregatePart(node, entry, isSafe, inner)
  const column = env.newColumn(entry.name.toLowerCase(), call.type)
  collected.aggregates.push({ column, call })
  return readableExpr(column, false, node.at)
}

/** A function's name in messages. */
export const displayName = (entry: FunctionEntry): string => (entry.name === '$count_star' ? 'COUNT' : entry.name)

/** Resolves the part of a call that aggregate and window functions have in common. */
export function aggregatePart(
  node: ast.Call,
  entry: FunctionEntry,
  isSafe: boolean,
  env: ExpressionEnv,
): AggregateCall {
  const traits: AggregateTraits = entry.aggregate ?? {}
  refuseModifiers(node, entry, traits, env)
  const { args, type } = resolveOverload(entry, sourcesOf(node, env), node.at, env.source)
  const ungroupable = node.isDistinct ? args.find(argument => argument && !isGroupable(argument.type)) : undefined
  if (ungroupable) {
    const typeText = shortTypeName(ungroupable.type)
    return env.fail(`Aggregate functions with DISTINCT cannot be used with arguments of type ${typeText}`, node.at)
  }
  const orderBy = node.orderBy.map(item => sortKey(item, env.expression(item.expression, env), env))
  // Two volatile calls with the same text have different values, so a volatile key is never one of the arguments.
  const isArgument = ({ expr }: SortKey): boolean =>
    args.some(argument => argument && isSameExpr(argument, expr)) && !isVolatile(expr)
  const otherKey = node.isDistinct && orderBy.find(key => !isArgument(key))
  if (otherKey) {
    return env.fail(
      'An aggregate function that has both DISTINCT and ORDER BY arguments can only ORDER BY expressions that are arguments to the function',
      otherKey.expr.at,
    )
  }
  return {
    type,
    name: entry.name,
    arguments: args,
    isDistinct: node.isDistinct,
    ignoresNulls: node.nulls ? node.nulls === 'ignore' : (traits.ignoresNullsByDefault ?? false),
    having: node.having && { extreme: node.having.extreme, expr: havingKey(node.having.expression, env) },
    orderBy,
    limit: node.limit && resolveCount(node.limit, 'LIMIT', env),
    filter: null,
    isSafe,
    at: node.at,
  }
}

function refuseModifiers(node: ast.Call, entry: FunctionEntry, traits: AggregateTraits, context: ResolveContext): void {
  const name = displayName(entry)
  const kind = entry.kind === 'aggregate' ? 'aggregate' : 'analytic'
  const refuse = (complaint: string): never => context.fail(complaint, node.at)
  if (node.isDistinct && node.isStar) refuse('COUNT(*) cannot be used with DISTINCT')
  if (node.isDistinct && !traits.allowsDistinct) refuse(`DISTINCT is not allowed for function ${name}`)
  if (node.nulls && !traits.allowsNullsClause) {
    refuse(`IGNORE NULLS and RESPECT NULLS are not allowed for ${kind} function ${name}`)
  }
  if (node.having && !traits.allowsHaving) refuse(`HAVING MAX and HAVING MIN are not supported for function ${name}`)
  const refusePart = (part: string): never =>
    refuse(`${kind === 'aggregate' ? 'Aggregate' : 'Analytic'} function ${name} does not support ${part} in arguments`)
  if (node.orderBy.length > 0 && !traits.allowsOrderBy) refusePart('ORDER BY')
  if (node.limit && !traits.allowsLimit) refusePart('LIMIT')
}

function havingKey(node: ast.Expression, env: ExpressionEnv): Expr {
  const expr = env.expression(node, env)
  if (isOrderable(expr.type)) return expr
  return env.fail(`HAVING modifier does not support expressions of type ${shortTypeName(expr.type)}`, node.at)
}

/** GROUPING(x): collects the call for the aggregate scan, and returns that scan's column in its place. */
export function resolveGrouping(node: ast.Call, env: ExpressionEnv): Expr {
  const argument = node.arguments[0]
  if (!env.aggregates) return env.fail(`GROUPING not allowed in ${env.clause}`, node.at)
  if (!argument || node.arguments.length !== 1) return env.fail('GROUPING must have exactly one argument', node.at)
  const expr = env.expression(argument.expression, {
    ...env,
    scope: env.aggregates.scope,
    aggregates: null,
    windows: null,
  })
  const column = env.newColumn('grouping', INT64)
  env.aggregates.collected.groupings.push({ column, expr, at: node.at })
  return readableExpr(column, false, node.at)
}
