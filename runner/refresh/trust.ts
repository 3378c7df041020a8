/** Which kept rows are still true: those of no part of the table that is new, has changed or is gone. */
import { boundaryAfter, boundaryBefore, bucketBoundary, type KeptQuery, timeMicros } from '../../googlesql/index.js'
import type { TablePart } from '../model/query.js'
import { endOfTime, startOfTime } from './plan.js'
import { type Interval, type Span, without } from './spans.js'

/** The spans without the cells in which a part that differs has rows. */
export function trueSpans(
  kept: KeptQuery,
  spans: readonly Span[],
  before: readonly TablePart[],
  now: readonly TablePart[],
): readonly Span[] {
  const intervals = [...missingFrom(before, now), ...missingFrom(now, before)].map(part => cellsOf(kept, part))
  const bucketOf = (time: bigint): bigint => bucketBoundary(kept, time)
  return intervals.reduce((left, cells) => (cells ? without(left, cells, bucketOf) : left), spans)
}

/** The parts of the first list that the other one does not have. */
function missingFrom(parts: readonly TablePart[], others: readonly TablePart[]): readonly TablePart[] {
  const keys = new Set(others.map(({ key }) => key))
  return parts.filter(({ key }) => !keys.has(key))
}

export const isSameParts = (a: readonly TablePart[], b: readonly TablePart[]): boolean =>
  a.length === b.length && missingFrom(a, b).length === 0

/** The cells in which the part has rows; null for none, and all cells where that is not known. */
function cellsOf(kept: KeptQuery, { times }: TablePart): Interval | null {
  if (times === null) return null
  const from = times && boundaryBefore(kept, timeMicros(kept, times.least))
  const until = times && boundaryAfter(kept, timeMicros(kept, times.greatest) + 1n)
  return { from: from ?? startOfTime(kept), until: until ?? endOfTime(kept) }
}
