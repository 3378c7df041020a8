/** How much memory V8 takes for what has just been made, most of which it soon throws away. */
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Half of what V8 would take: requests are answered as fast with it (hits and misses, measured in turns). */
const MAX_BYTES = 16_000_000

/** Lets it grow with what is asked of it, by doubling, up to 17 MB. Before, it stays as small as it is. */
export function letYoungGenerationGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
  // V8 takes the most that it may grow to on its command line only. Between one doubling and the next there are many
  // collections, each of which is told here.
  const observer = new PerformanceObserver(() => {
    if (youngBytes() < MAX_BYTES) return
    setFlagsFromString('--semi-space-growth-factor=1')
    observer.disconnect()
  })
  observer.observe({ entryTypes: ['gc'] })
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
}
