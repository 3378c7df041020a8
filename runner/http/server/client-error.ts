/**
 * Answers requests that never reach the app: those that the HTTP parser refuses, and CONNECT. They are logged and counted
 * too.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { RunnerError } from '../../model/errors.js'
import { requestDone } from '../../model/events.js'
import { ALL_METHODS } from '../app.js'
import { problemOf } from '../problem.js'
import { type ExchangeDeps, loggedPath } from '../request-context.js'
import { answerUnderWay } from './connection.js'

/** The method and path of a request that cannot be parsed. */
const UNKNOWN = { method: '', path: '' } as const

/** Makes the server answer these requests with problems; each is the last answer on its connection. */
export function answerClientErrors(
  server: Server,
  { newRequestId, observe }: Pick<ExchangeDeps, 'newRequestId' | 'observe'>,
): void {
  function refuse(
    socket: Socket,
    error: RunnerError,
    requestLine: { readonly method: string; readonly path: string },
  ): void {
    const requestId = newRequestId()
    const { status, headers, body } = problemOf(error, requestId)
    const lines = Object.entries({ 'X-Request-Id': requestId, ...headers, Connection: 'close' })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    socket.end(`HTTP/1.1 ${status} \r\n${head}\r\n${body.toString()}`)
    if (socket.bytesRead === 0) return // A browser opened the connection ahead of need and has sent no request.
    const call = { requestId, ...requestLine, endpoint: null, token: null }
    observe(requestDone(call, status, 0, { error }))
  }

  server.on('clientError', (thrown: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket
    const error = errorOf(thrown)
    if (thrown.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else if (!answerUnderWay(socket)) refuse(socket, error, UNKNOWN)
    else if (!failBodyReader(socket, error)) socket.destroy()
  })
  server.on('connect', ({ method = '', url = '' }, stream) => {
    const socket = stream as Socket
    socket.on('error', () => socket.destroy())
    if (answerUnderWay(socket)) return socket.destroy()
    const options = { detail: `Allowed: ${ALL_METHODS}.`, headers: { Allow: ALL_METHODS } }
    refuse(socket, new RunnerError('METHOD_NOT_ALLOWED', options), { method, path: loggedPath(url) })
  })
}

function errorOf(thrown: NodeJS.ErrnoException): RunnerError {
  // After the error the bytes on the connection cannot be parsed.
  const headers = { Connection: 'close' }
  if (thrown.code === 'HPE_HEADER_OVERFLOW') return new RunnerError('HEADERS_TOO_LARGE', { headers })
  if (thrown.code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RunnerError('REQUEST_TIMEOUT', { headers })
  const isAddress = thrown.code === 'HPE_INVALID_URL'
  const badAddress = 'The address is not valid: characters outside ASCII are percent-encoded as UTF-8 (é is %C3%A9).'
  const detail = isAddress ? badAddress : 'This is not a valid HTTP request.'
  return new RunnerError('REQUEST_INVALID', { detail, headers, ...(!isAddress && { cause: thrown }) })
}

/**
 * For a request with a complete head and a broken body: passes the error to the code that reads the body, which answers.
 * False where no code reads it, or where a response has begun: a second status line would be taken for its content.
 */
function failBodyReader(socket: Socket, error: RunnerError): boolean {
  const answer = answerUnderWay(socket)
  if (!answer || answer.headersSent || answer.req.complete || answer.req.listenerCount('error') === 0) return false
  answer.req.emit('error', error)
  return true
}
