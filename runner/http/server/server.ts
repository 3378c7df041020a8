/** The HTTP server around a listener: limits and graceful shutdown. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { invalidRequest, SetupError } from '../../model/errors.js'
import { type Event, type Observer, requestDone } from '../../model/events.js'
import type { Clock } from '../../model/ports.js'
import { isDeclaredTooLarge } from '../body.js'
import { loggedPath } from '../request-context.js'
import { answerClientErrors } from './client-error.js'
import { answerLast, answerUnderWay, beginAnswer, KEEP_ALIVE_MS, MOST_AHEAD } from './connection.js'

/** The most bytes of the request line and the headers. The longest address is shorter, so that the app can answer 414 itself. */
export const MAX_HEADER_BYTES = 131_072
/** The time within which a whole request must arrive, in milliseconds. */
export const REQUEST_TIMEOUT_MS = 30_000
/** The interval of checks for that timeout: with node:http's default of 30 seconds it could take a minute. */
const checkIntervalMs = (timeoutMs: number): number => Math.ceil(timeoutMs / 30)
/** The interval at which idle connections are closed during shutdown, in milliseconds. */
const SWEEP_MS = 50

/** How long connections that seem idle stay open during shutdown, in milliseconds: requests on them may be under way. */
const LINGER_MS = 300

export interface ServerOptions {
  readonly listener: RequestListener
  readonly host: string
  /** The port; 0 for any free port. */
  readonly port: number
  /** The flag that sets the port, for messages. @default --port */
  readonly portFlag?: string
  /**
   * How long new connections and requests are still accepted after shutdown begins, in milliseconds, so that a balancer can notice it.
   */
  readonly drainDelayMs: number
  /** How long running requests may take after that delay, in milliseconds. */
  readonly graceMs: number
  /** The time within which a whole request must arrive, in milliseconds. @default 30,000 */
  readonly requestTimeoutMs?: number
  readonly clock: Clock
  readonly observe: Observer
  readonly newRequestId: () => string
  /** Called when shutdown begins: `/readyz` then answers 503. */
  readonly onLeaving: () => void
  /** Called after the delay: the listener then refuses new work. */
  readonly onDraining: () => void
}

export interface RunningServer {
  /** The address, such as `http://127.0.0.1:8080`. */
  readonly url: string
  readonly port: number
  /** The address of metrics and health, where they have a port of their own. */
  readonly metricsUrl?: string
  /**
   * After the delay, stops accepting, lets running requests finish within the grace period, then closes their connections.
   */
  close(): Promise<void>
}

/** Starts listening. @throws SetupError when it cannot listen on the address. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { listener, observe, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: checkIntervalMs(requestTimeoutMs),
    // The app refuses a request without a Host, with a problem as the answer.
    requireHostHeader: false,
  }
  let isLeaving = false
  /** Whether the request may be answered. */
  function begin(req: IncomingMessage, res: ServerResponse): boolean {
    if (!beginAnswer(req, res)) {
      // node:http still begins the requests that it has read from a connection that has ended.
      if (req.socket.destroyed) return false
      observe(tooManySentAhead(req, options.newRequestId()))
      req.socket.destroy()
      return false
    }
    if (isLeaving) answerLast(res)
    return true
  }
  const answer: RequestListener = (req, res) => {
    if (begin(req, res)) listener(req, res)
  }
  const server = createServer(limits, answer)
  server.on('checkExpectation', answer) // The app refuses every expectation other than 100-continue.
  server.on('checkContinue', (req, res) => {
    if (!begin(req, res)) return
    // The caller is not asked for a body that will be refused. This answer is the last, since its next bytes could be that body.
    if (isDeclaredTooLarge(req)) answerLast(res)
    else res.writeContinue()
    listener(req, res)
  })
  answerClientErrors(server, options)
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
      isLeaving = true
      closing ??= closeGracefully(server, sockets, options)
      return closing
    },
  }
}

/** The event of a connection that was closed since it sent too many requests ahead. */
function tooManySentAhead({ method = '', url = '' }: IncomingMessage, requestId: string): Event {
  const error = invalidRequest(`A connection may send at most ${MOST_AHEAD} requests ahead.`)
  const call = { requestId, method, path: loggedPath(url), endpoint: null, token: null }
  return requestDone(call, error.status, 0, { error })
}

function listen(server: Server, { host, port, portFlag = '--port' }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const { code = cause.message } = cause
      const reason = Object.hasOwn(LISTEN_REASONS, code) ? `${LISTEN_REASONS[code]} with ${portFlag}` : code
      reject(new SetupError(`cannot listen on ${host}:${port}: ${reason}`, { cause }))
    })
    server.listen(port, host, resolve)
  })
}

async function closeGracefully(server: Server, sockets: ReadonlySet<Socket>, options: ServerOptions): Promise<void> {
  const { clock, observe, drainDelayMs, graceMs, onLeaving, onDraining } = options
  onLeaving()
  for (const socket of sockets) {
    const underWay = answerUnderWay(socket)
    if (underWay) answerLast(underWay)
  }
  observe({ kind: 'server.draining' })
  if (drainDelayMs > 0) await new Promise<void>(resolve => clock.after(drainDelayMs, resolve))
  onDraining()
  // node:http's own `close` would at once close the connections that seem idle.
  const closed = new Promise<void>(resolve => NetServer.prototype.close.call(server, () => resolve()))
  const cancelCut = clock.after(graceMs, () => server.closeAllConnections())
  // Requests that have arrived while the event loop was busy are read before connections are closed as idle.
  const sweepSoon = (): void => void setImmediate(sweep)
  let cancelSweep = clock.after(LINGER_MS, sweepSoon)
  function sweep(): void {
    if (sockets.size === 0) return
    server.closeIdleConnections()
    // node:http does not count connections as idle that have never sent a byte; browsers open some ahead of need.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    cancelSweep = clock.after(SWEEP_MS, sweepSoon)
  }
  await closed
  cancelCut()
  cancelSweep()
  observe({ kind: 'server.closed' })
}

const LISTEN_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there; name another port',
  EACCES: 'this user may not listen on that port; name one from 1024 on',
}
