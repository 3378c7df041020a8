/** The HTTP server around a listener: its limits and its graceful end. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { SetupError } from '../../model/errors.js'
import type { Observer } from '../../model/events.js'
import type { Clock } from '../../model/ports.js'
import { isDeclaredTooLarge } from '../body.js'
import { answerClientErrors } from './client-error.js'
import { answerLast, answerUnderWay, beginAnswer, KEEP_ALIVE_MS } from './keep-alive.js'
import type { MessageClasses } from './message-classes.js'

/** Request line and headers together. More than the longest address, so that the app can answer 414 itself. */
const MAX_HEADER_BYTES = 131_072
/** A whole request must have arrived by then: 30 seconds. */
const REQUEST_TIMEOUT_MS = 30_000
/** How often it is looked whether one has not: node:http's own 30 seconds would make a minute of them. */
const looksEveryMs = (timeoutMs: number): number => Math.ceil(timeoutMs / 30)
/** How often connections that have become idle are closed while the server ends. */
const SWEEP_MS = 50

/** How long connections that seem idle are left as the server ends: requests on them may have been sent. */
const LINGER_MS = 100

/** How many connections node:http has the system keep for it at most, which a turn of the event loop takes one of. */
const LISTEN_QUEUE = 511

/** How long callers who keep connecting are taken as well, behind those who waited when the server was to end. */
const ACCEPT_MS = 1_000

/** How long a turn may be for what it has not seen not to be there. */
const SHORT_TURN_MS = 0.5

export interface ServerOptions {
  readonly listener: RequestListener
  /** @default node:http's own */
  readonly messageClasses?: MessageClasses
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** How long new connections and requests are still taken once the server is closed, so that a balancer can see it. */
  readonly drainDelayMs: number
  /** How long running requests may take after that. */
  readonly graceMs: number
  /** Within which a whole request must have arrived. @default 30 seconds */
  readonly requestTimeoutMs?: number
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
  const { listener, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: looksEveryMs(requestTimeoutMs),
    // A request without a Host is refused by the app, which answers with a problem.
    requireHostHeader: false,
  }
  let isLeaving = false
  const answer: RequestListener = (req, res) => {
    beginAnswer(req, res)
    if (isLeaving) answerLast(res)
    listener(req, res)
  }
  const server = createServer({ ...limits, ...options.messageClasses }, answer)
  server.on('checkExpectation', answer) // an expectation other than 100-continue, which the app refuses
  server.on('checkContinue', (req, res) => {
    // A body that is refused is not asked for; what else its caller sends would be taken for it.
    if (isDeclaredTooLarge(req)) answerLast(res)
    else res.writeContinue()
    answer(req, res)
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
  for (const socket of sockets) {
    const underWay = answerUnderWay(socket)
    if (underWay) answerLast(underWay)
  }
  observe({ kind: 'server.draining' })
  if (drainDelayMs > 0) await new Promise<void>(resolve => clock.after(drainDelayMs, resolve))
  await acceptWaiting(server, clock)
  onDraining()
  const closed = new Promise<void>(resolve => stopListening(server, resolve))
  const cancelCut = clock.after(graceMs, () => server.closeAllConnections())
  let cancelSweep = clock.after(LINGER_MS, sweep)
  function sweep(): void {
    server.closeIdleConnections()
    // Connections that have never sent a byte (browsers open some ahead of need) do not count as idle there.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    cancelSweep = clock.after(SWEEP_MS, sweep)
  }
  await closed
  cancelCut()
  cancelSweep()
  observe({ kind: 'server.closed' })
}

/**
 * Takes connections until none comes for one turn of the event loop: they wait in a queue of the system's, which resets
 * them as it is closed. By then the requests that had been sent on them have begun too.
 */
async function acceptWaiting(server: Server, clock: Clock): Promise<void> {
  let accepted = 0
  const count = (): void => {
    accepted += 1
  }
  server.on('connection', count)
  await nextTurn() // from here on the system is asked for connections between one turn and the next
  const untilMs = clock.ticksMs() + ACCEPT_MS
  for (let turn = 0, beganMs = clock.ticksMs(); turn <= LISTEN_QUEUE || beganMs < untilMs; turn += 1) {
    const before = accepted
    await nextTurn()
    const nowMs = clock.ticksMs()
    // What came during a long turn has not been seen yet.
    if (accepted === before && nowMs - beganMs < SHORT_TURN_MS) break
    beganMs = nowMs
  }
  server.off('connection', count)
}

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Takes no more connections. node:http would close those that seem idle at the same moment. */
function stopListening(server: Server, onClosed: () => void): void {
  const { closeIdleConnections } = server
  server.closeIdleConnections = () => {}
  server.close(onClosed)
  server.closeIdleConnections = closeIdleConnections
}
