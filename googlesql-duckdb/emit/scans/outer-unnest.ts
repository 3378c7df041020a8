/** LEFT JOIN UNNEST(x) ON condition: a row for which no element meets the condition is kept once, padded with NULLs. */

import type { Expr, UnnestScan } from '../../../googlesql/plan/nodes.js'
import { columnsRead, hasSubquery } from '../../../googlesql/plan/walk.js'
import { INT64 } from '../../../googlesql/types/types.js'
import { type Context, type Entry, entryOf, inScope, type Place, type SqlScope } from '../context.js'
import { type Fragment, fragment, path } from '../fragment.js'
import { variable } from '../quote.js'
import {
  type Block,
  columnEntry,
  computedEntry,
  derive,
  EMPTY_BLOCK,
  type Ids,
  type Output,
  scopeOf,
  selectSql,
  withEntries,
} from './select-block.js'

interface Input {
  readonly block: Block
  /** The SQL of the array in that block. */
  readonly array: Fragment
}

export function outerUnnestBlock(scan: UnnestScan, condition: Expr, input: Input, needed: Ids, place: Place): Block {
  if (hasSubquery(condition)) {
    return unnestIndexes(scan, input, indexesByQuery(scan, condition, input, place), needed, place)
  }
  const local = withOuterColumns(scan, condition, input, needed, place)
  return unnestIndexes(scan, local, matchingIndexes(scan, condition, local, place), needed, place)
}

/** The same list as `matchingIndexes` returns, for a condition with a subquery, which DuckDB does not allow in a lambda. */
function indexesByQuery(scan: UnnestScan, condition: Expr, { block, array }: Input, place: Place): string {
  const [list, index] = [place.newAlias(), place.newAlias()]
  const own = elementEntries(scan, path(list), path(index))
  const test = place.expr(condition, inScope({ entries: own, outer: scopeOf(block, place.scope) }, place))
  const elements = `SELECT ${list}, unnest(range(len(${list}))) AS ${index} FROM (SELECT ${array} AS ${list})`
  return `(\nSELECT list(${index} ORDER BY ${index}) FROM (\n${elements}\n)\nWHERE ${test}\n)`
}

/** The element and the offset in terms of a zero-based index. */
const elementEntries = (scan: UnnestScan, array: Fragment, index: Fragment): ReadonlyMap<number, Entry> =>
  new Map(
    [
      columnEntry(scan.element, fragment`list_extract(${array}, ${index} + 1)`),
      ...(scan.offset ? [columnEntry(scan.offset, index)] : []),
    ].map(entry => [entry.column.id, entry] as const),
  )

/**
 * Copies outer columns that the condition or the array reads into the block, since lambdas do not see the columns of outer
 * queries.
 */
function withOuterColumns(
  scan: UnnestScan,
  condition: Expr,
  { block, array }: Input,
  needed: Ids,
  place: Place,
): Input {
  const own = new Set([...block.entries.keys(), scan.element.id, scan.offset?.id])
  const reads = columnsRead([condition, scan.array])
  // A subquery in the condition may also read columns of its own, which are not outer columns.
  const foreign = [...reads].filter(id => !own.has(id)).flatMap(id => outerEntry(place.scope, id) ?? [])
  if (foreign.length === 0) return { block, array }
  const list = place.newColumn('array', scan.array.type)
  const seeing = withEntries(block, [...foreign, computedEntry(list, array)])
  const kept = new Set([...needed, ...reads, list.id])
  return { block: derive(seeing, kept, place), array: path(place.name(list)) }
}

function outerEntry(outer: SqlScope | null, id: number): Entry | null {
  const entry = entryOf(id, outer)
  return entry && { ...entry, kind: 'computed' }
}

/** The offsets of the elements that meet the condition: `list_filter(range(len(x)), lambda i: …)`. */
function matchingIndexes(scan: UnnestScan, condition: Expr, { block, array }: Input, place: Place): string {
  const index = place.newColumn('', INT64)
  const name = variable(index)
  const entries = new Map([...block.entries, ...elementEntries(scan, array, path(name))])
  return `list_filter(range(len(${array})), lambda ${name}: ${place.expr(condition, inScope({ entries, outer: place.scope }, place))})`
}

function unnestIndexes(
  scan: UnnestScan,
  { block, array }: Input,
  indexes: string,
  needed: Ids,
  context: Context,
): Block {
  const kept = [...block.entries.values()].filter(entry => needed.has(entry.column.id))
  const [list, matches, index] = [context.newAlias(), context.newAlias(), context.newAlias()]
  const names = kept.map(entry => context.name(entry.column))
  const filtered = selectSql(block, [
    ...kept.map((entry, i): Output => ({ ...entry, name: names[i]! })),
    { name: list, sql: array, source: null },
    { name: matches, sql: indexes, source: null },
  ])
  const padded = `CASE WHEN len(${matches}) > 0 THEN ${matches} ELSE [NULL] END`
  const rows = `SELECT ${[...names, list, `unnest(${padded}) AS ${index}`].join(', ')}\nFROM (\n${filtered}\n)`
  const own = elementEntries(scan, path(list), path(index)).values()
  const all = [...kept.map((entry, i) => columnEntry(entry.column, path(names[i]!))), ...own]
  const offered = all.filter(entry => needed.has(entry.column.id))
  const result: Block = {
    ...EMPTY_BLOCK,
    from: `(\n${rows}\n)`,
    entries: new Map(all.map(entry => [entry.column.id, entry])),
  }
  return derive(result, new Set(offered.map(entry => entry.column.id)), context)
}
