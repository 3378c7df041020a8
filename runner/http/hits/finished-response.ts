/**
 * Sends a response whose bytes are finished. This is the only file that touches private members of Node: `_header` and
 * `_headerSent` of a response, `_dumped` and `_readableState` of a request. Where this version of Node has others, or the response
 * is not node:http's alone, `sendFinished` declines, and the caller sends the same response by the documented API.
 */
import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { WriteBuffer } from './write-buffer.js'

/** Up to this size a body is copied after its head and sent in one write; for a larger one two parts are cheaper. */
export const MAX_COPIED_BYTES = 16_384

/**
 * `head`: from the status line to the empty line, one character a byte, with a Content-Length; its values are the sender's
 * own or have been checked. Returns false where the response cannot be sent so; nothing has been done by then.
 */
export type SendFinished = (
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  head: string,
  body: Buffer | null,
) => boolean

export function createSendFinished(): SendFinished {
  const whole = new WriteBuffer(MAX_COPIED_BYTES)

  function write(socket: Socket, head: string, body: Buffer | null): void {
    const joined = body && whole.join(head, body)
    if (joined) {
      socket.write(joined)
      // What the kernel has not taken is still in these bytes.
      if (socket.writableLength > 0) whole.release()
    } else if (body) {
      socket.cork()
      socket.write(head, 'latin1')
      socket.write(body)
      socket.uncork()
    } else socket.write(head, 'latin1')
  }

  return (req, res, status, head, body) => {
    const { socket } = res
    if (!isPlain(res) || !socket || !isNext(socket)) return false
    skipBody(req)
    res.statusCode = status
    // As node:http leaves a response whose head has been sent.
    res._header = SENT
    res._headerSent = true
    write(socket, head, body)
    res.end()
    return true
  }
}

/** Stands in the place of a head that has been sent. */
const SENT = 'HTTP/1.1'

interface PlainResponse extends ServerResponse {
  _header: string | null
  _headerSent: boolean
}

const { writeHead, write, end } = ServerResponse.prototype

/** Kept open afterwards, without headers yet, and as node:http made it: no middleware has put a method of its own in place. */
function isPlain(res: ServerResponse): res is PlainResponse {
  return (
    res.shouldKeepAlive &&
    res.writeHead === writeHead &&
    res.write === write &&
    res.end === end &&
    '_header' in res &&
    res._header === null &&
    '_headerSent' in res &&
    res.getHeaderNames().length === 0
  )
}

/** Whether it is this response's turn on its connection, and all earlier bytes have been sent. */
function isNext(socket: Socket): boolean {
  return socket.writable && socket.writableLength === 0
}

interface EmptyRequest extends IncomingMessage {
  _dumped: boolean
  readonly _readableState: Record<'ended' | 'endEmitted' | 'destroyed' | 'closed' | 'closeEmitted', boolean>
}

/**
 * Ends a request without a body where nothing listens for its end: read as a stream it takes three ticks and as many
 * events, a fourth of a hit. Node 24.10 does the same for all such requests with `optimizeEmptyRequests`.
 */
function skipBody(req: IncomingMessage): void {
  if (!isEmptyRequest(req) || req.listenerCount('end') > 0 || req.listenerCount('close') > 0) return
  req._dumped = true
  const state = req._readableState
  state.ended = true
  state.endEmitted = true
  state.destroyed = true
  state.closed = true
  state.closeEmitted = true
}

function isEmptyRequest(req: IncomingMessage): req is EmptyRequest {
  return '_dumped' in req && '_readableState' in req
}
