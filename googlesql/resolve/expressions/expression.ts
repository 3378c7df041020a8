/**
 * Resolves expressions: every node of the syntax tree becomes a typed expression of the plan. Calls and names have files of
 * their own.
 */

import type * as ast from '../../ast/nodes.js'
import { startOf } from '../../ast/start-of.js'
import { TEXT_PARTS } from '../../functions/definitions/intervals.js'
import { shownType } from '../../functions/overload.js'
import { literal } from '../../plan/build.js'
import type { Computed, Expr } from '../../plan/nodes.js'
import { coerceTo, commonSupertype } from '../../types/apply-coercion.js'
import {
  arrayOf,
  BOOL,
  BYTES,
  INT64,
  STRING,
  type StructType,
  shortTypeName,
  structOf,
  type Type,
} from '../../types/types.js'
import type { ExpressionEnv, ResolveContext } from '../context.js'
import { type Found, mapScope, visible } from '../name-scope.js'
import { resolveType } from '../type.js'
import { datePartWord, operatorCall, wordSource } from './arguments.js'
import { resolveCall } from './call.js'
import { resolveCase } from './case.js'
import { resolveCast } from './cast.js'
import { floatLiteral, intLiteral, resolveParameter, typedLiteral } from './literal.js'
import { fieldAt, resolveDot, resolveName } from './name.js'
import { negated, resolveBinary, resolveIs, resolveLike, resolveLikeQuantified, resolveUnary } from './operator.js'
import { resolveInQuery, resolveSubquery } from './subquery.js'

export function resolveExpression(node: ast.Expression, env: ExpressionEnv, context: ResolveContext): Expr {
  switch (node.kind) {
    case 'null':
      return literal(INT64, null, node.at)
    case 'bool':
      return literal(BOOL, node.value, node.at)
    case 'int':
      return intLiteral(node.value, node.at, context)
    case 'float':
      return floatLiteral(node.value, node.at)
    case 'string':
      return literal(STRING, node.value, node.at)
    case 'bytes':
      return literal(BYTES, node.value, node.at)
    case 'typed':
      return typedLiteral(node, context)
    case 'parameter':
      return resolveParameter(node, context)
    case 'name':
      return resolveName(node, env, context)
    case 'dot':
      return resolveDot(node, env, context)
    case 'index':
      return resolveIndex(node, env, context)
    case 'unary':
      return resolveUnary(node, env, context)
    case 'binary':
      return resolveBinary(node, env, context)
    case 'is':
      return resolveIs(node, env, context)
    case 'is-distinct':
      return negated(
        node.isNegated,
        operatorCall('$is_distinct', [node.left, node.right], startOf(node), env, context),
        node.at,
      )
    case 'between':
      return negated(
        node.isNegated,
        operatorCall('$between', [node.operand, node.low, node.high], node.at, env, context),
        node.at,
      )
    case 'in-list':
      return negated(node.isNegated, operatorCall('$in', [node.operand, ...node.items], node.at, env, context), node.at)
    case 'in-unnest':
      return negated(
        node.isNegated,
        operatorCall('$in_array', [node.operand, node.array], node.at, env, context),
        node.at,
      )
    case 'in-query':
      return negated(node.isNegated, resolveInQuery(node, env, context), node.at)
    case 'like':
      return resolveLike(node, env, context)
    case 'like-quantified':
      return resolveLikeQuantified(node, env, context)
    case 'case':
      return resolveCase(node, env, context)
    case 'cast':
      return resolveCast(node, env, context)
    case 'extract':
      return operatorCall(
        '$extract',
        [wordSource(datePartWord(node.part), node.part.at), node.operand, ...(node.timeZone ? [node.timeZone] : [])],
        node.at,
        env,
        context,
      )
    case 'interval':
      return operatorCall(
        '$interval',
        [
          numberOfInterval(node),
          ...[node.part, ...(node.to ? [node.to] : [])].map(part => wordSource(datePartWord(part), part.at)),
        ],
        node.at,
        env,
        context,
      )
    case 'array':
      return resolveArray(node, env, context)
    case 'struct':
      return resolveStruct(node, env, context)
    case 'subquery':
      return resolveSubquery(node, env, context)
    case 'call':
      return resolveCall(node, env, context)
    case 'lambda':
      return context.fail('Lambda is not allowed here: it must be an argument of a function that takes one', node.at)
    case 'with':
      return resolveWith(node, env, context)
  }
}

// ---- structure

function resolveIndex(node: ast.Index, env: ExpressionEnv, context: ResolveContext): Expr {
  const operand = context.expression(node.operand, env)
  if (operand.type.kind === 'JSON') {
    if (node.mode !== 'plain') return context.fail('A JSON value is subscripted without OFFSET or ORDINAL', node.at)
    return operatorCall('$subscript_json', [operand, node.index], node.at, env, context)
  }
  if (operand.type.kind === 'STRUCT') return structSubscript(node, operand, context)
  if (operand.type.kind !== 'ARRAY') {
    return context.fail(
      `Subscript access using [${node.mode === 'plain' ? 'INT64' : modeName(node.mode)}] is not supported on values of type ${shortTypeName(operand.type)}`,
      node.at,
    )
  }
  const name = {
    plain: '$array_at_offset',
    offset: '$array_at_offset',
    ordinal: '$array_at_ordinal',
    'safe-offset': '$safe_array_at_offset',
    'safe-ordinal': '$safe_array_at_ordinal',
  }[node.mode]
  const index = coerceTo(context.expression(node.index, env), INT64, context.source)
  if (index) return operatorCall(name, [operand, index], node.at, env, context)
  const found = shortTypeName(context.expression(node.index, env).type)
  return context.fail(`Array position in [] must be coercible to INT64 type, but has type ${found}`, node.index.at)
}

const modeName = (mode: ast.Index['mode']): string => mode.replace('-', '_').toUpperCase()

/** `s[0]`, `s[ORDINAL(1)]`: the position must be a literal, because the type of the result depends on it. */
function structSubscript(node: ast.Index, operand: Expr, context: ResolveContext): Expr {
  const { type } = operand
  if (type.kind !== 'STRUCT') throw new TypeError('structSubscript needs a struct')
  if (node.index.kind !== 'int' || node.mode.startsWith('safe')) {
    return context.fail('Field element access on a struct needs an integer literal', node.at)
  }
  const index = Number(node.index.value) - (node.mode === 'ordinal' ? 1 : 0)
  if (index < 0 || index >= type.fields.length)
    return context.fail(`Field ordinal out of bounds in ${shortTypeName(type)}`, node.at)
  return fieldAt(operand, index, node.at)
}

function resolveArray(node: ast.ArrayConstructor, env: ExpressionEnv, context: ResolveContext): Expr {
  const items = node.items.map(item => context.expression(item, env))
  const nested = items.find(item => item.type.kind === 'ARRAY')
  if (nested) return context.fail(nestedArray(nested.type), nested.at)
  const element = node.element ? resolveType(node.element, context.source) : commonSupertype(items)
  if (!element) {
    const types = [...new Set(items.map(shownType))].join(', ')
    return context.fail(`Array elements of types {${types}} do not have a common supertype`, node.at)
  }
  if (element.kind === 'ARRAY') return context.fail(nestedArray(element), node.at)
  const coerced = items.map(item => {
    const value = coerceTo(item, element, context.source)
    return (
      value ??
      context.fail(
        `Array element type ${shortTypeName(item.type)} does not coerce to ${shortTypeName(element)}`,
        item.at,
      )
    )
  })
  return { kind: 'array', type: arrayOf(element), items: coerced, hasWrittenType: node.element !== null, at: node.at }
}

const nestedArray = (type: Type): string =>
  `Cannot construct array with element type ${shortTypeName(type)} because nested arrays are not supported`

function resolveStruct(node: ast.StructConstructor, env: ExpressionEnv, context: ResolveContext): Expr {
  const fields = node.fields.map(field => context.expression(field.expression, env))
  if (node.type) {
    const type = resolveType(node.type, context.source) as StructType
    if (type.fields.length !== fields.length) {
      return context.fail(
        `STRUCT type has ${type.fields.length} fields but constructor call has ${fields.length} fields`,
        node.at,
      )
    }
    const coerced = fields.map((field, i) => {
      const wanted = type.fields[i]!.type
      return (
        coerceTo(field, wanted, context.source) ??
        context.fail(
          `Struct field ${i + 1} has type ${shortTypeName(field.type)} which does not coerce to ${shortTypeName(wanted)}`,
          field.at,
        )
      )
    })
    return { kind: 'struct', type, fields: coerced, hasWrittenType: true, at: node.at }
  }
  const type = structOf(
    fields.map((field, i) => {
      const { alias, expression } = node.fields[i]!
      return { name: alias?.name ?? (node.isTuple ? '' : impliedName(expression)), type: field.type }
    }),
  )
  return { kind: 'struct', type, fields, hasWrittenType: false, at: node.at }
}

/** The name of a column without an alias: the last name of a path; empty for any other expression. */
export function impliedName(node: ast.Expression): string {
  return node.kind === 'name' ? node.name : node.kind === 'dot' ? node.name.name : ''
}

/**
 * Resolves a condition, which is an expression coerced to BOOL.
 *
 * @throws SqlError, naming the clause, when the type is not BOOL
 */
export function condition(node: ast.Expression, clause: string, env: ExpressionEnv, context: ResolveContext): Expr {
  const expr = context.expression(node, env)
  const test = coerceTo(expr, BOOL, context.source)
  if (test) return test
  const reason = `${clause} should return type BOOL, but returns ${shortTypeName(expr.type)}`
  return context.fail(reason, node.at, { code: 'not-a-condition', type: expr.type.kind })
}

function resolveWith(node: ast.WithExpression, env: ExpressionEnv, context: ResolveContext): Expr {
  const names = new Map<string, Found>()
  const inner: ExpressionEnv = { ...env, scope: mapScope(names, env.scope) }
  const bindings: Computed[] = []
  for (const binding of node.bindings) {
    const expr = context.expression(binding.expression, inner)
    const column = context.newColumn(binding.name.name, expr.type)
    bindings.push({ column, expr })
    const key = binding.name.name.toLowerCase()
    names.set(key, names.has(key) ? { kind: 'ambiguous' } : { kind: 'column', column: visible(column) })
  }
  const result = context.expression(node.result, inner)
  return { kind: 'let', type: result.type, bindings, result, at: node.at }
}

/** `INTERVAL '7' DAY` is `INTERVAL 7 DAY`: as the argument of a date function, BigQuery takes only a number, or such a text. */
function numberOfInterval({ value, part, to }: ast.IntervalExpression): ast.Expression {
  if (value.kind !== 'string' || to !== null || !TEXT_PARTS.includes(datePartWord(part))) return value
  const [, sign, digits] = /^([-+]?)(\d{1,15})$/.exec(value.value) ?? []
  if (digits === undefined) return value
  const number: ast.Expression = { kind: 'int', value: digits, at: value.at }
  return sign === '-' ? { kind: 'unary', operator: '-', operand: number, at: value.at } : number
}
