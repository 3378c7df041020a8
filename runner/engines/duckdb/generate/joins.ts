/** Joins. A side that is a table (or a join itself) stands as it is; any other is a derived table. */
import type { Expr, JoinScan, Scan } from '../../../googlesql/resolved.js'
import { type Block, derive, EMPTY_BLOCK, scopeOf } from './block.js'
import { type Context, type Entry, GenerateError, type Scope } from './context.js'
import { columnsRead, hasSubquery } from './walk.js'

type Ids = ReadonlySet<number>
type BlockOf = (scan: Scan, needed: Ids, outer: Scope | null, context: Context) => Block

const KEYWORDS: Readonly<Record<JoinScan['join'], string>> = {
  cross: 'CROSS JOIN',
  inner: 'JOIN',
  left: 'LEFT JOIN',
  right: 'RIGHT JOIN',
  full: 'FULL JOIN',
}

export function joinBlock(scan: JoinScan, needed: Ids, outer: Scope | null, context: Context, blockOf: BlockOf): Block {
  const keep = new Set([...needed, ...columnsRead(scan.condition ? [scan.condition] : [])])
  const left = sideOf(blockOf(scan.left, keep, outer, context), scan.join !== 'right' && scan.join !== 'full', keep, context)
  const right = sideOf(blockOf(scan.right, keep, outer, context), scan.join === 'cross' || scan.join === 'inner', keep, context)
  const block: Block = {
    ...EMPTY_BLOCK,
    isJoin: true,
    where: [...left.where, ...right.where],
    entries: new Map([...left.entries, ...right.entries]),
  }
  const rightSql = right.isJoin ? `(${right.from})` : right.from
  const from = (keyword: string): string => `${left.from}\n${keyword} ${rightSql}`
  if (!scan.condition) return { ...block, from: from(KEYWORDS[scan.join]) }
  const condition = context.expr(scan.condition, scopeOf(block, outer))
  if (!hasSubquery(scan.condition)) return { ...block, from: `${from(KEYWORDS[scan.join])} ON ${condition}` }
  if (scan.join !== 'inner') throw new GenerateError(refusal(scan), placeOf(scan.condition))
  return { ...block, from: from('CROSS JOIN'), where: [...block.where, condition] }
}

/** `mayHoist`: a condition on this side may as well be applied after the join. */
function sideOf(block: Block, mayHoist: boolean, keep: Ids, context: Context): Block {
  const isRows =
    block.from !== null &&
    block.withs.length === 0 &&
    !block.groupBy &&
    !block.isWindowed &&
    block.limit === null &&
    block.offset === null &&
    (mayHoist || block.where.length === 0)
  // Where the other side may be padded with NULLs, a constant of this side would have to become NULL too.
  const isInSight = (entry: Entry): boolean => entry.kind === 'column' || entry.kind === 'path'
  const entries = [...block.entries.values()].filter(entry => keep.has(entry.column.id))
  return isRows && entries.every(isInSight) ? { ...block, order: [] } : derive({ ...block, ...unordered(block) }, keep, context)
}

const unordered = (block: Block): Partial<Block> => (block.limit === null && block.offset === null ? { order: [] } : {})

const refusal = (scan: JoinScan): string =>
  `A subquery in the ON clause of a ${scan.join.toUpperCase()} JOIN is not supported on the embedded engine`

const placeOf = (condition: Expr): number => condition.at
