/** Arguments that are resolved only when an overload is chosen, and calls of operators. */

import type * as ast from '../../ast/nodes.js'
import { findFunction } from '../../functions/all.js'
import { resolveOverload } from '../../functions/overload.js'
import type { ArgumentSource } from '../../functions/overload-candidate.js'
import { call } from '../../plan/build.js'
import type { Expr, LambdaExpr } from '../../plan/nodes.js'
import { INT64, type Type } from '../../types/types.js'
import type { ExpressionEnv } from '../context.js'
import { mapScope, type Target, visibleColumn } from '../name-scope.js'

/** A date part as one word: `WEEK(MONDAY)` is WEEK_MONDAY. */
export const datePartWord = (part: ast.DatePart): string => (part.weekday ? `${part.part}_${part.weekday}` : part.part)

/** The argument that is a keyword or a date part. */
export function wordSource(word: string, at: number): ArgumentSource {
  const resolve = (): Expr => ({ kind: 'word', type: INT64, word, at })
  return { name: null, at, isLambda: false, resolve, resolveLambda: () => null, word: () => word }
}

const exprSource = (expr: Expr): ArgumentSource => ({
  name: null,
  at: expr.at,
  isLambda: false,
  resolve: () => expr,
  resolveLambda: () => null,
  word: () => null,
})

function nodeSource(node: ast.Expression, name: string | null, env: ExpressionEnv): ArgumentSource {
  let resolved: Expr | undefined
  return {
    name,
    at: node.at,
    isLambda: node.kind === 'lambda',
    resolve: () => (resolved ??= env.expression(node, env)),
    resolveLambda: types => (node.kind === 'lambda' ? resolveLambda(node, types, env) : null),
    word: () => wordOf(node),
  }
}

function wordOf(node: ast.Expression): string | null {
  if (node.kind === 'name' && !node.isQuoted) return node.name.toUpperCase()
  if (node.kind === 'call' && node.path.length === 1 && node.arguments.length === 1) {
    const inner = node.arguments[0]!.expression
    if (inner.kind === 'name') return `${node.path[0]!.name}_${inner.name}`.toUpperCase()
  }
  return null
}

function resolveLambda(node: ast.Lambda, types: readonly Type[], env: ExpressionEnv): LambdaExpr | null {
  if (node.parameters.length !== types.length) return null
  const parameters = node.parameters.map((parameter, i) => env.newColumn(parameter.name, types[i]!))
  const names = new Map<string, Target>(
    parameters.map((column): [string, Target] => [
      column.name.toLowerCase(),
      { kind: 'column', column: visibleColumn(column) },
    ]),
  )
  const body = env.expression(node.body, {
    ...env,
    scope: mapScope(names, env.scope),
    aggregates: null,
    windows: null,
  })
  return { kind: 'lambda', type: body.type, parameters, body, at: node.at }
}

type Operand = ast.Expression | Expr | ArgumentSource

const isSource = (operand: Operand): operand is ArgumentSource => 'resolve' in operand
const isResolved = (operand: ast.Expression | Expr): operand is Expr => 'type' in operand && !isNodeWithType(operand)
/**
 * Whether the operand is a cast or a struct of the syntax tree. These nodes have a `type` too, but it is a TypeNode or null.
 */
const isNodeWithType = (operand: ast.Expression | Expr): boolean =>
  (operand.kind === 'cast' && !('isImplicit' in operand)) || (operand.kind === 'struct' && 'isTuple' in operand)

/** A call of an operator by its name in definitions/operators.ts. */
export function operatorCall(name: string, operands: readonly Operand[], at: number, env: ExpressionEnv): Expr {
  const entry = findFunction(name)
  if (!entry) return env.fail(`Operator ${name} is not known`, at)
  const sources = operands.map(operand =>
    isSource(operand) ? operand : isResolved(operand) ? exprSource(operand) : nodeSource(operand, null, env),
  )
  const { args, type } = resolveOverload(entry, sources, at, env.source)
  return call(name, type, args, at)
}

/** The arguments of a call, not yet resolved. */
export const sourcesOf = (node: ast.Call, env: ExpressionEnv): ArgumentSource[] =>
  node.arguments.map(argument => nodeSource(argument.expression, argument.name?.name.toLowerCase() ?? null, env))
