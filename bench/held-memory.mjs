/** Preloaded into a server: after each full garbage collection, writes the memory that remains in use to a file, in bytes. */
import { renameSync, writeFileSync } from 'node:fs'
import { constants, PerformanceObserver } from 'node:perf_hooks'

const file = process.env['SLUICE_HELD_MEMORY']

new PerformanceObserver(list => {
  const isFull = list.getEntries().some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
  if (!isFull) return
  const { heapUsed, external } = process.memoryUsage()
  writeFileSync(`${file}.new`, JSON.stringify({ heapUsed, external }))
  renameSync(`${file}.new`, file)
}).observe({ entryTypes: ['gc'] })
