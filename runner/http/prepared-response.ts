/** Requests and responses of a server of our own: made for answers whose bytes are finished, and as Express wants them. */
import { IncomingMessage, ServerResponse } from 'node:http'
import express from 'express'

/** Longer than load balancers keep theirs (60 seconds), so that they never use a connection as it closes. */
export const KEEP_ALIVE_MS = 65_000
/** The end of every head of such a server. */
export const KEPT_ALIVE = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1000}\r\n\r\n`

/** The requests of such a server. */
export class PreparedRequest extends IncomingMessage {}

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
   */
  sendPrepared(status: number, head: string, body: Uint8Array | null): void {
    this.statusCode = status
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
    const { socket } = this
    this.statusCode = status
    const slots = this as unknown as HeadSlots
    slots._header = SENT
    slots._headerSent = true
    if (typeof whole === 'string') socket!.write(whole, 'latin1')
    else socket!.write(whole)
    const isTaken = socket!.writableLength === 0
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
