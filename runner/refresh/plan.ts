/** What a refresh reads anew, and by which queries. */
import {
  boundaryBefore,
  firstTime,
  justBefore,
  type KeptQuery,
  lastTime,
  type TimeWindow,
  timeValue,
} from '../../googlesql/index.js'
import type { RunOptions } from '../model/ports.js'
import type { BoundValue, PartChoice, Query, QueryCost, TablePart } from '../model/query.js'
import { partsWithin } from './kept-parts.js'
import { type BucketOf, type Interval, inOrder, missing, overlap, type Span, within, without } from './time-spans.js'

export interface KeepOptions {
  /** The key of the kept rows. Calls share it if they differ only in these parameters, and the other tables have this state. */
  readonly keyWithout: (parameters: readonly string[], others: string) => string
  /** How old a row must be to count as settled, in milliseconds. Matters only where the engine's tier is `declared`. */
  readonly settledMs: number
  /** Whether all rows are read anew, and then kept. */
  readonly readsAll: boolean
}

/** A call whose result can be put together from kept rows and rows that are read anew. */
export interface Call {
  readonly kept: KeptQuery
  readonly window: TimeWindow
  /** The boundary before which rows count as settled; null where the engine reports each change at once. */
  readonly settled: bigint | null
  readonly bucketOf: BucketOf
  readonly query: Query
  readonly options: RunOptions
  /** The costs of its queries until now. */
  readonly costs: QueryCost[]
  readonly keyWithout: KeepOptions['keyWithout']
  readonly readsAll: KeepOptions['readsAll']
}

export interface Plan {
  /** All times at which the result may have rows. */
  readonly all: Interval
  /** The cells of `all` whose rows do not change while the clock moves on: only these are kept. */
  readonly closed: Interval
  /** The intervals that are read, in the order of time. */
  readonly reads: readonly Interval[]
  /** Whether everything is read: all of `all`, by one query. */
  readonly isWhole: boolean
  /** The kept spans without what is read again. Some of them may lie outside what this call asks for. */
  readonly rest: readonly Span[]
}

/** The time after the last one. */
export const endOfTime = (kept: KeptQuery): bigint => lastTime(kept) + 1n

/** How far the clocks of a zone may be behind UTC: a civil time whose zone is not known may be of an instant that much later. */
const MOST_BEHIND_MS = 12 * 3_600_000

/** The last boundary before this time. @param ms milliseconds since 1970 */
export function settledTime(kept: KeptQuery, ms: number): bigint {
  const instant = kept.timeType === 'TIMESTAMP' ? ms : ms - MOST_BEHIND_MS
  return boundaryBefore(kept, BigInt(Math.floor(instant)) * 1_000n) ?? firstTime(kept)
}

export function planOf({ kept, window, settled, bucketOf }: Call, spans: readonly Span[]): Plan {
  const [from, until] = [window.from ?? firstTime(kept), window.until ?? endOfTime(kept)]
  const all = {
    from: window.rowsFrom ?? firstTime(kept),
    until: window.rowsUntil ?? endOfTime(kept),
  }
  const closed = { from, until: settled === null || settled > until ? until : settled }
  const reads = missing(all, inOrder(within(spans, closed, bucketOf)))
  const isWhole = reads.length === 1 && reads[0]!.from === all.from && reads[0]!.until === all.until
  const read = reads.flatMap(interval => overlap(interval, closed) ?? [])
  const rest = without(spans, read, bucketOf)
  return { all, closed, reads, isWhole, rest }
}

/** A query of a refresh. */
export interface Read {
  readonly query: Query
  /** The parts of the table to which the query is restricted: all rows that it needs are in them. Absent for all parts of the table. */
  readonly parts?: PartChoice
}

/** The queries that read the plan's intervals. Where rows without a time may be in the result, the last query reads them, too. */
export function readsOf({ query, kept }: Call, { reads, isWhole }: Plan, parts: readonly TablePart[]): readonly Read[] {
  if (isWhole) return [{ query: { sql: kept.lower, parameters: query.parameters } }]
  const all = { table: kept.table, keys: parts.map(({ key }) => key) }
  const [first, last] = [firstTime(kept), lastTime(kept)]
  const bound = (time: bigint): BoundValue => ({ type: kept.timeType, value: timeValue(kept, time) })
  const narrowed = (from: bigint, to: bigint, hasNulls: boolean): Read => {
    const [_from, _until] = [bound(from), bound(to)]
    const sql = hasNulls ? kept.narrowedWithNulls : kept.narrowed
    const one = { sql, parameters: { ...query.parameters, _from, _until } }
    // Any part may have rows without a time.
    if (hasNulls) return { query: one, parts: all }
    return { query: one, parts: { ...all, keys: partsWithin(parts, from, to).map(({ key }) => key) } }
  }
  const queries = reads.map(({ from, until }, i) => {
    const hasNulls = kept.hasNulls && i === reads.length - 1
    return narrowed(from, until > last ? last : justBefore(kept, until), hasNulls)
  })
  // This query is for the rows without a time alone: no time lies from the last to the first.
  return kept.hasNulls && reads.length === 0 ? [narrowed(last, first, true)] : queries
}
