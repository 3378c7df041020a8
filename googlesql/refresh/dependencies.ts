/** Which columns have one value for all rows with equal values of others: ANY_VALUE of such a column is that value. */
import type { AggregateScan, Expr, JoinScan } from '../plan/nodes.js'
import { columnsRead, conjuncts } from '../plan/walk.js'
import { isTime, isTimeType, type Traced, timeOf } from './time-column.js'

/** Rows with equal values of all of `from` have one value of `to`: columns by their ids. */
interface Dependency {
  readonly from: readonly number[]
  readonly to: number
}

export class Dependencies {
  readonly #columns: ReadonlyMap<number, Traced>
  #all: readonly Dependency[] = []
  /** The columns whose values tell those of a column, and are told by them, in the same row. */
  readonly #sources = new Map<number, number>()

  /** @param columns what is known of columns, by their ids */
  constructor(columns: ReadonlyMap<number, Traced>) {
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

  /** The columns of a reading of a table expression: those of two readings are of different rows. */
  addReading(columns: readonly (readonly [of: number, id: number])[]): void {
    const ids = new Map<number, number>()
    for (const [of, id] of columns) {
      const root = this.#rootOf(of)
      const first = ids.get(root)
      if (first === undefined) ids.set(root, id)
      else this.#sources.set(id, first)
    }
    const own = this.#all.filter(({ from, to }) => [...from, to].every(id => ids.has(id)))
    this.#add(own.map(({ from, to }) => ({ from: from.map(id => ids.get(id)!), to: ids.get(to)! })))
  }

  /** Times that are equal tell each other. A row of an outer join without a partner has NULL, whatever its group had. */
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
  isTold(expr: Expr, keys: readonly Expr[]): boolean {
    const told = new Set(keys.flatMap(key => this.#sourceOf(key) ?? []))
    for (let before = -1; before < told.size; ) {
      before = told.size
      for (const { from, to } of this.#all) if (from.every(id => told.has(id))) told.add(to)
    }
    const source = this.#sourceOf(expr)
    return source !== null && told.has(source)
  }

  #add(more: readonly Dependency[]): void {
    this.#all = [...this.#all, ...more]
  }

  #rootOf(id: number): number {
    const source = this.#sources.get(id)
    return source === undefined ? id : this.#rootOf(source)
  }

  /** The column that the expression is, or whose starts of a part it has in another type. */
  #sourceOf(expr: Expr): number | null {
    if (expr.kind === 'column') return this.#rootOf(expr.column.id)
    const [id, ...others] = columnsRead([expr])
    const [of, own] = [timeOf(expr, this.#columns), id === undefined ? null : this.#columns.get(id)]
    if (id === undefined || others.length > 0 || !isTime(of) || !isTime(own) || own.isText) return null
    const isSame = of.isStart && own.isStart && of.part === own.part && of.zone === own.zone
    return isSame ? this.#rootOf(id) : null
  }
}
