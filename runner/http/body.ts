/** Reads arguments from a body, a JSON object or a form. A middleware in front of the app may have parsed it. */
import type { IncomingMessage } from 'node:http'
import type { Request } from 'express'
import { invalidRequest, RunnerError } from '../model/errors.js'
import { queueOfTurns } from '../model/in-turns.js'
import {
  countNames,
  parsedArguments,
  parseJsonArguments,
  parsePairs,
  type RawArguments,
} from '../request/raw-arguments.js'

/** The largest body: 1 MiB. */
export const MAX_BODY_BYTES = 1_048_576
/** The most pieces of a body; 128 kB can have 20,000, which node:http hands over one by one. */
const MAX_PIECES = 2_048
/** Each body is parsed in a turn of its own: several bodies in one turn would keep other calls waiting. */
const nextBody = queueOfTurns()

/**
 * @throws RunnerError BODY_TOO_LARGE, BODY_TYPE_UNSUPPORTED, or REQUEST_INVALID when the body does not match its type;
 *   INTERNAL when a middleware has consumed the body without leaving its content.
 */
export async function readBodyArguments(req: Request): Promise<RawArguments> {
  const body = isAlreadyRead(req) ? parsedBody(req) : await readBytes(req)
  return body === null ? new Map() : argumentsOf(req, body)
}

/**
 * The value of a JSON body, whose objects together have at most `maxMembers` members.
 * @throws SyntaxError when it is not valid JSON; RunnerError as readBodyArguments does.
 */
export async function readJsonBody(req: Request, maxMembers: number): Promise<unknown> {
  if (mediaTypeOf(req) !== 'application/json') throw unsupported(JSON_ALONE)
  const body = isAlreadyRead(req) ? parsedBody(req) : await readBytes(req, JSON_ALONE)
  if (!(body instanceof Uint8Array)) return body
  const text = decodeUtf8(body)
  if (countNames(text, maxMembers).all <= maxMembers) return JSON.parse(text)
  throw invalidRequest(`The objects of a body may have at most ${maxMembers} members.`)
}

/** Whether the declared length is too large, so that the body need not be sent. */
export function isDeclaredTooLarge(req: IncomingMessage): boolean {
  return Number(req.headers['content-length']) > MAX_BODY_BYTES
}

/** Whether a middleware in front of the app has read the body, so that it cannot be read again. */
const isAlreadyRead = (req: IncomingMessage): boolean => req.readableDidRead || req.readableEnded

/** The body as the middleware has parsed it; null where the request has no body. */
function parsedBody(req: Request): unknown {
  const body: unknown = req.body
  if (body !== undefined && body !== null) return typeof body === 'string' ? Buffer.from(body) : body
  if (!req.readableDidRead) return null
  const cause = new TypeError('a middleware in front of the listener has read the body, and left no req.body')
  throw new RunnerError('INTERNAL', { cause })
}

function argumentsOf(req: Request, body: unknown): RawArguments {
  const isBytes = body instanceof Uint8Array
  if (isBytes && body.byteLength === 0) return new Map()
  switch (mediaTypeOf(req)) {
    case 'application/json':
      return isBytes ? parseJsonArguments(decodeUtf8(body)) : parsedArguments(body, true)
    case 'application/x-www-form-urlencoded':
      return isBytes ? parsePairs(Buffer.from(body).toString('latin1')) : parsedArguments(body, false)
    default:
      throw unsupported()
  }
}

/** The bytes of the body; null where the request has no body. */
async function readBytes(req: Request, types = JSON_OR_FORM): Promise<Buffer | null> {
  if (!hasBody(req)) return null
  // Compressed bodies are refused, since their size after decompression is not bounded by their length.
  const coding = req.get('Content-Encoding')?.trim().toLowerCase() ?? ''
  if (coding !== '' && coding !== 'identity') throw unsupported(types)
  if (isDeclaredTooLarge(req)) throw tooLarge(req)
  const body = await receive(req)
  await nextBody()
  return body
}

function receive(req: Request): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      length += chunk.byteLength
      if (length > MAX_BODY_BYTES) {
        req.off('data', onData).resume() // node:http discards the rest.
        reject(tooLarge(req))
      } else if (chunks.push(chunk) > MAX_PIECES) {
        req.off('data', onData)
        req.socket.destroy() // An answer would have to wait until node:http has read the other pieces.
        reject(invalidRequest(`A body may arrive in at most ${MAX_PIECES} pieces.`))
      }
    }
    req.on('data', onData)
    req.once('end', () => resolve(Buffer.concat(chunks)))
    req.on('error', cause =>
      reject(cause instanceof RunnerError ? cause : invalidRequest('The body did not arrive whole.', cause)),
    )
  })
}

/** RFC 9112 §6.3. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** The media type in lower case, without parameters; the only charset accepted is UTF-8. */
function mediaTypeOf(req: Request): string {
  const [type = '', ...parameters] = (req.get('Content-Type') ?? '').split(';').map(part => part.trim().toLowerCase())
  const charset = parameters.find(parameter => parameter.startsWith('charset=')) ?? 'charset=utf-8'
  if (!/^charset="?utf-?8"?$/.test(charset)) throw unsupported()
  return type
}

const JSON_OR_FORM = 'Send application/json or application/x-www-form-urlencoded, in UTF-8 and not compressed.'
const JSON_ALONE = 'Send application/json, in UTF-8 and not compressed.'

const unsupported = (detail = JSON_OR_FORM): RunnerError => new RunnerError('BODY_TYPE_UNSUPPORTED', { detail })

/**
 * The error for a body that is too large. A caller that waits for `100 Continue` sends no body after this error, so its
 * connection is closed.
 */
function tooLarge(req: IncomingMessage): RunnerError {
  const detail = `A body may have at most ${MAX_BODY_BYTES} bytes.`
  const headers = req.headers.expect === undefined ? {} : { Connection: 'close' }
  return new RunnerError('BODY_TOO_LARGE', { detail, headers })
}

function decodeUtf8(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw invalidRequest('The body is not valid UTF-8.', cause)
  }
}
