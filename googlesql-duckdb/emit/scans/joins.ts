/** Joins. A side that is a table (or a join itself) stands as it is; any other is a derived table. */

import { call, columnExpr, withComputed } from '../../../googlesql/plan/build.js'
import type { Column, Computed, JoinScan, Scan } from '../../../googlesql/plan/nodes.js'
import { mapExpr } from '../../../googlesql/plan/rewrite.js'
import { columnsRead, conjuncts, hasSubquery } from '../../../googlesql/plan/walk.js'
import { type Context, type Entry, entryOf, GenerateError, type Scope } from '../context.js'
import { type Block, type BlockOf, derive, EMPTY_BLOCK, type Ids, isLimited, isRows, scopeOf } from './select-block.js'

const KEYWORDS: Readonly<Record<JoinScan['join'], string>> = {
  cross: 'CROSS JOIN',
  inner: 'JOIN',
  left: 'LEFT JOIN',
  right: 'RIGHT JOIN',
  full: 'FULL JOIN',
}

export function joinBlock(
  original: JoinScan,
  needed: Ids,
  outer: Scope | null,
  context: Context,
  blockOf: BlockOf,
): Block {
  const scan = withoutSubqueries(withoutOuter(original, outer, context), context)
  const keep = new Set([...needed, ...columnsRead(scan.condition ? [scan.condition] : [])])
  const { join } = scan
  const left = sideOf(blockOf(scan.left, keep, outer, context), join !== 'right' && join !== 'full', keep, context)
  const right = sideOf(blockOf(scan.right, keep, outer, context), join === 'cross' || join === 'inner', keep, context)
  const block: Block = {
    ...EMPTY_BLOCK,
    isJoin: true,
    where: [...left.where, ...right.where],
    entries: new Map([...left.entries, ...right.entries]),
  }
  const rightSql = right.isJoin ? `(${right.from})` : right.from
  const from = (keyword: string): string => `${left.from}\n${keyword} ${rightSql}`
  if (!scan.condition) return { ...block, from: from(KEYWORDS[join]) }
  const condition = context.expr(scan.condition, scopeOf(block, outer))
  if (!hasSubquery(scan.condition)) return { ...block, from: `${from(KEYWORDS[join])} ON ${condition}` }
  if (join === 'inner') return { ...block, from: from('CROSS JOIN'), where: [...block.where, condition] }
  throw new GenerateError(
    `A subquery over both sides in the ON clause of a ${join.toUpperCase()} JOIN is not supported on the embedded engine`,
    scan.condition.at,
  )
}

/**
 * DuckDB has no outer joins whose condition reads a column of an outer query: it becomes one of the side whose rows are all
 * kept. FULL JOINs are none there, see correlated-full-join.ts.
 */
function withoutOuter(scan: JoinScan, outer: Scope | null, context: Context): JoinScan {
  const { join, condition } = scan
  if (join === 'inner' || join === 'cross' || !condition || !outer) return scan
  const copies = new Map<number, Computed>()
  const copied = mapExpr(condition, part => {
    if (part.kind !== 'column' || !entryOf(part.column.id, outer)) return undefined
    const { id } = part.column
    const copy = copies.get(id) ?? { column: context.newColumn('', part.type), expr: part }
    copies.set(id, copy)
    return columnExpr(copy.column, false, part.at)
  })
  if (copies.size === 0) return scan
  const side = join === 'left' ? 'left' : 'right'
  return { ...scan, [side]: withComputed(scan[side], [...copies.values()]), condition: copied }
}

/**
 * DuckDB has no subqueries in the condition of an outer join. Those that read one side only become columns of that side.
 */
function withoutSubqueries(scan: JoinScan, context: Context): JoinScan {
  if (scan.join === 'inner' || !scan.condition || !hasSubquery(scan.condition)) return scan
  const sides = { left: [] as Computed[], right: [] as Computed[] }
  const ids = { left: columnIds(scan.left), right: columnIds(scan.right) }
  const parts = conjuncts(scan.condition).map(part => {
    if (!hasSubquery(part)) return part
    const reads = [...columnsRead([part])]
    const side = !reads.some(id => ids.right.has(id)) ? 'left' : !reads.some(id => ids.left.has(id)) ? 'right' : null
    if (!side) return part
    const column = context.newColumn('', part.type)
    sides[side].push({ column, expr: part })
    return columnExpr(column, false, part.at)
  })
  return {
    ...scan,
    left: withSome(scan.left, sides.left),
    right: withSome(scan.right, sides.right),
    condition: parts.reduce((a, b) => call('$and', a.type, [a, b], a.at)),
  }
}

const columnIds = (scan: Scan): Set<number> => new Set((scan.columns as readonly Column[]).map(column => column.id))

const withSome = (input: Scan, computed: readonly Computed[]): Scan =>
  computed.length === 0 ? input : withComputed(input, computed)

/** `mayHoist`: a condition on this side may as well be applied after the join. */
function sideOf(block: Block, mayHoist: boolean, keep: Ids, context: Context): Block {
  const mayStand =
    block.from !== null && block.withs.length === 0 && isRows(block) && (mayHoist || block.where.length === 0)
  // Where the other side may be padded with NULLs, a constant of this side would have to become NULL too.
  const isInSight = (entry: Entry): boolean => entry.kind === 'column' || entry.kind === 'path'
  const entries = [...block.entries.values()].filter(entry => keep.has(entry.column.id))
  return mayStand && entries.every(isInSight)
    ? { ...block, order: [] }
    : derive({ ...block, ...unordered(block) }, keep, context)
}

const unordered = (block: Block): Partial<Block> => (isLimited(block) ? {} : { order: [] })
