/** GROUP BY: keys, and the grouping sets of ROLLUP, CUBE and GROUPING SETS. */

import type * as ast from '../../ast/nodes.js'
import { isGroupable } from '../../functions/definitions/operators.js'
import { exprKey } from '../../plan/key.js'
import type { Computed, Expr } from '../../plan/nodes.js'
import { someOf } from '../../plan/walk.js'
import { typeName } from '../../types/types.js'
import type { ExpressionEnv } from '../context.js'

/** An item of the select list, to which GROUP BY can refer by its ordinal or its alias. */
export interface SelectedItem {
  readonly name: string
  readonly expr: Expr
  readonly at: number
}

export interface GroupKeys {
  readonly keys: readonly Computed[]
  readonly sets: readonly (readonly number[])[] | null
  /** The index in `keys` of each expression of the clause. */
  readonly keyOf: ReadonlyMap<ast.Expression, number>
}

const MAX_GROUPING_SETS = 4096

/** `callColumns` has the ids of the columns of aggregate and window calls, which a key must not contain. */
export function resolveGroupBy(
  node: ast.GroupBy,
  items: readonly SelectedItem[],
  callColumns: ReadonlySet<number>,
  env: ExpressionEnv,
): GroupKeys {
  const keys: Computed[] = []
  const indexes = new Map<string, number>()
  const keyOf = new Map<ast.Expression, number>()
  const add = (expr: Expr, name: string, at: number): number => {
    if (refersToAny(expr, callColumns)) {
      return env.fail(
        `Column ${name || 'in GROUP BY'} contains an aggregation or window function, which is not allowed in GROUP BY`,
        at,
      )
    }
    if (!isGroupable(expr.type))
      return env.fail(`Grouping by expressions of type ${typeName(expr.type)} is not allowed`, at)
    const key = exprKey(expr)
    const index = indexes.get(key)
    if (index !== undefined) return index
    keys.push({ column: env.newColumn(name, expr.type), expr })
    indexes.set(key, keys.length - 1)
    return keys.length - 1
  }
  const indexOf = (expression: ast.Expression): number => {
    const { expr, name } = keyExpr(expression, items, env)
    const index = add(expr, name, expression.at)
    keyOf.set(expression, index)
    return index
  }
  if (node.isAll) {
    for (const item of items) {
      if (!refersToAny(item.expr, callColumns) && someOf(item.expr, part => part.kind === 'column'))
        add(item.expr, item.name, item.at)
    }
    return { keys, sets: null, keyOf }
  }
  const empty = node.items.find(item => item.kind === 'empty')
  if (empty && node.items.length > 1) {
    return env.fail('GROUP BY () is allowed when there are no other grouping items', empty.at)
  }
  const parts = node.items.map(item => setsOf(item, indexOf))
  if (
    parts.every(part => part.length === 1) &&
    !node.items.some(item => item.kind === 'empty' || item.kind === 'grouping-sets')
  ) {
    return { keys, sets: null, keyOf }
  }
  const sets = parts.reduce<readonly (readonly number[])[]>(
    (all, part) => all.flatMap(left => part.map(right => [...new Set([...left, ...right])])),
    [[]],
  )
  if (sets.length > MAX_GROUPING_SETS)
    return env.fail(`GROUP BY has more than ${MAX_GROUPING_SETS} grouping sets`, node.at)
  return { keys, sets, keyOf }
}

/** Whether the expression refers to one of the columns, given by their ids. */
export const refersToAny = (expr: Expr, columns: ReadonlySet<number>): boolean =>
  someOf(expr, part => part.kind === 'column' && columns.has(part.column.id))

/** A key: an ordinal, an alias of the select list (which takes precedence over a column of that name), or an expression. */
function keyExpr(node: ast.Expression, items: readonly SelectedItem[], env: ExpressionEnv) {
  if (node.kind === 'int') {
    const item = items[Number(node.value) - 1]
    if (!item) {
      return env.fail(
        `GROUP BY is out of SELECT column number range: ${node.value}. Column numbers must be between one and ${items.length}`,
        node.at,
      )
    }
    return { expr: item.expr, name: item.name }
  }
  const nameNode = firstName(node)
  if (nameNode) {
    const key = nameNode.name.toLowerCase()
    const matches = items.filter(item => item.name.toLowerCase() === key)
    if (matches.length > 0) {
      const first = matches[0]!
      if (matches.some(item => exprKey(item.expr) !== exprKey(first.expr))) {
        return env.fail(
          `Name ${nameNode.name} in GROUP BY clause is ambiguous; it may refer to multiple columns in the SELECT-list`,
          node.at,
        )
      }
      if (nameNode !== node) {
        return env.fail(`Cannot GROUP BY field references from SELECT list alias ${nameNode.name}`, nameNode.at)
      }
      return { expr: first.expr, name: first.name }
    }
  }
  const expr = env.expression(node, env)
  return { expr, name: node.kind === 'name' ? node.name : node.kind === 'dot' ? node.name.name : '' }
}

/** The name that a path such as `a.b.c` begins with, or the name itself. */
function firstName(node: ast.Expression): Extract<ast.Expression, { kind: 'name' }> | undefined {
  if (node.kind === 'name') return node
  return node.kind === 'dot' ? firstName(node.operand) : undefined
}

function setsOf(item: ast.GroupingItem, indexOf: (node: ast.Expression) => number): readonly (readonly number[])[] {
  switch (item.kind) {
    case 'empty':
      return [[]]
    case 'expression':
      return [[indexOf(item.expression)]]
    case 'rollup':
    case 'cube':
      return expandSets(item, indexOf)
    case 'grouping-sets':
      return item.items.flatMap(set => (set.kind === 'set' ? [set.expressions.map(indexOf)] : expandSets(set, indexOf)))
  }
}

function expandSets(
  item: { readonly kind: 'rollup' | 'cube'; readonly sets: readonly (readonly ast.Expression[])[] },
  indexOf: (node: ast.Expression) => number,
): readonly (readonly number[])[] {
  const parts = item.sets.map(set => set.map(indexOf))
  if (item.kind === 'rollup') {
    return Array.from({ length: parts.length + 1 }, (_, i) => parts.slice(0, parts.length - i).flat())
  }
  if (parts.length > 12) return [parts.flat()].concat(Array.from({ length: MAX_GROUPING_SETS }, () => []))
  return Array.from({ length: 1 << parts.length }, (_, i) => {
    const mask = (1 << parts.length) - 1 - i
    return parts.filter((_part, bit) => mask & (1 << (parts.length - 1 - bit))).flat()
  })
}
