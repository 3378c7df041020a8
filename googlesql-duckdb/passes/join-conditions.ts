/**
 * Replaces conditions of outer joins that DuckDB does not support: conditions with an outer reference, and conditions with a
 * subquery.
 *
 * Before: any plan without a FULL JOIN in a correlated subquery: the resolver has replaced these, see correlated-full-join.ts. After: an
 * outer reference in the condition of an outer join is a column of the side whose rows are all kept. A subquery in a condition that reads
 * only one side is a column of that side.
 */
import { memo } from '../../googlesql/data.js'
import { call, columnExpr, withComputed } from '../../googlesql/plan/build.js'
import type { Computed, JoinScan, ResolvedQuery, Scan } from '../../googlesql/plan/nodes.js'
import { mapExpr, mapScans } from '../../googlesql/plan/rewrite.js'
import {
  columnsGiven,
  columnsRead,
  conjuncts,
  freeColumns,
  freshColumns,
  hasSubquery,
  type NewColumn,
} from '../../googlesql/plan/walk.js'

export function moveJoinConditions(query: ResolvedQuery): ResolvedQuery {
  const newColumn = freshColumns(query.scan)
  const scan = mapScans(query.scan, (part, isInner) => {
    if (part.kind !== 'join') return part
    return withoutSubqueries(isInner ? withoutOuterReferences(part, newColumn) : part, newColumn)
  })
  return { ...query, scan }
}

function withoutOuterReferences(scan: JoinScan, newColumn: NewColumn): JoinScan {
  const { join, condition } = scan
  if (join === 'inner' || join === 'cross' || !condition) return scan
  const own = [columnsGiven(scan.left), columnsGiven(scan.right)]
  const outer = new Set([...freeColumns(condition)].filter(id => !own.some(ids => ids.has(id))))
  if (outer.size === 0) return scan
  const copies = new Map<number, Computed>()
  const rewritten = mapExpr(condition, part => {
    if (part.kind !== 'column' || !outer.has(part.column.id)) return undefined
    const { id } = part.column
    const copy = memo(copies, id, () => ({ column: newColumn('', part.type), expr: part }))
    return columnExpr(copy.column, false, part.at)
  })
  const side = join === 'left' ? 'left' : 'right'
  return { ...scan, [side]: withComputed(scan[side], [...copies.values()]), condition: rewritten }
}

function withoutSubqueries(scan: JoinScan, newColumn: NewColumn): JoinScan {
  if (scan.join === 'inner' || !scan.condition || !hasSubquery(scan.condition)) return scan
  const sides = { left: [] as Computed[], right: [] as Computed[] }
  const ids = { left: columnIds(scan.left), right: columnIds(scan.right) }
  const parts = conjuncts(scan.condition).map(part => {
    if (!hasSubquery(part)) return part
    const reads = [...columnsRead([part])]
    const side = !reads.some(id => ids.right.has(id)) ? 'left' : !reads.some(id => ids.left.has(id)) ? 'right' : null
    if (!side) return part
    const column = newColumn('', part.type)
    sides[side].push({ column, expr: part })
    return columnExpr(column, false, part.at)
  })
  return {
    ...scan,
    left: withColumns(scan.left, sides.left),
    right: withColumns(scan.right, sides.right),
    condition: parts.reduce((a, b) => call('$and', a.type, [a, b], a.at)),
  }
}

const columnIds = (scan: Scan): Set<number> => new Set(scan.columns.map(column => column.id))

const withColumns = (input: Scan, computed: readonly Computed[]): Scan =>
  computed.length === 0 ? input : withComputed(input, computed)
