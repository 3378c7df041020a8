/** GROUP BY and the aggregates of a SELECT. */

import type { AggregateScan } from '../../../googlesql/plan/nodes.js'
import { columnsRead, partsOfCall } from '../../../googlesql/plan/walk.js'
import { type Env, findEntry } from '../context.js'
import { aggregateSql } from '../expressions/aggregates.js'
import { fragment, textFragment } from '../fragment.js'
import {
  type Block,
  type BlockOf,
  computedEntry,
  derive,
  type Ids,
  inBlock,
  rowsOf,
  withEntries,
} from './select-block.js'

export function groupedBlock(scan: AggregateScan, needed: Ids, env: Env, blockOf: BlockOf): Block {
  const aggregates = scan.aggregates.filter(({ column }) => needed.has(column.id))
  const reads = readsOf(scan, aggregates)
  let block = rowsOf(blockOf(scan.input, reads, env), reads, reads, env)
  const isSimple = scan.groupingSets === null
  // The keys of grouping sets must be plain columns, so that DuckDB can distinguish them from the other expressions of the
  // SELECT.
  if (!isSimple) {
    block = withEntries(block, keyEntries(scan, inBlock(block, env)))
    block = derive(block, new Set([...reads, ...scan.keys.map(key => key.column.id)]), env)
  }
  const inner = inBlock(block, env)
  const keys = isSimple
    ? keyEntries(scan, inner)
    : scan.keys.map(({ column }) => computedEntry(column, findEntry(inner.scope, column).sql))
  const computed = aggregates.map(({ column, call }) => computedEntry(column, textFragment(aggregateSql(call, inner))))
  const entries = [
    ...keys,
    ...computed,
    ...scan.groupingCalls.map(({ column, key }) => computedEntry(column, fragment`grouping(${keys[key]!.sql})`)),
  ]
  const grouped = {
    ...block,
    order: [],
    groupBy: { keys, sets: scan.groupingSets, aggregates: new Set(computed.map(({ source }) => source)) },
    entries: new Map(),
  }
  return withEntries(grouped, entries)
}

const readsOf = (scan: AggregateScan, aggregates: AggregateScan['aggregates']): Set<number> =>
  columnsRead([...scan.keys.map(key => key.expr), ...aggregates.flatMap(({ call }) => partsOfCall(call))])

const keyEntries = (scan: AggregateScan, env: Env) =>
  scan.keys.map(({ column, expr }) => computedEntry(column, env.expr(expr, env)))
