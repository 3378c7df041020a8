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
import { coerceOrFail, computedColumn, type ExpressionEnv, type ResolveContext } from '../context.js'
import { mapScope, type Target, visibleColumn } from '../name-scope.js'
import { resolveType } from '../type.js'
import { datePartWord, operatorCall, wordSource } from './arguments.js'
import { resolveCall } from './call.js'
import { resolveCase } from './case.js'
import { resolveCast } from './cast.js'
import { floatLiteral, intLiteral, resolveParameter, typedLiteral } from './literal.js'
import { fieldAt, resolveDot, resolveName } from './name.js'
import { negateIf, resolveBinary, resolveIs, resolveLike, resolveLikeQuantified, resolveUnary } from './operator.js'
import { resolveInQuery, resolveSubquery } from './subquery.js'

type Resolve<Node> = (node: Node, env: ExpressionEnv) => Expr

export const resolveExpression: Resolve<ast.Expression> = (node, env) =>
  (RESOLVERS[node.kind] as Resolve<ast.Expression>)(node, env)

const RESOLVERS: { readonly [K in ast.Expression['kind']]: Resolve<Extract<ast.Expression, { kind: K }>> } = {
  null: node => literal(INT64, null, node.at),
  bool: node => literal(BOOL, node.value, node.at),
  int: (node, env) => intLiteral(node.value, node.at, env),
  float: node => floatLiteral(node.value, node.at),
  string: node => literal(STRING, node.value, node.at),
  bytes: node => literal(BYTES, node.value, node.at),
  typed: typedLiteral,
  parameter: resolveParameter,
  name: resolveName,
  dot: resolveDot,
  index: resolveIndex,
  unary: resolveUnary,
  binary: resolveBinary,
  is: resolveIs,
  'is-distinct': (node, env) => test('$is_distinct', node, [node.left, node.right], env, startOf(node)),
  between: (node, env) => test('$between', node, [node.operand, node.low, node.high], env),
  'in-list': (node, env) => test('$in', node, [node.operand, ...node.items], env),
  'in-unnest': (node, env) => test('$in_array', node, [node.operand, node.array], env),
  'in-query': (node, env) => negateIf(node.isNegated, resolveInQuery(node, env), node.at),
  like: resolveLike,
  'like-quantified': resolveLikeQuantified,
  case: resolveCase,
  cast: resolveCast,
  extract: (node, env) =>
    operatorCall(
      '$extract',
      [wordSource(datePartWord(node.part), node.part.at), node.operand, ...(node.timeZone ? [node.timeZone] : [])],
      node.at,
      env,
    ),
  interval: (node, env) =>
    operatorCall(
      '$interval',
      [
        numberOfInterval(node),
        ...[node.part, ...(node.to ? [node.to] : [])].map(part => wordSource(datePartWord(part), part.at)),
      ],
      node.at,
      env,
    ),
  array: resolveArray,
  struct: resolveStruct,
  subquery: resolveSubquery,
  call: resolveCall,
  lambda: (node, env) =>
    env.fail('Lambda is not allowed here: it must be an argument of a function that takes one', node.at),
  with: resolveWith,
}

/** A test that may be written with NOT. */
const test = (
  name: string,
  { isNegated, at }: { readonly isNegated: boolean; readonly at: number },
  operands: readonly ast.Expression[],
  env: ExpressionEnv,
  start = at,
): Expr => negateIf(isNegated, operatorCall(name, operands, start, env), at)

// ---- structure

function resolveIndex(node: ast.Index, env: ExpressionEnv): Expr {
  const operand = env.expression(node.operand, env)
  if (operand.type.kind === 'JSON') {
    if (node.mode !== 'plain') return env.fail('A JSON value is subscripted without OFFSET or ORDINAL', node.at)
    return operatorCall('$subscript_json', [operand, node.index], node.at, env)
  }
  if (operand.type.kind === 'STRUCT') return structSubscript(node, operand, env)
  if (operand.type.kind !== 'ARRAY') {
    return env.fail(
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
  const index = env.expression(node.index, env)
  const reason = `Array position in [] must be coercible to INT64 type, but has type ${shortTypeName(index.type)}`
  return operatorCall(name, [operand, coerceOrFail(index, INT64, reason, env, node.index.at)], node.at, env)
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

function resolveArray(node: ast.ArrayConstructor, env: ExpressionEnv): Expr {
  const items = node.items.map(item => env.expression(item, env))
  const nested = items.find(item => item.type.kind === 'ARRAY')
  if (nested) return env.fail(nestedArray(nested.type), nested.at)
  const element = node.element ? resolveType(node.element, env.source) : commonSupertype(items)
  if (!element) {
    const types = [...new Set(items.map(shownType))].join(', ')
    return env.fail(`Array elements of types {${types}} do not have a common supertype`, node.at)
  }
  if (element.kind === 'ARRAY') return env.fail(nestedArray(element), node.at)
  const reasonOf = ({ type }: Expr): string =>
    `Array element type ${shortTypeName(type)} does not coerce to ${shortTypeName(element)}`
  const elements = items.map(item => coerceOrFail(item, element, reasonOf(item), env))
  return { kind: 'array', type: arrayOf(element), items: elements, hasWrittenType: node.element !== null, at: node.at }
}

const nestedArray = (type: Type): string =>
  `Cannot construct array with element type ${shortTypeName(type)} because nested arrays are not supported`

function resolveStruct(node: ast.StructConstructor, env: ExpressionEnv): Expr {
  const fields = node.fields.map(field => env.expression(field.expression, env))
  if (node.type) {
    const type = resolveType(node.type, env.source) as StructType
    if (type.fields.length !== fields.length) {
      return env.fail(
        `STRUCT type has ${type.fields.length} fields but constructor call has ${fields.length} fields`,
        node.at,
      )
    }
    const values = fields.map((field, i) => {
      const [actual, expected] = [field.type, type.fields[i]!.type]
      const reason = `Struct field ${i + 1} has type ${shortTypeName(actual)} which does not coerce to ${shortTypeName(expected)}`
      return coerceOrFail(field, expected, reason, env)
    })
    return { kind: 'struct', type, fields: values, hasWrittenType: true, at: node.at }
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
export function conditionOf(node: ast.Expression, clause: string, env: ExpressionEnv): Expr {
  const expr = env.expression(node, env)
  const test = coerceTo(expr, BOOL, env.source)
  if (test) return test
  const reason = `${clause} should return type BOOL, but returns ${shortTypeName(expr.type)}`
  return env.fail(reason, node.at, { code: 'not-a-condition', type: expr.type.kind })
}

function resolveWith(node: ast.WithExpression, env: ExpressionEnv): Expr {
  const names = new Map<string, Target>()
  const inner: ExpressionEnv = { ...env, scope: mapScope(names, env.scope) }
  const bindings: Computed[] = []
  for (const binding of node.bindings) {
    const value = computedColumn(binding.name.name, env.expression(binding.expression, inner), env)
    bindings.push(value)
    const key = binding.name.name.toLowerCase()
    names.set(key, names.has(key) ? { kind: 'ambiguous' } : { kind: 'column', column: visibleColumn(value.column) })
  }
  const result = env.expression(node.result, inner)
  return { kind: 'let', type: result.type, bindings, result, at: node.at }
}

/** The value of an INTERVAL; a text of digits becomes a number (`INTERVAL '7' DAY`), because date functions take only numbers. */
function numberOfInterval({ value, part, to }: ast.IntervalExpression): ast.Expression {
  if (value.kind !== 'string' || to !== null || !TEXT_PARTS.includes(datePartWord(part))) return value
  const [, sign, digits] = /^([-+]?)(\d{1,15})$/.exec(value.value) ?? []
  if (digits === undefined) return value
  const number: ast.Expression = { kind: 'int', value: digits, at: value.at }
  return sign === '-' ? { kind: 'unary', operator: '-', operand: number, at: value.at } : number
}
