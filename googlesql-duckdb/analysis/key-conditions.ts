/**
 * Finds the conditions that a query sets on the column that tells the parts of a table apart: the column by which a table is
 * partitioned, and the suffix of a wildcard table. An engine need not read the parts that do not meet them.
 */

import { PARTITION_DATE, PARTITION_TIME, TABLE_SUFFIX } from '../../googlesql/data.js'
import { isVolatile } from '../../googlesql/functions/facts.js'
import { call } from '../../googlesql/plan/build.js'
import type { Column, Expr, ResolvedCte, Scan, TableScan } from '../../googlesql/plan/nodes.js'
import { mapExpr } from '../../googlesql/plan/rewrite.js'
import { conjuncts, inputsOfScan, partsOf, someOf, someScan, visitScan } from '../../googlesql/plan/walk.js'
import { BOOL } from '../../googlesql/types/types.js'

/**
 * By scan: conditions on the key columns. Beside those they read only values that are the same for all rows. A row that does
 * not meet them is not used.
 */
export type KeyConditions = ReadonlyMap<TableScan, readonly Expr[]>

/** The name of the column that tells the parts of a table apart; undefined for a table that is read as a whole. */
const keyOf = (scan: TableScan): string | undefined => (scan.wildcard ? TABLE_SUFFIX : scan.partitionedBy)

/** The key column among the columns of the scan; undefined where the query does not read it. */
export const keyColumn = (scan: TableScan): Column | undefined => scan.columns.find(({ name }) => name === keyOf(scan))

/** The key column, and the date of the partition where the query reads it, which depends on the key alone. */
export const keyColumns = (scan: TableScan): readonly Column[] =>
  scan.columns.filter(({ name }) => name === keyOf(scan) || (name === PARTITION_DATE && keyOf(scan) === PARTITION_TIME))

/** The conditions of every table of the query that has a key column. */
export function keyConditions(root: Scan): KeyConditions {
  if (!someScan(root, scan => scan.kind === 'table' && keyOf(scan) !== undefined)) return new Map()
  const search = new Search()
  search.visit(root, [])
  visitScan(root, expr => {
    if (expr.kind === 'subquery' || expr.kind === 'in-query') search.visit(expr.scan, [])
  })
  search.visitCtes()
  return search.found
}

class Search {
  readonly found = new Map<TableScan, readonly Expr[]>()
  /** In the order of their definitions: a definition reads only those before it, or itself. */
  readonly #ctes = new Map<number, ResolvedCte>()
  /** The conditions of each read of a common table expression, in terms of its own columns. */
  readonly #reads = new Map<number, (readonly Expr[])[]>()

  /** `conditions` are those that every row of `scan` must meet to be used. */
  visit(scan: Scan, conditions: readonly Expr[]): void {
    switch (scan.kind) {
      case 'table': {
        const keys = keyColumns(scan)
        const ids = new Set(keys.map(({ id }) => id))
        const isOwn = (condition: Expr): boolean =>
          readsOnly(condition, ids) && keys.some(key => someOf(condition, readsColumn(key)))
        const own = conditions.filter(isOwn)
        // A table scan that is read in two places must return the rows for both.
        this.found.set(scan, this.found.has(scan) ? [] : own)
        return
      }
      case 'filter':
        this.visit(scan.input, [...conditions, ...conjuncts(scan.condition)])
        return
      case 'unnest': {
        const own = scan.condition && !scan.isOuter ? conjuncts(scan.condition) : []
        if (scan.input) this.visit(scan.input, [...conditions, ...own])
        return
      }
      case 'project':
        this.visit(scan.input, through(conditions, new Map(scan.computed.map(({ column, expr }) => [column.id, expr]))))
        return
      case 'order':
        this.visit(scan.input, conditions)
        return
      case 'join': {
        const on = scan.condition ? conjuncts(scan.condition) : []
        const isInner = scan.join === 'inner' || scan.join === 'cross'
        // The condition of an outer join holds for the used rows of the side that it may leave out; others, for the other.
        const above = { left: isInner || scan.join === 'left', right: isInner || scan.join === 'right' }
        const below = { left: isInner || scan.join === 'right', right: isInner || scan.join === 'left' }
        this.visit(scan.left, [...(above.left ? conditions : []), ...(below.left ? on : [])])
        this.visit(scan.right, [...(above.right ? conditions : []), ...(below.right ? on : [])])
        return
      }
      case 'aggregate': {
        const isPlain = scan.groupingSets === null && scan.keys.length > 0
        const keys = new Map(scan.keys.map(({ column, expr }) => [column.id, expr]))
        const onKeys = conditions.filter(condition => readsOnly(condition, new Set(keys.keys())))
        this.visit(scan.input, isPlain ? through(onKeys, keys) : [])
        return
      }
      case 'window': {
        // Rows of other partitions do not change the value of a window function.
        const [first, ...others] = scan.functions.map(
          ({ call: { partitionBy } }) =>
            new Set(partitionBy.flatMap(expr => (expr.kind === 'column' ? [expr.column.id] : []))),
        )
        const shared = [...(first ?? [])].filter(id => others.every(ids => ids.has(id)))
        this.visit(
          scan.input,
          conditions.filter(condition => readsOnly(condition, new Set(shared))),
        )
        return
      }
      case 'set':
        for (const input of scan.inputs) this.visit(input, renamed(conditions, scan.columns, input.columns))
        return
      case 'cte': {
        const own = conditions.filter(condition =>
          readsOnly(condition, new Set((scan.columns as readonly Column[]).map(({ id }) => id))),
        )
        const definition = this.#ctes.get(scan.cte)
        const reads = definition ? renamed(own, scan.columns, definition.columns) : []
        this.#reads.set(scan.cte, [...(this.#reads.get(scan.cte) ?? []), reads])
        return
      }
      case 'with':
        for (const cte of scan.ctes) this.#ctes.set(cte.id, cte)
        this.visit(scan.body, conditions)
        return
      case 'one-row':
        return
      case 'limit':
        for (const input of inputsOfScan(scan)) this.visit(input, [])
        return
      default:
        scan satisfies never
    }
  }

  /** Visits the definitions from the last to the first, when all their reads are known. */
  visitCtes(): void {
    const seen = new Set<number>()
    for (;;) {
      const next = [...this.#ctes.values()].filter(({ id }) => !seen.has(id)).at(-1)
      if (!next) return
      seen.add(next.id)
      const terms = next.recursion?.terms ?? []
      if (next.recursion) for (const scan of [next.scan, ...terms]) this.visit(scan, [])
      else this.visit(next.scan, renamed(anyOf(this.#reads.get(next.id) ?? []), next.columns, next.scan.columns))
    }
  }
}

const readsColumn =
  ({ id }: Column) =>
  (part: Expr): boolean =>
    part.kind === 'column' && part.column.id === id

/** A condition that holds where all conditions of one of the reads hold; none where a read has none. */
function anyOf(reads: readonly (readonly Expr[])[]): readonly Expr[] {
  if (reads.length === 1) return reads[0]!
  if (reads.length === 0 || reads.some(conditions => conditions.length === 0)) return []
  const join = (name: string, parts: readonly Expr[]): Expr =>
    parts.reduce((all, one) => call(name, BOOL, [all, one], one.at))
  return [
    join(
      '$or',
      reads.map(conditions => join('$and', conditions)),
    ),
  ]
}

/** The most parts of a condition: it grows where it takes the place of columns that are computed from each other. */
const MAX_PARTS = 200

/** The conditions below a scan that computes these columns. */
function through(conditions: readonly Expr[], computed: ReadonlyMap<number, Expr>): readonly Expr[] {
  if (computed.size === 0) return conditions
  return conditions
    .map(condition => mapExpr(condition, part => (part.kind === 'column' ? computed.get(part.column.id) : undefined)))
    .filter(condition => partCount(condition) <= MAX_PARTS)
}

function partCount(expr: Expr): number {
  let count = 0
  someOf(expr, () => ++count > MAX_PARTS)
  return count
}

/** The conditions with other columns, by position. */
function renamed(conditions: readonly Expr[], from: readonly Column[], to: readonly Column[]): readonly Expr[] {
  if (conditions.length === 0) return conditions
  const columns = new Map(from.map(({ id }, i) => [id, to[i]!]))
  return conditions.map(condition =>
    mapExpr(condition, part => {
      const column = part.kind === 'column' ? columns.get(part.column.id) : undefined
      return column && part.kind === 'column' ? { ...part, column } : undefined
    }),
  )
}

/** Whether the value depends on these columns alone: the same before the first row is read for equal values of them. */
export function readsOnly(expr: Expr, columns: ReadonlySet<number>): boolean {
  if (expr.kind === 'subquery' || expr.kind === 'in-query') return false
  if (expr.kind === 'column') return columns.has(expr.column.id)
  const bound = expr.kind === 'let' ? expr.bindings.map(({ column }) => column) : []
  const own = expr.kind === 'lambda' ? expr.parameters : bound
  const inner = own.length === 0 ? columns : new Set([...columns, ...own.map(({ id }) => id)])
  return partsOf(expr).every(part => readsOnly(part, inner)) && !isVolatile(expr)
}
