/**
 * Finds the predicates of a query on the key column of a table: the partitioning column, or the suffix of a wildcard table. An
 * engine need not read the partitions or shards that do not meet them (partition pruning).
 */

import { PARTITION_DATE, PARTITION_TIME, TABLE_SUFFIX } from '../../googlesql/data.js'
import { isVolatile } from '../../googlesql/functions/facts.js'
import { call } from '../../googlesql/plan/build.js'
import type { Column, Expr, ResolvedCte, Scan, TableScan } from '../../googlesql/plan/nodes.js'
import { mapExpr } from '../../googlesql/plan/rewrite.js'
import { conjuncts, inputsOfScan, partsOf, someOf, someScan, visitScan } from '../../googlesql/plan/walk.js'
import { BOOL } from '../../googlesql/types/types.js'

/**
 * The conditions on the key columns, by scan. Besides the key columns, they read only values that are the same for all rows. The query
 * uses only rows that meet them.
 */
export type KeyConditions = ReadonlyMap<TableScan, readonly Expr[]>

/**
 * The name of the key column, whose value identifies a row's partition or shard; undefined for a table without partitions and
 * shards.
 */
const keyOf = (scan: TableScan): string | undefined => (scan.wildcard ? TABLE_SUFFIX : scan.partitionedBy)

/** The key column among the columns of the scan; undefined where the query does not read it. */
export const keyColumn = (scan: TableScan): Column | undefined => scan.columns.find(({ name }) => name === keyOf(scan))

/** The key column, and, if the query reads it, the pseudo column with the partition's date, which depends only on the key. */
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
  return search.keyConditions
}

class Search {
  readonly keyConditions = new Map<TableScan, readonly Expr[]>()
  /** The CTEs in the order of their definitions: a definition reads only earlier CTEs, or itself. */
  readonly #ctes = new Map<number, ResolvedCte>()
  /** For each CTE, the conditions of each scan that reads it, on the columns of its definition. */
  readonly #reads = new Map<number, (readonly Expr[])[]>()

  /** `conditions`: the query uses only rows of `scan` that meet all of them. */
  visit(scan: Scan, conditions: readonly Expr[]): void {
    switch (scan.kind) {
      case 'table': {
        const keys = keyColumns(scan)
        const ids = new Set(keys.map(({ id }) => id))
        const isOwn = (condition: Expr): boolean =>
          readsOnly(condition, ids) && keys.some(key => someOf(condition, readsColumn(key)))
        const own = conditions.filter(isOwn)
        // A table scan that occurs twice in the plan must return the rows for both places.
        this.keyConditions.set(scan, this.keyConditions.has(scan) ? [] : own)
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
        // With an outer join, a condition in ON restricts only the side that is padded with NULLs, and a condition above the join only
        // the other side.
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
        const own = conditions.filter(condition => readsOnly(condition, new Set(scan.columns.map(({ id }) => id))))
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

  /** Visits the definitions from the last to the first, so that the conditions of all reads of a definition are known. */
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

/**
 * The disjunction of the reads: one condition that holds if all conditions of at least one read hold. Empty if a read has no
 * conditions.
 */
function anyOf(reads: readonly (readonly Expr[])[]): readonly Expr[] {
  if (reads.length === 1) return reads[0]!
  if (reads.length === 0 || reads.some(conditions => conditions.length === 0)) return []
  const join = (name: string, parts: readonly Expr[]): Expr =>
    parts.reduce((all, part) => call(name, BOOL, [all, part], part.at))
  return [
    join(
      '$or',
      reads.map(conditions => join('$and', conditions)),
    ),
  ]
}

/**
 * The most subexpressions of a condition. A condition grows when columns that are computed from each other are replaced by
 * their expressions.
 */
const MAX_PARTS = 200

/**
 * The conditions for the input of a scan that computes these columns: the columns are replaced by their expressions. Conditions
 * that become too large are dropped.
 */
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

/** The conditions with the columns of `from` replaced by the columns of `to` at the same positions. */
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

/** Whether the value depends only on these columns, so that it can be computed from their values before any row is read. */
export function readsOnly(expr: Expr, columns: ReadonlySet<number>): boolean {
  if (expr.kind === 'subquery' || expr.kind === 'in-query') return false
  if (expr.kind === 'column') return columns.has(expr.column.id)
  const bound = expr.kind === 'let' ? expr.bindings.map(({ column }) => column) : []
  const own = expr.kind === 'lambda' ? expr.parameters : bound
  const inner = own.length === 0 ? columns : new Set([...columns, ...own.map(({ id }) => id)])
  return partsOf(expr).every(part => readsOnly(part, inner)) && !isVolatile(expr)
}
