/** Takes a body's arguments: a JSON object or a form. */
import express, { type Request, type Response } from 'express'
import { RunnerError } from '../model/errors.js'
import { parseJsonArguments, parsePairs, type WireArguments } from '../request/wire.js'

/** The largest body: 1 MiB. */
export const MAX_BODY_BYTES = 1_048_576

// Compressed bodies are refused: what they grow to is not what they weigh.
const readRaw = express.raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false })

/**
 * @throws RunnerError BODY_TOO_LARGE, BODY_TYPE_UNSUPPORTED, or REQUEST_INVALID when the body is not what its type says.
 */
export async function readBodyArguments(req: Request, res: Response): Promise<WireArguments> {
  await new Promise<void>((resolve, reject) => {
    readRaw(req, res, (thrown?: unknown) => (thrown === undefined ? resolve() : reject(bodyError(thrown))))
  })
  const body: unknown = req.body
  if (!Buffer.isBuffer(body) || body.byteLength === 0) return new Map()
  switch (mediaTypeOf(req)) {
    case 'application/json':
      return parseJsonArguments(decodeUtf8(body))
    case 'application/x-www-form-urlencoded':
      return parsePairs(body.toString('latin1'))
    default:
      throw unsupported()
  }
}

/** Lower case, without parameters; UTF-8 is the only charset there is. */
function mediaTypeOf(req: Request): string {
  const [type = '', ...parameters] = (req.get('Content-Type') ?? '').split(';').map(part => part.trim().toLowerCase())
  const charset = parameters
    .find(parameter => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '')
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') throw unsupported()
  return type
}

function unsupported(): RunnerError {
  const detail = 'Send application/json or application/x-www-form-urlencoded, in UTF-8 and not compressed.'
  return new RunnerError('BODY_TYPE_UNSUPPORTED', { detail })
}

function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw new RunnerError('REQUEST_INVALID', { detail: 'The body is not valid UTF-8.', cause })
  }
}

/** The body reader marks its errors with a status and a type. */
function bodyError(thrown: unknown): RunnerError {
  const status = typeof thrown === 'object' && thrown !== null && 'status' in thrown ? thrown.status : 500
  if (status === 413) {
    return new RunnerError('BODY_TOO_LARGE', { detail: `A body may have at most ${MAX_BODY_BYTES} bytes.` })
  }
  if (status === 415) return unsupported()
  const detail = 'The body did not arrive whole.'
  return status === 400
    ? new RunnerError('REQUEST_INVALID', { detail, cause: thrown })
    : new RunnerError('INTERNAL', { cause: thrown })
}
