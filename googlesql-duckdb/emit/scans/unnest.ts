/**
 * Writes UNNEST in a select list: `SELECT cols, unnest(x) AS c FROM left`. DuckDB would plan a join to `unnest(x)` as a
 * correlated join, which prevents the pushdown of conditions to the table.
 */

import type { Column, UnnestScan } from '../../../googlesql/plan/nodes.js'
import { columnsRead } from '../../../googlesql/plan/walk.js'
import type { Entry, Place } from '../context.js'
import { type Fragment, path } from '../fragment.js'
import { outerUnnestBlock } from './outer-unnest.js'
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
  type Output,
  readable,
  selectSql,
  withEntries,
} from './select-block.js'

export function unnestBlock(scan: UnnestScan, needed: Ids, place: Place, blockOf: BlockOf): Block {
  const reads = columnsRead(scan.condition ? [scan.array, scan.condition] : [scan.array])
  const keep = new Set([...needed, ...reads])
  const input = arrayInSight(scan, inputOf(scan, keep, place, blockOf), keep, place)
  if (scan.isOuter && scan.condition) {
    return outerUnnestBlock(scan, scan.condition, input, needed, place)
  }
  const { array } = input
  const kept = [...input.block.entries.values()].filter(entry => isKept(entry, scan, needed))
  const offset = scan.offset && (needed.has(scan.offset.id) || readsColumn(scan, scan.offset)) ? scan.offset : null
  const isPadded = scan.isOuter
  const pad = (list: string): string => (isPadded ? `CASE WHEN len(${array}) > 0 THEN ${list} ELSE [NULL] END` : list)
  // Elements that are not read are replaced by their offsets, which are cheaper and give the same number of rows.
  const isElementRead = needed.has(scan.element.id) || readsColumn(scan, scan.element)
  const rows = isElementRead ? array.text : `range(len(${array}))`
  const elementOutput: readonly Output[] =
    isElementRead || !offset ? [{ name: place.name(scan.element), sql: `unnest(${pad(rows)})`, source: null }] : []
  const outputs: Output[] = [
    ...kept.map(entry => ({ ...entry, name: place.name(entry.column) })),
    ...elementOutput,
    ...(offset ? [{ name: place.name(offset), sql: `unnest(${pad(`range(len(${array}))`)})`, source: null }] : []),
  ]
  const columns = [
    ...kept.map(entry => entry.column),
    ...(isElementRead ? [scan.element] : []),
    ...(offset ? [offset] : []),
  ]
  const block: Block = {
    ...EMPTY_BLOCK,
    from: `(\n${selectSql(input.block, outputs)}\n)`,
    entries: new Map(columns.map(column => [column.id, columnEntry(column, path(place.name(column)))])),
  }
  if (!scan.condition) return block
  return { ...block, where: [place.expr(scan.condition, inBlock(block, place)).text] }
}

function isKept(entry: Entry, scan: UnnestScan, needed: Ids): boolean {
  return needed.has(entry.column.id) || (scan.condition !== null && columnsRead([scan.condition]).has(entry.column.id))
}

const readsColumn = ({ condition }: UnnestScan, column: Column): boolean =>
  condition !== null && columnsRead([condition]).has(column.id)

function inputOf(scan: UnnestScan, keep: Ids, place: Place, blockOf: BlockOf): Block {
  if (!scan.input) return EMPTY_BLOCK
  const block = blockOf(scan.input, keep, place)
  const rows = isRows(block) ? block : derive(block, keep, place)
  return { ...rows, order: [] }
}

/** The array as SQL that may be written twice: where it is more than a column, it is computed in a derived table. */
function arrayInSight(
  scan: UnnestScan,
  input: Block,
  keep: Ids,
  place: Place,
): { readonly block: Block; readonly array: Fragment } {
  const block = readable(input, columnsRead([scan.array]), keep, place)
  const array = place.expr(scan.array, inBlock(block, place))
  const isOnce = !scan.isOuter && !scan.offset
  if (isOnce || isPlainOperand(scan)) return { block, array }
  const column = place.newColumn('array', scan.array.type)
  const withArray = withEntries(block, [computedEntry(column, array)])
  return { block: derive(withArray, new Set([...keep, column.id]), place), array: path(place.name(column)) }
}

function isPlainOperand({ array }: UnnestScan): boolean {
  let operand = array
  while (operand.kind === 'field') operand = operand.operand
  return operand.kind === 'column' || operand.kind === 'parameter'
}
