/** The HTTP server around a listener: its limits, its answers to what is no HTTP, and its graceful end. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { ErrorCode } from '../model/error-codes.js'
import { RunnerError, SetupError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Clock } from '../model/ports.js'
import { KEEP_ALIVE_MS, PreparedRequest, PreparedResponse } from './prepared-response.js'
import { problemOf } from './problem.js'

/** Request line and headers together. More than the longest address, so that the app can answer 414 itself. */
const MAX_HEADER_BYTES = 131_072
/** A whole request must have arrived by then: 30 seconds. */
const REQUEST_TIMEOUT_MS = 30_000
/** How often connections that have become idle are closed while the server ends. */
const SWEEP_MS = 50

export interface ServerOptions {
  readonly listener: RequestListener
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** How long new connections and requests are still taken once the server is closed, so that a balancer can see it. */
  readonly drainDelayMs: number
  /** How long running requests may take after that. */
  readonly graceMs: number
  readonly clock: Clock
  readonly observe: Observer
  readonly newRequestId: () => string
  /** Called as the end begins: from here on `/readyz` says so. */
  readonly onLeaving: () => void
  /** Called after the delay: from here on the listener refuses new work. */
  readonly onDraining: () => void
}

export interface RunningServer {
  /** `http://127.0.0.1:8080` */
  readonly url: string
  readonly port: number
  /** After the delay: stops accepting, lets running requests finish for the grace period, then cuts the rest off. */
  close(): Promise<void>
}

/** Listens. @throws SetupError when the address cannot be listened on. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  // A request without a Host is refused by the app, which answers with a problem.
  const limits = { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: REQUEST_TIMEOUT_MS, requireHostHeader: false }
  const { listener } = options
  const server: Server = createServer(
    { ...limits, IncomingMessage: PreparedRequest, ServerResponse: PreparedResponse as typeof ServerResponse },
    (req, res) => {
      ;(req.socket as Answering)[LATEST] = res
      listener(req, res)
    },
  )
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.on('checkExpectation', options.listener) // an expectation other than 100-continue, which the app refuses
  answerBadRequests(server, options.newRequestId)
  const sockets = new Set<Socket>()
  server.on('connection', socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await listen(server, options)
  const { port } = server.address() as AddressInfo
  const url = `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`
  let closing: Promise<void> | null = null
  return {
    url,
    port,
    close() {
      closing ??= closeGracefully(server, sockets, options)
      return closing
    },
  }
}

function listen(server: Server, { host, port }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', cause => {
      reject(new SetupError(`cannot listen on ${host}:${port}: ${(cause as NodeJS.ErrnoException).code}`, { cause }))
    })
    server.listen(port, host, resolve)
  })
}

async function closeGracefully(server: Server, sockets: ReadonlySet<Socket>, options: ServerOptions): Promise<void> {
  const { clock, observe, drainDelayMs, graceMs, onLeaving, onDraining } = options
  onLeaving()
  observe({ kind: 'server.draining' })
  if (drainDelayMs > 0) await new Promise<void>(resolve => clock.after(drainDelayMs, resolve))
  onDraining()
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  const cancelCut = clock.after(graceMs, () => server.closeAllConnections())
  let cancelSweep = () => {}
  const sweep = (): void => {
    server.closeIdleConnections()
    // Connections that have never sent a byte (browsers open some ahead of need) do not count as idle there.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    cancelSweep = clock.after(SWEEP_MS, sweep)
  }
  sweep()
  await closed
  cancelCut()
  cancelSweep()
  observe({ kind: 'server.closed' })
}

const CODE_FOR: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** Where a socket carries its latest response: a WeakMap would have to be written to with every request. */
const LATEST = Symbol('latest response')

interface Answering extends Socket {
  [LATEST]?: ServerResponse
}

/** What the parser refuses never reaches the app; it is answered with a problem all the same. */
function answerBadRequests(server: Server, newRequestId: () => string): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket
    // In the middle of a response another status line would be taken for part of it.
    const isAnswering = (socket as Answering)[LATEST]?.writableFinished === false
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
      socket.destroy()
      return
    }
    const code = CODE_FOR[error.code ?? ''] ?? 'REQUEST_INVALID'
    const detail = code === 'REQUEST_INVALID' ? { detail: 'This is not a valid HTTP request.' } : {}
    const { status, headers, body } = problemOf(new RunnerError(code, detail), newRequestId())
    const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} \r\n${lines.join('')}\r\n${body.toString()}`)
  })
}
