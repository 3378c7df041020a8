/** Answers one POST: JSON-RPC of every revision of the protocol, without sessions. */
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { raced } from '../model/deadline.js'
import { RunnerError } from '../model/errors.js'
import { withRawJson } from './raw-json.js'
import { createMcpServer } from './server.js'
import type { Session } from './session.js'

export interface McpRequest {
  /** The parsed body. */
  readonly message: unknown
  /** The headers of the request; those of the protocol are read. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

export interface McpAnswer {
  readonly status: number
  readonly contentType: string | null
  /** '' where there is nothing to say, as to a notification. */
  readonly body: string
}

/** The members of a session that come from the request itself. */
type FromRequest = 'knowsLinks' | 'refuse'

/** @throws RunnerError for a failure that is the answer to the whole request: 429; CALL_ABANDONED. */
export async function answerRequest(
  { message, headers }: McpRequest,
  given: Omit<Session, FromRequest>,
): Promise<McpAnswer> {
  let refusal: RunnerError | null = null
  const refuse = (error: RunnerError): void => {
    refusal ??= error
  }
  const request = webRequest(headers, given.signal)
  const isLegacy = await isLegacyRequest(request, message)
  const knowsLinks = !isLegacy || knowsResourceLinks(request)
  const session: Session = { ...given, knowsLinks, refuse }
  const abandoned = (thrown: unknown): never => {
    throw given.signal.aborted ? new RunnerError('CALL_ABANDONED') : thrown
  }
  const answering = isLegacy ? answerLegacy(request, message, session) : answerModern(request, message, session)
  // The SDK never answers a caller who has left.
  const response = await raced(answering, given.signal).catch(abandoned)
  const body = await raced(response.text(), given.signal).catch(abandoned)
  if (refusal !== null) throw refusal
  return { status: response.status, contentType: response.headers.get('Content-Type'), body: withRawJson(body) }
}

/** Whether results may have links to resources. A request without a version is of revision 2025-03-26, which has none. */
function knowsResourceLinks({ headers }: Request): boolean {
  const version = headers.get(VERSION_HEADER)
  return version !== null && version > '2025-03-26'
}

/** Revision 2026-07-28 and later. */
function answerModern(request: Request, message: unknown, session: Session): Promise<Response> {
  const handler = createMcpHandler(() => createMcpServer(session), { legacy: 'reject' })
  return handler.fetch(request, { parsedBody: message })
}

/** Revisions with an `initialize`, whose sessions this server does not need: each request stands alone. */
async function answerLegacy(request: Request, message: unknown, session: Session): Promise<Response> {
  const server = createMcpServer(session)
  // `sessionIdGenerator` is left out: no sessions.
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: message })
  } finally {
    await server.close()
  }
}

const VERSION_HEADER = 'mcp-protocol-version'
const PROTOCOL_HEADERS = [VERSION_HEADER, 'mcp-method', 'mcp-name']

/** A request with what the SDK reads. `Accept` is fixed: the caller's was checked before, and the answer is JSON. */
function webRequest(headers: McpRequest['headers'], signal: AbortSignal): Request {
  const sent = new Headers({ 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' })
  for (const name of PROTOCOL_HEADERS) {
    const value = headers[name]
    if (value !== undefined) sent.set(name, String(value))
  }
  return new Request('http://localhost/mcp', { method: 'POST', headers: sent, signal, body: '{}' })
}
