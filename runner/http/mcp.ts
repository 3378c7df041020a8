/** `POST /mcp`: endpoints as tools for agents (Model Context Protocol). A thread speaks the protocol itself. */
import { isIP } from 'node:net'
import type { Request, RequestHandler } from 'express'
import type { AgentThread } from '../mcp/agent-thread.js'
import { invalidRequest, RunnerError } from '../model/errors.js'
import { isRecord } from '../model/is-record.js'
import { countCall } from '../request/authorize.js'
import { readJsonBody } from './body.js'
import type { OpenApiDeps } from './openapi.js'
import { exchangeOf, loggedPath, originOf } from './request-context.js'
import { identify } from './routes.js'
import { send } from './send.js'

/** The most messages in a batch, whose answers are written in one turn of the event loop. */
export const MAX_MESSAGES = 10
/** The most members of all objects in a body: the protocol has ten in each message, and a call may have 1,000 arguments. */
const MAX_MEMBERS = 4_000

export interface McpDeps extends OpenApiDeps {
  /** `maxBytes`: the most bytes of the rows in one answer. */
  readonly mcp: { readonly maxBytes: number; readonly thread: AgentThread }
  readonly corsOrigins: readonly string[]
}

/** Answers one POST of an agent. @throws RunnerError. */
export function answerAgents(deps: McpDeps): RequestHandler {
  return async (req, res) => {
    const exchange = exchangeOf(res)
    exchange.via = 'mcp'
    refuseForeignOrigin(req, deps)
    const caller = identify(req, res, deps)
    refuseOtherTypes(req)
    const message = await readJsonBody(req, MAX_MEMBERS).catch(ignoreBadJson)
    if (message === undefined) return send(req, res, 400, 'application/json', Buffer.from(PARSE_ERROR))
    if (Array.isArray(message) && message.length > MAX_MESSAGES) {
      throw invalidRequest(`A batch may have at most ${MAX_MESSAGES} messages.`)
    }
    if (asksTwice(message)) throw invalidRequest('A batch may ask for each list only once.')
    // Each message of a batch counts as a call.
    if (Array.isArray(message)) for (let i = 1; i < message.length; i++) countCall(caller)
    const { status, contentType, body } = await deps.mcp.thread.answer(
      { message, headers: req.headers },
      {
        caller,
        deps,
        maxBytes: deps.mcp.maxBytes,
        serverUrl: deps.publicUrl ?? originOf(req),
        isAuthor: false,
        otherTools: [],
        about: { requestId: exchange.requestId, method: req.method, path: loggedPath(req.originalUrl) },
        onCall() {
          exchange.hasCallEvents = true
        },
        signal: exchange.signal,
      },
    )
    if (contentType === null) res.status(status).end()
    else send(req, res, status, contentType, Buffer.from(body.buffer))
  }
}

/** Whether two messages of a batch ask for the same list: the answer would have a copy of the list for each. */
function asksTwice(message: unknown): boolean {
  const methods = Array.isArray(message) ? message.map(call => (isRecord(call) ? call['method'] : null)) : []
  const lists = methods.filter(method => typeof method === 'string' && method.endsWith('/list'))
  return new Set(lists).size < lists.length
}

/**
 * A page of another origin may not call, even with a token: its name could have been made to resolve to this machine (DNS
 * rebinding). So without `--public-url`, an origin counts as our own only if no one else can choose the address of its host.
 */
function refuseForeignOrigin(req: Request, { publicUrl, corsOrigins }: McpDeps): void {
  const origin = req.get('Origin')
  if (origin === undefined || corsOrigins.includes(origin) || corsOrigins.includes('*')) return
  const ownOrigin = publicUrl === null ? originOf(req) : new URL(publicUrl).origin
  if (origin === ownOrigin && (publicUrl !== null || isFixedHost(new URL(ownOrigin).hostname))) return
  throw new RunnerError('ORIGIN_NOT_ALLOWED', {
    detail: 'Pages of this origin may not call: --cors-origins and --public-url say which may.',
  })
}

/** Whether this host is an IP address, or the name of this machine. */
const isFixedHost = (host: string): boolean =>
  host === 'localhost' || isIP(host.startsWith('[') ? host.slice(1, -1) : host) !== 0

/** The answer is JSON, which the protocol's clients accept beside a stream of events. */
function refuseOtherTypes(req: Request): void {
  if (req.accepts('application/json') !== false) return
  throw new RunnerError('NOT_ACCEPTABLE', { detail: 'This can be had as application/json.' })
}

function ignoreBadJson(thrown: unknown): undefined {
  if (!(thrown instanceof SyntaxError) && !(thrown instanceof RangeError)) throw thrown
}

/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"The body is not valid JSON"}}'
