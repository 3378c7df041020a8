/** A parent process that a test kills: opens the built engine in the given folder and prints the process id of the engine's child. */
import { openDuckdbEngine } from '../../../../dist/runner/engines/duckdb/open-engine.js'
import { systemClock } from '../../../../dist/runner/platform/clock.js'

const engine = await openDuckdbEngine({
  dataDir: null,
  database: null,
  tables: [],
  memoryLimitMb: 256,
  threads: 1,
  tempDir: process.argv[2],
  observe: () => undefined,
  clock: systemClock(),
})
process.send?.(engine.pid())
