/** `/api/endpoints/export/:ref`: all rows, sent as the engine gives them. */
import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import type { Request, RequestHandler } from 'express'
import { RunnerError } from '../model/errors.js'
import { authenticate } from '../request/authorize.js'
import { type ExportDeps, type ExportEnd, type ExportHead, type ExportTarget, exportFor } from '../request/export.js'
import { dispositionOf, serverTiming } from './headers.js'
import { type Exchange, type ExchangeDeps, exchangeOf } from './request-context.js'
import { callOf, tokenOf } from './routes.js'

export type ExportRouteDeps = ExportDeps & Pick<ExchangeDeps, 'unsent'>

/** Exports the endpoint that `:ref` names. */
export function exportEndpoint(deps: ExportRouteDeps): RequestHandler {
  return async (req, res) => {
    const exchange = exchangeOf(res)
    const caller = authenticate(deps.tokens, tokenOf(req))
    exchange.facts.token = caller.token
    refuseOldHttp(req)
    const target = new ResponseTarget(res, exchange, deps.unsent.writeIdleMs)
    await exportFor(caller, callOf(req, exchange), target, deps, exchange.facts)
  }
}

/** In HTTP/1.0, a body without a length ends with the connection: an export that is broken off would look whole. */
function refuseOldHttp({ httpVersionMajor, httpVersionMinor }: Request): void {
  if (httpVersionMajor > 1 || httpVersionMinor >= 1) return
  const detail =
    'An export needs HTTP/1.1, in which an answer that is broken off shows. A proxy must use it too: in nginx, proxy_http_version 1.1.'
  throw new RunnerError('HTTP_VERSION_TOO_OLD', { detail })
}

/** The body of the response; its last chunk is sent only after all rows. */
class ResponseTarget implements ExportTarget {
  readonly #res: ServerResponse
  readonly #exchange: Exchange
  readonly #writeIdleMs: number
  #body: Writable

  constructor(res: ServerResponse, exchange: Exchange, writeIdleMs: number) {
    this.#res = res
    this.#exchange = exchange
    this.#writeIdleMs = writeIdleMs
    this.#body = res
  }

  begin({ endpoint, format, coding, ignored }: ExportHead): void {
    const [res, exchange] = [this.#res, this.#exchange]
    const disposition = dispositionOf(format, endpoint.name)
    res.setHeader('Server-Timing', serverTiming(null, exchange.elapsedMs(), null))
    if (ignored !== '') res.setHeader('X-Ignored-Arguments', ignored)
    res.setHeader('Cache-Control', 'no-store')
    res.setHeader('Content-Type', format.contentType)
    if (disposition !== null) res.setHeader('Content-Disposition', disposition)
    res.statusCode = 200
    if (coding === null) return
    res.setHeader('Content-Encoding', coding)
    // Fast, since the bytes are compressed for one caller, who waits.
    const gzip = createGzip({ level: constants.Z_BEST_SPEED })
    gzip.pipe(res)
    res.once('close', () => gzip.destroy())
    this.#body = gzip
  }

  /** Resolves when the operating system has taken all bytes; never, when the caller leaves. */
  async write(bytes: Uint8Array): Promise<void> {
    const { socket } = this.#res
    // Without a listener, node:http destroys a socket that times out. The time starts anew when some of the bytes were taken.
    socket?.setTimeout(this.#writeIdleMs)
    await new Promise<void>(resolve => this.#body.write(bytes, () => resolve()))
    socket?.setTimeout(0)
  }

  async end({ rows, cost }: ExportEnd): Promise<void> {
    this.#exchange.rows = rows
    this.#exchange.cost = cost
    this.#res.socket?.setTimeout(this.#writeIdleMs)
    await new Promise<void>(resolve => {
      this.#res.once('finish', resolve)
      this.#body.end()
    })
  }
}
