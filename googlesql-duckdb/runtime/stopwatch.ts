/** At least 1/BUSY of the time that has passed counts, however little of it was processor time. */
const BUSY = 3

/**
 * Starts to measure a computation; the returned function gives its time in milliseconds. That is processor time, so that a query does not
 * count as slow because other queries run. But it is at least 1/BUSY of the time that has passed, and at most all of it.
 */
export function stopwatch(): () => number {
  const [startedAt, used] = [performance.now(), process.cpuUsage()]
  return () => {
    const passed = performance.now() - startedAt
    const { user, system } = process.cpuUsage(used)
    return Math.min(passed, Math.max(passed / BUSY, (user + system) / 1_000))
  }
}
