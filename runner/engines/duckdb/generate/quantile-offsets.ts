/** Which of its quantiles a query reads: `APPROX_QUANTILES(x, 100)[OFFSET(95)]` needs one, not a hundred and one. */
import type { AggregateCall, Column, CteScan, Expr, ResolvedQuery } from '../../../googlesql/resolved.js'
import { visitScan } from './walk.js'

/** What an offset of zero is for the function. */
const FIRST: Readonly<Record<string, number>> = {
  $array_at_offset: 0,
  $safe_array_at_offset: 0,
  $array_at_ordinal: 1,
  $safe_array_at_ordinal: 1,
}

/** The zero-based offsets of the calls whose result is read in no other way than by constant offsets. */
export function quantileOffsets(query: ResolvedQuery): ReadonlyMap<AggregateCall, readonly number[]> {
  const groups: Twins[] = []
  const offsets = new Map<number, Set<number>>()
  /** Columns that are read as a whole. */
  const whole = new Set<number>()
  const { rootOf, copies: seen } = findCopies(query)
  const markWhole = (columns: readonly Column[]): void => {
    for (const { id } of columns) whole.add(rootOf(id))
  }
  markWhole(query.columns.map(output => output.column))
  visitScan(
    query.scan,
    expr => {
      const element = elementOf(expr)
      if (element) {
        seen.add(element.array)
        const id = rootOf(element.id)
        offsets.set(id, (offsets.get(id) ?? new Set()).add(element.offset))
      } else if (expr.kind === 'column' && !seen.has(expr)) whole.add(rootOf(expr.column.id))
      if (expr.kind === 'subquery' || expr.kind === 'in-query') markWhole(expr.scan.columns)
    },
    scan => {
      if (scan.kind === 'set') for (const input of scan.inputs) markWhole(input.columns)
      if (scan.kind === 'with') for (const cte of scan.ctes) if (cte.recursion) markWhole(cte.scan.columns)
      if (scan.kind === 'aggregate') {
        const twins = new Map<string, Twins>()
        for (const { column, call } of scan.aggregates) {
          if (call.name !== 'APPROX_QUANTILES') continue
          const same = twins.get(sameness(call)) ?? []
          twins.set(sameness(call), same)
          same.push({ id: rootOf(column.id), call })
        }
        groups.push(...twins.values())
      }
    },
  )
  const read = new Map<AggregateCall, readonly number[]>()
  for (const twins of groups) {
    const some = twins.filter(({ id }) => !whole.has(id) && offsets.has(id))
    const all = [...new Set(some.flatMap(({ id }) => [...offsets.get(id)!]))].sort((a, b) => a - b)
    for (const { call } of some) read.set(call, all)
  }
  return read
}

/**
 * The columns that are others under another id: those of a common table expression where it is read, and those that a
 * projection copies. `copies` are the expressions that do so.
 */
function findCopies(query: ResolvedQuery): { readonly rootOf: (id: number) => number; readonly copies: Set<Expr> } {
  const sources = new Map<number, number>()
  const copies = new Set<Expr>()
  const copy = (column: Column, source: Column): void => {
    if (column.id !== source.id) sources.set(column.id, source.id)
  }
  const copyAll = (columns: readonly Column[], of: readonly Column[]): void => {
    for (const [i, column] of columns.entries()) copy(column, of[i]!)
  }
  const ctes = new Map<number, readonly Column[]>()
  const reads: CteScan[] = []
  visitScan(
    query.scan,
    () => {},
    scan => {
      if (scan.kind === 'cte') reads.push(scan)
      if (scan.kind === 'with') {
        for (const cte of scan.ctes) {
          ctes.set(cte.id, cte.columns)
          if (!cte.recursion) copyAll(cte.columns, cte.scan.columns)
        }
      }
      if (scan.kind !== 'project') return
      for (const { column, expr } of scan.computed) {
        if (expr.kind !== 'column') continue
        copies.add(expr)
        copy(column, expr.column)
      }
    },
  )
  for (const scan of reads) copyAll(scan.columns, ctes.get(scan.cte)!)
  const rootOf = (id: number): number => {
    const source = sources.get(id)
    return source === undefined ? id : rootOf(source)
  }
  return { rootOf, copies }
}

/** Calls of the same arguments: when they ask for the same offsets too, DuckDB computes them once. */
type Twins = { readonly id: number; readonly call: AggregateCall }[]

const sameness = ({ arguments: args, isDistinct, ignoresNulls, having, filter }: AggregateCall): string =>
  JSON.stringify([args, isDistinct, ignoresNulls, having, filter], (key, value) => (key === 'at' ? undefined : value))

/** `array[OFFSET(5)]` of a column. */
function elementOf(expr: Expr): { readonly array: Expr; readonly id: number; readonly offset: number } | null {
  if (expr.kind !== 'call' || !Object.hasOwn(FIRST, expr.name)) return null
  const [array, index] = expr.arguments
  if (array?.kind !== 'column' || index?.kind !== 'literal' || index.value === null) return null
  return { array, id: array.column.id, offset: Number(index.value) - FIRST[expr.name]! }
}
