/** `*` and `path.*`, with EXCEPT and REPLACE: expands them to their expressions. */
import type * as ast from '../../ast/nodes.js'
import type { Expr } from '../../plan/nodes.js'
import { typeName } from '../../types/types.js'
import type { ExpressionEnv, ResolveContext } from '../context.js'
import { fieldAt } from '../expressions/name.js'
import { type FromNames, lookup, valueColumns, visibleExpr } from '../name-scope.js'

export function resolveStar(node: ast.SelectStar, from: FromNames | null, env: ExpressionEnv) {
  const all = node.path ? membersOf(node.path, env) : allMembers(node, from, env)
  for (const name of node.except) {
    if (!all.some(item => isSameName(item.name, name.name))) {
      return env.fail(`Column ${name.name} in SELECT * EXCEPT list does not exist`, name.at)
    }
  }
  const kept = all.filter(item => !node.except.some(name => isSameName(name.name, item.name)))
  if (kept.length === 0) return env.fail('SELECT * expands to zero columns after applying EXCEPT', node.at)
  const items = kept.map(({ name, read }) => {
    const replacement = node.replace.find(replace => isSameName(replace.name.name, name))
    return replacement
      ? { name: replacement.name.name, expr: env.expression(replacement.expression, env) }
      : { name, expr: read() }
  })
  for (const { name } of node.replace) {
    if (!items.some(item => isSameName(item.name, name.name))) {
      return env.fail(`Column ${name.name} in SELECT * REPLACE list does not exist`, name.at)
    }
  }
  return items
}

/**
 * A column of a star. `read` throws if the column cannot be read, so it is called only if EXCEPT and REPLACE keep the column.
 */
interface Member {
  readonly name: string
  readonly read: () => Expr
}

const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

function allMembers(node: ast.SelectStar, from: FromNames | null, context: ResolveContext): Member[] {
  if (!from) return context.fail('SELECT * must have a FROM clause', node.at)
  return from.columns.map(column => ({ name: column.name, read: () => visibleExpr(column, false, node.at) }))
}

function membersOf(path: ast.Expression, env: ExpressionEnv): Member[] {
  if (path.kind === 'name') {
    const hit = lookup(env.scope, path.name)
    if (hit?.target.kind === 'range') {
      const { range } = hit.target
      const columns = range.kind === 'table' ? range.columns : valueColumns(range.column, range.name)
      return columns.map(column => ({ name: column.name, read: () => visibleExpr(column, hit.isCorrelated, path.at) }))
    }
  }
  const expr = env.expression(path, env)
  if (expr.type.kind !== 'STRUCT') return env.fail(`Dot-star is not supported for type ${typeName(expr.type)}`, path.at)
  return expr.type.fields.map((field, i) => ({ name: field.name, read: () => fieldAt(expr, i, path.at) }))
}
