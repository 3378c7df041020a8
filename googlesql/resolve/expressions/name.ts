/** Names, paths and fields: `timestamp`, `t.metadata`, `request.path`, `payload.user.id` of a JSON value. */

import type * as ast from '../../ast/nodes.js'
import { proposing, type SqlMistake } from '../../mistakes.js'
import { call, literal } from '../../plan/build.js'
import type { Expr } from '../../plan/nodes.js'
import { nearest } from '../../suggest.js'
import { JSON_TYPE, STRING, typeName } from '../../types/types.js'
import type { ExpressionEnv, ResolveContext } from '../context.js'
import {
  type ContainedCalls,
  lookup,
  type Range,
  rangeExpr,
  readableExpr,
  suggestName,
  type Target,
  visibleExpr,
} from '../name-scope.js'
import { IN_AGGREGATE } from './aggregate.js'

export function resolveName(node: ast.Name, env: ExpressionEnv): Expr {
  const hit = lookup(env.scope, node.name)
  // A column takes precedence over a variable with the same name.
  if (!hit) return env.variables.get(node.name.toLowerCase())?.read() ?? failUnrecognized(node, env)
  return targetExpr(hit.target, hit.isCorrelated, node, env)
}

function failUnrecognized(node: ast.Name, env: ExpressionEnv): never {
  const near = proposing(suggestName(env.scope, node.name))
  return env.fail(`Unrecognized name: ${node.name}`, node.at, { code: 'unknown-name', name: node.name, ...near })
}

function targetExpr(target: Target, isCorrelated: boolean, node: ast.Name, env: ExpressionEnv): Expr {
  switch (target.kind) {
    case 'range':
      return rangeExpr(target.range, isCorrelated, node.at)
    case 'column':
      return visibleExpr(target.column, isCorrelated, node.at)
    case 'alias':
      if (!isCorrelated) refuseInAggregate(target.contains, node, env)
      return target.column && !env.inlinesAliases ? readableExpr(target.column, isCorrelated, node.at) : target.expr
    case 'ambiguous':
      return env.fail(`Column name ${node.name} is ambiguous`, node.at, { code: 'ambiguous-column' })
  }
}

/**
 * Refuses, in the arguments of an aggregate function, an alias of the select list whose expression contains an aggregate or
 * window call; aggregates in HAVING, QUALIFY and ORDER BY can refer to other aliases.
 */
function refuseInAggregate(contains: ContainedCalls, node: ast.Name, env: ExpressionEnv): void {
  if (!env.clause.startsWith(IN_AGGREGATE)) return
  if (contains === 'aggregate') env.fail('Aggregations of aggregations are not allowed', node.at)
  if (contains === 'window') env.fail('Analytic functions cannot be arguments to aggregate functions', node.at)
}

/** `operand.name`. If the operand is the name of a range variable, `name` is one of its columns, otherwise a field. */
export function resolveDot(node: ast.Dot, env: ExpressionEnv): Expr {
  if (node.operand.kind === 'name') {
    const hit = lookup(env.scope, node.operand.name)
    if (hit?.target.kind === 'range') {
      return resolveRangeColumn(hit.target.range, node.name, hit.isCorrelated, env)
    }
  }
  return fieldOf(env.expression(node.operand, env), node.name, env)
}

function resolveRangeColumn(range: Range, name: ast.Identifier, isCorrelated: boolean, context: ResolveContext): Expr {
  if (range.kind === 'value') return fieldOf(readableExpr(range.column, isCorrelated, name.at), name, context)
  const key = name.name.toLowerCase()
  const matches = [...range.columns, ...(range.hidden ?? [])].filter(column => column.name.toLowerCase() === key)
  if (matches.length > 1) {
    return context.fail(`Column name ${name.name} is ambiguous`, name.at, { code: 'ambiguous-column' })
  }
  if (matches[0]) return visibleExpr(matches[0], isCorrelated, name.at)
  const names = range.columns.map(column => column.name)
  return context.fail(`Name ${name.name} not found inside ${range.name}`, name.at, unknownMember(name.name, names))
}

const unknownMember = (name: string, names: readonly string[]): SqlMistake => ({
  code: 'unknown-member',
  name,
  ...proposing(nearest(name, names)),
})

/** A field of a struct, whose name is matched without regard to case, or a member of a JSON value. */
function fieldOf(operand: Expr, name: ast.Identifier, context: ResolveContext): Expr {
  const { type } = operand
  if (type.kind === 'JSON') {
    return call('$json_field', JSON_TYPE, [operand, literal(STRING, name.name, name.at)], name.at)
  }
  if (type.kind !== 'STRUCT') {
    const isArrayOfStructs = type.kind === 'ARRAY' && type.element.kind === 'STRUCT'
    const mistake = { code: 'no-fields', field: name.name, isArrayOfStructs } as const
    return context.fail(`Cannot access field ${name.name} on a value with type ${typeName(type)}`, name.at, mistake)
  }
  const key = name.name.toLowerCase()
  const matches = type.fields.flatMap((field, i) => (field.name.toLowerCase() === key ? [i] : []))
  if (matches.length > 1) return context.fail(`Struct field name ${name.name} is ambiguous`, name.at)
  const index = matches[0]
  if (index === undefined) {
    const mistake = unknownMember(
      name.name,
      type.fields.map(field => field.name),
    )
    return context.fail(`Field name ${name.name} does not exist in ${typeName(type)}`, name.at, mistake)
  }
  return fieldAt(operand, index, name.at)
}

/** A field by its index from 0; if the struct is constructed from columns and fields, the expression of that field. */
export function fieldAt(operand: Expr, index: number, at: number): Expr {
  if (operand.type.kind !== 'STRUCT') throw new TypeError('fieldAt needs a struct')
  if (operand.kind === 'struct' && operand.fields.every(field => field.kind === 'column' || field.kind === 'field')) {
    return operand.fields[index]!
  }
  return { kind: 'field', type: operand.type.fields[index]!.type, operand, index, at }
}
