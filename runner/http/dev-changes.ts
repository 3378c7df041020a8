/** `GET /api/dev/changes` of `serve --dev`: a stream of server-sent events, one for each endpoint that a reload changes. */
import type { RequestHandler, Response } from 'express'
import { plainDiagnostic } from '../model/diagnostic.js'
import type { Clock, TokenStore } from '../model/ports.js'
import type { EndpointChange } from '../model/published-endpoint.js'
import type { EndpointChanges } from './endpoint-changes.js'
import { identify, tokenOf } from './routes.js'

/** A comment is sent this often, in milliseconds, so that no proxy takes the stream for dead. */
const HEARTBEAT_MS = 15_000
/** A reader that leaves more bytes unread than this is cut off. */
const MAX_UNREAD_BYTES = 1_000_000

export interface DevStreamDeps {
  readonly changes: EndpointChanges
  readonly tokens: TokenStore
  readonly clock: Clock
}

/** A stream begins with the endpoints that have mistakes now. A token sees only the endpoints that it may call. */
export class DevStreams {
  readonly #deps: DevStreamDeps
  readonly #open = new Set<Response>()
  #isClosed = false

  constructor(deps: DevStreamDeps) {
    this.#deps = deps
  }

  readonly send: RequestHandler = (req, res) => {
    const { changes, tokens, clock } = this.#deps
    identify(req, res, { tokens })
    const token = tokenOf(req)!
    res.status(200)
    res.setHeader('Content-Type', 'text/event-stream; charset=utf-8')
    res.setHeader('Cache-Control', 'no-store')
    res.setHeader('X-Accel-Buffering', 'no')
    const write = (text: string): void => {
      if (res.writableLength > MAX_UNREAD_BYTES) res.destroy()
      else res.write(text)
    }
    const sendChange = (change: EndpointChange): void => {
      const caller = tokens.find(token) // The token may have been revoked since.
      if (!caller) res.end()
      else if (caller.mayCall(change.name ?? '')) {
        const shown = { ...change, diagnostics: change.diagnostics.map(plainDiagnostic) }
        write(`event: endpoint\ndata: ${JSON.stringify(shown)}\n\n`)
      }
    }
    write('retry: 1000\n\n')
    for (const change of changes.current()) sendChange(change)
    const unsubscribe = changes.subscribe(sendChange)
    let cancelBeat = clock.after(HEARTBEAT_MS, beat)
    function beat(): void {
      write(':\n\n')
      cancelBeat = clock.after(HEARTBEAT_MS, beat)
    }
    this.#open.add(res)
    res.once('close', () => {
      unsubscribe()
      cancelBeat()
      this.#open.delete(res)
    })
    if (this.#isClosed) res.end()
  }

  /** Ends all streams, and each later one at once. */
  close(): void {
    this.#isClosed = true
    for (const response of this.#open) response.end()
  }
}
