/**
 * Functions that are kept in a dataset: the body of each replaces its calls, as for temporary functions, and a call of a table
 * function becomes its query. A body cannot use the names of the query that calls its function.
 */

import type * as ast from '../ast/nodes.js'
import { functionNames } from '../functions/all.js'
import { isVolatile } from '../functions/facts.js'
import { refusalOf } from '../functions/refused.js'
import { memo } from '../memo.js'
import type { SqlMistake } from '../mistakes.js'
import { columnExpr, withComputed } from '../plan/build.js'
import type { Column, Computed, Expr } from '../plan/nodes.js'
import { moverTo } from '../plan/rewrite.js'
import { SqlError } from '../sql-error.js'
import type { FunctionSource, StoredFunction } from '../stored-functions.js'
import { nearest } from '../suggest.js'
import type { TableCatalogue } from '../tables.js'
import { coerceTo } from '../types/apply-coercion.js'
import { type Type, typeName } from '../types/types.js'
import {
  clauseEnv,
  type ExpressionEnv,
  type QueryEnv,
  type QueryResult,
  type ResolveContext,
  type TemporaryFunction,
  type Variable,
  type Variables,
} from './context.js'
import { UnreadableColumnError } from './name-scope.js'
import {
  checkBody,
  orderArgs,
  parametersOf,
  refuseArguments,
  refuseParameters,
  resolveBody,
  resolveUserCall,
  runInCall,
  signatureOf,
  signatureType,
} from './udf.js'
import { asVariable, readerOf } from './variables.js'

/** The expression that replaces a call; null where no dataset has a function of this name. */
export function resolveStoredCall(node: ast.Call, name: string, isSafe: boolean, env: ExpressionEnv): Expr | null {
  const stored = findStored(name, node.at, env)
  if (!stored) return null
  if (stored.kind === 'table') {
    return env.fail(`${stored.name} is a table function: it stands in FROM`, node.at)
  }
  const udf = runInText(stored, node.at, env, () => scalarOf(stored, env))
  return resolveUserCall(udf, node, isSafe, env, (text, columns) =>
    runInBody(stored, node.at, env, () => {
      const result = resolveBody(udf, text, columns, env.withStoredText(stored.text))
      return moverTo(node.at).expr(result)
    }),
  )
}

/** The query that replaces a call of a table function. @throws SqlError for any other name */
export function resolveTableCall(node: ast.TableCall, env: QueryEnv): QueryResult {
  const name = node.path.map(part => part.name).join('.')
  const stored = findStored(name, node.at, env)
  if (!stored) return refuseTableFunction(name, node.at, env)
  if (stored.kind === 'scalar') return env.fail(`${stored.name} is not a table function`, node.at)
  const { definition, text } = stored
  const args = node.arguments
  if (args === null) {
    return env.fail(`Function ${stored.name} takes values: an argument that is a table is not supported`, node.at)
  }
  const parameters = runInText(stored, node.at, env, () => {
    refuseParameters(definition.body, text)
    return parametersOf(definition.parameters, text)
  })
  return runInCall(stored.depth, node.at, env, () => {
    const variables = argumentVariables({ definition, parameters }, args, node.at, env)
    return runInBody(stored, node.at, env, () => {
      const inner = env.withStoredText(text, variables)
      const result = inner.query(definition.body, inner)
      const returned = withReturns(definition, result, inner)
      return { ...returned, scan: moverTo(node.at).scan(returned.scan) }
    })
  })
}

/** A function with the first mistake in its text. */
export interface FunctionMistake {
  readonly source: FunctionSource
  readonly error: SqlError
}

/** @param contextOf returns the resolution of one text */
export function findFunctionMistakes(
  { functions }: TableCatalogue,
  contextOf: (source: string) => ResolveContext,
): readonly FunctionMistake[] {
  return functions.sources.flatMap((source): readonly FunctionMistake[] => {
    try {
      const stored = functions.find(source.name)
      if (stored) checkStored(stored, contextOf(source.text))
      return []
    } catch (error) {
      const mistake = asSqlError(error, source.text)
      // The mistake is in the text of another function, and is reported for that function.
      const { mistake: what } = mistake
      if (what?.code === 'in-function' || (what?.code === 'cycle' && !what.names.includes(source.name))) return []
      return [{ source, error: mistake }]
    }
  })
}

/** @throws the error itself where it is not a mistake in SQL */
function asSqlError(error: unknown, text: string): SqlError {
  if (error instanceof UnreadableColumnError) return new SqlError(error.message, text, error.at ?? 0)
  if (error instanceof SqlError) return error
  throw error
}

function checkStored(stored: StoredFunction, context: ResolveContext): void {
  const inner = context.withStoredText(stored.text)
  context.calls.stored.push(stored.name)
  if (stored.kind === 'scalar') {
    checkBody(scalarOf(stored, context), inner)
    return
  }
  const { definition, text } = stored
  refuseParameters(definition.body, text)
  const parameters = parametersOf(definition.parameters, text)
  if (parameters.some(({ type }) => type === null)) return
  const variables = new Map(
    parameters.map(({ name, type }): [string, Variable] => {
      const read = (): Expr => ({ kind: 'parameter', type: type!, name, at: definition.at })
      return [name.toLowerCase(), { name, type: type!, read }]
    }),
  )
  const body = context.withStoredText(text, variables)
  withReturns(definition, body.query(definition.body, body), body)
}

// ---- names

/**
 * Whether the name of an unknown function may be the name of a function in a dataset: no built-in function has the same
 * prefix, such as `NET.`.
 */
export function isStoredName(name: string): boolean {
  const prefix = name.slice(0, name.indexOf('.') + 1).toUpperCase()
  return prefix !== '' && !functionNames().some(builtIn => builtIn.startsWith(prefix))
}

/** Fails because no dataset has a function of this name; the message names the file that would define it. */
export function refuseMissing(
  what: 'Function' | 'Table function',
  name: string,
  at: number,
  { tables, fail }: ResolveContext,
): never {
  const meant = nearest(name, tables.functions.names())
  const file = tables.functions.fileOf(name)
  const hints = [
    ...(meant === undefined ? [] : [`Did you mean ${meant}?`]),
    ...(file !== null && isFileName(name) ? [`${file} would hold it`] : []),
  ]
  return fail(`${what} not found: ${name}`, at, {
    code: what === 'Function' ? 'unknown-function' : 'unknown-table-function',
    name,
    meant,
    ...(hints.length > 0 && { hint: `; ${hints.join(' ')}` }),
  })
}

/** Whether the name includes a dataset, and a file can have this name. */
const isFileName = (name: string): boolean => /^[\w:-][\w.:-]*\.\w+$/.test(name)

function refuseTableFunction(name: string, at: number, context: ResolveContext): never {
  const refused = refusalOf(name.toUpperCase())
  if (refused) return context.fail(`Table function ${name.toUpperCase()} is not supported: ${refused.reason}`, at)
  return refuseMissing('Table function', name, at, context)
}

/** @throws SqlError where the text of the function is not a definition */
function findStored(name: string, at: number, { tables, source }: ResolveContext): StoredFunction | undefined {
  if (!name.includes('.')) return undefined
  try {
    return tables.functions.find(name)
  } catch (error) {
    if (!(error instanceof SqlError)) throw error
    const mistake = { code: 'in-function', file: null, cause: error.mistake } as const
    throw new SqlError(`Function ${name} cannot be used: ${error.reason}`, source, at, mistake)
  }
}

// ---- definitions

const scalars = new WeakMap<StoredFunction, TemporaryFunction>()

function scalarOf(stored: StoredFunction & { readonly kind: 'scalar' }, context: ResolveContext): TemporaryFunction {
  return memo(scalars, stored, () => {
    const udf = signatureOf(stored.definition, new Map(), stored.text)
    // A SQL body is checked with each call. A JavaScript body is checked once, because it does not depend on the arguments.
    if (stored.definition.body.kind === 'javascript') checkBody(udf, context.withStoredText(stored.text))
    return udf
  })
}

/** The arguments of a table function, as variables with the names of its parameters. */
function argumentVariables(
  callee: Parameters<typeof refuseArguments>[0],
  args: readonly ast.Argument[],
  at: number,
  env: QueryEnv,
): Variables {
  const argumentEnv = clauseEnv(env.outer, env, 'argument of a table function')
  const nodes = orderArgs(callee, args, at, env).map(({ expression }) => expression)
  const values = nodes.map(node => env.expression(node, argumentEnv))
  if (values.length !== callee.parameters.length) return refuseArguments(callee, values, at, env)
  return new Map(
    callee.parameters.map(({ name, type: declaredType }, i): [string, Variable] => {
      const type: Type = declaredType ?? values[i]!.type
      const coerceArgument = (value: Expr): Expr =>
        asVariable(coerceTo(value, type, env.source) ?? refuseArguments(callee, values, at, env), type)
      const value = coerceArgument(values[i]!)
      if (isVolatile(value))
        env.fail(`A random argument of table function ${callee.definition.name.name} is not supported`, at)
      const resolveAgain = (): Expr => coerceArgument(env.expression(nodes[i]!, argumentEnv))
      return [name.toLowerCase(), { name, type, read: readerOf(value, resolveAgain) }]
    }),
  )
}

/** The result with its columns coerced to the columns of RETURNS TABLE<…>. */
function withReturns(
  { returns, name, body }: ast.TableFunctionDefinition,
  result: QueryResult,
  context: ResolveContext,
): QueryResult {
  if (returns === null) {
    const unnamed = result.columns.findIndex(column => column.name === '')
    if (unnamed >= 0) context.fail(`Column ${unnamed + 1} of table function ${name.name} has no name`, body.at)
    return result
  }
  const actual = result.columns.map(column => `${column.name} ${typeName(column.column.type)}`).join(', ')
  const expected = returns.map(column => ({ name: column.name.name, type: signatureType(column.type, context.source) }))
  const refuse = (): never => {
    const declared = expected.map(column => `${column.name} ${typeName(column.type)}`).join(', ')
    return context.fail(`Table function ${name.name} returns TABLE<${declared}>, but its query has ${actual}`, body.at)
  }
  if (expected.length !== result.columns.length) refuse()
  const computed: Computed[] = []
  const columns = expected.map((column, i): { readonly name: string; readonly column: Column } => {
    const output = result.columns[i]!
    if (output.name.toLowerCase() !== column.name.toLowerCase()) refuse()
    const read = columnExpr(output.column, false, body.at)
    const expr = coerceTo(read, column.type, context.source) ?? refuse()
    if (expr === read) return { name: column.name, column: output.column }
    const newColumn = context.newColumn(column.name, column.type)
    computed.push({ column: newColumn, expr })
    return { name: column.name, column: newColumn }
  })
  const scan = computed.length === 0 ? result.scan : withComputed(result.scan, computed)
  return { scan, columns, isValueTable: result.isValueTable }
}

// ---- places

/** Calls `work`, which resolves the body of the function, and refuses a body that calls the function again. */
function runInBody<T>(stored: StoredFunction, at: number, context: ResolveContext, work: () => T): T {
  const openCalls = context.calls.stored
  const first = openCalls.indexOf(stored.name)
  if (first >= 0) {
    const names = [...openCalls.slice(first), stored.name]
    context.fail(`Function ${names[0]} calls itself: ${names.join(' → ')}`, at, { code: 'cycle', names })
  }
  openCalls.push(stored.name)
  const result = runInText(stored, at, context, work)
  openCalls.pop()
  return result
}

/** Mistakes that are reported in the same words at each call around them. */
const ABOUT_CALLS: ReadonlySet<SqlMistake['code']> = new Set(['in-function', 'cycle', 'call-limit'])

/** Calls `work`, and reports a mistake in the text of the function at the place of its call. */
function runInText<T>(stored: StoredFunction, at: number, { source }: ResolveContext, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const { reason, mistake, place } = asSqlError(error, stored.text)
    if (mistake && ABOUT_CALLS.has(mistake.code)) throw new SqlError(reason, source, at, mistake)
    const message = `Function ${stored.name} (${stored.file}:${place.line}:${place.column}): ${reason}`
    throw new SqlError(message, source, at, { code: 'in-function', file: stored.file, cause: mistake })
  }
}
