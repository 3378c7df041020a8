/** Requests and responses of a server of our own: made for answers whose bytes are finished, and as Express wants them. */
import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import express from 'express'

/** Longer than load balancers keep theirs (60 seconds), so that they never use a connection as it closes. */
export const KEEP_ALIVE_MS = 65_000
/** The end of every head of such a server. */
export const KEPT_ALIVE = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1000}\r\n\r\n`

/**
 * The requests of such a server. One without a body whose answer has been sent need not be read to its end as a stream:
 * that takes three ticks and as many events, a tenth of a hit, and nobody hears of it.
 */
export class PreparedRequest extends IncomingMessage {
  /** Not there on requests of other servers, which Express gives this prototype. */
  isSettled? = false

  /** To be called where the request has no body, as its answer is sent. */
  settle(): void {
    this.isSettled = this.listenerCount('end') === 0 && this.listenerCount('close') === 0
  }

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    return this.isSettled && chunk === null ? false : super.push(chunk, encoding)
  }

  /** What node:http calls once the answer has gone, so that the rest of the request is read. */
  _dump(): void {
    if (!this.isSettled) dump?.call(this)
  }
}

const dump: ((this: IncomingMessage) => void) | undefined = Reflect.get(IncomingMessage.prototype, '_dump')
const readableEnded = Object.getOwnPropertyDescriptor(Readable.prototype, 'readableEnded')

// An accessor, which the types have as a property. node:http lets go of a request that has ended.
Object.defineProperty(PreparedRequest.prototype, 'readableEnded', {
  ...readableEnded,
  get(this: PreparedRequest) {
    return this.isSettled === true || readableEnded?.get?.call(this)
  },
})

/**
 * The responses of a server of our own (`createServer({ ServerResponse: PreparedResponse })`, kept alive for
 * KEEP_ALIVE_MS). Of what a hit takes beside node:http's own work, checking and joining a dozen headers again, which are
 * the same each time, would be the largest part.
 */
export class PreparedResponse extends ServerResponse {
  /** False where node:http must make the head: headers have been set, or the connection will not be kept. */
  get mayBePrepared(): boolean {
    return this.shouldKeepAlive && !this.headersSent && this.getHeaderNames().length === 0 && hasHeadSlots(this)
  }

  /**
   * Sends a response and ends it, when its turn on its connection comes. `head` is everything from the status line to the
   * empty line, with a Content-Length; its values are the sender's own or have been checked. One character is one byte.
   * Here and below: the request has no body.
   */
  sendPrepared(status: number, head: string, body: Uint8Array | null): void {
    this.#begin(status)
    // What writeHead leaves behind: an outgoing message sends the text in this place before its body, and once.
    ;(this as unknown as HeadSlots)._header = head
    if (body === null) this.end()
    else this.end(body)
  }

  /** Is it this response's turn on its connection, and has everything before it gone? Then `sendWhole` may be used. */
  get isNext(): boolean {
    const { socket } = this
    return socket?.writable === true && socket.writableLength === 0
  }

  /**
   * Sends a whole response, from its status line to its last byte, in one write, and ends it. True when the kernel has
   * taken all of it: then bytes are the sender's again. In a text one character is one byte.
   */
  sendWhole(status: number, whole: Uint8Array | string): boolean {
    const socket = this.#beginNow(status)
    if (typeof whole === 'string') socket.write(whole, 'latin1')
    else socket.write(whole)
    return this.#endNow(socket)
  }

  /** The same of a response in two parts, which go to the kernel in one call: a large body is not copied before. */
  sendPair(status: number, head: Uint8Array, body: Uint8Array): boolean {
    const socket = this.#beginNow(status)
    socket.cork()
    socket.write(head)
    socket.write(body)
    socket.uncork()
    return this.#endNow(socket)
  }

  #begin(status: number): void {
    this.statusCode = status
    if (this.req instanceof PreparedRequest) this.req.settle()
  }

  /** From here on node:http takes the head for sent. Where to write it. */
  #beginNow(status: number): Socket {
    this.#begin(status)
    const slots = this as unknown as HeadSlots
    slots._header = SENT
    slots._headerSent = true
    return this.socket!
  }

  #endNow(socket: Socket): boolean {
    const isTaken = socket.writableLength === 0
    this.end()
    return isTaken
  }
}

// Express gives each request and response that reaches it another prototype, unless it is the one that they have. One
// that is given to an object makes it unlike all others for V8, and node:http's own functions slow for all of them: it
// would cost every hit a tenth of its time that there have been misses. See `app.ts`, which makes these two Express's own.
// They serve every app of the process, so they have no `app`, which `res.send`, `res.json` and `req.query` would ask for.
Object.setPrototypeOf(PreparedRequest.prototype, express.request)
Object.setPrototypeOf(PreparedResponse.prototype, express.response)

/** Stands where a head would; it is never sent. */
const SENT = 'HTTP/1.1'

interface HeadSlots {
  _header: string | null
  _headerSent: boolean
}

/** Node has had these slots since its beginnings, but does not promise them. */
function hasHeadSlots(response: object): boolean {
  return '_header' in response && response._header === null && '_headerSent' in response
}
