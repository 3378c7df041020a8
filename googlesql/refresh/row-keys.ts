/** Which columns tell the rows of a scan apart, so that an order by them leaves no ties. */
import type { ResolvedCte, Scan, WindowCall } from '../plan/nodes.js'

interface RowKeys {
  /** The ids of columns that together tell rows apart: no two rows have the same values in all of them. */
  readonly keys: readonly number[]
  /** The id of each column that is a copy, with the id of the column whose value it has. */
  readonly copies: Map<number, number>
}

function rowKeysOf(scan: Scan, ctes: Map<number, ResolvedCte>): RowKeys | null {
  switch (scan.kind) {
    case 'aggregate':
      return scan.groupingSets ? null : { keys: scan.keys.map(({ column }) => column.id), copies: new Map() }
    case 'filter':
    case 'order':
    case 'limit':
    case 'window':
      return rowKeysOf(scan.input, ctes)
    case 'with':
      for (const cte of scan.ctes) ctes.set(cte.id, cte)
      return rowKeysOf(scan.body, ctes)
    case 'cte': {
      const cte = ctes.get(scan.cte)!
      const inputKeys = cte.recursion ? null : rowKeysOf(cte.scan, ctes)
      for (const [i, { id }] of scan.columns.entries()) inputKeys?.copies.set(id, cte.columns[i]!.id)
      return inputKeys
    }
    case 'project': {
      const inputKeys = rowKeysOf(scan.input, ctes)
      for (const { column, expr } of scan.computed)
        if (expr.kind === 'column') inputKeys?.copies.set(column.id, expr.column.id)
      return inputKeys
    }
    default:
      return null
  }
}

function rootOf(id: number, copies: RowKeys['copies']): number {
  const source = copies.get(id)
  return source === undefined ? id : rootOf(source, copies)
}

/** The indexes of the columns that tell the rows apart; null where they are not known, or are not all among the columns. */
export function keyIndexes(scan: Scan, columns: readonly { readonly id: number }[]): readonly number[] | null {
  const rowKeys = rowKeysOf(scan, new Map())
  if (rowKeys === null) return null
  const roots = columns.map(({ id }) => rootOf(id, rowKeys.copies))
  const indexes = rowKeys.keys.map(key => roots.indexOf(key))
  return indexes.includes(-1) ? null : indexes
}

/** Whether the window's partitions and order leave no ties between rows of its input. */
export function isTotal({ partitionBy, orderBy }: WindowCall, input: Scan, ctes: Map<number, ResolvedCte>): boolean {
  const rowKeys = rowKeysOf(input, ctes)
  if (rowKeys === null) return false
  const exprs = [...partitionBy, ...orderBy.map(({ expr }) => expr)]
  const roots = exprs.flatMap(expr => (expr.kind === 'column' ? [rootOf(expr.column.id, rowKeys.copies)] : []))
  return rowKeys.keys.every(key => roots.includes(key))
}
