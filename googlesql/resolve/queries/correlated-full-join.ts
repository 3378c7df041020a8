/** Expresses a FULL JOIN in a correlated subquery by LEFT JOIN and UNION ALL, which engines can compute there. */

import { call, castExpr, columnExpr, filterScan, literal, withComputed } from '../../plan/build.js'
import type { Expr, JoinScan, Scan } from '../../plan/nodes.js'
import { copierOf } from '../../plan/rewrite.js'
import { outerColumns } from '../../plan/walk.js'
import { BOOL } from '../../types/types.js'
import { computedColumn, type ResolveContext } from '../context.js'

/** Whether the scan reads a column of an enclosing query. */
export const isCorrelated = (scan: Scan): boolean => outerColumns(scan).size > 0

/**
 * The rows of `left LEFT JOIN right`, then the rows of the right side without a match on the left, with the same columns. Each
 * input of the union has its own copies of the two sides, because a column is defined only once in a plan.
 */
export function withoutFullJoin({ left, right, condition, columns }: JoinScan, context: ResolveContext): Scan {
  const copySides = (): Pick<JoinScan, 'left' | 'right' | 'condition'> => {
    const copier = copierOf([left, right], condition ? [condition] : [], ({ name, type }) =>
      context.newColumn(name, type),
    )
    return { left: copier.scan(left), right: copier.scan(right), condition: condition && copier.expr(condition) }
  }
  const first = copySides()
  const leftJoin: Scan = {
    kind: 'join',
    join: 'left',
    ...first,
    columns: [...first.left.columns, ...first.right.columns],
  }
  const second = copySides()
  return {
    kind: 'set',
    operator: 'UNION',
    isAll: true,
    inputs: [leftJoin, unmatchedRows(second.right, second.left, second.condition, condition?.at ?? 0, context)],
    columns,
  }
}

/** The rows of `scan` without a match in `other`. The columns of `other` come first, and are NULL. */
function unmatchedRows(scan: Scan, other: Scan, condition: Expr | null, at: number, context: ResolveContext): Scan {
  const hasMatch = context.newColumn('', BOOL)
  const marked = withComputed(other, [{ column: hasMatch, expr: literal(BOOL, true, at) }])
  const join: Scan = {
    kind: 'join',
    join: 'left',
    left: scan,
    right: marked,
    condition,
    columns: [...scan.columns, ...marked.columns],
  }
  const isUnmatched = call('$is_null', BOOL, [columnExpr(hasMatch, false, at)], at)
  const nulls = other.columns.map(({ name, type }) =>
    computedColumn(name, castExpr(literal(type, null, at), type, true), context),
  )
  return {
    kind: 'project',
    input: filterScan(join, isUnmatched),
    computed: nulls,
    columns: [...nulls.map(item => item.column), ...scan.columns],
  }
}
