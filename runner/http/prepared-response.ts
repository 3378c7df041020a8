/** A response whose head is finished text, for answers that are made once and sent many times. */
import { ServerResponse } from 'node:http'

/** Longer than load balancers keep theirs (60 seconds), so that they never use a connection as it closes. */
export const KEEP_ALIVE_MS = 65_000
/** The end of every head of such a server. */
export const KEPT_ALIVE = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1000}\r\n\r\n`

/**
 * The responses of a server of our own (`createServer({ ServerResponse: PreparedResponse })`, kept alive for
 * KEEP_ALIVE_MS). Of what a hit takes beside node:http's own work, checking and joining a dozen headers again, which are
 * the same each time, would be the largest part.
 */
export class PreparedResponse extends ServerResponse {
  /** False where node:http must make the head: headers have been set, or the connection will not be kept. */
  get mayBePrepared(): boolean {
    return this.shouldKeepAlive && !this.headersSent && this.getHeaderNames().length === 0 && hasHeadSlot(this)
  }

  /**
   * Sends a response and ends it. `head` is the status line and every header but those of the connection, each with its
   * CRLF and a Content-Length among them; its values are the sender's own or have been checked. Body text has one character a byte.
   */
  sendPrepared(status: number, head: string, body: Uint8Array | null): void {
    this.statusCode = status
    // What writeHead leaves behind: an outgoing message sends the text in this place before its body, and once.
    ;(this as unknown as HeadSlots)._header = head + KEPT_ALIVE
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
   * taken all of it: then the bytes are the sender's again.
   */
  sendWhole(status: number, bytes: Uint8Array): boolean {
    const { socket } = this
    this.statusCode = status
    const slots = this as unknown as HeadSlots
    slots._header = SENT
    slots._headerSent = true
    socket!.write(bytes)
    const isTaken = socket!.writableLength === 0
    this.end()
    return isTaken
  }
}

/** Stands where a head would; it is never sent. */
const SENT = 'HTTP/1.1'

interface HeadSlots {
  _header: string | null
  _headerSent: boolean
}

/** Node has had these slots since its beginnings, but does not promise them. */
function hasHeadSlot(response: object): boolean {
  return '_header' in response && response._header === null && '_headerSent' in response
}
