/** Finds functional dependencies: columns that have one value in all rows with equal values of other columns, for ANY_VALUE. */
import type { AggregateScan, Expr, JoinScan } from '../plan/nodes.js'
import { columnsRead, conjuncts } from '../plan/walk.js'
import { isTime, isTimeType, type Trace, timeOf } from './time-column.js'

/** Rows with equal values in all columns `from` have the same value in the column `to`. Columns are given by their ids. */
interface Dependency {
  readonly from: readonly number[]
  readonly to: number
}

export class Dependencies {
  readonly #columns: ReadonlyMap<number, Trace>
  #all: readonly Dependency[] = []
  /** The ids of columns, each with the id of a column that holds the same value in every row, perhaps as another type. */
  readonly #sources = new Map<number, number>()

  /** @param columns the times that columns hold, by the ids of the columns */
  constructor(columns: ReadonlyMap<number, Trace>) {
    this.#columns = columns
  }

  addGroups({ keys, aggregates }: AggregateScan): void {
    const from = keys.map(({ column }) => column.id)
    this.#add(aggregates.map(({ column }) => ({ from, to: column.id })))
  }

  addComputed(id: number, expr: Expr): void {
    const source = this.#sourceOf(expr)
    if (source !== null) this.#sources.set(id, source)
  }

  /** @param columns the ids of each column in the CTE and in this scan; two scans of a CTE have columns with different ids */
  addCteScan(columns: readonly (readonly [source: number, id: number])[]): void {
    const ids = new Map<number, number>()
    for (const [source, id] of columns) {
      const root = this.#rootOf(source)
      const first = ids.get(root)
      if (first === undefined) ids.set(root, id)
      else this.#sources.set(id, first)
    }
    const dependencies = this.#all.filter(({ from, to }) => [...from, to].every(id => ids.has(id)))
    this.#add(dependencies.map(({ from, to }) => ({ from: from.map(id => ids.get(id)!), to: ids.get(to)! })))
  }

  /** Times that an inner join makes equal determine each other. An outer join's row without a partner has NULL, whatever its keys are. */
  addJoin({ join, left, right, condition }: JoinScan): void {
    if (join === 'left' || join === 'full') this.forget(right.columns)
    if (join === 'right' || join === 'full') this.forget(left.columns)
    for (const part of join === 'inner' && condition ? conjuncts(condition) : []) {
      if (part.kind !== 'call' || part.name !== '$eq') continue
      const [a, b] = part.arguments.map(side => (side && isTimeType(side.type.kind) ? this.#sourceOf(side) : null))
      if (a == null || b == null) continue
      this.#add([
        { from: [a], to: b },
        { from: [b], to: a },
      ])
    }
  }

  forget(columns: readonly { readonly id: number }[]): void {
    const roots = columns.map(({ id }) => this.#rootOf(id))
    this.#all = this.#all.filter(({ to }) => !roots.includes(to))
  }

  /** Whether all rows with equal values of the keys have one value of the expression. */
  isFixed(expr: Expr, keys: readonly Expr[]): boolean {
    const determined = new Set(keys.flatMap(key => this.#sourceOf(key) ?? []))
    for (let before = -1; before < determined.size; ) {
      before = determined.size
      for (const { from, to } of this.#all) if (from.every(id => determined.has(id))) determined.add(to)
    }
    const source = this.#sourceOf(expr)
    return source !== null && determined.has(source)
  }

  #add(more: readonly Dependency[]): void {
    this.#all = [...this.#all, ...more]
  }

  #rootOf(id: number): number {
    const source = this.#sources.get(id)
    return source === undefined ? id : this.#rootOf(source)
  }

  /** The id of the column that the expression is, or that it converts to another type without a loss; null for any other expression. */
  #sourceOf(expr: Expr): number | null {
    if (expr.kind === 'column') return this.#rootOf(expr.column.id)
    const [id, ...others] = columnsRead([expr])
    const [time, columnTime] = [timeOf(expr, this.#columns), id === undefined ? null : this.#columns.get(id)]
    if (id === undefined || others.length > 0 || !isTime(time) || !isTime(columnTime) || columnTime.isText) return null
    const isSame = time.isStart && columnTime.isStart && time.part === columnTime.part && time.zone === columnTime.zone
    return isSame ? this.#rootOf(id) : null
  }
}
