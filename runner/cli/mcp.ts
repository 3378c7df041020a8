/** `sluice mcp`: the endpoints here as tools for an agent, over standard input and output. */
import { openAgentDeps } from '../compose/agent.js'
import { serveAgent as serveOver } from '../mcp/serve-agent.js'
import { UsageError } from '../model/errors.js'
import { openLog } from '../observe/log.js'
import { systemClock } from '../process/clock.js'
import { readSettings } from '../settings/settings.js'
import { EXIT, type Io } from './io.js'

/** Serves until standard input ends, or the process is asked to end. The log goes to standard error. */
export async function serveAgent(flags: Readonly<Record<string, string | undefined>>, io: Io): Promise<number> {
  const settings = readSettings(flags, io.environment)
  if (settings.engine !== 'duckdb') {
    throw new UsageError([`mcp runs on the embedded engine only: --engine duckdb, found ${settings.engine}`])
  }
  const log = openLog(settings.logLevel, systemClock())
  io.onExit(log.end)
  const until = io.untilShutdown()
  const agent = await openAgentDeps(settings, log.observe)
  try {
    io.loaded()
    await serveOver(agent, { input: io.standardInput(), print: io.print }, until)
  } finally {
    await agent.close()
  }
  return EXIT.clean
}
