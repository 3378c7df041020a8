/** One SELECT under construction, and its text. */

import type { Column, Scan } from '../../../googlesql/plan/nodes.js'
import { type Context, type Entry, type Env, inScope, type SqlScope } from '../context.js'
import { type Fragment, path } from '../fragment.js'
import { quoteName } from '../quote.js'

export interface Block {
  /** Common table expressions before the SELECT: `logs_3 AS (…)`. */
  readonly withs: readonly string[]
  readonly isRecursive: boolean
  readonly from: string | null
  /** Whether `from` is a join, which needs parentheses as the right side of another join. */
  readonly isJoin: boolean
  readonly where: readonly string[]
  readonly groupBy: GroupByClause | null
  readonly isWindowed: boolean
  /** All columns in scope: those that an expression in this SELECT may read and those that the SELECT can return. */
  readonly entries: ReadonlyMap<number, Entry>
  readonly order: readonly OrderPart[]
  readonly limit: string | null
  readonly offset: string | null
}
export interface GroupByClause {
  readonly keys: readonly Entry[]
  /** Indexes into `keys`; null for plain GROUP BY. */
  readonly sets: readonly (readonly number[])[] | null
  /** The sources of the aggregates. */
  readonly aggregates: ReadonlySet<number>
}
export interface OrderPart {
  readonly sql: Fragment
  /** The source of the key where it is a column: the key is then written as the column's alias. */
  readonly source: number | null
  /** Direction and place of NULLs: `DESC NULLS LAST`. */
  readonly direction: string
}
export interface Output {
  readonly name: string
  readonly sql: Fragment | string
  readonly source: number | null
}

/** Column ids. */
export type Ids = ReadonlySet<number>

/**
 * Returns the block of any scan; a scan around it extends that block. `needed` are the columns that the reader of the block
 * needs.
 */
export type BlockOf = (scan: Scan, needed: Ids, env: Env) => Block

export const EMPTY_BLOCK: Block = {
  withs: [],
  isRecursive: false,
  from: null,
  isJoin: false,
  where: [],
  groupBy: null,
  isWindowed: false,
  entries: new Map(),
  order: [],
  limit: null,
  offset: null,
}

/** Whether the block has a LIMIT or OFFSET. */
export const isLimited = (block: Block): boolean => block.limit !== null || block.offset !== null

/** Whether the block's rows are those of its FROM, so that they can be filtered, joined and grouped in it. */
export const isRows = (block: Block): boolean => !block.groupBy && !block.isWindowed && !isLimited(block)

export const scopeOf = (block: Block, outer: SqlScope | null): SqlScope => ({ entries: block.entries, outer })

/** The environment of an expression in the block. */
export const inBlock = (block: Block, env: Env): Env => inScope(scopeOf(block, env.scope), env)

/** The text of the whole SELECT. Without outputs it returns a constant column. */
export function selectSql(block: Block, outputs: readonly Output[]): string {
  const list = outputs.map(output => aliasSql(String(output.sql), output.name)).join(', ')
  const lines = [
    ...(block.withs.length > 0 ? [`WITH ${block.isRecursive ? 'RECURSIVE ' : ''}${block.withs.join(',\n')}`] : []),
    `SELECT ${list === '' ? '1 AS one' : list}`,
    ...(block.from === null ? [] : [`FROM ${block.from}`]),
    ...(block.where.length > 0 ? [`WHERE ${block.where.join(' AND ')}`] : []),
    ...groupLine(block.groupBy, outputs),
    ...havingLine(block, outputs),
    ...(block.order.length > 0 ? [`ORDER BY ${block.order.map(part => orderText(part, outputs)).join(', ')}`] : []),
    ...(block.limit === null ? [] : [`LIMIT ${block.limit}`]),
    ...(block.offset === null ? [] : [`OFFSET ${block.offset}`]),
  ]
  return lines.join('\n')
}

/** A block that reads this one as a derived table, in which these columns and the sort keys have names. */
export function derive(block: Block, ids: Ids, context: Context): Block {
  const kept = [...block.entries.values()].filter(entry => ids.has(entry.column.id))
  const bySource = new Map<number, Entry>()
  for (const entry of kept) if (!bySource.has(entry.source)) bySource.set(entry.source, entry)
  const nameOf = (entry: Entry): string => context.name(bySource.get(entry.source)!.column)
  const outputs: Output[] = [...bySource.values()].map(entry => ({ ...entry, name: nameOf(entry) }))
  const order = block.order.map((part): OrderPart => {
    const keptEntry = part.source === null ? undefined : kept.find(entry => entry.source === part.source)
    if (keptEntry) return { ...part, sql: path(nameOf(keptEntry)), source: bySource.get(keptEntry.source)!.column.id }
    const name = context.newAlias()
    outputs.push({ name, sql: part.sql, source: part.source })
    return { ...part, sql: path(name), source: null }
  })
  const inner = isLimited(block) ? block : { ...block, order: [] }
  return {
    ...EMPTY_BLOCK,
    from: `(\n${selectSql(inner, outputs)}\n)`,
    entries: new Map(
      kept.map(entry => {
        const source = bySource.get(entry.source)!.column.id
        return [entry.column.id, { ...columnEntry(entry.column, path(nameOf(entry))), source }]
      }),
    ),
    order,
  }
}

/** The block, or a derived one where an expression that reads these columns cannot be written in it. */
export function makeReadable(block: Block, reads: Ids, keep: Ids, context: Context): Block {
  for (const id of reads) {
    if (block.entries.get(id)?.kind === 'computed') return derive(block, new Set([...reads, ...keep]), context)
  }
  return block
}

/** The block, or a derived one where its rows cannot be filtered or grouped by an expression that reads these columns. */
export function rowsOf(block: Block, reads: Ids, keep: Ids, context: Context): Block {
  return makeReadable(isRows(block) ? block : derive(block, keep, context), reads, keep, context)
}

export const columnEntry = (column: Column, sql: Fragment): Entry => ({
  column,
  sql,
  kind: 'column',
  isVolatile: false,
  source: column.id,
})

export const computedEntry = (column: Column, sql: Fragment): Entry => ({
  ...columnEntry(column, sql),
  kind: 'computed',
})

export function withEntries(block: Block, added: readonly Entry[]): Block {
  const entries = new Map(block.entries)
  for (const entry of added) entries.set(entry.column.id, entry)
  return { ...block, entries }
}

function aliasSql(sql: string, name: string): string {
  const quoted = /^[a-z_]\w*_\d+$|^[ct]\d+$/i.test(name) ? name : quoteName(name)
  return sql === quoted ? sql : `${sql} AS ${quoted}`
}

/**
 * The GROUP BY clause. Returned keys are written as ordinals, since DuckDB would prefer an input column to an alias of the same
 * name.
 */
function groupLine(grouping: GroupByClause | null, outputs: readonly Output[]): readonly string[] {
  if (!grouping || (grouping.keys.length === 0 && !grouping.sets)) return []
  const keys = grouping.keys.map(key => {
    const index = outputs.findIndex(output => output.source === key.source)
    return index < 0 || grouping.sets ? key.sql.text : String(index + 1)
  })
  if (!grouping.sets) return [`GROUP BY ${keys.join(', ')}`]
  const sets = grouping.sets.map(set => `(${set.map(index => keys[index]!).join(', ')})`)
  return [`GROUP BY GROUPING SETS (${sets.join(', ')})`]
}

/**
 * The HAVING clause. Without keys, an aggregate in the SELECT makes it return one row. Where the SELECT contains no aggregate,
 * a HAVING clause that is always true has this effect.
 */
function havingLine({ groupBy, order }: Block, outputs: readonly Output[]): readonly string[] {
  if (!groupBy || groupBy.keys.length > 0 || groupBy.sets) return []
  const isAggregated = [...outputs, ...order].some(({ source }) => source !== null && groupBy.aggregates.has(source))
  return isAggregated ? [] : ['HAVING count(*) >= 0']
}

function orderText({ sql, source, direction }: OrderPart, outputs: readonly Output[]): string {
  const output = source === null ? undefined : outputs.find(candidate => candidate.source === source)
  return `${output ? quoteName(output.name) : sql} ${direction}`
}
