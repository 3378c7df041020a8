/** SQL takes an aggregate that reads columns of an outer query only for an aggregate of that query; GoogleSQL does not. */
import type { AggregateScan, Column, Computed, Expr, Scan } from '../../../googlesql/resolved.js'
import type { Context, Scope } from './context.js'
import { columnsRead, inputsOfScan, partsOfCall } from './walk.js'

/** The same aggregation, in which arguments that read outer columns only are columns of the input. */
export function localise(scan: AggregateScan, outer: Scope | null, context: Context): AggregateScan {
  if (!outer) return scan
  const own = columnsGiven(scan.input)
  const computed: Computed[] = []
  const local = (expr: Expr | null): Expr | null => {
    if (!expr || expr.kind === 'lambda' || columnsRead([expr]).size === 0) return expr
    const column = context.newColumn('', expr.type)
    computed.push({ column, expr })
    return { kind: 'column', type: expr.type, column, isCorrelated: false, at: expr.at }
  }
  const aggregates = scan.aggregates.map(aggregate => {
    const reads = columnsRead(partsOfCall(aggregate.call))
    if (reads.size === 0 || [...reads].some(id => own.has(id))) return aggregate
    return { ...aggregate, call: { ...aggregate.call, arguments: aggregate.call.arguments.map(local) } }
  })
  if (computed.length === 0) return scan
  const columns = [...scan.input.columns, ...computed.map(({ column }) => column)]
  return { ...scan, aggregates, input: { kind: 'project', input: scan.input, computed, columns } }
}

/** The ids of all columns that come from within the scan. */
function columnsGiven(scan: Scan): Set<number> {
  const ids = new Set<number>()
  const visit = (part: Scan): void => {
    for (const column of part.columns as readonly Column[]) ids.add(column.id)
    inputsOfScan(part).forEach(visit)
  }
  visit(scan)
  return ids
}
