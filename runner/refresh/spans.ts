/** Spans of time, and the rows of a result whose buckets lie in them. Times are those of the query's column, in microseconds. */

/** From a time to another, which does not belong to it. */
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

/** What the bucket of a row is compared with: it is less than this exactly where the row lies before the time. */
export type BucketOf = (time: bigint) => bigint

/** What both intervals have; null for nothing. */
export function overlap(a: Interval, b: Interval): Interval | null {
  const both = { from: later(a.from, b.from), until: earlier(a.until, b.until) }
  return both.from < both.until ? both : null
}

/** The parts of the spans that lie in the interval. Both ends of the interval must be boundaries of buckets, or beyond a span. */
export function within(spans: readonly Span[], interval: Interval, bucketOf: BucketOf): readonly Span[] {
  return spans.flatMap(span => {
    const part = overlap(span, interval)
    if (part === null) return []
    const least = part.from > span.from ? bucketOf(part.from) : null
    const end = part.until < span.until ? bucketOf(part.until) : null
    if (least === null && end === null) return [span]
    return [{ ...part, rows: span.rows.filter(({ bucket }) => isBetween(bucket!, least, end)) }]
  })
}

const isBetween = (bucket: bigint, least: bigint | null, end: bigint | null): boolean =>
  (least === null || bucket >= least) && (end === null || bucket < end)

/** Whether the buckets of the span's rows lie in it: they do unless the engine has other time zones. */
export function isWithin({ from, until, rows }: Span, bucketOf: BucketOf): boolean {
  const [least, end] = [bucketOf(from), bucketOf(until)]
  return rows.every(({ bucket }) => bucket !== null && bucket >= least && bucket < end)
}

/** The spans without what lies in the interval. */
export const without = (spans: readonly Span[], { from, until }: Interval, bucketOf: BucketOf): readonly Span[] =>
  spans.flatMap(span => [
    ...within([span], { from: span.from, until: from }, bucketOf),
    ...within([span], { from: until, until: span.until }, bucketOf),
  ])

/** The spans in the order of time. */
export const inOrder = (spans: readonly Span[]): readonly Span[] =>
  [...spans].sort((a, b) => (a.from < b.from ? -1 : 1))

/** The spans, of which those that touch are one. */
export function merged(spans: readonly Span[], isDescending: boolean): readonly Span[] {
  const all: Span[] = []
  for (const span of spans) {
    const last = all.at(-1)
    if (last?.until !== span.from) all.push(span)
    else {
      const rows = isDescending ? [...span.rows, ...last.rows] : [...last.rows, ...span.rows]
      all[all.length - 1] = { from: last.from, until: span.until, rows }
    }
  }
  return all
}

/**
 * What must be read, so that all of the interval is covered: at most two intervals, since each is a query. Where spans leave more
 * gaps than two, the longest span between them is kept, and the others are read again.
 *
 * @param spans in the order of time, which do not overlap
 */
export function missing(all: Interval, spans: readonly Span[]): readonly Interval[] {
  const gaps: Interval[] = []
  let { from } = all
  for (const span of [...spans, { from: all.until, until: all.until }]) {
    if (span.from > from) gaps.push({ from, until: earlier(span.from, all.until) })
    from = later(from, span.until)
  }
  if (gaps.length <= 2) return gaps
  let longest = 0
  for (let i = 1; i < gaps.length - 1; i++) if (lengthAfter(gaps, i) > lengthAfter(gaps, longest)) longest = i
  return [joined(gaps.slice(0, longest + 1)), joined(gaps.slice(longest + 1))]
}

/** How long what is kept between this gap and the next one is. */
const lengthAfter = (gaps: readonly Interval[], i: number): bigint => gaps[i + 1]!.from - gaps[i]!.until

const joined = (gaps: readonly Interval[]): Interval => ({ from: gaps[0]!.from, until: gaps.at(-1)!.until })

const later = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const earlier = (a: bigint, b: bigint): bigint => (a < b ? a : b)
