/** Which kept rows are still true: those of no part of the table that is new, has changed or is gone. */
import { boundaryAfter, boundaryBefore, bucketBoundary, type KeptQuery, timeMicros } from '../../googlesql/index.js'
import type { TablePart } from '../model/query.js'
import { endOfTime, startOfTime } from './plan.js'
import { type Interval, type Span, without } from './spans.js'

/** Where more parts differ, everything is read anew: finding their cells would keep other calls waiting. */
const MAX_CHANGED = 1_000

/** The spans without the cells in which a part that differs has rows. */
export function trueSpans(
  kept: KeptQuery,
  spans: readonly Span[],
  before: readonly TablePart[],
  now: readonly TablePart[],
): readonly Span[] {
  const changed = [...missingFrom(before, now), ...missingFrom(now, before)]
  if (changed.length > MAX_CHANGED) return []
  const intervals = changed.map(part => cellsOf(kept, part))
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

const timeOf = (kept: KeptQuery, text: string | undefined): bigint | null =>
  text === undefined ? null : timeMicros(kept, text)

/** The cells in which the part has rows; null for none, and all cells where that is not known. */
function cellsOf(kept: KeptQuery, { times }: TablePart): Interval | null {
  if (times === null) return null
  const [least, greatest] = [timeOf(kept, times?.least), timeOf(kept, times?.greatest)]
  const from = least === null ? null : boundaryBefore(kept, least)
  const until = greatest === null ? null : boundaryAfter(kept, greatest + 1n)
  return { from: from ?? startOfTime(kept), until: until ?? endOfTime(kept) }
}
