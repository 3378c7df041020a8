/** `sluice serve`: one process that serves until it is asked to end. */

import { createRunner } from '../compose/runner.js'
import { ensureToken } from '../compose/tokens.js'
import { openLog } from '../observe/log.js'
import { systemClock } from '../process/clock.js'
import { readSettings } from '../settings/settings.js'
import { EXIT, type Io } from './io.js'
import { reportDiagnostics } from './report.js'

/**
 * Prints one line when ready. SIGHUP has manifests and table schemas read again. Ends with 0 after SIGTERM or SIGINT, once
 * running requests are finished.
 */
export async function serve(flags: Readonly<Record<string, string | undefined>>, io: Io): Promise<number> {
  const settings = readSettings(flags, io.environment)
  const log = openLog(settings.logLevel, systemClock())
  io.onExit(log.end)
  const reloads = reloadsAskedFor(io)
  const runner = await createRunner(settings, {
    observe(event) {
      log.observe(event)
      if (event.kind === 'manifests.refused' && io.isTerminal) reportDiagnostics(event.diagnostics, 'text', io)
    },
    droppedLogLines: log.dropped,
  })
  const asked = io.untilAsked()
  // Whatever becomes of it has been observed.
  reloads.begin(() => void runner.reload().catch(() => {}))
  try {
    const token = await ensureToken(settings)
    const server = await runner.listen()
    if (token !== null) io.print(`token ${token} (shown only this once; send it as X-API-KEY)\n`)
    io.print(`ready ${server.url} endpoints=${runner.endpoints().length} engine=${settings.engine}\n`)
    io.loaded()
    await asked
    await server.close()
  } finally {
    await runner.close()
  }
  return EXIT.clean
}

/** SIGHUP would end the process until somebody listens. What it asks for while everything is read is done once that is over. */
function reloadsAskedFor(io: Io): { begin(reload: () => void): void } {
  let isAsked = false
  let act = (): void => {
    isAsked = true
  }
  io.onReload(() => act())
  return {
    begin(reload) {
      act = reload
      if (isAsked) reload()
    },
  }
}
