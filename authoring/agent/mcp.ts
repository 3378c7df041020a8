/** `sluice mcp`: the endpoints and tables of this machine as tools for an agent, over standard input and output. */
import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { unrestrictedCaller } from '../../runner/auth/tokens.js'
import { loadTableSchemas } from '../../runner/manifest/tables/load.js'
import { offerOf } from '../../runner/mcp/offer.js'
import { withRawJson } from '../../runner/mcp/raw-json.js'
import { createMcpServer } from '../../runner/mcp/server.js'
import type { Session } from '../../runner/mcp/session.js'
import { ENGINES } from '../../runner/model/engines.js'
import { UsageError } from '../../runner/model/errors.js'
import { Log } from '../../runner/observe/log.js'
import { systemClock } from '../../runner/platform/clock.js'
import { NO_TOKENS, openRunner } from '../../runner/serve/runner.js'
import type { Settings } from '../../runner/settings/settings.js'
import { placeFailuresBelow } from '../call/place-failure.js'
import { tableResource } from '../data/table-resource.js'
import { EXIT, type Io } from '../terminal/io.js'
import { describeTablesTool } from './describe-tables.js'
import { runQueryTool } from './run-query.js'

/** Serves until standard input ends, or the process is asked to end. The log goes to standard error. */
export async function serveAgent(allSettings: Settings, io: Io): Promise<number> {
  if (!ENGINES[allSettings.engine].isLocal) {
    throw new UsageError([`mcp runs on the embedded engine only: --engine duckdb, found ${allSettings.engine}`])
  }
  // No shared store and no tokens: a mistake in their settings must not stop an author. Files are read again when they change.
  const settings = { ...allSettings, engine: 'duckdb', watch: true, redisUrl: null } as const
  const log = new Log(settings.logLevel, systemClock())
  const until = io.untilShutdown()
  try {
    const options = { observe: log.observe, placeFailure: placeFailuresBelow(settings.endpointsDir) }
    const opened = await openRunner(settings, options, NO_TOKENS)
    try {
      await serveOver(opened, settings, io, until)
    } finally {
      await opened.runner.close()
    }
  } finally {
    await log.end()
  }
  return EXIT.clean
}

/** Serves one caller without a token. Calls that run when the input ends or `until` resolves are cancelled. */
async function serveOver(
  { deps, tables: catalogue }: Awaited<ReturnType<typeof openRunner>>,
  { tablesDir, mcpMaxBytes: maxBytes }: Settings,
  io: Io,
  until: Promise<void>,
): Promise<void> {
  const shutdown = new AbortController()
  const resources = async () => {
    const { tables } = await loadTableSchemas(tablesDir)
    return new Map(tables.map(({ name, declared }) => [name, tableResource(declared)]))
  }
  const session: Session = {
    caller: unrestrictedCaller('stdio'),
    deps,
    maxBytes,
    serverUrl: null,
    isAuthor: true,
    otherTools: [
      describeTablesTool({ catalogue, resources, maxBytes }),
      runQueryTool({ engine: deps.engine, clock: deps.clock, maxBytes }),
    ],
    about: { requestId: randomUUID(), method: 'POST', path: 'stdio' },
    onCall: () => undefined,
    signal: shutdown.signal,
    refuse: null,
  }
  const input = io.standardInput()
  const ended = new Promise<void>(resolve => {
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve())
  })
  const output = new Writable({
    decodeStrings: false,
    // The transport writes each message at once, as one line.
    write(line: string, _encoding, done) {
      io.print(withRawJson(line))
      done()
    },
  })
  const server = serveStdio(() => createMcpServer(offerOf(session), true), {
    transport: new StdioServerTransport(input, output),
  })
  await Promise.race([ended, until])
  shutdown.abort()
  await server.close()
}
