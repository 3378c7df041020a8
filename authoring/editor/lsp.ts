/** `sluice lsp`: the language server for editors, over standard input and output. */
import { Writable } from 'node:stream'
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node'
import { systemClock } from '../../runner/platform/clock.js'
import { definitionOf, openServingEngineOver } from '../../runner/serve/engine.js'
import type { Settings } from '../../runner/settings/settings.js'
import { constantsChecker } from '../check/constants.js'
import type { Io } from '../terminal/io.js'
import { startServer } from './server.js'
import type { WorkspaceDeps } from './workspace.js'

/** Serves one editor; the process ends when the editor says `exit`, or closes its stream. */
export function serveEditor(settings: Settings, version: string, io: Io): Promise<never> {
  const output = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      io.print(chunk)
      done()
    },
  })
  const { endpointsDir: endpoints, tablesDir: tables, functionsDir: functions, dataDir: data } = settings
  startServer(createConnection(ProposedFeatures.all, io.standardInput(), output), {
    folders: { endpoints, tables, functions, data },
    openChecker: checkerOpener(settings),
    version,
  })
  return new Promise<never>(() => {})
}

/** The embedded engine, which checks SQL and knows the tables, and runs nothing. */
const checkerOpener =
  (settings: Settings): WorkspaceDeps['openChecker'] =>
  async (tables, rest, folders) => {
    // An editor asks at each keystroke, so a warehouse is not asked.
    const embedded: Settings = { ...settings, engine: 'duckdb', dataDir: folders.data }
    const deps = { observe: () => {}, clock: systemClock() }
    const engine = await openServingEngineOver({ ...rest, tables: tables.map(definitionOf) }, embedded, deps)
    return { tables: () => engine.tables(), check: constantsChecker(engine), close: () => engine.close() }
  }
