/** A computation counts as at least this fraction of its elapsed time. */
const LEAST_SHARE = 1 / 3

/**
 * Starts to measure a computation; the returned function gives its time in milliseconds. That is processor time, so that a query does not
 * count as slow because other queries run. But it is at least LEAST_SHARE of the time that has passed, and at most all of it.
 */
export function stopwatch(): () => number {
  const [startedAt, startUsage] = [performance.now(), process.cpuUsage()]
  return () => {
    const elapsed = performance.now() - startedAt
    const { user, system } = process.cpuUsage(startUsage)
    return Math.min(elapsed, Math.max(elapsed * LEAST_SHARE, (user + system) / 1_000))
  }
}
