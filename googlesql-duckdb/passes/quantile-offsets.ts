/**
 * Narrows APPROX_QUANTILES to the quantiles that the query reads: `APPROX_QUANTILES(x, 100)[OFFSET(95)]` needs one quantile,
 * not a hundred and one. The second argument becomes an array of the number of quantiles and then the offsets, `[100, 95, 99]`;
 * the call then returns the quantiles 95 and 99, and a read of OFFSET(99) becomes a read of the second element.
 *
 * Before: a pruned plan; otherwise a quantile whose value nothing uses would count as read. After: the second argument of such
 * a call is an array.
 */

import { memo } from '../../googlesql/data.js'
import { literal } from '../../googlesql/plan/build.js'
import { aggregateKey } from '../../googlesql/plan/key.js'
import type { AggregateCall, Column, Expr, LiteralExpr, ResolvedQuery } from '../../googlesql/plan/nodes.js'
import { mapScan } from '../../googlesql/plan/rewrite.js'
import { someScan, visitScan } from '../../googlesql/plan/walk.js'
import { findCopies } from '../analysis/copied-columns.js'

/** The index of the first element, by access function. */
const FIRST_INDEX: Readonly<Record<string, number>> = {
  $array_at_offset: 0,
  $safe_array_at_offset: 0,
  $array_at_ordinal: 1,
  $safe_array_at_ordinal: 1,
}

const NAME = 'APPROX_QUANTILES'
const INT64 = { kind: 'INT64' } as const

/** The query with such calls and the reads of their results rewritten. */
export function narrowQuantiles(query: ResolvedQuery): ResolvedQuery {
  const { offsetsByCountArgument, accesses } = hasQuantiles(query) ? findNarrowedCalls(query) : NONE
  if (offsetsByCountArgument.size === 0) return query
  const scan = mapScan(query.scan, expr => {
    const offsets = offsetsByCountArgument.get(expr)
    if (offsets) return numberArray([countOf(expr)!, ...offsets], expr.at)
    const access = accesses.get(expr)
    if (!access || expr.kind !== 'call') return undefined
    const place = numberOf(access.offsets.indexOf(access.offset) + 1, expr.at)
    return { ...expr, name: '$safe_array_at_ordinal', arguments: [expr.arguments[0]!, place] }
  })
  return { ...query, scan }
}

/** Whether the query calls APPROX_QUANTILES at all; most queries do not, and the search for reads is then skipped. */
const hasQuantiles = (query: ResolvedQuery): boolean =>
  someScan(query.scan, scan => scan.kind === 'aggregate' && scan.aggregates.some(({ call }) => call.name === NAME))

const numberOf = (value: number, at: number): LiteralExpr => literal(INT64, String(value), at)

const numberArray = (values: readonly number[], at: number): Expr => ({
  kind: 'array',
  type: { kind: 'ARRAY', element: INT64 },
  items: values.map(value => numberOf(value, at)),
  hasWrittenType: true,
  at,
})

/** The number of quantiles where the argument is a literal; null for any other argument, whose call is not rewritten. */
const countOf = (expr: Expr | null | undefined): number | null =>
  expr?.kind === 'literal' && expr.value !== null ? Number(expr.value) : null

/** The zero-based offsets that the query reads from a rewritten call, in ascending order. */
type Offsets = readonly number[]

interface NarrowedCalls {
  /** The offsets by the call's second argument, which is the number of quantiles. */
  readonly offsetsByCountArgument: ReadonlyMap<Expr, Offsets>
  /** The reads of the results, by expression. */
  readonly accesses: ReadonlyMap<Expr, { readonly offset: number; readonly offsets: Offsets }>
}

const NONE: NarrowedCalls = { offsetsByCountArgument: new Map(), accesses: new Map() }

/** The calls whose result is only read at constant offsets within its range. */
function findNarrowedCalls(query: ResolvedQuery): NarrowedCalls {
  const groups: Twins[] = []
  const accesses: { readonly expr: Expr; readonly id: number; readonly offset: number }[] = []
  /** Columns that are read as a whole. */
  const wholeReads = new Set<number>()
  const { rootOf, copies: notWholeReads } = findCopies(query)
  const markWhole = (columns: readonly Column[]): void => {
    for (const { id } of columns) wholeReads.add(rootOf(id))
  }
  markWhole(query.columns.map(output => output.column))
  visitScan(
    query.scan,
    expr => {
      const element = elementOf(expr)
      if (element) {
        notWholeReads.add(element.array)
        accesses.push({ expr, id: rootOf(element.id), offset: element.offset })
      } else if (expr.kind === 'column' && !notWholeReads.has(expr)) wholeReads.add(rootOf(expr.column.id))
      if (expr.kind === 'subquery' || expr.kind === 'in-query') markWhole(expr.scan.columns)
    },
    scan => {
      if (scan.kind === 'set') for (const input of scan.inputs) markWhole(input.columns)
      if (scan.kind === 'with') for (const cte of scan.ctes) if (cte.recursion) markWhole(cte.scan.columns)
      if (scan.kind === 'aggregate') {
        const twins = new Map<string, Twins>()
        for (const { column, call } of scan.aggregates) {
          if (call.name !== NAME) continue
          memo(twins, aggregateKey(call), (): Twins => []).push({ id: rootOf(column.id), call })
        }
        groups.push(...twins.values())
      }
    },
  )
  const counts = groups.flat().map(({ call }) => call.arguments[1])
  // Calls are identified by their second arguments, which must therefore be distinct objects.
  if (new Set(counts).size < counts.length) return NONE
  const readOffsets = new Map<number, number[]>()
  for (const { id, offset } of accesses) readOffsets.set(id, [...(readOffsets.get(id) ?? []), offset])
  const offsetsByCountArgument = new Map<Expr, Offsets>()
  const narrowedOffsets = new Map<number, Offsets>()
  for (const twins of groups) {
    const narrowed = twins.filter(({ id }) => !wholeReads.has(id) && readOffsets.has(id))
    const offsets = [...new Set(narrowed.flatMap(({ id }) => readOffsets.get(id)!))].sort((a, b) => a - b)
    if (narrowed.length < twins.length || !narrowed.every(({ call }) => canNarrowTo(call, offsets))) continue
    for (const { id, call } of narrowed) {
      offsetsByCountArgument.set(call.arguments[1]!, offsets)
      narrowedOffsets.set(id, offsets)
    }
  }
  return {
    offsetsByCountArgument,
    accesses: new Map(
      accesses.flatMap(({ expr, id, offset }) => {
        const offsets = narrowedOffsets.get(id)
        return offsets ? [[expr, { offset, offsets }] as const] : []
      }),
    ),
  }
}

function canNarrowTo({ arguments: [, countExpr], ignoresNulls }: AggregateCall, offsets: Offsets): boolean {
  const count = countOf(countExpr)
  return ignoresNulls && count !== null && count > 0 && offsets.every(offset => offset >= 0 && offset <= count)
}

/** Calls with equal arguments. DuckDB computes them once if their offsets are equal too. */
type Twins = { readonly id: number; readonly call: AggregateCall }[]

/** A read `array[OFFSET(5)]` of a column; null for any other expression. */
function elementOf(expr: Expr): { readonly array: Expr; readonly id: number; readonly offset: number } | null {
  if (expr.kind !== 'call' || !Object.hasOwn(FIRST_INDEX, expr.name)) return null
  const [array, index] = expr.arguments
  if (array?.kind !== 'column' || index?.kind !== 'literal' || index.value === null) return null
  return { array, id: array.column.id, offset: Number(index.value) - FIRST_INDEX[expr.name]! }
}
