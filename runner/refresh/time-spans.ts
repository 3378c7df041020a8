/** Spans of time, and the rows of a result whose buckets lie in them. Times are those of the query's column, in microseconds. */

/** The times from `from` to `until`, without `until` itself. */
export interface Interval {
  readonly from: bigint
  readonly until: bigint
}

/** A row of a result as JSON, and its bucket. */
export interface KeptRow {
  /** The value of the bucket, in microseconds; null for NULL. */
  readonly bucket: bigint | null
  readonly bytes: Uint8Array
}

/** All rows of a result whose buckets lie in an interval, in the result's order. */
export interface Span extends Interval {
  readonly rows: readonly KeptRow[]
}

/** Gives the value with which buckets are compared: a row lies before the time exactly if its bucket is less than this value. */
export type BucketOf = (time: bigint) => bigint

/** The times that lie in both intervals; null where there are none. */
export function overlapOf(a: Interval, b: Interval): Interval | null {
  const common = { from: later(a.from, b.from), until: earlier(a.until, b.until) }
  return common.from < common.until ? common : null
}

/** The parts of the spans that lie in the interval. Each end of the interval must be a boundary of buckets, or lie outside the span. */
export function clip(spans: readonly Span[], interval: Interval, bucketOf: BucketOf): readonly Span[] {
  return spans.flatMap(span => {
    const common = overlapOf(span, interval)
    if (common === null) return []
    const least = common.from > span.from ? bucketOf(common.from) : null
    const end = common.until < span.until ? bucketOf(common.until) : null
    if (least === null && end === null) return [span]
    return [{ ...common, rows: span.rows.filter(({ bucket }) => isBetween(bucket!, least, end)) }]
  })
}

const isBetween = (bucket: bigint, least: bigint | null, end: bigint | null): boolean =>
  (least === null || bucket >= least) && (end === null || bucket < end)

/** The span without the rows whose buckets lie outside it. */
export const dropOutside = (span: Span, bucketOf: BucketOf): Span => ({
  ...span,
  rows: span.rows.filter(liesIn(span, bucketOf)),
})

/** Whether the buckets of the span's rows lie in it. They do, unless the engine has other rules of time zones than this process. */
export const isWithin = (span: Span, bucketOf: BucketOf): boolean => span.rows.every(liesIn(span, bucketOf))

function liesIn({ from, until }: Interval, bucketOf: BucketOf) {
  const [least, end] = [bucketOf(from), bucketOf(until)]
  return ({ bucket }: KeptRow): boolean => bucket !== null && isBetween(bucket, least, end)
}

/** The spans without these intervals and the rows in them. Passes over the rows once. */
export function cut(spans: readonly Span[], cuts: readonly Interval[], bucketOf: BucketOf): readonly Span[] {
  const joinedCuts = unionOf(cuts)
  return spans.flatMap(span => {
    const pieces = gapsIn(span, joinedCuts)
    if (pieces.length === 1 && pieces[0]!.from === span.from && pieces[0]!.until === span.until) return [span]
    const parts = pieces.map(part => ({ ...part, rows: [] as KeptRow[] }))
    const bounds = pieces.map(({ from, until }) => [bucketOf(from), bucketOf(until)] as const)
    for (const row of span.rows) {
      const i = bounds.findLastIndex(([least]) => row.bucket! >= least)
      if (i >= 0 && row.bucket! < bounds[i]![1]) parts[i]!.rows.push(row)
    }
    return parts
  })
}

/** The same times as intervals that neither overlap nor touch, in the order of time. */
function unionOf(intervals: readonly Interval[]): readonly Interval[] {
  const union: Interval[] = []
  for (const { from, until } of sortByTime(intervals)) {
    const last = union.at(-1)
    if (last && from <= last.until) union[union.length - 1] = { from: last.from, until: later(last.until, until) }
    else union.push({ from, until })
  }
  return union
}

/** The intervals in the order of time. */
export const sortByTime = <T extends Interval>(intervals: readonly T[]): readonly T[] =>
  [...intervals].sort((a, b) => (a.from < b.from ? -1 : 1))

/** Joins the spans that touch. @param spans in the order of time @param isDescending the order of their rows */
export function joinSpans(spans: readonly Span[], isDescending: boolean): readonly Span[] {
  const joinedSpans: Span[] = []
  for (const span of spans) {
    const last = joinedSpans.at(-1)
    if (last?.until !== span.from) joinedSpans.push(span)
    else {
      const rows = isDescending ? [...span.rows, ...last.rows] : [...last.rows, ...span.rows]
      joinedSpans[joinedSpans.length - 1] = { from: last.from, until: span.until, rows }
    }
  }
  return joinedSpans
}

/**
 * The intervals that must be read to cover the whole interval: at most two, since each is a query. Where the spans leave more than two
 * gaps, only the longest stretch between two gaps is not read; the other stretches are read again.
 *
 * @param spans in the order of time, which do not overlap
 */
export function gapsToRead(whole: Interval, spans: readonly Span[]): readonly Interval[] {
  const gaps = gapsIn(whole, spans)
  if (gaps.length <= 2) return gaps
  let longest = 0
  for (let i = 1; i < gaps.length - 1; i++) if (distanceToNext(gaps, i) > distanceToNext(gaps, longest)) longest = i
  return [hullOf(gaps.slice(0, longest + 1)), hullOf(gaps.slice(longest + 1))]
}

/** The parts of the interval that lie in none of the others. @param others in the order of time */
function gapsIn(whole: Interval, others: readonly Interval[]): readonly Interval[] {
  const gaps: Interval[] = []
  let { from } = whole
  for (const other of [...others, { from: whole.until, until: whole.until }]) {
    const until = earlier(other.from, whole.until)
    if (until > from) gaps.push({ from, until })
    from = later(from, other.until)
  }
  return gaps
}

/** The time between this gap and the next one, in microseconds: it is covered by kept spans. */
const distanceToNext = (gaps: readonly Interval[], i: number): bigint => gaps[i + 1]!.from - gaps[i]!.until

const hullOf = (parts: readonly Interval[]): Interval => ({ from: parts[0]!.from, until: parts.at(-1)!.until })

const later = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const earlier = (a: bigint, b: bigint): bigint => (a < b ? a : b)
