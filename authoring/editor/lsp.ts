/** `sluice lsp`: the language server for editors, over standard input and output. */
import { Writable } from 'node:stream'
import { readSettings } from '../../runner/settings/settings.js'
import type { Io } from '../terminal/io.js'
import { openChecker } from './checker.js'
import { connectEditor } from './connection.js'
import { startServer } from './server.js'

/** Serves one editor; the process ends when the editor ends the connection. */
export function serveEditor(
  flags: Readonly<Record<string, string | undefined>>,
  version: string,
  io: Io,
): Promise<never> {
  const settings = readSettings(flags, io.environment)
  const output = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      io.print(chunk)
      done()
    },
  })
  const { endpointsDir: endpoints, tablesDir: tables, functionsDir: functions, dataDir: data } = settings
  startServer(connectEditor(io.standardInput(), output), {
    folders: { endpoints, tables, functions, data },
    openChecker: (definitions, kept, folders) => openChecker(definitions, kept, folders, settings),
    version,
  })
  return new Promise<never>(() => {})
}
