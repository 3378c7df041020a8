/** The Express app: routes, and the headers of every response. */
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import { failureOf, invalidRequest, RunnerError } from '../model/errors.js'
import type { Metrics } from '../observe/metrics.js'
import { cors } from './cors.js'
import { explain } from './explain.js'
import { addExplorer, type ExplorerDeps } from './explorer/explorer.js'
import { type ExportRouteDeps, exportEndpoint } from './export.js'
import { EVERY_ANSWER, setHeaders } from './headers.js'
import { answerAgents, type McpDeps } from './mcp.js'
import { type OpenApiDeps, sendOpenApi } from './openapi.js'
import { problemOf } from './problem.js'
import { Readiness } from './readiness.js'
import type { SendDeps } from './representation/send-result.js'
import { Exchange, type ExchangeDeps, exchangeOf } from './request-context.js'
import { MAX_LIST_LENGTH } from './request-headers.js'
import {
  describeOne,
  describeToken,
  explainOne,
  listEndpoints,
  purgeReaders,
  purgeResults,
  requireToken,
  runEndpoint,
} from './routes.js'
import { send, sendJson } from './send.js'

/** The longest address, in characters. A longer argument goes into a POST body. */
export const MAX_URL_LENGTH = 16_384

/** All methods that any route accepts. */
export const ALL_METHODS = 'GET, HEAD, POST, OPTIONS'

export interface AppDeps extends OpenApiDeps, ExplorerDeps, ExchangeDeps, SendDeps, ExportRouteDeps {
  readonly metrics: Pick<Metrics, 'contentType' | 'text'>
  /** BigQuery's price for reading 1 TiB, in USD. */
  readonly pricePerTib: number
  /** Allowed origins; empty for none. */
  readonly corsOrigins: readonly string[]
  /** The stream of `serve --dev`. @default null: none */
  readonly sendChanges?: RequestHandler | null
  /** Whether problems show the mistake in an endpoint, which only authors may see. @default false */
  readonly isDev?: boolean
  /** Whether a `Host` header names a host that is served. */
  readonly isServedHost: (header: string) => boolean
  /** Whether metrics and health are served at a port of their own. */
  readonly hasMetricsPort: boolean
  /** Null where agents are not served. */
  readonly mcp: McpDeps['mcp'] | null
  /** Whether the process is about to end, so that balancers should send no more work. */
  readonly isLeaving: () => boolean
  /** Whether the process is ending and refuses new work. */
  readonly isDraining: () => boolean
}

/** Creates the app, which closes nothing that is passed in. */
export function createApp(deps: AppDeps): Express {
  const app = emptyApp(deps, deps.corsOrigins)
  app.use(refuseOtherHosts(deps))
  app.use('/api', refuseWhileDraining(deps))
  app.use(answerOptionsForAll)

  app.route('/api/endpoints/query/:ref').all(allow('GET', 'HEAD', 'POST'), runEndpoint(deps))
  app.route('/api/endpoints/export/:ref').all(allow('GET', 'POST'), exportEndpoint(deps))
  app.route('/api/endpoints').all(allow('GET', 'HEAD'), listEndpoints(deps))
  app.get('/api/endpoints/explain/:ref', explainOne(deps))
  app.route('/api/endpoints/:ref').all(allow('GET', 'HEAD'), describeOne(deps))
  app.route('/api/endpoints/:ref/purge').all(allow('POST'), purgeResults(deps))
  app.route('/api/tables/:table/purge').all(allow('POST'), purgeReaders(deps))
  app.route('/api/endpoints/explain/:ref').all(allow('GET', 'HEAD'))
  app.route('/api/token').all(allow('GET', 'HEAD'), describeToken(deps))
  if (deps.sendChanges) app.route('/api/dev/changes').all(allow('GET'), deps.sendChanges)
  app.use('/api', requireToken(deps))
  app.route('/openapi.json').all(allow('GET', 'HEAD'), sendOpenApi(deps))
  if (deps.mcp) {
    app.route('/mcp').all(allow('POST'), refuseWhileDraining(deps), answerAgents({ ...deps, mcp: deps.mcp }))
  }
  if (!deps.hasMetricsPort) addMetrics(app, deps)
  app.route('/problems/:name').all(allow('GET', 'HEAD'), explain)
  addExplorer(app, deps, allow('GET', 'HEAD'))
  return endApp(app, deps)
}

/** The app of `--metrics-port`: metrics and health alone, for any `Host`. */
export function createMetricsApp(deps: AppDeps): Express {
  const app = emptyApp(deps, [])
  addMetrics(app, deps)
  return endApp(app, deps)
}

/** An app without routes: it begins the exchange of each request, and refuses odd requests. */
function emptyApp(deps: AppDeps, corsOrigins: readonly string[]): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false) // arguments are read by request/raw-arguments.ts, which sees repeated names
  app.enable('case sensitive routing')
  app.use((req, res, next) => {
    new Exchange(req, res, deps)
    setHeaders(res, EVERY_ANSWER)
    next()
  })
  app.use(cors(corsOrigins), refuseOddRequest)
  return app
}

/** Adds the answer for addresses without a route, and the error handler. */
function endApp(app: Express, deps: AppDeps): Express {
  app.use(() => {
    throw new RunnerError('NOT_FOUND', { detail: 'There is nothing at this address.' })
  })
  app.use(sendProblem(deps))
  return app
}

function addMetrics(app: Express, deps: AppDeps): void {
  app.route('/healthz').all(allow('GET', 'HEAD'), (req, res) => sendJson(req, res, { status: 'ok' }))
  app.route('/readyz').all(allow('GET', 'HEAD'), reportReady(deps))
  app.route('/metrics').all(allow('GET', 'HEAD'), sendMetrics(deps))
}

/** Answers other methods with 405, and OPTIONS with the list of allowed methods. */
function allow(...methods: readonly string[]): RequestHandler {
  const allowed = [...methods, 'OPTIONS'].join(', ')
  return (req, res, next) => {
    if (methods.includes(req.method)) return next()
    if (req.method !== 'OPTIONS') {
      throw new RunnerError('METHOD_NOT_ALLOWED', { detail: `Allowed: ${allowed}.`, headers: { Allow: allowed } })
    }
    res.setHeader('Allow', allowed)
    res.status(204).end()
  }
}

/** `OPTIONS *` asks about the server as a whole (RFC 9110 §9.3.7). */
const answerOptionsForAll: RequestHandler = (req, res, next) => {
  if (req.method !== 'OPTIONS' || req.url !== '*') return next()
  res.setHeader('Allow', ALL_METHODS)
  res.status(204).end()
}

/** The headers whose value is read as a list. */
const LISTS = ['accept', 'accept-encoding', 'cache-control', 'if-match', 'if-none-match', 'content-type'] as const

/** Refuses requests that are too long, or that node:http would answer with a bare status line or not at all. */
const refuseOddRequest: RequestHandler = (req, _res, next) => {
  if (req.originalUrl.length > MAX_URL_LENGTH) {
    const detail = `An address may have at most ${MAX_URL_LENGTH} characters; send long arguments in a POST body.`
    throw new RunnerError('URI_TOO_LONG', { detail })
  }
  const longHeader = LISTS.find(name => (req.headers[name]?.length ?? 0) > MAX_LIST_LENGTH)
  if (longHeader !== undefined) {
    const detail = `The header ${longHeader} may have at most ${MAX_LIST_LENGTH} characters.`
    throw new RunnerError('HEADERS_TOO_LARGE', { detail })
  }
  const hosts = req.headersDistinct['host']?.length ?? 0
  if (hosts > 1 || (hosts === 0 && req.httpVersion === '1.1')) {
    throw invalidRequest('A request has exactly one Host header.')
  }
  const expectation = req.get('Expect')
  if (expectation !== undefined && expectation.toLowerCase() !== '100-continue') {
    throw new RunnerError('EXPECTATION_FAILED', { detail: 'Only 100-continue can be expected.' })
  }
  next()
}

function refuseOtherHosts({ isServedHost }: AppDeps): RequestHandler {
  return (req, _res, next) => {
    if (isServedHost(req.get('Host') ?? '')) return next()
    throw new RunnerError('HOST_NOT_SERVED')
  }
}

function refuseWhileDraining({ isDraining }: AppDeps): RequestHandler {
  return (_req, _res, next) => {
    if (!isDraining()) return next()
    throw new RunnerError('DRAINING', { headers: { Connection: 'close' } })
  }
}

/** The server is ready if the engine can be asked, not every endpoint has a mistake, and the process is not about to end. */
function reportReady(deps: AppDeps): RequestHandler {
  const readiness = new Readiness(deps.engine, deps.clock)
  return async (req, res) => {
    if (deps.isLeaving()) throw new RunnerError('DRAINING', { headers: { Connection: 'close' } })
    await readiness.check()
    const { all, broken } = deps.endpoints()
    if (all.length === 0 && broken.length > 0) {
      throw new RunnerError('NOT_READY', { detail: 'Every endpoint has a mistake, which the log names.' })
    }
    sendJson(req, res, { status: 'ready' })
  }
}

/** How long the text of the metrics is reused, in milliseconds: it takes long to make, and callers need no token for it. */
export const METRICS_KEPT_MS = 1_000

function sendMetrics({ metrics, clock }: AppDeps): RequestHandler {
  let text: Promise<Buffer> | null = null
  let madeMs = 0
  return async (req, res) => {
    const nowMs = clock.ticksMs()
    if (text === null || nowMs - madeMs >= METRICS_KEPT_MS) {
      text = metrics.text().then(metricsText => Buffer.from(metricsText))
      madeMs = nowMs
    }
    send(req, res, 200, metrics.contentType, await text)
  }
}

/** The error handler; Express recognises it by its four parameters. */
function sendProblem({ observe, isDev }: AppDeps): ErrorRequestHandler {
  return (thrown: unknown, req, res, _next) => {
    const exchange = exchangeOf(res)
    const error = errorOf(thrown, exchange.signal.aborted)
    exchange.error = error
    if (error.code === 'INTERNAL') observe({ kind: 'bug', where: 'request', cause: error.cause })
    if (res.headersSent || exchange.signal.aborted) {
      exchange.isBrokenOff = !exchange.signal.aborted
      res.destroy()
      return
    }
    const { status, headers, body } = problemOf(error, exchange.requestId, isDev)
    res.status(status).set(headers)
    res.end(req.method === 'HEAD' ? undefined : body)
  }
}

function errorOf(thrown: unknown, isGone: boolean): RunnerError {
  // The router throws this for a path with broken percent-encoding.
  if (thrown instanceof URIError) return invalidRequest('The path is not valid percent-encoded UTF-8.', thrown)
  return failureOf(thrown, isGone)
}
