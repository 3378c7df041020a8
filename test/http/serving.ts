/** A whole app over a hand-made endpoint, listening on a free port. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createToken, type NewToken, revokeToken } from '../../authoring/token/token-writer.js'
import { FileTokens } from '../../runner/auth/tokens.js'
import { ResultCache } from '../../runner/cache/result-cache.js'
import { MemoryCounters } from '../../runner/cache/stores/counters.js'
import { MemoryStore } from '../../runner/cache/stores/memory.js'
import { Deriver } from '../../runner/formats/deriver.js'
import { createApp } from '../../runner/http/app.js'
import { FastPath } from '../../runner/http/fast-path.js'
import { servedHosts } from '../../runner/http/hosts.js'
import { AVAILABLE_CODINGS, Representations } from '../../runner/http/representation/representation.js'
import { type RunningServer, startServer } from '../../runner/http/server/server.js'
import { UnsentBodies, type UnsentLimits } from '../../runner/http/unsent-bodies.js'
import { AgentThread } from '../../runner/mcp/agent-thread.js'
import type { Endpoint } from '../../runner/model/endpoint.js'
import type { Event } from '../../runner/model/events.js'
import type { Clock } from '../../runner/model/ports.js'
import { Metrics } from '../../runner/observe/metrics.js'
import { systemClock } from '../../runner/platform/clock.js'
import { Budgets } from '../../runner/request/budget.js'
import { ExportPlaces } from '../../runner/request/export-places.js'
import { Cursors } from '../../runner/request/pages/cursor.js'
import { Pages } from '../../runner/request/pages/pages.js'
import { indexEndpoints } from '../../runner/request/route.js'
import { ServedEngine } from '../../runner/serve/served-engine.js'
import { type CountingEngine, countingEngine, handMadeEndpoint, loadedOf } from '../request/hand-made.js'
import { until } from '../until.js'

export const TOKEN = 'unrestricted-token-of-32-letters'

export interface Serving {
  readonly url: string
  readonly engine: CountingEngine
  readonly events: readonly Event[]
  readonly server: RunningServer
  /** The request listener of the server; a test may also mount it in another server. */
  readonly listener: RequestListener
  /** Fetches with the unrestricted token. A path that begins with `?` is appended to /api/endpoints/query/tests.echo. */
  get(path: string, init?: RequestInit): Promise<Response>
  /** Creates a token and returns its text. */
  token(order: Omit<NewToken, 'name'>): Promise<string>
  /** The `request.done` event of the request with this id; without an id, the latest or else the next one. */
  done(requestId?: string): Promise<Extract<Event, { kind: 'request.done' }>>
  /** Removes the token with this name from the file; `token-1` is the first. */
  revoke(name: string): Promise<void>
  /** How many requests the fast path did not answer. */
  slowPathCalls(): number
  /** Serves these endpoints from now on. */
  replaceEndpoints(endpoints: readonly Endpoint[]): void
  close(): Promise<void>
}

export interface ServingOptions {
  readonly endpoints?: readonly Endpoint[]
  readonly corsOrigins?: readonly string[]
  /** @default null, the origin of each request */
  readonly publicUrl?: string
  /** @default true */
  readonly hasExplorer?: boolean
  readonly clock?: Clock
  readonly drainDelayMs?: number
  readonly graceMs?: number
  readonly requestTimeoutMs?: number
  /** The port. @default 0, any free port */
  readonly port?: number
  /** The names in `Host` that are served. @default all */
  readonly hosts?: readonly string[]
  /** @default 256 MB, a minute */
  readonly unsent?: Partial<UnsentLimits>
  /** The most bytes of stored results. @default 1 MB */
  readonly cacheBytes?: number
  /** Without the fast path. @default false */
  readonly isSlowPathOnly?: boolean
}

export async function serving(options: ServingOptions = {}): Promise<Serving> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-http-'))
  const tokensFile = join(folder, 'tokens.json')
  const clock = options.clock ?? systemClock()
  const events: Event[] = []
  const metrics = new Metrics()
  const observe = (event: Event): void => {
    metrics.observe(event)
    events.push(event)
  }
  const engine = countingEngine()
  let endpoints = indexEndpoints(options.endpoints ?? [handMadeEndpoint()])
  const served = new ServedEngine({
    name: engine.name,
    maxQueries: Number.POSITIVE_INFINITY,
    placeFailure: null,
    onFailure: () => {},
  })
  served.serve(engine, endpoints.all.map(loadedOf))
  const store = new MemoryStore({ maxBytes: options.cacheBytes ?? 1_000_000 })
  const results = new ResultCache({ store, clock, observe, random: () => 0 })
  // The store looks at the file ten times a second: after a change its clock is put forward, so that no test has to wait.
  let skippedMs = 0
  const tokensClock = { ...clock, nowMs: () => clock.nowMs() + skippedMs }
  const tokens = new FileTokens({ path: tokensFile, unrestrictedToken: TOKEN, clock: tokensClock, observe })
  let isLeaving = false
  let isDraining = false
  let names = 0
  const budgets = new Budgets({ counters: new MemoryCounters(), clock, observe, maxBytesBilled: null })
  const deps = {
    engine: served,
    beginCall: () => served.begin(),
    clock,
    observe,
    budgets,
    tokens,
    results,
    pages: new Pages(results, new Cursors(() => 'k'.repeat(32))),
    endpoints: () => endpoints,
    codings: AVAILABLE_CODINGS,
    newRequestId: randomUUID,
    exports: new ExportPlaces(2),
    unsent: new UnsentBodies({ maxUnsentBytes: 256_000_000, writeIdleMs: 60_000, ...options.unsent }),
  }
  const deriver = new Deriver(systemClock())
  const thread = new AgentThread()
  const corsOrigins = options.corsOrigins ?? []
  const appDeps = {
    ...deps,
    metrics,
    representations: new Representations(deriver, 64_000_000),
    corsOrigins,
    publicUrl: options.publicUrl ?? null,
    mcp: { maxBytes: 65_536, thread },
    pricePerTib: 6.25,
    hasExplorer: options.hasExplorer ?? true,
    isServedHost: servedHosts(options.hosts ?? []),
    hasMetricsPort: false,
    isLeaving: () => isLeaving,
    isDraining: () => isDraining,
  }
  const app = createApp(appDeps)
  let slowPathCalls = 0
  const counted: RequestListener = (req, res) => {
    slowPathCalls += 1
    app(req, res)
  }
  const listener = options.isSlowPathOnly ? counted : new FastPath(appDeps, counted).answer
  const server = await startServer({
    listener,
    host: '127.0.0.1',
    port: options.port ?? 0,
    drainDelayMs: options.drainDelayMs ?? 0,
    graceMs: options.graceMs ?? 2_000,
    ...(options.requestTimeoutMs !== undefined && { requestTimeoutMs: options.requestTimeoutMs }),
    clock: systemClock(),
    observe,
    newRequestId: randomUUID,
    onLeaving: () => {
      isLeaving = true
    },
    onDraining: () => {
      isDraining = true
    },
  })
  return {
    url: server.url,
    engine,
    events,
    server,
    listener,
    get(path, init = {}) {
      const address = path.startsWith('/') ? path : `/api/endpoints/query/tests.echo${path}`
      return fetch(server.url + address, { ...init, headers: { 'X-API-KEY': TOKEN, ...init.headers } })
    },
    async token(order) {
      names += 1
      const text = await createToken(tokensFile, { name: `token-${names}`, ...order }, clock.nowMs())
      if (options.clock === undefined) skippedMs += 110
      return text
    },
    async revoke(name) {
      await revokeToken(tokensFile, name)
      skippedMs += 110
    },
    slowPathCalls: () => slowPathCalls,
    replaceEndpoints(next) {
      endpoints = indexEndpoints(next)
      served.serve(engine, next.map(loadedOf))
    },
    async done(requestId) {
      const find = () =>
        events.findLast(
          (event): event is Extract<Event, { kind: 'request.done' }> =>
            event.kind === 'request.done' && (requestId === undefined || event.requestId === requestId),
        )
      await until(() => find() !== undefined, 'a request has ended')
      return find()!
    },
    async close() {
      await server.close()
      deriver.close()
      thread.close()
      results.close()
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}
