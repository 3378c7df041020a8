/** How many times as long as its processor time a computation may take on a busy machine. */
const BUSY = 3

/**
 * Starts to measure a computation; the returned function gives its time in milliseconds. On a busy machine that is processor time, so
 * that a query does not count as slow because others run, but at least a part of the time that has passed.
 */
export function stopwatch(): () => number {
  const [startedAt, used] = [performance.now(), process.cpuUsage()]
  return () => {
    const passed = performance.now() - startedAt
    const { user, system } = process.cpuUsage(used)
    return Math.min(passed, Math.max(passed / BUSY, (user + system) / 1_000))
  }
}
