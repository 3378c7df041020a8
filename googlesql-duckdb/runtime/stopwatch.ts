/** At least 1/BUSY of the time that has passed counts, however little of it was processor time. */
const BUSY = 3

/**
 * Starts to measure a computation; the returned function gives its time in milliseconds. That is processor time, so that a query does not
 * count as slow because other queries run. But it is at least 1/BUSY of the time that has passed, and at most all of it.
 */
export function stopwatch(): () => number {
  const [startedAt, startUsage] = [performance.now(), process.cpuUsage()]
  return () => {
    const elapsed = performance.now() - startedAt
    const { user, system } = process.cpuUsage(startUsage)
    return Math.min(elapsed, Math.max(elapsed / BUSY, (user + system) / 1_000))
  }
}
