/**
 * Protects the arguments of window aggregates whose frame excludes the current row, such as ROWS BETWEEN 5 PRECEDING AND 4
 * PRECEDING. A row may then be in no frame at all, and GoogleSQL does not evaluate the arguments for it. DuckDB evaluates them
 * for every row.
 *
 * Before: any plan. After: an argument that may fail is NULL for a row that is in no frame. A row is in the frames of exactly those rows
 * that are in its mirrored frame, ROWS BETWEEN 4 FOLLOWING AND 5 FOLLOWING; a new column of the input counts these rows.
 */
import { findFunction } from '../../googlesql/functions/all.js'
import { aggregateCall, call, caseWhen, columnExpr, literal } from '../../googlesql/plan/build.js'
import type {
  AggregateCall,
  Column,
  Expr,
  ResolvedBound,
  ResolvedFrame,
  ResolvedQuery,
  WindowCall,
  WindowScan,
} from '../../googlesql/plan/nodes.js'
import { mapScans } from '../../googlesql/plan/rewrite.js'
import { freshColumns, hasSubquery, type NewColumn } from '../../googlesql/plan/walk.js'
import { BOOL, INT64 } from '../../googlesql/types/types.js'
import { mayFail } from '../analysis/fallible-expressions.js'

export function computeWithinFrames(query: ResolvedQuery): ResolvedQuery {
  const newColumn = freshColumns(query.scan)
  return { ...query, scan: mapScans(query.scan, scan => (scan.kind === 'window' ? protect(scan, newColumn) : scan)) }
}

function protect(scan: WindowScan, newColumn: NewColumn): WindowScan {
  const counts: { column: Column; call: WindowCall }[] = []
  const functions = scan.functions.map(({ column, call: window }) => {
    const { frame, call: own } = window
    if (!frame || !mayExcludeRow(frame) || !isAggregate(own) || !own.arguments.some(isAtRisk))
      return { column, call: window }
    const frames = newColumn('frames', INT64)
    const count = aggregateCall('$count_star', INT64, [], own.at)
    counts.push({ column: frames, call: { ...window, call: count, frame: mirrorFrame(frame) } })
    const isInFrame = call('$gt', BOOL, [columnExpr(frames, false, own.at), literal(INT64, '0', own.at)], own.at)
    const args = own.arguments.map(argument =>
      isAtRisk(argument) ? caseWhen(isInFrame, argument, null, argument.at) : argument,
    )
    return { column, call: { ...window, call: { ...own, arguments: args } } }
  })
  if (counts.length === 0) return scan
  const columns = [...scan.input.columns, ...counts.map(({ column }) => column)]
  return { ...scan, functions, input: { kind: 'window', input: scan.input, functions: counts, columns } }
}

/** Navigation functions such as FIRST_VALUE are not aggregates: they evaluate their arguments for every row. */
const isAggregate = ({ name }: AggregateCall): boolean => findFunction(name)?.kind === 'aggregate'

/** Whether the frame of a row may exclude that row. */
const mayExcludeRow = ({ start, end }: ResolvedFrame): boolean => start.kind === 'following' || end.kind === 'preceding'

const isAtRisk = (argument: Expr | null): argument is Expr =>
  argument !== null && mayFail(argument) && !hasSubquery(argument)

const mirrorFrame = ({ unit, start, end }: ResolvedFrame): ResolvedFrame => ({
  unit,
  start: mirrorBound(end),
  end: mirrorBound(start),
})

const MIRRORED_KINDS: Readonly<Record<ResolvedBound['kind'], ResolvedBound['kind']>> = {
  'unbounded-preceding': 'unbounded-following',
  preceding: 'following',
  'current-row': 'current-row',
  following: 'preceding',
  'unbounded-following': 'unbounded-preceding',
}

const mirrorBound = ({ kind, offset }: ResolvedBound): ResolvedBound => ({ kind: MIRRORED_KINDS[kind], offset })
