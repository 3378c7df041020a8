/**
 * Writes UNNEST in a select list: `SELECT cols, unnest(x) AS c FROM left`. DuckDB would plan a join to `unnest(x)` as a
 * correlated join, which prevents the pushdown of conditions to the table.
 */

import { columnExpr, filterScan, project, withComputed } from '../../../googlesql/plan/build.js'
import type { Expr, Scan, UnnestScan } from '../../../googlesql/plan/nodes.js'
import { columnsRead } from '../../../googlesql/plan/walk.js'
import { arrayOf, INT64, structOf } from '../../../googlesql/types/types.js'
import type { Env } from '../context.js'
import { type Fragment, path } from '../fragment.js'
import {
  type Block,
  type BlockOf,
  columnEntry,
  computedEntry,
  derive,
  EMPTY_BLOCK,
  type Ids,
  inBlock,
  isRows,
  makeReadable,
  type Output,
  selectSql,
  withEntries,
} from './select-block.js'

export function unnestBlock(scan: UnnestScan, needed: Ids, env: Env, blockOf: BlockOf): Block {
  if (scan.condition) return blockOf(withoutCondition(scan, scan.condition, env), needed, env)
  const keep = new Set([...needed, ...columnsRead([scan.array])])
  const { block: input, array } = arrayOperandOf(scan, inputOf(scan, keep, env, blockOf), keep, env)
  const kept = [...input.entries.values()].filter(({ column }) => needed.has(column.id))
  const offset = scan.offset && needed.has(scan.offset.id) ? scan.offset : null
  const pad = (list: string): string =>
    scan.isOuter ? `CASE WHEN len(${array}) > 0 THEN ${list} ELSE [NULL] END` : list
  // Elements that are not read are replaced by their offsets, which are cheaper and give the same number of rows.
  const isElementRead = needed.has(scan.element.id)
  const rows = isElementRead ? array.text : `range(len(${array}))`
  const elementOutput: readonly Output[] =
    isElementRead || !offset ? [{ name: env.name(scan.element), sql: `unnest(${pad(rows)})`, source: null }] : []
  const outputs: Output[] = [
    ...kept.map(entry => ({ ...entry, name: env.name(entry.column) })),
    ...elementOutput,
    ...(offset ? [{ name: env.name(offset), sql: `unnest(${pad(`range(len(${array}))`)})`, source: null }] : []),
  ]
  const columns = [
    ...kept.map(entry => entry.column),
    ...(isElementRead ? [scan.element] : []),
    ...(offset ? [offset] : []),
  ]
  return {
    ...EMPTY_BLOCK,
    from: `(\n${selectSql(input, outputs)}\n)`,
    entries: new Map(columns.map(column => [column.id, columnEntry(column, path(env.name(column)))])),
  }
}

/**
 * LEFT JOIN UNNEST(x) ON condition, written as an UNNEST of the elements that meet the condition, with their offsets if the query reads
 * these. A row without such elements is kept once, padded with NULLs.
 */
function withoutCondition(scan: UnnestScan, condition: Expr, env: Env): Scan {
  const { element, offset } = scan
  const { at } = condition
  const index = offset ?? env.newColumn('', INT64)
  const elements = { ...scan, input: null, offset: index, isOuter: false, condition: null, columns: [element, index] }
  const [elementExpr, indexExpr] = [element, index].map(column => columnExpr(column, false, at)) as [Expr, Expr]
  const keys = [{ expr: indexExpr, isDescending: false, nullsFirst: true }]
  const matching: Scan = { kind: 'order', input: filterScan(elements, condition), keys, columns: elements.columns }
  const subquery = (input: Scan, { type }: Expr): Expr => ({
    kind: 'subquery',
    type: arrayOf(type),
    form: 'array',
    scan: input,
    at,
  })
  const padded = { ...scan, condition: null }
  if (!offset) return { ...padded, array: subquery(project(matching, [element]), elementExpr) }
  const type = structOf([element, offset].map(column => ({ name: column.name, type: column.type })))
  const [packed, pair] = [env.newColumn('', type), env.newColumn('', type)]
  const struct: Expr = { kind: 'struct', type, fields: [elementExpr, indexExpr], hasWrittenType: true, at }
  const pairs = project(withComputed(matching, [{ column: packed, expr: struct }]), [packed])
  const columns = [...(scan.input?.columns ?? []), pair]
  const unnested = { ...padded, array: subquery(pairs, struct), element: pair, offset: null, columns }
  const computed = [element, offset].map((column, i) => ({
    column,
    expr: { kind: 'field', type: column.type, operand: columnExpr(pair, false, at), index: i, at } as const,
  }))
  return project(withComputed(unnested, computed), scan.columns)
}

function inputOf(scan: UnnestScan, keep: Ids, env: Env, blockOf: BlockOf): Block {
  if (!scan.input) return EMPTY_BLOCK
  const block = blockOf(scan.input, keep, env)
  const rows = isRows(block) ? block : derive(block, keep, env)
  return { ...rows, order: [] }
}

/** The array as SQL that may be written twice: where it is more than a column, it is computed in a derived table. */
function arrayOperandOf(
  scan: UnnestScan,
  input: Block,
  keep: Ids,
  env: Env,
): { readonly block: Block; readonly array: Fragment } {
  const block = makeReadable(input, columnsRead([scan.array]), keep, env)
  const array = env.expr(scan.array, inBlock(block, env))
  const isReadOnce = !scan.isOuter && !scan.offset
  if (isReadOnce || isPlainOperand(scan)) return { block, array }
  const column = env.newColumn('array', scan.array.type)
  const withArray = withEntries(block, [computedEntry(column, array)])
  return { block: derive(withArray, new Set([...keep, column.id]), env), array: path(env.name(column)) }
}

function isPlainOperand({ array }: UnnestScan): boolean {
  let operand = array
  while (operand.kind === 'field') operand = operand.operand
  return operand.kind === 'column' || operand.kind === 'parameter'
}
