/** Joins the lines of two plans into one chart. */
import type { LinePlan, Series } from './plan.js'

/**
 * Returns the lines of `now`, then those of `before`, marked and moved by `offsetSeconds`; names stay the same. At a time that
 * only the other plan has, the value is undefined and the line continues; at a null it is interrupted.
 */
export function joinPlans(now: LinePlan, before: LinePlan, offsetSeconds: number): LinePlan {
  const moved = before.seconds.map(second => second + offsetSeconds)
  const from = offsetSeconds > 0 ? (now.seconds[0] ?? -Infinity) : -Infinity
  const to = offsetSeconds > 0 ? (now.seconds.at(-1) ?? Infinity) : Infinity
  const within = moved.filter(second => second >= from && second <= to)
  const seconds = [...new Set([...now.seconds, ...within])].sort((a, b) => a - b)
  const marked = before.series.map((series): Series => ({ ...series, isBefore: true }))
  return {
    ...now,
    seconds,
    series: [...now.series.map(spread(now.seconds, seconds)), ...marked.map(spread(moved, seconds))],
  }
}

function spread(own: readonly number[], all: readonly number[]): (series: Series) => Series {
  const place = new Map(own.map((second, i) => [second, i]))
  return series => ({
    ...series,
    values: all.map(second => {
      const i = place.get(second)
      return i === undefined ? undefined : series.values[i]
    }),
  })
}

/** The time from the first place to the last, in seconds. */
export const spanOf = ({ seconds }: LinePlan): number => (seconds.at(-1) ?? 0) - (seconds[0] ?? 0)
