/** The tools over standard input and output, for one agent on this machine. */
import { randomUUID } from 'node:crypto'
import { type Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { RawJson } from '../../runner/mcp/raw-json.js'
import { createMcpServer } from '../../runner/mcp/server.js'
import type { Session } from '../../runner/mcp/session.js'
import type { Caller, Engine } from '../../runner/model/ports.js'
import type { RequestDeps } from '../../runner/request/handle.js'
import { describeTablesTool, type TableSources } from './describe-tables.js'
import { runQueryTool } from './run-query.js'

export interface AgentDeps {
  readonly caller: Caller
  readonly deps: RequestDeps
  readonly engine: Engine
  readonly tables: Omit<TableSources, 'maxBytes'>
  /** The most bytes of an answer's rows. */
  readonly maxBytes: number
}

export interface AgentStreams {
  readonly input: Readable
  readonly print: (text: string) => void
}

/** Serves until the input ends or `until` resolves. Calls that run then are cancelled. */
export async function serveAgent(
  { caller, deps, engine, tables, maxBytes }: AgentDeps,
  { input, print }: AgentStreams,
  until: Promise<void>,
): Promise<void> {
  const raw = new RawJson()
  const left = new AbortController()
  const session: Session = {
    caller,
    deps,
    maxBytes,
    serverUrl: null,
    knowsLinks: true,
    isAuthor: true,
    otherTools: [
      describeTablesTool({ ...tables, maxBytes }),
      runQueryTool({ engine, clock: deps.clock, raw, maxBytes }),
    ],
    raw,
    about: { requestId: randomUUID(), method: 'POST', path: 'stdio' },
    onCall: () => undefined,
    signal: left.signal,
    refuse: null,
  }
  const ended = new Promise<void>(resolve => {
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve())
  })
  const output = new Writable({
    decodeStrings: false,
    // The transport writes each message at once, as one line.
    write(line: string, _encoding, done) {
      print(raw.fill(line))
      done()
    },
  })
  const server = serveStdio(() => createMcpServer(session), { transport: new StdioServerTransport(input, output) })
  await Promise.race([ended, until])
  left.abort()
  await server.close()
}
