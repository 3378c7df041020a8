/** Expressions: every node of the syntax tree becomes a typed one. Calls and names have files of their own. */

import type * as ast from '../../ast/nodes.js'
import { startOf } from '../../ast/start-of.js'
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
import type { ExpressionEnv, Resolution } from '../context.js'
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

export function resolveExpression(node: ast.Expression, env: ExpressionEnv, r: Resolution): Expr {
  switch (node.kind) {
    case 'null':
      return literal(INT64, null, node.at)
    case 'bool':
      return literal(BOOL, node.value, node.at)
    case 'int':
      return intLiteral(node.value, node.at, r)
    case 'float':
      return floatLiteral(node.value, node.at)
    case 'string':
      return literal(STRING, node.value, node.at)
    case 'bytes':
      return literal(BYTES, node.value, node.at)
    case 'typed':
      return typedLiteral(node, r)
    case 'parameter':
      return resolveParameter(node, r)
    case 'name':
      return resolveName(node, env, r)
    case 'dot':
      return resolveDot(node, env, r)
    case 'index':
      return resolveIndex(node, env, r)
    case 'unary':
      return resolveUnary(node, env, r)
    case 'binary':
      return resolveBinary(node, env, r)
    case 'is':
      return resolveIs(node, env, r)
    case 'is-distinct':
      return negated(
        node.isNegated,
        operatorCall('$is_distinct', [node.left, node.right], startOf(node), env, r),
        node.at,
      )
    case 'between':
      return negated(
        node.isNegated,
        operatorCall('$between', [node.operand, node.low, node.high], node.at, env, r),
        node.at,
      )
    case 'in-list':
      return negated(node.isNegated, operatorCall('$in', [node.operand, ...node.items], node.at, env, r), node.at)
    case 'in-unnest':
      return negated(node.isNegated, operatorCall('$in_array', [node.operand, node.array], node.at, env, r), node.at)
    case 'in-query':
      return negated(node.isNegated, resolveInQuery(node, env, r), node.at)
    case 'like':
      return resolveLike(node, env, r)
    case 'like-quantified':
      return resolveLikeQuantified(node, env, r)
    case 'case':
      return resolveCase(node, env, r)
    case 'cast':
      return resolveCast(node, env, r)
    case 'extract':
      return operatorCall(
        '$extract',
        [wordSource(datePartWord(node.part), node.part.at), node.operand, ...(node.timeZone ? [node.timeZone] : [])],
        node.at,
        env,
        r,
      )
    case 'interval':
      return operatorCall(
        '$interval',
        [
          node.value,
          ...[node.part, ...(node.to ? [node.to] : [])].map(part => wordSource(datePartWord(part), part.at)),
        ],
        node.at,
        env,
        r,
      )
    case 'array':
      return resolveArray(node, env, r)
    case 'struct':
      return resolveStruct(node, env, r)
    case 'subquery':
      return resolveSubquery(node, env, r)
    case 'call':
      return resolveCall(node, env, r)
    case 'lambda':
      return r.fail('Lambda is not allowed here: it must be an argument of a function that takes one', node.at)
    case 'with':
      return resolveWith(node, env, r)
  }
}

// ---- structure

function resolveIndex(node: ast.Index, env: ExpressionEnv, r: Resolution): Expr {
  const operand = r.expression(node.operand, env)
  if (operand.type.kind === 'JSON') {
    if (node.mode !== 'plain') return r.fail('A JSON value is subscripted without OFFSET or ORDINAL', node.at)
    return operatorCall('$subscript_json', [operand, node.index], node.at, env, r)
  }
  if (operand.type.kind === 'STRUCT') return structSubscript(node, operand, r)
  if (operand.type.kind !== 'ARRAY') {
    return r.fail(
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
  const index = coerceTo(r.expression(node.index, env), INT64, r.source)
  if (index) return operatorCall(name, [operand, index], node.at, env, r)
  const found = shortTypeName(r.expression(node.index, env).type)
  return r.fail(`Array position in [] must be coercible to INT64 type, but has type ${found}`, node.index.at)
}

const modeName = (mode: ast.Index['mode']): string => mode.replace('-', '_').toUpperCase()

/** `s[0]`, `s[ORDINAL(1)]`: the position must be a literal, since it decides the type. */
function structSubscript(node: ast.Index, operand: Expr, r: Resolution): Expr {
  const { type } = operand
  if (type.kind !== 'STRUCT') throw new TypeError('structSubscript needs a struct')
  if (node.index.kind !== 'int' || node.mode.startsWith('safe')) {
    return r.fail('Field element access on a struct needs an integer literal', node.at)
  }
  const index = Number(node.index.value) - (node.mode === 'ordinal' ? 1 : 0)
  if (index < 0 || index >= type.fields.length)
    return r.fail(`Field ordinal out of bounds in ${shortTypeName(type)}`, node.at)
  return fieldAt(operand, index, node.at)
}

function resolveArray(node: ast.ArrayConstructor, env: ExpressionEnv, r: Resolution): Expr {
  const items = node.items.map(item => r.expression(item, env))
  const nested = items.find(item => item.type.kind === 'ARRAY')
  if (nested) return r.fail(nestedArray(nested.type), nested.at)
  const element = node.element ? resolveType(node.element, r.source) : commonSupertype(items)
  if (!element) {
    const types = [...new Set(items.map(shownType))].join(', ')
    return r.fail(`Array elements of types {${types}} do not have a common supertype`, node.at)
  }
  if (element.kind === 'ARRAY') return r.fail(nestedArray(element), node.at)
  const coerced = items.map(item => {
    const value = coerceTo(item, element, r.source)
    return (
      value ??
      r.fail(`Array element type ${shortTypeName(item.type)} does not coerce to ${shortTypeName(element)}`, item.at)
    )
  })
  return { kind: 'array', type: arrayOf(element), items: coerced, hasWrittenType: node.element !== null, at: node.at }
}

const nestedArray = (type: Type): string =>
  `Cannot construct array with element type ${shortTypeName(type)} because nested arrays are not supported`

function resolveStruct(node: ast.StructConstructor, env: ExpressionEnv, r: Resolution): Expr {
  const fields = node.fields.map(field => r.expression(field.expression, env))
  if (node.type) {
    const type = resolveType(node.type, r.source) as StructType
    if (type.fields.length !== fields.length) {
      return r.fail(
        `STRUCT type has ${type.fields.length} fields but constructor call has ${fields.length} fields`,
        node.at,
      )
    }
    const coerced = fields.map((field, i) => {
      const wanted = type.fields[i]!.type
      return (
        coerceTo(field, wanted, r.source) ??
        r.fail(
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

/** The name that an expression gives to its column: a path's last name. */
export function impliedName(node: ast.Expression): string {
  return node.kind === 'name' ? node.name : node.kind === 'dot' ? node.name.name : ''
}

/** A BOOL expression where the language asks for a condition. */
export function condition(node: ast.Expression, clause: string, env: ExpressionEnv, r: Resolution): Expr {
  const expr = r.expression(node, env)
  return (
    coerceTo(expr, BOOL, r.source) ??
    r.fail(`${clause} should return type BOOL, but returns ${shortTypeName(expr.type)}`, node.at)
  )
}

function resolveWith(node: ast.WithExpression, env: ExpressionEnv, r: Resolution): Expr {
  const names = new Map<string, Found>()
  const inner: ExpressionEnv = { ...env, scope: mapScope(names, env.scope) }
  const bindings: Computed[] = []
  for (const binding of node.bindings) {
    const expr = r.expression(binding.expression, inner)
    const column = r.newColumn(binding.name.name, expr.type)
    bindings.push({ column, expr })
    const key = binding.name.name.toLowerCase()
    names.set(key, names.has(key) ? { kind: 'ambiguous' } : { kind: 'column', column: visible(column) })
  }
  const result = r.expression(node.result, inner)
  return { kind: 'let', type: result.type, bindings, result, at: node.at }
}
