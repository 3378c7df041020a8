/** Calls with OVER, and their windows. */
import type * as ast from '../../ast/nodes.js'
import type { AggregateTraits, FunctionEntry } from '../../functions/catalogue.js'
import { hasFloat, isGroupable } from '../../functions/definitions/operators.js'
import type { AggregateCall, Expr, WindowCall } from '../../plan/nodes.js'
import { shortTypeName, type Type } from '../../types/types.js'
import type { ExpressionEnv, ResolveContext } from '../context.js'
import { readableExpr } from '../name-scope.js'
import { sortKey } from '../queries/order.js'
import { aggregatePart, displayName, IN_AGGREGATE, IN_ANALYTIC } from './aggregate.js'
import { resolveFrame } from './frame.js'

/** A call with OVER: collects the call for the window scan, and returns that scan's column in its place. */
export function windowCall(node: ast.Call, entry: FunctionEntry, isSafe: boolean, env: ExpressionEnv): Expr {
  if (!env.windows) return env.fail(misplacedWindow(env.clause), node.at)
  const traits: AggregateTraits = entry.aggregate ?? {}
  if (entry.kind === 'aggregate' && traits.allowsOver === false) {
    return env.fail(`Aggregate function ${displayName(entry)} does not support an OVER clause`, node.at)
  }
  const { collected, named } = env.windows
  const inner: ExpressionEnv = {
    ...env,
    windows: null,
    inlinesAliases: true,
    clause: `${IN_ANALYTIC} ${displayName(entry)}`,
  }
  refuseInWindow(node, env)
  const call = aggregatePart(node, entry, isSafe, inner)
  const window = mergeWindow(node.over!, named, env)
  const partitionBy = window.partitionBy.map(part => {
    const expr = env.expression(part, inner)
    const problem = partitionProblem(expr.type)
    return problem ? env.fail(`Partitioning by expressions of type ${problem} is not allowed`, part.at) : expr
  })
  const orderBy = window.orderBy.map(item => sortKey(item, env.expression(item.expression, inner), env))
  checkWindow(window, entry, env)
  if (node.isDistinct) checkDistinctWindow(window, call, node, env)
  const frame = window.frame && resolveFrame(window.frame, orderBy, inner)
  const column = env.newColumn(entry.name.toLowerCase(), call.type)
  const resolved: WindowCall = { call, partitionBy, orderBy, frame }
  collected.windows.push({ column, call: resolved })
  return readableExpr(column, false, node.at)
}

function misplacedWindow(clause: string): string {
  if (clause.startsWith(IN_AGGREGATE)) return 'Analytic functions cannot be arguments to aggregate functions'
  if (clause.startsWith(IN_ANALYTIC)) return 'Analytic function cannot be an argument of another analytic function'
  return `Analytic function not allowed in ${clause}`
}

function refuseInWindow(node: ast.Call, context: ResolveContext): void {
  if (node.having) context.fail('HAVING modifier is not supported on analytic functions', node.at)
  if (node.orderBy.length > 0) context.fail('ORDER BY in arguments is not supported on analytic functions', node.at)
  if (node.limit) context.fail('LIMIT in arguments is not supported on analytic functions', node.at)
}

/**
 * For a type that PARTITION BY refuses, the part of the type that the message names; null for any other type. Unlike GROUP BY,
 * PARTITION BY refuses FLOAT64.
 */
function partitionProblem(type: Type): string | null {
  if (!isGroupable(type)) return shortTypeName(type)
  if (type.kind === 'FLOAT64') return 'FLOAT64'
  return hasFloat(type) ? `${type.kind} containing FLOAT64` : null
}

/** Checks the ORDER BY and the frame of a window against the function's traits. */
function checkWindow(window: ast.Window, entry: FunctionEntry, context: ResolveContext): void {
  const traits: AggregateTraits = entry.aggregate ?? {}
  const name = displayName(entry).toLowerCase()
  if (traits.requiresOrder && window.orderBy.length === 0) {
    context.fail(`Window ORDER BY is required for analytic function ${name}`, window.at)
  }
  if (traits.refusesOrder && window.orderBy.length > 0) {
    context.fail(`Window ORDER BY is not allowed for analytic function ${name}`, window.orderBy[0]!.at)
  }
  if (window.frame && !(traits.allowsFrame ?? entry.kind === 'aggregate')) {
    context.fail(`Window framing clause is not allowed for analytic function ${name}`, window.frame.at)
  }
}

function checkDistinctWindow(window: ast.Window, call: AggregateCall, node: ast.Call, context: ResolveContext): void {
  if (window.orderBy.length > 0) {
    context.fail('Window ORDER BY is not allowed if DISTINCT is specified', window.orderBy[0]!.at)
  }
  if (window.frame) context.fail('Window framing clause is not allowed if DISTINCT is specified', window.frame.at)
  const argument = call.arguments.find(expr => expr && hasFloat(expr.type))
  if (argument) {
    const typeText = shortTypeName(argument.type)
    context.fail(
      `Analytic aggregate functions with DISTINCT cannot be used with arguments of type ${typeText}`,
      node.at,
    )
  }
}

/** The window merged with the named window that it is based on. */
function mergeWindow(
  window: ast.Window,
  named: ReadonlyMap<string, ast.Window>,
  context: ResolveContext,
  depth = 0,
): ast.Window {
  if (!window.base) return window
  const definition = named.get(window.base.name.toLowerCase())
  if (!definition) return context.fail(`Unrecognized window alias ${window.base.name}`, window.base.at)
  if (depth > named.size) return context.fail(`Window ${window.base.name} refers to itself`, window.base.at)
  const base = mergeWindow(definition, named, context, depth + 1)
  const refuse = (what: string): never =>
    context.fail(
      `${what} cannot be specified in a window that references another named window ${window.base!.name}`,
      window.at,
    )
  if (window.partitionBy.length > 0) refuse('PARTITION BY')
  if (window.orderBy.length > 0 && base.orderBy.length > 0)
    refuse('If the referenced window has an ORDER BY, another one')
  const isAlone = window.orderBy.length === 0 && window.frame === null
  if (base.frame && !isAlone) refuse('If the referenced window has a frame, anything else')
  return {
    at: window.at,
    base: null,
    partitionBy: base.partitionBy,
    orderBy: window.orderBy.length > 0 ? window.orderBy : base.orderBy,
    frame: window.frame ?? base.frame,
  }
}
