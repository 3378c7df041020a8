/** Expressions as DuckDB SQL. Each function returns an operand. */

import { evaluationOf, hasBranches, isVolatile, isVolatileCall } from '../../../googlesql/functions/facts.js'
import { call } from '../../../googlesql/plan/build.js'
import type {
  CallExpr,
  CastExpr,
  Expr,
  FieldExpr,
  LetExpr,
  StructExpr,
  TypeParameters,
} from '../../../googlesql/plan/nodes.js'
import { hasSubquery, isNullLiteral, visitExpr } from '../../../googlesql/plan/walk.js'
import type { Type } from '../../../googlesql/types/types.js'
import { mayFail } from '../../analysis/fallible-expressions.js'
import { WRITERS } from '../../functions/all.js'
import { type FunctionSql, SqlWriterError, writerArguments } from '../../functions/function-sql.js'
import { mayFoldToNull } from '../../functions/typed.js'
import { type Env, findEntry, GenerateError, inLambda, inScope } from '../context.js'
import {
  asOperand,
  type Fragment,
  fill,
  fragment,
  joinSql,
  literalFragment,
  parameterFragment,
  path,
  slot,
  withFields,
} from '../fragment.js'
import { keepNameIfMacro } from '../keep-name.js'
import { quoteName, quoteText, variable } from '../quote.js'
import { columnEntry } from '../scans/select-block.js'
import {
  applyLambda,
  capturesOf,
  type Parts,
  readsOuter,
  readsQuery,
  shareArguments,
  type Write,
  withCapturedColumns,
  writeCall,
} from '../share-arguments.js'
import { trySql } from '../try.js'
import { duckdbType, fieldNames } from '../type.js'
import { castSql, constrainSql } from './cast.js'
import { floatCallSql } from './float-calls.js'
import { columnIn, inCoalesce, inTry } from './in-branch.js'
import { intervalChainSql } from './interval-chains.js'
import { literalSql } from './literal.js'
import { inQuerySql, subquerySql } from './subqueries.js'

/** @throws GenerateError with the place of the innermost expression that cannot be written. */
export function exprSql(expr: Expr, env: Env): Fragment {
  try {
    return writeExpr(expr, env)
  } catch (error) {
    if (error instanceof SqlWriterError) throw new GenerateError(error.message, expr.at, error)
    if (error instanceof GenerateError && error.at === null) throw new GenerateError(error.message, expr.at, error)
    throw error
  }
}

function writeExpr(expr: Expr, env: Env): Fragment {
  switch (expr.kind) {
    case 'literal':
      if (expr.value === null) return fragment`NULL::${duckdbType(expr.type)}`
      return literalFragment(literalSql(expr), expr.type.kind !== 'STRING' && expr.type.kind !== 'BOOL')
    case 'parameter':
      return parameterFragment(
        `${env.placeholder(expr)}${expr.type.kind === 'JSON' ? '::VARCHAR' : ''}::${duckdbType(expr.type)}`,
      )
    case 'column':
      return findEntry(env.scope, expr.column).sql
    case 'call':
      return callSql(expr, env)
    case 'cast':
      return castExprSql(expr, env)
    case 'field':
      return fieldSql(expr, env)
    case 'struct':
      return structSql(expr, env)
    case 'array': {
      if (expr.items.length === 0) return fragment`CAST([] AS ${duckdbType(expr.type)})`
      return fragment`[${expr.items.map(item => fittedSql(item, expr.type.element, env))}]`
    }
    case 'case': {
      const branches = expr.branches.map(
        branch => fragment`WHEN ${exprSql(branch.when, env)} THEN ${fittedSql(branch.then, expr.type, env)}`,
      )
      const otherwise = expr.otherwise ? [fragment`ELSE ${fittedSql(expr.otherwise, expr.type, env)}`] : []
      return fragment`(CASE ${joinSql([...branches, ...otherwise], ' ')} END)`
    }
    case 'subquery':
      return subquerySql(expr, env)
    case 'in-query':
      return inQuerySql(expr, env)
    case 'lambda': {
      // DuckDB allows no subqueries inside a lambda.
      if (hasSubquery(expr.body)) {
        throw new GenerateError('A subquery in a lambda is not supported on the embedded engine', expr.at)
      }
      const entries = expr.parameters.map(column => columnEntry(column, path(variable(column))))
      return exprSql(expr.body, inLambda(entries, env))
    }
    case 'let':
      return letSql(expr, env)
    case 'word':
      return path(expr.word)
    default:
      return expr satisfies never
  }
}

/**
 * Casts the value to this type where needed: DuckDB distinguishes structs by their field names, GoogleSQL does not always.
 */
function fittedSql(expr: Expr, type: Type, env: Env): Fragment {
  const sql = exprSql(expr, env)
  return duckdbType(expr.type) === duckdbType(type) ? sql : fill(castSql(slot(0), expr.type, type), [sql])
}

function callSql(expr: CallExpr, env: Env): Fragment {
  const writer = WRITERS.get(expr.name)
  if (!writer) throw new GenerateError(`Function ${expr.name} is not supported on the embedded engine`, expr.at)
  const arithmetic = floatCallSql(expr, env) ?? intervalChainSql(expr, env)
  if (arithmetic !== null) return arithmetic
  const { type } = expr
  const args = writerArguments(writer, expr.arguments)
  if (isNullFor(writer, args)) return nullSql(type)
  const captures = capturesOf(args, env)
  const inner = captures ? inScope(captures.scope, env) : env
  const sqls = args.map(argument => argument && exprSql(argument, argument.kind === 'lambda' ? inner : env))
  const lambda = args.find(argument => argument?.kind === 'lambda')
  if (lambda) sqls[0] = readable(sqls[0]!, lambda, env)
  const argsSql: Parts = evaluationOf(expr) === 'until-value' ? inCoalesce(args, sqls, env.scope) : sqls
  const write: Write = (sql, fields) => writer.write({ sql, args, type, ...(fields && { fields }) })
  const writeParts = (parts: Parts): Fragment => withCapturedColumns(args, parts, write, captures, env)
  // DuckDB allows no volatile functions in TRY, and they cannot fail. A function that chooses among its arguments fails only
  // where an argument does, and it must not compute an argument that it does not need.
  if (expr.isSafe && !isVolatileCall(expr) && !hasBranches(expr)) {
    return safely(args, argsSql, parts => checkRange(writeParts(parts), expr), env)
  }
  if (evaluationOf(expr) !== 'all') return asOperand(writeParts(argsSql))
  // DuckDB allows no subqueries in TRY; and TRY must not catch the errors of the arguments.
  const isBound = writer.hasTry ? args.map(isApartFromTry) : []
  return asOperand(shareArguments(args, argsSql, writeParts, env, isBound))
}

/** The types of long arguments. */
const LONG: ReadonlySet<string> = new Set(['STRING', 'BYTES', 'JSON', 'ARRAY'])

/** The array of a call, with a test that the lambda does not read long arguments for too many elements: it may compute with all of them. */
function readable(items: Fragment, lambda: Expr, env: Env): Fragment {
  const read = new Map<string, Fragment>()
  visitExpr(lambda, part => {
    if (part.kind === 'parameter' && LONG.has(part.type.kind)) read.set(part.name, exprSql(part, env))
  })
  if (read.size === 0) return items
  const texts = [...read.values()].map(sql => fragment`CAST(${sql} AS VARCHAR)`)
  const test = (array: Fragment): Fragment => fragment`bq_readable(${array}, strlen(concat(${texts})))`
  if (items.isPath) return test(items)
  const name = variable(env.newColumn('', lambda.type))
  return applyLambda(items, name, test(path(name)))
}

const isApartFromTry = (argument: Expr | null): boolean =>
  argument !== null && (mayFail(argument) || hasSubquery(argument) || isVolatile(argument))

function isNullFor(writer: FunctionSql, args: readonly (Expr | null)[]): boolean {
  if (writer.isNullFor === 'any') return args.some(isNullLiteral)
  return writer.isNullFor === 'first' && isNullLiteral(args[0]!)
}

/**
 * Checks a date or datetime computed by a time zone against the range of its type. Otherwise the check is made only when the
 * result is returned, which is too late for SAFE.
 */
function checkRange(sql: Fragment, { name, type }: CallExpr): Fragment {
  if (name === 'DATE') return fragment`bq_date(bq_days(${sql}))`
  return name === 'DATETIME' && type.kind === 'DATETIME' ? fragment`bq_datetime(epoch_us(${sql}))` : sql
}

/** SAFE hides only the errors of the function itself, so arguments that may fail are computed outside of TRY. */
function safely(args: readonly (Expr | null)[], argsSql: Parts, write: (parts: Parts) => Fragment, env: Env): Fragment {
  const writeTried = (parts: Parts): Fragment => {
    const isWhole = parts.every((part, i) => part === argsSql[i])
    const sql = write(parts)
    return fill(trySql(slot(0)), [isWhole ? inTry(sql, columnIn(args, env.scope)) : sql])
  }
  return shareArguments(args, argsSql, writeTried, env, args.map(isApartFromTry))
}

function castExprSql(expr: CastExpr, env: Env): Fragment {
  const { operand, type, isSafe, typeParameters } = expr
  if (isNullLiteral(operand)) return nullSql(type)
  // A FLOAT64 literal that is cast to NUMERIC keeps the digits of the text.
  const isDecimal = type.kind === 'NUMERIC' || type.kind === 'BIGNUMERIC'
  if (isDecimal && operand.kind === 'literal' && operand.written !== undefined && !typeParameters) {
    return fill(castSql(slot(0), { kind: 'STRING' }, type, { isSafe }), [
      literalFragment(quoteText(operand.written), false),
    ])
  }
  if (expr.format) {
    const format = call('$cast_format', type, [operand, expr.format, expr.timeZone], expr.at, isSafe)
    return callSql(format, env)
  }
  const sql = exprSql(operand, env)
  const write = (parts: Parts): Fragment => writeCall([operand], parts, ([part]) => castSql(part!, operand.type, type))
  const value = isSafe ? safely([operand], [sql], write, env) : asOperand(shareArguments([operand], [sql], write, env))
  // A value that is too long for the type's parameters is an error even in a SAFE_CAST.
  return typeParameters ? limitedSql(value, expr, typeParameters, env) : value
}

/** A NULL of the type. For a constant NULL list DuckDB forgets the element type, so an ARRAY is written as a CASE. */
const nullSql = (type: Type): Fragment =>
  type.kind === 'ARRAY'
    ? fragment`(CASE WHEN false THEN CAST([] AS ${duckdbType(type)}) END)`
    : fragment`NULL::${duckdbType(type)}`

function limitedSql(sql: Fragment, cast: CastExpr, parameters: TypeParameters, env: Env): Fragment {
  const write = (parts: Parts): Fragment =>
    writeCall([cast], parts, ([value]) => constrainSql(value!, cast.type, parameters))
  return asOperand(shareArguments([cast], [sql], write, env))
}

function fieldSql({ operand, index, type }: FieldExpr, env: Env): Fragment {
  // DuckDB forgets the type of a field of a constant NULL.
  if (isNullLiteral(operand)) return nullSql(type)
  const sql = exprSql(operand, env)
  if (operand.type.kind !== 'STRUCT')
    throw new GenerateError('Internal error: a field of what is not a struct', operand.at)
  const name = fieldNames(operand.type)[index]!
  if (sql.isPath) return path(`${sql}.${quoteName(name)}`)
  const field = fragment`struct_extract(${sql}, ${quoteText(name)})`
  return mayFoldToNull(operand) ? fragment`CAST(${field} AS ${duckdbType(type)})` : field
}

function structSql(expr: StructExpr, env: Env): Fragment {
  const fieldOf = (sql: Fragment, field: Expr): Fragment => (readsOuter(field, env.scope) ? keepNameIfMacro(sql) : sql)
  if (expr.fields.length === 0)
    throw new GenerateError('A STRUCT without fields is not supported on the embedded engine', expr.at)
  const names = fieldNames(expr.type)
  const fields = expr.fields.map((field, i) => ({
    name: quoteName(names[i]!),
    sql: fieldOf(fittedSql(field, expr.type.fields[i]!.type, env), field),
  }))
  const packed = fields.map(({ name, sql }) => fragment`${name} := ${sql}`)
  return withFields(fragment`struct_pack(${packed})`, fields)
}

/**
 * A binding that is more than a name, and that is read more than once, becomes the argument of a lambda, which computes it once. DuckDB
 * allows no subqueries in lambdas; with a subquery, the SQL of the binding is repeated wherever it is read.
 */
function letSql(expr: LetExpr, env: Env): Fragment {
  const [first, ...rest] = expr.bindings
  if (!first) return exprSql(expr.result, env)
  const body: Expr = rest.length === 0 ? expr.result : { ...expr, bindings: rest }
  const sql = exprSql(first.expr, env)
  const bodySql = (read: Fragment): Fragment => exprSql(body, inLambda([columnEntry(first.column, read)], env))
  const isVolatileBinding = isVolatile(first.expr)
  if (isCheap(first.expr) || (!isVolatileBinding && countReads(body, first.column.id) <= 1)) return bodySql(sql)
  if (
    hasSubquery(body) ||
    readsQuery(body, env.scope) ||
    readsOuter(body, env.scope) ||
    readsOuter(first.expr, env.scope)
  ) {
    if (!isVolatileBinding) return bodySql(sql)
    throw new GenerateError(
      'A random value read by a subquery or in one is not supported on the embedded engine',
      expr.at,
    )
  }
  const name = variable(first.column)
  return applyLambda(sql, name, bodySql(path(name)))
}

function isCheap(expr: Expr): boolean {
  if (expr.kind === 'field') return isCheap(expr.operand)
  return expr.kind === 'column' || expr.kind === 'literal' || expr.kind === 'parameter'
}

function countReads(expr: Expr, id: number): number {
  let count = 0
  visitExpr(expr, part => {
    if (part.kind === 'column' && part.column.id === id) count++
  })
  return count
}
