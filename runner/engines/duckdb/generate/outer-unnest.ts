/** LEFT JOIN UNNEST(x) ON condition: a row none of whose elements meets the condition is kept once, padded with NULLs. */
import type { Expr, UnnestScan } from '../../../googlesql/resolved.js'
import { INT64 } from '../../../googlesql/types.js'
import { type Block, columnEntry, derive, EMPTY_BLOCK, type Output, scopeOf, selectSql } from './block.js'
import type { Context, Entry, Scope } from './context.js'
import { columnsRead, hasSubquery } from './walk.js'

interface Input {
  readonly block: Block
  /** SQL of the array in that block. */
  readonly array: string
}

export function outerUnnestBlock(
  scan: UnnestScan,
  condition: Expr,
  input: Input,
  needed: ReadonlySet<number>,
  outer: Scope | null,
  context: Context,
): Block {
  const byLambda = hasSubquery(condition) ? null : matchingIndexes(scan, condition, input, outer, context)
  return byLambda
    ? unnestIndexes(scan, input, byLambda, needed, context)
    : numberAndPad(scan, condition, input, needed, outer, context)
}

/** The offsets of the elements that meet the condition: `list_filter(range(len(x)), lambda i: …)`. */
function matchingIndexes(
  scan: UnnestScan,
  condition: Expr,
  { block, array }: Input,
  outer: Scope | null,
  context: Context,
): string {
  const index = context.newColumn('', INT64)
  const name = `"c${index.id}"`
  const own: Entry[] = [
    columnEntry(scan.element, `list_extract(${array}, ${name} + 1)`),
    ...(scan.offset ? [columnEntry(scan.offset, name)] : []),
  ]
  const entries = new Map([...block.entries, ...own.map(entry => [entry.column.id, entry] as const)])
  return `list_filter(range(len(${array})), lambda ${name}: ${context.expr(condition, { entries, outer })})`
}

function unnestIndexes(
  scan: UnnestScan,
  { block, array }: Input,
  indexes: string,
  needed: ReadonlySet<number>,
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
  const own: Entry[] = [
    columnEntry(scan.element, `list_extract(${list}, ${index} + 1)`),
    ...(scan.offset ? [columnEntry(scan.offset, index)] : []),
  ]
  const all = [...kept.map((entry, i) => columnEntry(entry.column, names[i]!)), ...own]
  const offered = all.filter(entry => needed.has(entry.column.id))
  const result: Block = {
    ...EMPTY_BLOCK,
    from: `(\n${rows}\n)`,
    entries: new Map(all.map(entry => [entry.column.id, entry])),
  }
  return derive(result, new Set(offered.map(entry => entry.column.id)), context)
}

/** Every row gets a number; its elements that match are kept, or else the first of what is there, padded. */
function numberAndPad(
  scan: UnnestScan,
  condition: Expr,
  { block, array }: Input,
  needed: ReadonlySet<number>,
  outer: Scope | null,
  context: Context,
): Block {
  const keep = new Set([...needed, ...columnsRead([condition])])
  const kept = [...block.entries.values()].filter(entry => keep.has(entry.column.id))
  const names = kept.map(entry => context.name(entry.column))
  const [list, row, index, matches] = [context.newAlias(), context.newAlias(), context.newAlias(), context.newAlias()]
  const numbered = selectSql(block, [
    ...kept.map((entry, i): Output => ({ ...entry, name: names[i]! })),
    { name: list, sql: array, source: null },
    { name: row, sql: 'row_number() OVER ()', source: null },
  ])
  const indexes = `CASE WHEN len(${list}) > 0 THEN range(len(${list})) ELSE [NULL] END`
  const unnested = `SELECT ${[...names, row, list, `unnest(${indexes}) AS ${index}`].join(', ')}\nFROM (\n${numbered}\n)`
  const element = `list_extract(${list}, ${index} + 1)`
  const inputEntries = kept.map((entry, i) => columnEntry(entry.column, names[i]!))
  const withElement: Block = {
    ...EMPTY_BLOCK,
    from: `(\n${unnested}\n)`,
    entries: new Map(
      [...inputEntries, columnEntry(scan.element, element), ...(scan.offset ? [columnEntry(scan.offset, index)] : [])].map(
        entry => [entry.column.id, entry],
      ),
    ),
  }
  const test = context.expr(condition, scopeOf(withElement, outer))
  const tested =
    `SELECT ${[...names, row, list, index].join(', ')}, ${index} IS NOT NULL AND coalesce(${test}, false) AS ${matches}\n` +
    `FROM (\n${unnested}\n)`
  const isFirst = `row_number() OVER (PARTITION BY ${row} ORDER BY ${index})`
  const anyMatches = `bool_or(${matches}) OVER (PARTITION BY ${row})`
  const padded =
    `SELECT ${[...names, list].join(', ')}, CASE WHEN ${matches} THEN ${index} END AS ${index}\n` +
    `FROM (\n${tested}\n)\nQUALIFY ${matches} OR (NOT ${anyMatches} AND ${isFirst} = 1)`
  const result: Block = { ...withElement, from: `(\n${padded}\n)` }
  return derive(result, needed, context)
}
