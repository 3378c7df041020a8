/** The pipe operator AGGREGATE: its groups and its columns, which are the keys and then the aggregates. */

import type * as ast from '../../ast/nodes.js'
import type { Expr, Scan, SortKey } from '../../plan/nodes.js'
import { mapExpr } from '../../plan/rewrite.js'
import { someOf } from '../../plan/walk.js'
import {
  type CollectedCalls,
  clauseEnv,
  computedColumn,
  type ExpressionEnv,
  type NamedColumn,
  type QueryEnv,
  type ResolveContext,
} from '../context.js'
import { impliedName } from '../expressions/expression.js'
import { fromScope, readableExpr } from '../name-scope.js'
import { type FromResult, rangeNames } from '../queries/from.js'
import { type GroupKeys, resolveGroupBy } from '../queries/group-by.js'
import { sortKey } from '../queries/order.js'
import { groupScan, regrouper } from '../queries/rewrite-grouped.js'

/** A column of the result. `order` is null where the result is not ordered by the column. */
interface Output {
  readonly name: string
  readonly expr: Expr
  readonly order: ast.PipeOrder | null
}

export function resolvePipeAggregate(node: ast.PipeAggregate, input: FromResult, env: QueryEnv): FromResult {
  const scope = fromScope(input.names, env.outer)
  const collected: CollectedCalls = { aggregates: [], windows: [], groupings: [] }
  const base = clauseEnv(scope, env, 'pipe AGGREGATE')
  const items = node.items.map(item => {
    const expr = env.expression(item.expression, { ...base, aggregates: { collected, scope } })
    if (!isAggregate(expr, collected)) {
      env.fail('Pipe AGGREGATE expression must include an aggregate function call', item.expression.at)
    }
    return { name: item.alias?.name ?? impliedName(item.expression), expr, order: item.order }
  })
  const grouping = node.groupBy && resolveKeys(node.groupBy, base)
  const keys = grouping?.keys ?? []
  const refusalOf = (name: string): string =>
    `AGGREGATE list expression references column ${name} which is neither grouped nor aggregated`
  const regroup = regrouper(keys, input.scan.columns, refusalOf, env)
  const outputs: readonly Output[] = [
    ...(node.groupBy && grouping ? keyOutputs(node.groupBy, grouping, node.isOrdered) : []),
    ...items.map(item => ({ ...item, expr: mapExpr(item.expr, regroup) })),
  ]
  const groups = groupScan(input.scan, keys, grouping?.sets ?? null, collected, env)
  const computed = outputs.map(({ name, expr }) => computedColumn(name, expr, env))
  const columns = computed.map(item => item.column)
  const projection: Scan = { kind: 'project', input: groups, computed, columns }
  const namedColumns = columns.map((column, i): NamedColumn => ({ name: outputs[i]!.name, column }))
  return { scan: orderScan(projection, outputs, node.at, env), names: rangeNames(namedColumns, false, '') }
}

function isAggregate(expr: Expr, { aggregates, groupings }: CollectedCalls): boolean {
  const calls = new Set([...aggregates, ...groupings].map(({ column }) => column.id))
  return someOf(expr, part => part.kind === 'column' && calls.has(part.column.id))
}

/** Resolves the keys. The operator has no select list, so that neither ordinals nor aliases can be keys. */
function resolveKeys(node: ast.GroupBy, env: ExpressionEnv): GroupKeys {
  for (const item of node.items) {
    if (item.kind === 'expression' && item.expression.kind === 'int') {
      env.fail('GROUP BY with an ordinal is not allowed in pipe AGGREGATE', item.at)
    }
  }
  return resolveGroupBy(node, [], new Set(), { ...env, clause: 'GROUP BY clause' })
}

/** The expressions of GROUP BY as columns, in the order in which they are written. */
function keyOutputs(node: ast.GroupBy, { keys, keyOf }: GroupKeys, isOrdered: boolean): readonly Output[] {
  const ascending = isOrdered ? { isDescending: false, nulls: null } : null
  const output = (expression: ast.Expression, alias: ast.Identifier | null, order: ast.PipeOrder | null): Output => {
    const { column } = keys[keyOf.get(expression)!]!
    const expr = readableExpr(column, false, expression.at)
    return { name: alias?.name ?? impliedName(expression), expr, order: order ?? ascending }
  }
  const seen = new Set<number>()
  return node.items.flatMap((item): readonly Output[] => {
    if (item.kind === 'expression') {
      seen.add(keyOf.get(item.expression)!)
      return [output(item.expression, item.alias, item.order)]
    }
    return expressionsOf(item).flatMap(expression => {
      const key = keyOf.get(expression)!
      if (seen.has(key)) return []
      seen.add(key)
      return [output(expression, null, null)]
    })
  })
}

function expressionsOf(item: ast.GroupingItem): readonly ast.Expression[] {
  switch (item.kind) {
    case 'empty':
      return []
    case 'expression':
      return [item.expression]
    case 'rollup':
    case 'cube':
      return item.sets.flat()
    case 'grouping-sets':
      return item.items.flatMap(set => (set.kind === 'set' ? set.expressions : set.sets.flat()))
  }
}

function orderScan(scan: Scan, outputs: readonly Output[], at: number, context: ResolveContext): Scan {
  const keys = outputs.flatMap(({ order }, i): SortKey[] => {
    if (!order) return []
    const expr = readableExpr(scan.columns[i]!, false, at)
    return [sortKey({ ...order, expression: { kind: 'null', at }, at }, expr, context)]
  })
  return keys.length === 0 ? scan : { kind: 'order', input: scan, keys, columns: scan.columns }
}
