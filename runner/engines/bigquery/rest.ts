/** Sends requests to BigQuery's REST interface. README.md says why Google's client does not send them. */
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { pipeline } from 'node:stream/promises'
import { TextDecoder } from 'node:util'
import { createGunzip } from 'node:zlib'
import { type Backoff, pauseAfter } from '../../model/backoff.js'
import { deadlineSignal, pause, raced } from '../../model/deadline.js'
import { isRecord } from '../../model/is-record.js'
import type { Clock } from '../../model/ports.js'
import { BodyTooLargeError } from '../../result/body.js'
import type { Access } from './auth/credentials.js'
import { parseAnswer } from './decode/parse-answer.js'
import { BigQueryFailure, failureOfAnswer, isJobFailure, isTransient } from './failure.js'

export interface RestCall {
  readonly method: 'GET' | 'POST'
  /** Below the base address, without a slash in front: `projects/p/jobs`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
}

export interface SendLimits {
  /** Ends the call. The server may have carried out the request by then. */
  readonly signal: AbortSignal
  /** Milliseconds since 1970; no retry begins after it. */
  readonly until: number
  /** How long one attempt waits for an answer, in milliseconds, before the next attempt is made. */
  readonly attemptMs: number
  /** @default 6 */
  readonly maxAttempts?: number
  readonly onRetry: (reason: string, pauseMs: number) => void
  /** Called after a failure that does not show whether the server has carried out the request. */
  readonly onDoubt?: () => void
  /** Called before each retry. If it throws, there is no retry. */
  readonly beforeRetry?: (failure: Error) => Promise<void>
}

/** Thrown where no complete answer has arrived. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  /** Whether the server may have received the request, and carried it out. */
  readonly mayHaveArrived: boolean
  /** Whether another attempt may succeed. */
  readonly isTransient: boolean

  constructor(message: string, options: ErrorOptions & { mayHaveArrived?: boolean; isTransient?: boolean } = {}) {
    super(message, options)
    this.mayHaveArrived = options.mayHaveArrived ?? true
    this.isTransient = options.isTransient ?? true
  }
}

/** What every request about a job needs. */
export interface RestDeps {
  readonly rest: Rest
  readonly clock: Clock
  readonly project: string
  /** Fires when the answer is no longer wanted. */
  readonly signal: AbortSignal
  readonly onRetry: SendLimits['onRetry']
}

const MAX_ATTEMPTS = 6
/** The pauses that Google advises between attempts of a request. */
export const RETRY: Backoff = { firstMs: 200, longestMs: 8_000, jitter: 0.5 }
/** BigQuery's answers hold at most 10 MB of data (reference of jobs.getQueryResults), which is larger as JSON. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const UNAUTHORIZED = 401

/** The headers that say who calls. */
type Caller = Readonly<Record<string, string>>

export class Rest {
  readonly #access: Access
  readonly #clock: Clock
  readonly #random: () => number
  readonly #http: typeof http | typeof https
  readonly #agent: http.Agent

  /** The caller closes it. @param random from 0 to 1 */
  constructor(access: Access, clock: Clock, random: () => number) {
    this.#access = access
    this.#clock = clock
    this.#random = random
    this.#http = access.baseUrl.startsWith('https:') ? https : http
    this.#agent = new this.#http.Agent({ keepAlive: true, scheduling: 'lifo' })
  }

  close(): void {
    this.#agent.destroy()
  }

  /**
   * Sends a request, which must be one that may be sent twice. Returns the body of the successful answer.
   * @throws BigQueryFailure, TransportError, BodyTooLargeError: the last failure, when a retry cannot help, or no attempt or time is left;
   *   the signal's reason as soon as it fires; what `beforeRetry` throws.
   */
  async send(call: RestCall, limits: SendLimits): Promise<object> {
    const { signal, until, maxAttempts = MAX_ATTEMPTS, onRetry, onDoubt, beforeRetry } = limits
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted()
      try {
        return await this.#attempt(call, limits)
      } catch (thrown) {
        const error = thrown as Error
        if (isOutcomeUnknown(error)) onDoubt?.()
        signal.throwIfAborted()
        const pauseMs = pauseBefore(attempt, error, this.#random())
        if (!isRetryable(error) || attempt >= maxAttempts || this.#clock.nowMs() + pauseMs >= until) throw error
        await beforeRetry?.(error)
        onRetry(error.message, pauseMs)
        await pause(pauseMs, signal, this.#clock)
      }
    }
  }

  async #attempt(call: RestCall, { signal, attemptMs }: SendLimits): Promise<object> {
    const deadline = deadlineSignal([signal], attemptMs, this.#clock)
    try {
      const caller = await this.#caller(deadline.signal)
      const answer = await this.#request(call, caller, deadline.signal)
      // A token may be revoked before it expires: new credentials are tried once.
      if (answer.status !== UNAUTHORIZED || !this.#access.forget) return bodyOf(answer)
      this.#access.forget(caller)
      return bodyOf(await this.#request(call, await this.#caller(deadline.signal), deadline.signal))
    } catch (error) {
      if (error instanceof BigQueryFailure || error instanceof TransportError || error instanceof BodyTooLargeError)
        throw error
      throw deadline.signal.aborted ? new TransportError('no answer in time', { cause: error }) : transportError(error)
    } finally {
      deadline.end()
    }
  }

  async #caller(signal: AbortSignal): Promise<Caller> {
    const { credentials, baseUrl, origin } = this.#access
    const refused = (cause: unknown): never => refuseCredentials(cause, origin)
    return raced(credentials(baseUrl).catch(refused), signal).catch(cause => {
      throw cause instanceof TransportError
        ? cause
        : new TransportError('no credentials within the time for one attempt', { cause, mayHaveArrived: false })
    })
  }

  #request({ method, path, query, body }: RestCall, caller: Caller, signal: AbortSignal): Promise<Answer> {
    // By default, Google's servers indent their answers. They compress them only if the User-Agent also contains "gzip".
    const url = `${this.#access.baseUrl}/${path}?${new URLSearchParams({ ...query, prettyPrint: 'false' })}`
    const json = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const headers = {
      ...caller,
      Accept: 'application/json',
      'Accept-Encoding': 'gzip',
      'User-Agent': 'sluice (gzip)',
      ...(json && { 'Content-Type': 'application/json', 'Content-Length': json.byteLength }),
    }
    return new Promise((resolve, reject) => {
      const request = this.#http.request(url, { method, headers, agent: this.#agent, signal }, response => {
        readAnswer(response).then(resolve, reject)
      })
      request.setNoDelay(true)
      request.once('error', reject)
      request.end(json)
    })
  }
}

type Answer = Awaited<ReturnType<typeof readAnswer>>

async function readAnswer(response: IncomingMessage) {
  const { statusCode: status = 0, headers } = response
  const isZipped = headers['content-encoding'] === 'gzip'
  // A success must be UTF-8; an error may come from a proxy, with any body.
  const decoder = new TextDecoder('utf-8', { fatal: status < 300, ignoreBOM: true })
  const readBody = (source: AsyncIterable<Buffer>): Promise<string> => readText(source, decoder)
  const text = isZipped ? await pipeline(response, createGunzip(), readBody) : await readBody(response)
  // RFC 9110 §10.2.3 allows a date as well, which Google does not send.
  const seconds = /^\d{1,6}$/.exec(headers['retry-after'] ?? '')?.[0]
  /** `retryAfter` is the number of seconds that the server asks to wait, or null. */
  return { status, retryAfter: seconds === undefined ? null : Number(seconds), text }
}

/** Decodes chunk by chunk: decoding 10 MB at once would take some 20 ms, in which no other call is answered. */
async function readText(source: AsyncIterable<Buffer>, decoder: TextDecoder): Promise<string> {
  let text = ''
  let size = 0
  for await (const chunk of source) {
    size += chunk.byteLength
    if (size > MAX_ANSWER_BYTES) throw new BodyTooLargeError(MAX_ANSWER_BYTES)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** A success must be a JSON object. */
function bodyOf({ status, retryAfter, text }: Answer): object {
  const body = parseAnswer(text)
  if (status >= 300) throw failureOfAnswer(status, body, retryAfter)
  if (!isRecord(body)) throw new TransportError('the answer is not a JSON object')
  return body
}

/** Whether the same request may succeed when it is sent again. Where the job has failed, it would only report that failure again. */
function isRetryable(error: unknown): boolean {
  if (error instanceof TransportError) return error.isTransient
  return error instanceof BigQueryFailure && isTransient(error) && !isJobFailure(error)
}

/** Whether the server may have carried out the request. An answer of 5xx may come from a proxy that lost the server's answer. */
function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof TransportError) return error.mayHaveArrived
  return error instanceof BigQueryFailure && (error.status >= 500 || error.status === 408)
}

/**
 * The pause before a retry, in milliseconds. After a request that may have arrived, the first retry follows at once. Either the server
 * has closed an idle connection, or the attempt has already waited for its answer.
 */
function pauseBefore(attempt: number, error: Error, random: number): number {
  if (error instanceof BigQueryFailure && error.retryAfterSeconds !== null) return error.retryAfterSeconds * 1000
  if (attempt === 1 && error instanceof TransportError && error.mayHaveArrived) return 0
  return pauseAfter(attempt, RETRY, random)
}

/** Codes of failures that a retry does not change: wrong certificates, and a server that does not speak TLS. */
const LASTING_CODES = /^(CERT_|DEPTH_ZERO_|UNABLE_TO_|SELF_SIGNED_|HOSTNAME_MISMATCH|ERR_TLS_|ERR_SSL_|EPROTO)/
/** Node's codes for failures of the network, after which a retry may succeed. The value says whether the request may have arrived. */
const NETWORK_CODES: ReadonlyMap<string, boolean> = new Map([
  ...['EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'].map(code => [code, false] as const),
  ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].map(code => [code, true] as const),
])

function transportError(cause: unknown): TransportError {
  const { code = '', message } = cause as NodeJS.ErrnoException
  const isLasting = LASTING_CODES.test(code)
  const mayHaveArrived = !isLasting && NETWORK_CODES.get(code) !== false
  return new TransportError(code || message, { cause, mayHaveArrived, isTransient: !isLasting })
}

/** Google's library gives its error a status where Google refused the credentials, and none where the network failed. */
function refuseCredentials(cause: unknown, origin: string | undefined): never {
  const { code, status, message } = cause as { code?: unknown; status?: unknown; message?: string }
  // The message of a SyntaxError quotes the file, and so perhaps the key.
  const why = cause instanceof SyntaxError ? 'a file of credentials is not JSON' : (message ?? String(cause))
  const isTransient = typeof status === 'number' ? status >= 500 || status === 429 : NETWORK_CODES.has(String(code))
  throw new TransportError(`no credentials: ${origin === undefined ? why : `${origin}: ${why}`}`, {
    ...(!(cause instanceof SyntaxError) && { cause }),
    mayHaveArrived: false,
    isTransient,
  })
}
