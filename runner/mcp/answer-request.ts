/** Answers one POST: JSON-RPC of every revision of the protocol, without sessions. */
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Offer } from './offer.js'
import { withRawJson } from './raw-json.js'
import { createMcpServer } from './server.js'

export interface McpRequest {
  /** The parsed body. */
  readonly message: unknown
  /** The headers of the request; those of the protocol are read. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

export interface McpAnswer {
  readonly status: number
  /** Null where there is no body. */
  readonly contentType: string | null
  /** Alone in its memory, so that it can be transferred. */
  readonly body: Uint8Array<ArrayBuffer>
}

/** `signal` fires when the caller has left; the SDK then never answers. */
export async function answerRequest(
  { message, headers }: McpRequest,
  offer: Offer,
  signal: AbortSignal,
): Promise<McpAnswer> {
  const request = webRequest(headers, signal)
  const isLegacy = await isLegacyRequest(request, message)
  const server = createMcpServer(offer, !isLegacy || knowsResourceLinks(request))
  const response = await (isLegacy ? answerLegacy : answerModern)(request, message, server)
  const body = new TextEncoder().encode(withRawJson(await response.text()))
  return { status: response.status, contentType: response.headers.get('Content-Type'), body }
}

/** Whether results may have links to resources. A request without a version is of revision 2025-03-26, which has none. */
function knowsResourceLinks({ headers }: Request): boolean {
  const version = headers.get(VERSION_HEADER)
  return version !== null && version > '2025-03-26'
}

/** Revision 2026-07-28 and later. */
function answerModern(request: Request, message: unknown, server: Server): Promise<Response> {
  const handler = createMcpHandler(() => server, { legacy: 'reject' })
  return handler.fetch(request, { parsedBody: message })
}

/** Revisions with an `initialize`, whose sessions this server does not need: each request stands alone. */
async function answerLegacy(request: Request, message: unknown, server: Server): Promise<Response> {
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

/** A request with the headers that the SDK reads. `Accept` is fixed: the caller's was checked before, and the answer is JSON. */
function webRequest(headers: McpRequest['headers'], signal: AbortSignal): Request {
  const sent = new Headers({ 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' })
  for (const name of PROTOCOL_HEADERS) {
    const value = headers[name]
    if (value !== undefined) sent.set(name, String(value))
  }
  return new Request('http://localhost/mcp', { method: 'POST', headers: sent, signal, body: '{}' })
}
