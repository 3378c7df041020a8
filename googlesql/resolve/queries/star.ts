/** `*` and `path.*`, with EXCEPT and REPLACE: expands them to their expressions. */
import type * as ast from '../../ast/nodes.js'
import type { Expr } from '../../plan/nodes.js'
import { typeName } from '../../types/types.js'
import type { ExpressionEnv, ResolveContext } from '../context.js'
import { fieldAt } from '../expressions/name.js'
import { type FromNames, lookup, valueColumns, visibleExpr } from '../name-scope.js'

export function resolveStar(node: ast.SelectStar, from: FromNames | null, env: ExpressionEnv) {
  const all = node.of ? membersOf(node.of, env) : everything(node, from, env)
  for (const name of node.except) {
    if (!all.some(item => same(item.name, name.name))) {
      return env.fail(`Column ${name.name} in SELECT * EXCEPT list does not exist`, name.at)
    }
  }
  const kept = all.filter(item => !node.except.some(name => same(name.name, item.name)))
  if (kept.length === 0) return env.fail('SELECT * expands to zero columns after applying EXCEPT', node.at)
  const items = kept.map(({ name, read }) => {
    const replacement = node.replace.find(replace => same(replace.name.name, name))
    return replacement
      ? { name: replacement.name.name, expr: env.expression(replacement.expression, env) }
      : { name, expr: read() }
  })
  for (const { name } of node.replace) {
    if (!items.some(item => same(item.name, name.name))) {
      return env.fail(`Column ${name.name} in SELECT * REPLACE list does not exist`, name.at)
    }
  }
  return items
}

/**
 * A column of a star. `read` is called only if EXCEPT and REPLACE leave the column in: it throws if the column cannot be
 * read.
 */
interface Member {
  readonly name: string
  readonly read: () => Expr
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

function everything(node: ast.SelectStar, from: FromNames | null, context: ResolveContext): Member[] {
  if (!from) return context.fail('SELECT * must have a FROM clause', node.at)
  return from.columns.map(column => ({ name: column.name, read: () => visibleExpr(column, false, node.at) }))
}

function membersOf(of: ast.Expression, env: ExpressionEnv): Member[] {
  if (of.kind === 'name') {
    const hit = lookup(env.scope, of.name)
    if (hit?.meaning.kind === 'range') {
      const { range } = hit.meaning
      const columns = range.kind === 'table' ? range.columns : valueColumns(range.column, range.name)
      return columns.map(column => ({ name: column.name, read: () => visibleExpr(column, hit.isCorrelated, of.at) }))
    }
  }
  const expr = env.expression(of, env)
  if (expr.type.kind !== 'STRUCT') return env.fail(`Dot-star is not supported for type ${typeName(expr.type)}`, of.at)
  return expr.type.fields.map((field, i) => ({ name: field.name, read: () => fieldAt(expr, i, of.at) }))
}
