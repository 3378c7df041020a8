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
import { type BucketOf, clip, cut, gapsToRead, type Interval, overlapOf, type Span, sortByTime } from './time-spans.js'

export interface KeepOptions {
  /** The key of the kept rows. Calls that differ only in these parameters share it while the other tables are in this state. */
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
  /** The costs of the queries that have run for this call. */
  readonly costs: QueryCost[]
  readonly keyWithout: KeepOptions['keyWithout']
  readonly readsAll: KeepOptions['readsAll']
}

export interface Plan {
  /** The cells whose rows do not change while the clock moves on: only these are kept. */
  readonly closed: Interval
  /** The intervals that are read, in the order of time. */
  readonly reads: readonly Interval[]
  /** Whether one query reads all times at which the result may have rows. */
  readonly isWhole: boolean
  /** The kept spans without the times that are read again. Some may lie outside the times of this call. */
  readonly leftovers: readonly Span[]
}

/** The time after the last time. */
export const endOfTime = (kept: KeptQuery): bigint => lastTime(kept) + 1n

/** How far the clocks of a zone may be behind UTC. A civil time of an unknown zone may be an instant that much later. */
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
  const reads = gapsToRead(all, sortByTime(clip(spans, closed, bucketOf)))
  const isWhole = reads.length === 1 && reads[0]!.from === all.from && reads[0]!.until === all.until
  const read = reads.flatMap(interval => overlapOf(interval, closed) ?? [])
  return { closed, reads, isWhole, leftovers: cut(spans, read, bucketOf) }
}

/** A query of a refresh. */
export interface Read {
  readonly query: Query
  /** The only parts of the table that the query reads; absent for all parts. */
  readonly parts?: PartChoice
}

/** The queries that read the plan's intervals. If the result may have rows without a time, the last query reads them, too. */
export function readsOf({ query, kept }: Call, { reads, isWhole }: Plan, parts: readonly TablePart[]): readonly Read[] {
  if (isWhole) return [{ query: { sql: kept.lower, parameters: query.parameters } }]
  const choice = { table: kept.table, keys: parts.map(({ key }) => key) }
  const [first, last] = [firstTime(kept), lastTime(kept)]
  const bound = (time: bigint): BoundValue => ({ type: kept.timeType, value: timeValue(kept, time) })
  const narrowed = (from: bigint, to: bigint, hasNulls: boolean): Read => {
    const [_from, _until] = [bound(from), bound(to)]
    const sql = hasNulls ? kept.narrowedWithNulls : kept.narrowed
    const narrowedQuery = { sql, parameters: { ...query.parameters, _from, _until } }
    // Any part may have rows without a time.
    if (hasNulls) return { query: narrowedQuery, parts: choice }
    return { query: narrowedQuery, parts: { ...choice, keys: partsWithin(parts, from, to).map(({ key }) => key) } }
  }
  const queries = reads.map(({ from, until }, i) => {
    const hasNulls = kept.hasNulls && i === reads.length - 1
    return narrowed(from, until > last ? last : justBefore(kept, until), hasNulls)
  })
  // No time lies from the last to the first, so this query reads only the rows without a time.
  return kept.hasNulls && reads.length === 0 ? [narrowed(last, first, true)] : queries
}
