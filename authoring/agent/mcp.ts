/** `sluice mcp`: the endpoints here as tools for an agent, over standard input and output. */

import { ENGINES } from '../../runner/model/engines.js'
import { UsageError } from '../../runner/model/errors.js'
import { openLog } from '../../runner/observe/log.js'
import { systemClock } from '../../runner/platform/clock.js'
import { readSettings } from '../../runner/settings/settings.js'
import { EXIT, type Io } from '../terminal/io.js'
import { openAgentDeps } from './agent.js'
import { serveAgent as serveOver } from './serve-agent.js'

/** Serves until standard input ends, or the process is asked to end. The log goes to standard error. */
export async function serveAgent(flags: Readonly<Record<string, string | undefined>>, io: Io): Promise<number> {
  const settings = readSettings(flags, io.environment)
  if (!ENGINES[settings.engine].isLocal) {
    throw new UsageError([`mcp runs on the embedded engine only: --engine duckdb, found ${settings.engine}`])
  }
  const log = openLog(settings.logLevel, systemClock())
  const until = io.untilShutdown()
  try {
    const agent = await openAgentDeps(settings, log.observe)
    try {
      await serveOver(agent, { input: io.standardInput(), print: io.print }, until)
    } finally {
      await agent.close()
    }
  } finally {
    await log.end()
  }
  return EXIT.clean
}
