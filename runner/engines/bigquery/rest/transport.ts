/** Sends one request to BigQuery's REST interface over connections that are kept open. */
import { randomUUID } from 'node:crypto'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Access } from '../auth/credentials.js'
import { parseAnswer } from '../decode/parse-answer.js'
import { rejectOnAbort } from './abortable-wait.js'

export interface RestCall {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below the base address, without a slash in front: `projects/p/queries`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** A file that is sent after the body, to the address for uploads. */
  readonly file?: Uint8Array
  /** It may take as long as a query. @default false */
  readonly isLong?: boolean
  /** Stops waiting; what the server does with the request is not known then. */
  readonly signal: AbortSignal
}

export interface RestAnswer {
  readonly status: number
  /** Seconds that the server asks to wait, or null. */
  readonly retryAfterSeconds: number | null
  /** Parsed JSON; undefined where an error has no JSON body. */
  readonly body: unknown
}

export interface TransportErrorOptions {
  readonly cause?: unknown
  /** @default true */
  readonly wasSent?: boolean
  /** @default true */
  readonly isTransient?: boolean
}

/** No complete answer arrived. */
export class TransportError extends Error {
  override readonly name: string = 'TransportError'
  /** The server may have been reached, and may have done what it was asked. */
  readonly wasSent: boolean
  /** Another attempt may succeed. */
  readonly isTransient: boolean

  constructor(message: string, { cause, wasSent = true, isTransient = true }: TransportErrorOptions = {}) {
    super(message, cause === undefined ? {} : { cause })
    this.wasSent = wasSent
    this.isTransient = isTransient
  }
}

/** The answer is longer than MAX_ANSWER_BYTES. */
export class AnswerTooLargeError extends TransportError {
  override readonly name = 'AnswerTooLargeError'

  constructor() {
    super(`BigQuery's answer has more than ${MAX_ANSWER_BYTES} bytes`, { isTransient: false })
  }
}

export interface Transport {
  /** @throws TransportError */
  send(call: RestCall): Promise<RestAnswer>
  close(): void
}

export interface TransportLimits {
  /** Connections for long requests at once; more of them wait for one. @default 512 */
  readonly longConnections?: number
}

const LONG_CONNECTIONS = 512
/** Short requests have connections of their own, so that a cancellation never waits behind queries. */
const SHORT_CONNECTIONS = 32
/** BigQuery's answers hold at most 10 MB of data (reference of jobs.query, maxResults); JSON makes more of it. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** Google's servers indent their answers by default. */
const COMPACT = { prettyPrint: 'false' }

const unzip = promisify(gunzip)
/** Refuses other bytes. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

interface Content {
  readonly type: string
  readonly bytes: Uint8Array
}

const jsonContent = (body: unknown): Content => ({
  type: 'application/json',
  bytes: Buffer.from(JSON.stringify(body)),
})

/** The JSON and the file in two parts. Source: "Loading data from local files", multipart upload. */
function withFile(json: Content, file: Uint8Array): Content {
  // Random, so that no file contains it.
  const boundary = `sluice-${randomUUID()}`
  const part = (type: string): Buffer => Buffer.from(`--${boundary}\r\nContent-Type: ${type}\r\n\r\n`)
  const [before, between] = [part(json.type), Buffer.concat([Buffer.from('\r\n'), part('application/octet-stream')])]
  const bytes = Buffer.concat([before, json.bytes, between, file, Buffer.from(`\r\n--${boundary}--\r\n`)])
  return { type: `multipart/related; boundary=${boundary}`, bytes }
}

/** The caller closes it. */
export function createTransport(
  { baseUrl, credentials, forget, origin }: Omit<Access, 'project'>,
  { longConnections = LONG_CONNECTIONS }: TransportLimits = {},
): Transport {
  const base = baseUrl.replace(/\/+$/, '')
  const client = base.startsWith('https:') ? https : http
  const connections = (most: number) => new client.Agent({ keepAlive: true, maxSockets: most, scheduling: 'lifo' })
  const long = connections(longConnections)
  const short = connections(SHORT_CONNECTIONS)

  async function sendOnce({ method, path, query, body, file, isLong = false, signal }: RestCall): Promise<Attempt> {
    const agent = isLong ? long : short
    const root = file === undefined ? base : base.replace(/\/bigquery\/v2$/, '/upload/bigquery/v2')
    const url = `${root}/${path}?${new URLSearchParams({ ...query, ...COMPACT })}`
    const json = body === undefined ? null : jsonContent(body)
    const content = json !== null && file !== undefined ? withFile(json, file) : json
    const caller = await rejectOnAbort(
      credentials(url).catch(cause => refuseCredentials(cause, origin)),
      signal,
      () => new TransportError('given up', { cause: signal.reason, wasSent: false }),
    )
    const headers = {
      ...caller,
      Accept: 'application/json',
      'Accept-Encoding': 'gzip',
      'User-Agent': 'sluice (gzip)', // Google's servers compress only for agents that say so here too
      ...(content && { 'Content-Type': content.type, 'Content-Length': content.bytes.byteLength }),
    }
    const answer = await new Promise<RestAnswer>((resolve, reject) => {
      const request = client.request(url, { method, headers, agent, signal }, response => {
        readAnswer(response).then(resolve, fail)
      })
      const wasSent = watchSending(request)
      const fail = (cause: unknown): void => reject(transportError(cause, wasSent()))
      request.setNoDelay(true)
      request.once('error', fail)
      // Node aborts a request that waits for a connection only once it has one.
      const stop = (): void => {
        if (request.socket === null) reject(new TransportError('given up', { cause: signal.reason, wasSent: false }))
      }
      signal.addEventListener('abort', stop, { once: true })
      request.once('close', () => signal.removeEventListener('abort', stop))
      request.end(content?.bytes)
    })
    return { answer, caller }
  }

  return {
    async send(call) {
      const { answer, caller } = await sendOnce(call)
      // A token may be revoked before it expires: new credentials are tried once.
      if (answer.status !== UNAUTHORIZED || !forget) return answer
      forget(caller)
      return (await sendOnce(call)).answer
    },
    close() {
      long.destroy()
      short.destroy()
    },
  }
}

interface Attempt {
  readonly answer: RestAnswer
  /** The headers that said who calls. */
  readonly caller: Readonly<Record<string, string>>
}

const UNAUTHORIZED = 401
const NO_CONTENT = 204

/** True once the connection is open: from then on, bytes of the request may have arrived. */
function watchSending(request: ClientRequest): () => boolean {
  let wasSent = false
  request.once('socket', socket => {
    if (!socket.connecting) wasSent = true
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => (wasSent = true))
  })
  return () => wasSent
}

async function readAnswer(response: IncomingMessage): Promise<RestAnswer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += (chunk as Buffer).byteLength
    if (size > MAX_ANSWER_BYTES) throw new AnswerTooLargeError()
    chunks.push(chunk as Buffer)
  }
  const content = Buffer.concat(chunks)
  const isZipped = response.headers['content-encoding'] === 'gzip'
  const bytes = isZipped ? await unzip(content, { maxOutputLength: MAX_ANSWER_BYTES }) : content
  const status = response.statusCode ?? 0
  return { status, retryAfterSeconds: retryAfter(response.headers['retry-after']), body: parse(bytes, status) }
}

/** An error may come from a proxy, with any body; a success must be a JSON object. */
function parse(bytes: Buffer, status: number): unknown {
  if (status === NO_CONTENT) return {}
  let body: unknown
  try {
    body = parseAnswer(UTF8.decode(bytes))
  } catch (cause) {
    if (status < 300) throw new TransportError('the answer is not JSON', { cause })
    return undefined
  }
  const isObject = typeof body === 'object' && body !== null
  if (status < 300 && !isObject) throw new TransportError('the answer is not a JSON object')
  return isObject ? body : undefined
}

/** RFC 9110 §10.2.3 allows a date as well, which Google does not send. */
function retryAfter(value: string | undefined): number | null {
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) : null
}

/** Failures that a retry does not change: certificates, and a server that does not speak TLS. */
const LASTING_CODES = /^(CERT_|DEPTH_ZERO_|UNABLE_TO_|SELF_SIGNED_|HOSTNAME_MISMATCH|ERR_TLS_|ERR_SSL_|EPROTO)/

function transportError(cause: unknown, wasSent: boolean): TransportError {
  if (cause instanceof TransportError) return cause
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === 'ERR_BUFFER_TOO_LARGE') return new AnswerTooLargeError()
  return new TransportError(code ?? message, { cause, wasSent, isTransient: !LASTING_CODES.test(code ?? '') })
}

/** An error of Google's library has a status where Google refused the credentials; without one, the network failed. */
function refuseCredentials(cause: unknown, origin: string | undefined): never {
  const { code, status, message } = cause as { code?: unknown; status?: unknown; message?: string }
  // The message of a SyntaxError quotes the file, and so perhaps the key.
  const why = cause instanceof SyntaxError ? 'a file of credentials is not JSON' : (message ?? String(cause))
  const reason = origin === undefined ? why : `${origin}: ${why}`
  const isTransient = typeof status === 'number' ? status >= 500 || status === 429 : NETWORK_CODES.has(String(code))
  throw new TransportError(`no credentials: ${reason}`, {
    ...(!(cause instanceof SyntaxError) && { cause }),
    wasSent: false,
    isTransient,
  })
}

const NETWORK_CODES: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])
