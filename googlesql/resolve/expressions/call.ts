/** Calls of functions, each by its kind. */

import type * as ast from '../../ast/nodes.js'
import { findFunction, functionNames } from '../../functions/all.js'
import type { FunctionEntry } from '../../functions/catalogue.js'
import { matchCall } from '../../functions/overload.js'
import { refusalOf } from '../../functions/refused.js'
import { call } from '../../plan/build.js'
import type { Expr } from '../../plan/nodes.js'
import { nearest } from '../../suggest.js'
import type { ExpressionEnv, Resolution } from '../context.js'
import { resolveTemporaryCall } from '../udf.js'
import { aggregateCall, resolveGrouping } from './aggregate.js'
import { sourcesOf } from './arguments.js'
import { windowCall } from './window.js'

/** A call of a function, of a temporary one too; aggregate and analytic ones stand as columns. */
export function resolveCall(node: ast.Call, env: ExpressionEnv, r: Resolution): Expr {
  const temporary = r.functions.size > 0 ? resolveTemporaryCall(node, env, r) : null
  if (temporary) return temporary
  const isSafe = node.path.length > 1 && node.path[0]!.name.toUpperCase() === 'SAFE'
  const path = (isSafe ? node.path.slice(1) : node.path).map(part => part.name)
  const name = path.join('.').toUpperCase()
  if (name === 'GROUPING') return resolveGrouping(node, env, r)
  const entry =
    node.isStar && name === 'COUNT'
      ? findFunction('$count_star')
      : name.startsWith('$')
        ? undefined
        : findFunction(name)
  if (!entry) {
    const refused = refusalOf(name)
    if (refused) return r.fail(`Function ${name} is not supported: ${refused.reason}`, node.at)
    const suggestion = nearest(name, functionNames())?.toLowerCase()
    return r.fail(`Function not found: ${path.join('.')}${suggestion ? `; Did you mean ${suggestion}?` : ''}`, node.at)
  }
  if (node.isStar && entry.name !== '$count_star') return r.fail(`Argument * can only be used in COUNT(*)`, node.at)
  if (isSafe && entry.allowsSafe === false) return r.fail(`Function ${name} does not support SAFE error mode`, node.at)
  if (entry.kind === 'scalar') return scalarCall(node, entry, isSafe, env, r)
  return node.over ? windowCall(node, entry, isSafe, env, r) : aggregateCall(node, entry, isSafe, env, r)
}

function scalarCall(node: ast.Call, entry: FunctionEntry, isSafe: boolean, env: ExpressionEnv, r: Resolution): Expr {
  const refuse = (what: string): never => r.fail(`Function ${entry.name} does not support ${what}`, node.at)
  if (node.over) refuse('an OVER clause')
  if (node.isDistinct) r.fail(`Non-aggregate function ${entry.name} cannot be called with DISTINCT`, node.at)
  if (node.nulls) refuse('IGNORE NULLS or RESPECT NULLS in arguments')
  if (node.having) refuse('HAVING in arguments')
  if (node.orderBy.length > 0) refuse('ORDER BY in arguments')
  if (node.limit) refuse('LIMIT in arguments')
  const { args, type } = matchCall(entry, sourcesOf(node, env, r), node.at, r.source)
  return call(entry.name, type, args, node.at, isSafe)
}
