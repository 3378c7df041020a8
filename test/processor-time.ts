/** Processor time of a call, for tests that an algorithm is linear: unlike time on the clock, another process does not change it. */

/** The least processor time of three calls, in milliseconds. */
export function processorMs(call: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const began = process.cpuUsage()
    call()
    const { user, system } = process.cpuUsage(began)
    return (user + system) / 1_000
  })
  return Math.min(...times)
}
