/** `*` and `path.*`, with EXCEPT and REPLACE: the expressions that they stand for. */
import type * as ast from './ast.js'
import type { ExpressionEnv, Resolution } from './resolution.js'
import { fieldAt } from './resolve-name.js'
import type { Expr } from './resolved.js'
import { type FromNames, lookup, valueColumns, visibleExpr } from './scope.js'
import { typeName } from './types.js'

export interface StarItem {
  readonly name: string
  readonly expr: Expr
}

export function resolveStar(
  node: ast.SelectStar,
  from: FromNames | null,
  env: ExpressionEnv,
  r: Resolution,
): StarItem[] {
  const all = node.of ? membersOf(node.of, env, r) : everything(node, from, r)
  for (const name of node.except) {
    if (!all.some(item => same(item.name, name.name))) {
      return r.fail(`Column ${name.name} in SELECT * EXCEPT list does not exist`, name.at)
    }
  }
  const kept = all.filter(item => !node.except.some(name => same(name.name, item.name)))
  if (kept.length === 0) return r.fail('SELECT * expands to zero columns after applying EXCEPT', node.at)
  return kept
    .map(item => {
      const replacement = node.replace.find(replace => same(replace.name.name, item.name))
      return replacement ? { name: replacement.name.name, expr: r.expression(replacement.expression, env) } : item
    })
    .map((item, _, items) => checkReplaced(item, items, node, r))
}

function checkReplaced(item: StarItem, items: readonly StarItem[], node: ast.SelectStar, r: Resolution): StarItem {
  for (const { name } of node.replace) {
    if (!items.some(other => same(other.name, name.name))) {
      return r.fail(`Column ${name.name} in SELECT * REPLACE list does not exist`, name.at)
    }
  }
  return item
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

function everything(node: ast.SelectStar, from: FromNames | null, r: Resolution): StarItem[] {
  if (!from) return r.fail('SELECT * must have a FROM clause', node.at)
  return from.columns.map(column => ({ name: column.name, expr: visibleExpr(column, false, node.at) }))
}

function membersOf(of: ast.Expression, env: ExpressionEnv, r: Resolution): StarItem[] {
  if (of.kind === 'name') {
    const hit = lookup(env.scope, of.name)
    if (hit?.found.kind === 'range') {
      const { range } = hit.found
      const columns = range.kind === 'table' ? range.columns : valueColumns(range.column, range.name)
      return columns.map(column => ({ name: column.name, expr: visibleExpr(column, hit.isCorrelated, of.at) }))
    }
  }
  const expr = r.expression(of, env)
  if (expr.type.kind !== 'STRUCT') return r.fail(`Dot-star is not supported for type ${typeName(expr.type)}`, of.at)
  return expr.type.fields.map((field, i) => ({ name: field.name, expr: fieldAt(expr, i, of.at) }))
}
