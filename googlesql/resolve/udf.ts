/**
 * Temporary functions: checks their definitions, and replaces each call by the body with its arguments, or for JavaScript by a
 * call of `$javascript`.
 */
import { bodyDepth } from '../ast/depth.js'
import type * as ast from '../ast/nodes.js'
import { childrenOf, type Node } from '../ast/walk.js'
import type { Column, Computed, Expr } from '../plan/nodes.js'
import { mapExpr } from '../plan/rewrite.js'
import { SqlError } from '../sql-error.js'
import { coerceTo } from '../types/apply-coercion.js'
import { type Type, typeName } from '../types/types.js'
import {
  clauseEnv,
  coerceOrFail,
  type ExpressionEnv,
  type Functions,
  type QueryEnv,
  type ResolveContext,
  type TemporaryFunction,
} from './context.js'
import { checkJavaScript, javaScriptCall } from './javascript.js'
import { mapScope, type Target, visibleColumn } from './name-scope.js'
import { resolveParameterizedType } from './type.js'

/**
 * The greatest number of calls of functions with a body. A body replaces each call, and the resulting tree must stay small
 * enough for recursive functions.
 */
const MAX_CALLS = 1_000
/** The greatest sum of the depths of nested bodies: it allows hundreds of nested calls of a small function. */
const MAX_DEPTH_OF_BODIES = 800

/**
 * Checks the definitions, and returns the functions that the query may call.
 *
 * @param contextWith returns the resolution for a body that may call these functions
 * @throws SqlError at the first definition that is not valid, even if it is never called
 */
export function defineFunctions(
  definitions: readonly ast.FunctionDefinition[],
  source: string,
  contextWith: (functions: Functions) => QueryEnv,
): Functions {
  let functions: Functions = new Map()
  for (const definition of definitions) {
    const key = definition.name.name.toLowerCase()
    const isDefined = functions.has(key)
    if (isDefined && definition.mode === 'if-not-exists') continue
    if (isDefined && definition.mode === 'new') {
      throw new SqlError(`Function ${definition.name.name} already exists`, source, definition.name.at)
    }
    const udf = signatureOf(definition, functions, source)
    checkBody(udf, contextWith(functions))
    functions = new Map([...functions, [key, udf]])
  }
  return functions
}

/** @throws SqlError where the body is not valid for any arguments */
export function checkBody(udf: TemporaryFunction, context: QueryEnv): void {
  const { body } = udf.definition
  if (body.kind === 'javascript') {
    checkJavaScript(udf, body, context)
    return
  }
  const columns = udf.parameters.map(({ name, type }) => type && context.newColumn(name, type))
  // A function with a parameter of ANY TYPE can be resolved only with the arguments of a call.
  if (columns.every(column => column !== null)) resolveBody(udf, body, columns, context)
}

export function signatureOf(definition: ast.FunctionDefinition, earlier: Functions, source: string): TemporaryFunction {
  const { body } = definition
  const parameters = parametersOf(definition.parameters, source)
  if (body.kind !== 'javascript') refuseParameters(body, source)
  const returns = definition.returns && signatureType(definition.returns, source)
  return { definition, parameters, returns, depth: body.kind === 'javascript' ? 0 : bodyDepth(body), earlier }
}

/** @throws SqlError for a type that a signature cannot have */
export function signatureType(node: ast.TypeNode, source: string): Type {
  const { type, parameters } = resolveParameterizedType(node, source)
  if (!parameters) return type
  throw new SqlError('Parameterized types are not allowed in function signatures', source, node.at)
}

/** @throws SqlError where two parameters have one name */
export function parametersOf(
  nodes: ast.FunctionDefinition['parameters'],
  source: string,
): TemporaryFunction['parameters'] {
  const names = new Set<string>()
  return nodes.map(parameter => {
    const { name, at } = parameter.name
    if (names.has(name.toLowerCase())) throw new SqlError(`Duplicate argument name ${name}`, source, at)
    names.add(name.toLowerCase())
    return { name, type: parameter.type && signatureType(parameter.type, source) }
  })
}

/** @throws SqlError where the body reads a parameter of the query */
export function refuseParameters(node: Node, source: string): void {
  if (node.kind === 'parameter') {
    throw new SqlError('Query parameters cannot be used inside SQL function bodies', source, node.at)
  }
  for (const child of childrenOf(node)) refuseParameters(child, source)
}

/** Resolves the body over these columns, one for each parameter; no other name is in scope. */
export function resolveBody(
  udf: TemporaryFunction,
  body: ast.Expression,
  columns: readonly Column[],
  context: QueryEnv,
): Expr {
  const names = new Map<string, Target>(
    columns.map(column => [column.name.toLowerCase(), { kind: 'column', column: visibleColumn(column) }]),
  )
  const scope = { ...mapScope(names, null), isParameters: true as const }
  const clause = 'SQL function body for non-AGGREGATE function'
  const expr = context.expression(body, clauseEnv(scope, context, clause))
  if (!udf.returns) return expr
  const reason = `Function declared to return ${typeName(udf.returns)} but the function body produces incompatible type ${typeName(expr.type)}`
  return coerceOrFail(expr, udf.returns, reason, context, body.at)
}

/** The expression that replaces a call of a temporary function; null for a call of any other function. */
export function resolveTemporaryCall(node: ast.Call, env: ExpressionEnv): Expr | null {
  const first = node.path[0]!.name
  const isSafe = node.path.length === 2 && first.toUpperCase() === 'SAFE'
  if (node.path.length > 1 && !isSafe) return null
  const udf = env.functions.get(node.path.at(-1)!.name.toLowerCase())
  if (!udf) return null
  return resolveUserCall(udf, node, isSafe, env, (body, columns) =>
    resolveBody(udf, body, columns, env.withFunctions(udf.earlier)),
  )
}

/** @param resolveInBody resolves the body over the columns of the parameters */
export function resolveUserCall(
  udf: TemporaryFunction,
  node: ast.Call,
  isSafe: boolean,
  env: ExpressionEnv,
  resolveInBody: (body: ast.Expression, columns: readonly Column[]) => Expr,
): Expr {
  const { name } = udf.definition.name
  const refuse = (what: string): never => env.fail(`Function ${name} does not support ${what}`, node.at)
  if (isSafe) refuse('SAFE error mode')
  if (node.isDistinct) refuse('DISTINCT in arguments')
  if (node.isStar) refuse('the argument *')
  refuseClauses(name, node, env)
  return runInCall(udf.depth, node.at, env, () => {
    const bindings = bindArguments(udf, node, env)
    const { body } = udf.definition
    if (body.kind === 'javascript') {
      const args = bindings.map(binding => binding.expr)
      return javaScriptCall(udf, body, args, node.at)
    }
    const columns = bindings.map(binding => binding.column)
    return inlineBody(bindings, resolveInBody(body, columns), node.at)
  })
}

/**
 * Counts a call whose body has this depth, and calls `work`, which resolves that call. @throws SqlError at the outermost of the
 * calls that would make the tree too large
 */
export function runInCall<T>(depth: number, at: number, { calls, fail }: ResolveContext, work: () => T): T {
  if (++calls.total > MAX_CALLS) {
    fail(`More than ${MAX_CALLS} calls of functions with a body are not supported`, at, { code: 'call-limit' })
  }
  calls.depth += depth
  if (calls.depth > MAX_DEPTH_OF_BODIES) {
    const limit = `their bodies together are more than ${MAX_DEPTH_OF_BODIES} deep`
    fail(`Calls of functions are nested too deeply: ${limit}`, at, { code: 'call-limit' })
  }
  const result = work()
  calls.depth -= depth
  return result
}

/** Refuses the clauses in and after the parentheses of a call that only aggregate and analytic functions take. */
export function refuseClauses(name: string, node: ast.Call, context: ResolveContext): void {
  const refuse = (what: string): never => context.fail(`Function ${name} does not support ${what}`, node.at)
  if (node.over) refuse('an OVER clause')
  if (node.nulls) refuse('IGNORE NULLS or RESPECT NULLS in arguments')
  if (node.having) refuse('HAVING in arguments')
  if (node.orderBy.length > 0) refuse('ORDER BY in arguments')
  if (node.limit) refuse('LIMIT in arguments')
}

/** A function with parameters, for the messages about its arguments. */
interface Callee {
  readonly definition: { readonly name: ast.Identifier }
  readonly parameters: TemporaryFunction['parameters']
}

/** The arguments in the order of the parameters. */
export function orderArgs(
  callee: Callee,
  args: readonly ast.Argument[],
  at: number,
  context: ResolveContext,
): ast.Argument[] {
  const { name } = callee.definition.name
  const ordered: ast.Argument[] = []
  let isNamed = false
  for (const argument of args) {
    if (argument.name === null) {
      if (isNamed) context.fail(`Call to function ${name} must not specify positional arguments after named ones`, at)
      ordered.push(argument)
      continue
    }
    isNamed = true
    const key = argument.name.name.toLowerCase()
    const index = callee.parameters.findIndex(parameter => parameter.name.toLowerCase() === key)
    if (index < 0) {
      context.fail(
        `Named argument ${argument.name.name} not found in signature for call to function ${name}`,
        argument.name.at,
      )
    }
    if (ordered[index])
      context.fail(`Argument ${argument.name.name} of function ${name} is given twice`, argument.name.at)
    ordered[index] = argument
  }
  const missing = callee.parameters.findIndex((_, i) => ordered[i] === undefined)
  if (missing >= 0 && isNamed)
    context.fail(`Argument ${callee.parameters[missing]!.name} of function ${name} is not given`, at)
  return ordered
}

function bindArguments(udf: TemporaryFunction, node: ast.Call, env: ExpressionEnv): Computed[] {
  const values = orderArgs(udf, node.arguments, node.at, env).map(({ expression }) => env.expression(expression, env))
  const bindings = values.flatMap((value, i): Computed[] => {
    const parameter = udf.parameters[i]
    const type = parameter?.type ?? value.type
    const expr = parameter && coerceTo(value, type, env.source)
    return expr ? [{ column: env.newColumn(parameter.name, type), expr }] : []
  })
  if (bindings.length === udf.parameters.length && values.length === bindings.length) return bindings
  return refuseArguments(udf, values, node.at, env)
}

/** Fails because the types of the values do not match the parameters. */
export function refuseArguments(callee: Callee, values: readonly Expr[], at: number, context: ResolveContext): never {
  const { name } = callee.definition.name
  const types = values.map(value => typeName(value.type)).join(', ')
  const parameterTypes = callee.parameters.map(({ type }) => (type ? typeName(type) : 'ANY TYPE')).join(', ')
  const shownTypes = types === '' ? 'with no arguments' : `for argument types: ${types}`
  return context.fail(
    `No matching signature for function ${name} ${shownTypes}. Supported signature: ${name}(${parameterTypes})`,
    at,
  )
}

// ---- replacing parameters by arguments

/**
 * The body with its parameters replaced by the arguments. An argument that is read once, or that is cheap (a column, a
 * parameter or a literal), takes the place of the parameter; any other argument is bound by a let.
 */
function inlineBody(bindings: readonly Computed[], result: Expr, at: number): Expr {
  const uses = usesOf(bindings, result)
  const replacements = new Map<number, Expr>()
  const kept: Computed[] = []
  for (const binding of bindings) {
    const reads = uses.get(binding.column.id) ?? 0
    if (reads === 0) continue
    if (reads === 1 || isPlain(binding.expr)) replacements.set(binding.column.id, binding.expr)
    else kept.push(binding)
  }
  const body = mapExpr(result, part => {
    const expr = part.kind === 'column' ? replacements.get(part.column.id) : undefined
    if (expr?.kind !== 'column' || part.kind !== 'column') return expr
    return { ...expr, isCorrelated: expr.isCorrelated || part.isCorrelated }
  })
  return kept.length === 0 ? body : { kind: 'let', type: body.type, bindings: kept, result: body, at }
}

const isPlain = (expr: Expr): boolean =>
  expr.kind === 'column' || expr.kind === 'parameter' || (expr.kind === 'literal' && expr.value !== null)

/**
 * How often the result reads each parameter. A read inside a lambda or a subquery counts twice, because it may be evaluated
 * many times.
 */
function usesOf(bindings: readonly Computed[], result: Expr): ReadonlyMap<number, number> {
  const uses = new Map(bindings.map(({ column }) => [column.id, 0]))
  const count = (expr: Expr, weight: number): void => {
    mapExpr(expr, part => {
      if (part.kind === 'column' && uses.has(part.column.id)) {
        uses.set(part.column.id, uses.get(part.column.id)! + weight)
      }
      const isRepeated = part.kind === 'lambda' || part.kind === 'subquery' || part.kind === 'in-query'
      if (!isRepeated || weight > 1) return undefined
      count(part, 2)
      return part
    })
  }
  count(result, 1)
  return uses
}
