/** The variables of a script: DECLARE and SET give them values, which the query reads. */
import type * as ast from '../ast/nodes.js'
import { isVolatile } from '../functions/facts.js'
import { castExpr } from '../plan/build.js'
import type { Expr } from '../plan/nodes.js'
import { hasSubquery, someOf } from '../plan/walk.js'
import { INT64, type Type, typeName } from '../types/types.js'
import { clauseEnv, coerceOrFail, type ExpressionEnv, type QueryEnv, type Variable, type Variables } from './context.js'
import { resolveParameterizedType } from './type.js'

/**
 * The greatest number of reads of variables whose values have subqueries. Each read resolves the value again, together with the
 * variables in it, so a few variables could take very long.
 */
export const MAX_READS = 1_000
/** The most expressions in the value of a variable: the value replaces each read of the variable. */
export const MAX_PARTS = 10_000

/**
 * The variables after these statements.
 *
 * @param contextWith returns the resolution of an expression that may read these variables
 * @throws SqlError for a value that does not have its variable's type, that reads a table, or that is volatile
 */
export function declareVariables(
  statements: readonly ast.VariableStatement[],
  contextWith: (variables: Variables) => QueryEnv,
): Variables {
  let variables: Variables = new Map()
  for (const statement of statements) {
    const context = contextWith(variables)
    const next = new Map(variables)
    for (const [index, { name, at }] of statement.names.entries()) {
      const key = name.toLowerCase()
      if (statement.kind === 'declare') {
        if (next.has(key)) context.fail(`Variable ${name} is declared twice`, at)
        next.set(key, declareVariable(statement, name, context))
      } else {
        const old = variables.get(key)
        if (!old) context.fail(`Undeclared variable: ${name}`, at)
        else next.set(key, assignVariable(statement, index, old.type, name, context))
      }
    }
    variables = next
  }
  return variables
}

function declareVariable(
  { type: written, value, at }: Extract<ast.VariableStatement, { kind: 'declare' }>,
  name: string,
  context: QueryEnv,
): Variable {
  const type = written && resolveParameterizedType(written, context.source)
  if (type?.parameters) context.fail(`Variable ${name} has a type with parameters, which is not supported`, written!.at)
  const node = value ?? ({ kind: 'null', at } as const)
  return variableOf(() => context.expression(node, valueEnv(context)), type?.type ?? null, { name, at }, context)
}

function assignVariable(
  { names, isTuple, value }: Extract<ast.VariableStatement, { kind: 'set' }>,
  index: number,
  type: Type,
  name: string,
  context: QueryEnv,
): Variable {
  const read = (): Expr => {
    const whole = context.expression(value, valueEnv(context))
    if (!isTuple) return whole
    if (whole.type.kind !== 'STRUCT' || whole.type.fields.length !== names.length) {
      const expected = `a STRUCT of ${names.length} fields`
      return context.fail(`The variables are set to ${expected}; found ${typeName(whole.type)}`, value.at)
    }
    if (whole.kind === 'struct') return whole.fields[index]!
    return { kind: 'field', type: whole.type.fields[index]!.type, operand: whole, index, at: value.at }
  }
  return variableOf(read, type, { name, at: value.at }, context)
}

const valueEnv = (context: QueryEnv): ExpressionEnv => clauseEnv(null, context, 'value of a variable')

function variableOf(
  read: () => Expr,
  type: Type | null,
  { name, at }: { readonly name: string; readonly at: number },
  context: QueryEnv,
): Variable {
  const tables = context.usedTables.size
  const first = read()
  const target = type ?? (first.kind === 'literal' && first.value === null ? INT64 : first.type)
  const coerceValue = (expr: Expr): Expr => {
    const reason = `Variable ${name} has type ${typeName(target)}; found a value of type ${typeName(expr.type)}`
    return asVariable(coerceOrFail(expr, target, reason, context), target)
  }
  const value = coerceValue(first)
  if (context.usedTables.size > tables)
    context.fail(`The value of variable ${name} is a query over tables, which is not supported`, at)
  if (isVolatile(value)) context.fail(`The value of variable ${name} is random, which is not supported`, at)
  let parts = 0
  if (someOf(value, () => ++parts > MAX_PARTS)) context.fail(`The value of variable ${name} is too large`, at)
  const resolveAgain = (): Expr => {
    const reason = `The query reads variables whose values have subqueries more than ${MAX_READS} times, which is not supported`
    if (++context.calls.variables > MAX_READS) context.fail(reason, at)
    return coerceValue(read())
  }
  return { name, type: target, read: readerOf(value, resolveAgain) }
}

/**
 * The value of a variable of this type. A literal gets a cast, because GoogleSQL coerces a literal to more types than a
 * variable.
 */
export const asVariable = (value: Expr, type: Type): Expr =>
  coercesLikeLiteral(value) ? castExpr(value, type, false) : value

/**
 * Reads the value of a variable. A subquery, a let or a lambda defines columns, whose ids must be unique in the plan: then
 * `resolveAgain` resolves the value for each read.
 */
export function readerOf(value: Expr, resolveAgain: () => Expr): () => Expr {
  const isShared = !hasSubquery(value) && !someOf(value, ({ kind }) => kind === 'let' || kind === 'lambda')
  return isShared ? () => value : resolveAgain
}

/** Whether GoogleSQL would coerce the expression like a literal. */
const coercesLikeLiteral = (expr: Expr): boolean =>
  expr.kind === 'literal' || expr.kind === 'array' || expr.kind === 'struct'
