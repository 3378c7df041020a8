/** Calls of scalar, aggregate, analytic and temporary functions. */

import type * as ast from '../../ast/nodes.js'
import { findFunction, functionNames } from '../../functions/all.js'
import type { FunctionEntry } from '../../functions/catalogue.js'
import { resolveOverload } from '../../functions/overload.js'
import { refusalOf } from '../../functions/refused.js'
import { proposing } from '../../mistakes.js'
import { call } from '../../plan/build.js'
import type { Expr } from '../../plan/nodes.js'
import { nearest } from '../../suggest.js'
import type { ExpressionEnv, ResolveContext } from '../context.js'
import { isStoredName, refuseMissing, resolveStoredCall } from '../stored-functions.js'
import { refuseClauses, resolveTemporaryCall } from '../udf.js'
import { aggregateCall, resolveGrouping } from './aggregate.js'
import { sourcesOf } from './arguments.js'
import { windowCall } from './window.js'

/** Resolves a call of any function; an aggregate or analytic call becomes a column. */
export function resolveCall(node: ast.Call, env: ExpressionEnv): Expr {
  const temporary = env.functions.size > 0 ? resolveTemporaryCall(node, env) : null
  if (temporary) return temporary
  const isSafe = node.path.length > 1 && node.path[0]!.name.toUpperCase() === 'SAFE'
  const path = (isSafe ? node.path.slice(1) : node.path).map(part => part.name)
  const name = path.join('.').toUpperCase()
  if (name === 'GROUPING') return resolveGrouping(node, env)
  const entry =
    node.isStar && name === 'COUNT'
      ? findFunction('$count_star')
      : name.startsWith('$')
        ? undefined
        : findFunction(name)
  if (!entry) return resolveStoredCall(node, path.join('.'), isSafe, env) ?? failUnknown(node, path, env)
  if (node.isStar && entry.name !== '$count_star')
    return env.fail('Argument * can only be used in COUNT(*)', node.at, { code: 'star-argument' })
  if (isSafe && entry.allowsSafe === false)
    return env.fail(`Function ${name} does not support SAFE error mode`, node.at)
  if (entry.kind === 'scalar') return scalarCall(node, entry, isSafe, env)
  return node.over ? windowCall(node, entry, isSafe, env) : aggregateCall(node, entry, isSafe, env)
}

function failUnknown(node: ast.Call, path: readonly string[], context: ResolveContext): never {
  const name = path.join('.')
  const refused = refusalOf(name.toUpperCase())
  if (refused) return context.fail(`Function ${name.toUpperCase()} is not supported: ${refused.reason}`, node.at)
  if (isStoredName(name)) return refuseMissing('Function', name, node.at, context)
  const near = proposing(nearest(name, functionNames())?.toLowerCase())
  return context.fail(`Function not found: ${name}`, node.at, { code: 'unknown-function', name, ...near })
}

function scalarCall(node: ast.Call, entry: FunctionEntry, isSafe: boolean, env: ExpressionEnv): Expr {
  if (node.isDistinct) env.fail(`Non-aggregate function ${entry.name} cannot be called with DISTINCT`, node.at)
  refuseClauses(entry.name, node, env)
  const { args, type } = resolveOverload(entry, sourcesOf(node, env), node.at, env.source)
  return call(entry.name, type, args, node.at, isSafe)
}
