/** Joins. A side that is a table or a join is written as it is; any other side becomes a derived table. */

import type { JoinScan } from '../../../googlesql/plan/nodes.js'
import { columnsRead, hasSubquery } from '../../../googlesql/plan/walk.js'
import { type Context, type Entry, type Env, GenerateError } from '../context.js'
import { type Block, type BlockOf, derive, EMPTY_BLOCK, type Ids, inBlock, isLimited, isRows } from './select-block.js'

const KEYWORDS: Readonly<Record<JoinScan['join'], string>> = {
  cross: 'CROSS JOIN',
  inner: 'JOIN',
  left: 'LEFT JOIN',
  right: 'RIGHT JOIN',
  full: 'FULL JOIN',
}

export function joinBlock(scan: JoinScan, needed: Ids, env: Env, blockOf: BlockOf): Block {
  const keep = new Set([...needed, ...columnsRead(scan.condition ? [scan.condition] : [])])
  const { join } = scan
  const left = sideOf(blockOf(scan.left, keep, env), join !== 'right' && join !== 'full', keep, env)
  const right = sideOf(blockOf(scan.right, keep, env), join === 'cross' || join === 'inner', keep, env)
  const block: Block = {
    ...EMPTY_BLOCK,
    isJoin: true,
    where: [...left.where, ...right.where],
    entries: new Map([...left.entries, ...right.entries]),
  }
  const rightSql = right.isJoin ? `(${right.from})` : right.from
  const from = (keyword: string): string => `${left.from}\n${keyword} ${rightSql}`
  if (!scan.condition) return { ...block, from: from(KEYWORDS[join]) }
  const condition = env.expr(scan.condition, inBlock(block, env))
  if (!hasSubquery(scan.condition)) return { ...block, from: `${from(KEYWORDS[join])} ON ${condition}` }
  if (join === 'inner') return { ...block, from: from('CROSS JOIN'), where: [...block.where, condition.text] }
  throw new GenerateError(
    `A subquery over both sides in the ON clause of a ${join.toUpperCase()} JOIN is not supported on the embedded engine`,
    scan.condition.at,
  )
}

/** One side of a join. @param mayHoist whether a condition on this side may be applied after the join instead */
function sideOf(block: Block, mayHoist: boolean, keep: Ids, context: Context): Block {
  const isPlainSource =
    block.from !== null && block.withs.length === 0 && isRows(block) && (mayHoist || block.where.length === 0)
  // Where this side may be padded with NULLs, its constants would have to become NULL too.
  const isColumn = (entry: Entry): boolean => entry.kind === 'column' || entry.kind === 'path'
  const entries = [...block.entries.values()].filter(entry => keep.has(entry.column.id))
  return isPlainSource && entries.every(isColumn)
    ? { ...block, order: [] }
    : derive({ ...block, order: isLimited(block) ? block.order : [] }, keep, context)
}
