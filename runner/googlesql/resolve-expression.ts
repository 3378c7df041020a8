/** Expressions: every node of the syntax tree becomes a typed one. Calls and names have files of their own. */
import type * as ast from './ast.js'
import { mayCast } from './cast-rules.js'
import { coerceTo, commonSupertype } from './coerce.js'
import { dateLiteral, datetimeLiteral, jsonLiteral, numericLiteral, timeLiteral, timestampLiteral } from './literals.js'
import { project } from './project.js'
import type { ExpressionEnv, Resolution } from './resolution.js'
import { datePartWord, operatorCall, resolveCall, wordSource } from './resolve-call.js'
import { fieldAt, resolveDot, resolveName } from './resolve-name.js'
import { resolveType, typeParameters } from './resolve-type.js'
import type { CastExpr, Computed, Expr } from './resolved.js'
import { columnExpr, type Found, mapScope, subqueryScope } from './scope.js'
import {
  arrayOf,
  BIGNUMERIC,
  BOOL,
  BYTES,
  DATE,
  DATETIME,
  FLOAT64,
  INT64,
  JSON_TYPE,
  NUMERIC,
  STRING,
  type StructType,
  structOf,
  TIME,
  TIMESTAMP,
  type Type,
  typeName,
} from './types.js'

const MAX_INT64 = 9223372036854775807n

export function resolveExpression(node: ast.Expression, env: ExpressionEnv, r: Resolution): Expr {
  switch (node.kind) {
    case 'null':
      return { kind: 'literal', type: INT64, value: null, at: node.at }
    case 'bool':
      return { kind: 'literal', type: BOOL, value: node.value, at: node.at }
    case 'int':
      return intLiteral(node.value, node.at, r)
    case 'float':
      return floatLiteral(node.value, node.at, r)
    case 'string':
      return { kind: 'literal', type: STRING, value: node.value, at: node.at }
    case 'bytes':
      return { kind: 'literal', type: BYTES, value: node.value, at: node.at }
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
      return negated(node.isNegated, operatorCall('$is_distinct', [node.left, node.right], node.at, env, r), node.at)
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
      return negated(node.isNegated, operatorCall('$like', [node.operand, node.pattern], node.at, env, r), node.at)
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

// ---- literals and parameters

function intLiteral(digits: string, at: number, r: Resolution): Expr {
  if (BigInt(digits) > MAX_INT64) return r.fail(`Invalid integer literal: ${digits}`, at)
  return { kind: 'literal', type: INT64, value: BigInt(digits).toString(), at }
}

function floatLiteral(text: string, at: number, r: Resolution): Expr {
  const value = Number(text)
  if (!Number.isFinite(value)) return r.fail(`Invalid floating point literal: ${text}`, at)
  return { kind: 'literal', type: FLOAT64, value, written: text, at }
}

const TYPED = {
  DATE: { type: DATE, read: dateLiteral },
  DATETIME: { type: DATETIME, read: datetimeLiteral },
  TIME: { type: TIME, read: timeLiteral },
  TIMESTAMP: { type: TIMESTAMP, read: timestampLiteral },
  NUMERIC: { type: NUMERIC, read: (text: string) => numericLiteral(text, 'NUMERIC') },
  BIGNUMERIC: { type: BIGNUMERIC, read: (text: string) => numericLiteral(text, 'BIGNUMERIC') },
  JSON: { type: JSON_TYPE, read: jsonLiteral },
} as const

function typedLiteral(node: Extract<ast.Literal, { kind: 'typed' }>, r: Resolution): Expr {
  const { type, read } = TYPED[node.typed]
  const value = read(node.value)
  if (value === null) return r.fail(`Invalid ${node.typed} literal: ${JSON.stringify(node.value)}`, node.at)
  return { kind: 'literal', type, value, at: node.at }
}

function resolveParameter(node: ast.Parameter, r: Resolution): Expr {
  const key = node.name.toLowerCase()
  const type = r.parameterTypes.get(key)
  if (!type) return r.fail(`Query parameter '${node.name}' not found`, node.at)
  if (!r.usedParameters.has(key)) r.usedParameters.set(key, node.name)
  return { kind: 'parameter', type, name: key, at: node.at }
}

// ---- operators

/** NOT of it, where the operator was written with NOT. */
function negated(isNegated: boolean, expr: Expr, at: number): Expr {
  return isNegated ? { kind: 'call', type: BOOL, name: '$not', arguments: [expr], isSafe: false, at } : expr
}

function resolveUnary(node: ast.Unary, env: ExpressionEnv, r: Resolution): Expr {
  const { operand } = node
  if (node.operator === '-' && operand.kind === 'int') {
    // -9223372036854775808 is a literal, though 9223372036854775808 is none.
    if (BigInt(operand.value) > MAX_INT64 + 1n) return r.fail(`Invalid integer literal: -${operand.value}`, node.at)
    return { kind: 'literal', type: INT64, value: (-BigInt(operand.value)).toString(), at: node.at }
  }
  if (node.operator === '-' && operand.kind === 'float') {
    return { ...floatLiteral(`-${operand.value}`, operand.at, r), at: node.at }
  }
  if (node.operator === '+') {
    const expr = r.expression(operand, env)
    if (!['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC', 'INTERVAL'].includes(expr.type.kind)) {
      return r.fail(`No matching signature for operator + for argument types: ${typeName(expr.type)}`, node.at)
    }
    return expr
  }
  const name = { '-': '$negate', '~': '$bitnot', NOT: '$not' }[node.operator]
  return operatorCall(name, [operand], node.at, env, r)
}

const BINARY: Readonly<Record<ast.BinaryOperator, string>> = {
  OR: '$or',
  AND: '$and',
  '=': '$eq',
  '!=': '$ne',
  '<': '$lt',
  '<=': '$le',
  '>': '$gt',
  '>=': '$ge',
  '|': '$bitor',
  '^': '$bitxor',
  '&': '$bitand',
  '<<': '$shift_left',
  '>>': '$shift_right',
  '+': '$add',
  '-': '$subtract',
  '*': '$multiply',
  '/': '$divide',
  '||': '$concat',
}

/** Chains such as `a AND b AND …` lean to the left: they are walked in a loop, so that long ones need no deep stack. */
function resolveBinary(node: ast.Binary, env: ExpressionEnv, r: Resolution): Expr {
  const chain: ast.Binary[] = []
  let left: ast.Expression = node
  while (left.kind === 'binary') {
    chain.push(left)
    left = left.left
  }
  let expr = r.expression(left, env)
  for (const operator of chain.reverse()) {
    expr = operatorCall(BINARY[operator.operator], [expr, operator.right], operator.at, env, r)
  }
  return expr
}

function resolveIs(node: ast.IsTest, env: ExpressionEnv, r: Resolution): Expr {
  const name = { NULL: '$is_null', UNKNOWN: '$is_null', TRUE: '$is_true', FALSE: '$is_false' }[node.test]
  const operand = r.expression(node.operand, env)
  const typed = node.test === 'UNKNOWN' ? coerceTo(operand, BOOL, r.source) : operand
  if (!typed) {
    return r.fail(
      `No matching signature for operator IS UNKNOWN for argument types: ${typeName(operand.type)}`,
      node.at,
    )
  }
  return negated(node.isNegated, operatorCall(name, [typed], node.at, env, r), node.at)
}

function resolveLikeQuantified(node: ast.LikeQuantified, env: ExpressionEnv, r: Resolution): Expr {
  // `x NOT LIKE ANY (…)` is NOT (x LIKE ANY (…)): so the reference implementation computes it, whatever the page says.
  const quantifier = node.quantifier.toLowerCase()
  const suffix = node.patterns ? '' : '_array'
  let patterns: (ast.Expression | Expr)[]
  if (node.query) {
    const { column, scan } = oneColumn(node.query, 'LIKE', env, r)
    patterns = [{ kind: 'subquery', type: arrayOf(column.type), form: 'array', scan, at: node.at }]
  } else {
    patterns = [...(node.patterns ?? [node.array!])]
  }
  const call = operatorCall(`$like_${quantifier}${suffix}`, [node.operand, ...patterns], node.at, env, r)
  return negated(node.isNegated, call, node.at)
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
      `Subscript access using [${node.mode === 'plain' ? 'INT64' : modeName(node.mode)}] is not supported on values of type ${typeName(operand.type)}`,
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
  return operatorCall(name, [operand, node.index], node.at, env, r)
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
    return r.fail(`Field ordinal out of bounds in ${typeName(type)}`, node.at)
  return fieldAt(operand, index, node.at)
}

function resolveArray(node: ast.ArrayConstructor, env: ExpressionEnv, r: Resolution): Expr {
  const items = node.items.map(item => r.expression(item, env))
  const element = node.element ? resolveType(node.element, r.source) : commonSupertype(items)
  if (!element) {
    const types = [...new Set(items.map(item => typeName(item.type)))].join(', ')
    return r.fail(`Array elements of types {${types}} do not have a common supertype`, node.at)
  }
  if (element.kind === 'ARRAY') {
    return r.fail(
      `Cannot construct array with element type ${typeName(element)} because nested arrays are not supported`,
      node.at,
    )
  }
  const coerced = items.map(item => {
    const value = coerceTo(item, element, r.source)
    return value ?? r.fail(`Array element type ${typeName(item.type)} does not coerce to ${typeName(element)}`, item.at)
  })
  return { kind: 'array', type: arrayOf(element), items: coerced, hasWrittenType: node.element !== null, at: node.at }
}

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
          `Struct field ${i + 1} has type ${typeName(field.type)} which does not coerce to ${typeName(wanted)}`,
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

function resolveCase(node: ast.Case, env: ExpressionEnv, r: Resolution): Expr {
  let subject: Expr | null = node.operand && r.expression(node.operand, env)
  let binding: Computed | null = null
  if (subject && !['column', 'literal', 'parameter'].includes(subject.kind)) {
    binding = { column: r.newColumn('case', subject.type), expr: subject }
    subject = columnExpr(binding.column, false, subject.at)
  }
  const branches = node.branches.map(branch => {
    const when = subject
      ? operatorCall('$eq', [subject, branch.when], branch.when.at, env, r)
      : condition(branch.when, 'CASE WHEN', env, r)
    return { when, then: r.expression(branch.then, env) }
  })
  const otherwise = node.otherwise && r.expression(node.otherwise, env)
  const results = [...branches.map(branch => branch.then), ...(otherwise ? [otherwise] : [])]
  const type = commonSupertype(results)
  if (!type) {
    const types = results.map(result => typeName(result.type)).join(', ')
    return r.fail(`No matching signature for operator CASE for argument types: ${types}`, node.at)
  }
  const coerced = (expr: Expr): Expr => coerceTo(expr, type, r.source)!
  const expr: Expr = {
    kind: 'case',
    type,
    branches: branches.map(({ when, then }) => ({ when, then: coerced(then) })),
    otherwise: otherwise && coerced(otherwise),
    at: node.at,
  }
  return binding ? { kind: 'let', type, bindings: [binding], result: expr, at: node.at } : expr
}

/** A BOOL expression where the language asks for a condition. */
export function condition(node: ast.Expression, clause: string, env: ExpressionEnv, r: Resolution): Expr {
  const expr = r.expression(node, env)
  return (
    coerceTo(expr, BOOL, r.source) ??
    r.fail(`${clause} should return type BOOL, but returns ${typeName(expr.type)}`, node.at)
  )
}

function resolveCast(node: ast.Cast, env: ExpressionEnv, r: Resolution): Expr {
  const operand = r.expression(node.operand, env)
  const type = resolveType(node.type, r.source)
  const isUntyped = operand.kind === 'literal' && operand.value === null
  const isEmptyArray = operand.kind === 'array' && operand.items.length === 0 && !operand.hasWrittenType
  if (isEmptyArray && type.kind === 'ARRAY') return { ...operand, type, hasWrittenType: true }
  if (!isUntyped && !mayCast(operand.type, type) && !(node.format && mayCastWithFormat(operand.type, type))) {
    return r.fail(`Invalid cast from ${typeName(operand.type)} to ${typeName(type)}`, operand.at)
  }
  const text = (part: ast.Expression | null, what: string): Expr | null => {
    if (!part) return null
    const expr = r.expression(part, env)
    return coerceTo(expr, STRING, r.source) ?? r.fail(`${what} must be a STRING, not ${typeName(expr.type)}`, part.at)
  }
  const cast: CastExpr = {
    kind: 'cast',
    type,
    operand: isUntyped ? { ...operand, type } : operand,
    isSafe: node.isSafe,
    isImplicit: false,
    format: text(node.format, 'The format of a cast'),
    timeZone: text(node.timeZone, 'A time zone'),
    typeParameters: typeParameters(node.type),
    at: node.at,
  }
  return cast
}

const mayCastWithFormat = (from: Type, to: Type): boolean =>
  (from.kind === 'STRING' && to.kind !== 'ARRAY' && to.kind !== 'STRUCT') || to.kind === 'STRING'

// ---- subqueries

function resolveSubquery(node: ast.Subquery, env: ExpressionEnv, r: Resolution): Expr {
  if (node.form === 'exists') {
    const { scan } = r.query(node.query, { outer: subqueryScope(env.scope), ctes: env.ctes })
    return { kind: 'subquery', type: BOOL, form: 'exists', scan, at: node.at }
  }
  const what = node.form === 'array' ? 'ARRAY' : 'Scalar'
  const { scan, column } = oneColumn(node.query, what, env, r)
  if (node.form === 'scalar') return { kind: 'subquery', type: column.type, form: 'scalar', scan, at: node.at }
  if (column.type.kind === 'ARRAY') {
    return r.fail(
      `Cannot use array subquery with column of type ${typeName(column.type)} because nested arrays are not supported`,
      node.at,
    )
  }
  return { kind: 'subquery', type: arrayOf(column.type), form: 'array', scan, at: node.at }
}

function oneColumn(query: ast.Query, what: string, env: ExpressionEnv, r: Resolution) {
  const result = r.query(query, { outer: subqueryScope(env.scope), ctes: env.ctes })
  const only = result.columns[0]
  if (!only || result.columns.length !== 1) {
    const hint = what === 'Scalar' || what === 'ARRAY' ? ' unless using SELECT AS STRUCT to build STRUCT values' : ''
    return r.fail(
      what === 'IN' || what === 'LIKE'
        ? `Subquery of type ${what} must have only one output column`
        : `${what} subquery cannot have more than one column${hint}`,
      query.at,
    )
  }
  return { scan: project(result.scan, [only.column]), column: only.column }
}

function resolveInQuery(node: ast.InQuery, env: ExpressionEnv, r: Resolution): Expr {
  const operand = r.expression(node.operand, env)
  const { scan, column } = oneColumn(node.query, 'IN', env, r)
  const element = columnExpr(column, false, node.at)
  const type = commonSupertype([operand, element])
  const left = type && coerceTo(operand, type, r.source)
  const right = type && coerceTo(element, type, r.source)
  if (!left || !right) {
    return r.fail(
      `Cannot execute IN subquery with uncomparable types ${typeName(operand.type)} and ${typeName(column.type)}`,
      node.at,
    )
  }
  if (right === element) return { kind: 'in-query', type: BOOL, operand: left, scan, at: node.at }
  const converted = r.newColumn(column.name, right.type)
  return {
    kind: 'in-query',
    type: BOOL,
    operand: left,
    scan: { kind: 'project', input: scan, computed: [{ column: converted, expr: right }], columns: [converted] },
    at: node.at,
  }
}

function resolveWith(node: ast.WithExpression, env: ExpressionEnv, r: Resolution): Expr {
  const names = new Map<string, Found>()
  const inner: ExpressionEnv = { ...env, scope: mapScope(names, env.scope) }
  const bindings: Computed[] = []
  for (const binding of node.bindings) {
    const expr = r.expression(binding.expression, inner)
    const column = r.newColumn(binding.name.name, expr.type)
    bindings.push({ column, expr })
    names.set(binding.name.name.toLowerCase(), {
      kind: 'column',
      column: { name: binding.name.name, column, field: null, type: expr.type },
    })
  }
  const result = r.expression(node.result, inner)
  return { kind: 'let', type: result.type, bindings, result, at: node.at }
}
