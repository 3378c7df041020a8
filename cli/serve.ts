/** `sluice serve`: one process that serves until it receives SIGTERM or SIGINT. */

import { EXIT, type Io } from '../authoring/terminal/io.js'
import { reportDiagnostics } from '../authoring/terminal/report.js'
import { ensureToken } from '../authoring/token/token-writer.js'
import { Log } from '../runner/observe/log.js'
import { systemClock } from '../runner/platform/clock.js'
import { collectGarbage } from '../runner/platform/collect-garbage.js'
import { openRunner } from '../runner/serve/runner.js'
import type { PlaceFailure } from '../runner/serve/served-engine.js'
import type { Settings } from '../runner/settings/settings.js'
import { startWatchdog } from './watchdog.js'

/**
 * Prints one line when the server is ready, and one with the address of the explorer. SIGHUP reloads manifests and table
 * schemas. After SIGTERM or SIGINT the running requests are finished, and 0 is returned.
 */
export async function serve(settings: Settings, io: Io): Promise<number> {
  const log = new Log(settings.logLevel, systemClock())
  try {
    await serveUntilShutdown(settings, log, io)
  } finally {
    await log.end()
  }
  return EXIT.clean
}

async function serveUntilShutdown(settings: Settings, log: Log, io: Io): Promise<void> {
  const reloads = listenForReloads(io)
  const { runner } = await openRunner(settings, {
    placeFailure: settings.dev ? await placeFailuresIn(settings) : null,
    observe(event) {
      log.observe(event)
      const hasMistakes = event.kind === 'manifests.refused' || event.kind === 'manifests.broken'
      if (hasMistakes && io.isTerminal) reportDiagnostics(event.diagnostics, 'text', io)
    },
    droppedLogLines: log.dropped,
  })
  const shutdown = io.untilShutdown()
  const onFailure = (cause: Error): void => log.observe({ kind: 'bug', where: 'watchdog', cause })
  const endWatchdog = startWatchdog({ writesLog: settings.logLevel !== 'silent', onFailure })
  // The reload itself logs its failure.
  reloads.begin(() => void runner.reload().catch(() => {}))
  try {
    const token = await ensureToken(settings)
    // Otherwise the first call would wait for the collection: loading program and manifests leaves more garbage than live data.
    await collectGarbage()
    const server = await runner.listen()
    if (token !== null) io.print(`token ${token} (shown only this once; send it as X-API-KEY)\n`)
    const explorer = settings.explorer === 'on' ? `explorer ${server.url}/explorer/\n` : ''
    const metrics = server.metricsUrl === undefined ? '' : `metrics ${server.metricsUrl}/metrics\n`
    io.print(
      `ready ${server.url} endpoints=${runner.endpoints().length} engine=${settings.engine}\n${explorer}${metrics}`,
    )
    await shutdown
    await server.close()
  } finally {
    await runner.close()
    endWatchdog()
  }
}

/** Imported only here, because only an author's server places failures. */
async function placeFailuresIn({ endpointsDir }: Settings): Promise<PlaceFailure> {
  const { placeFailuresBelow } = await import('../authoring/call/place-failure.js')
  return placeFailuresBelow(endpointsDir)
}

/**
 * Listens for SIGHUP from the start, since an unhandled SIGHUP ends the process. A request that comes during loading is
 * carried out afterwards.
 */
function listenForReloads(io: Io): { begin(reload: () => void): void } {
  let isRequested = false
  let onReload = (): void => {
    isRequested = true
  }
  io.onReload(() => onReload())
  return {
    begin(reload) {
      onReload = reload
      if (isRequested) reload()
    },
  }
}
