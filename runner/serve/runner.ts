/** COMPOSITION ROOT: builds a runner from settings. */
import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import type { TableCatalogue } from '../../googlesql/index.js'
import { FileTokens, unrestrictedCaller } from '../auth/tokens.js'
import { ResultCache } from '../cache/result-cache.js'
import { Deriver } from '../formats/deriver.js'
import type { ResultFormat } from '../formats/index.js'
import { type AppDeps, createApp, createMetricsApp } from '../http/app.js'
import { DevStreams } from '../http/dev-changes.js'
import { EndpointChanges } from '../http/endpoint-changes.js'
import { FastPath } from '../http/fast-path.js'
import { servedHosts } from '../http/hosts.js'
import { AVAILABLE_CODINGS, Representations } from '../http/representation/representation.js'
import { type RunningServer, startServer } from '../http/server/server.js'
import { UnsentBodies } from '../http/unsent-bodies.js'
import { hashDefinitions } from '../manifest/definitions.js'
import type { LoadedEndpoint } from '../manifest/load.js'
import { createSchemaCache } from '../manifest/tables/schema-cache.js'
import { sourceState } from '../manifest/watch/source-state.js'
import { watchSources } from '../manifest/watch/watch-sources.js'
import { AgentThread } from '../mcp/agent-thread.js'
import type { Endpoint } from '../model/endpoint.js'
import type { Observer, ReloadReport } from '../model/events.js'
import type { Explanation, StoredResult, TokenStore } from '../model/ports.js'
import type { BoundValue, QueryReads } from '../model/query.js'
import { afterTurn } from '../observe/after-turn.js'
import { Metrics } from '../observe/metrics.js'
import { systemClock } from '../platform/clock.js'
import { Refresher } from '../refresh/refresher.js'
import { bindParams } from '../request/bind-params.js'
import { Budgets } from '../request/budget.js'
import { type ExportEnd, exportFor } from '../request/export.js'
import { ExportPlaces } from '../request/export-places.js'
import { handleFor, type RequestDeps } from '../request/handle.js'
import { PLAIN } from '../request/negotiate-coding.js'
import { Cursors } from '../request/pages/cursor.js'
import { Pages } from '../request/pages/pages.js'
import { parsedArguments } from '../request/raw-arguments.js'
import { route, routeWithHint } from '../request/route.js'
import { BYTES_PER_MB, completeSettings, type Settings } from '../settings/settings.js'
import { Closers } from './closers.js'
import { cursorKey } from './cursor-key.js'
import { EndpointRegistry } from './endpoint-registry.js'
import { type EngineDeps, openServingEngineOver, readDefinitions, requireData, type ServingEngine } from './engine.js'
import { loadManifests } from './manifests.js'
import { type PlaceFailure, ServedEngine } from './served-engine.js'
import { openStores } from './stores.js'
import { tokensPath } from './tokens.js'

/** A running service. The code that creates it closes it. */
export interface Runner {
  /** Mounts in any node:http or Express server. */
  readonly listener: RequestListener
  /**
   * Runs an endpoint by name or id as a call over HTTP would, for an unrestricted caller. A list gives an argument several values.
   * @throws RunnerError
   */
  call(name: string, args?: CallArguments, options?: CallOptions): Promise<StoredResult>
  /**
   * Exports an endpoint by name or id as HTTP would, for an unrestricted caller. `write` resolves when it can take more.
   * @returns the number of rows, once all have been written @throws RunnerError, what `write` rejects with.
   */
  export(
    name: string,
    args: CallArguments,
    write: (bytes: Uint8Array) => Promise<void>,
    options?: CallOptions,
  ): Promise<number>
  /** What the same call would run, without running the query. @throws RunnerError */
  explain(name: string, args?: CallArguments, options?: Pick<CallOptions, 'nowMicros'>): Promise<Explained>
  /** What the same call would read, without running the query. @throws RunnerError */
  dryRun(name: string, args?: CallArguments, options?: Pick<CallOptions, 'nowMicros'>): Promise<QueryReads>
  /**
   * Reloads manifests, partials, table schemas and functions. Later calls see all of the new state; running calls finish on the old one.
   * The outcome is also an event.
   * @throws LoadError when the files have errors, SetupError, RunnerError; the old state then stays.
   */
  reload(): Promise<ReloadReport>
  /** The endpoints, sorted by name. */
  endpoints(): readonly Endpoint[]
  /** The endpoint by name or id. @throws RunnerError ENDPOINT_BROKEN; ENDPOINT_UNKNOWN with the name that was probably meant. */
  find(name: string): Endpoint
  /** The endpoints in the order of their files, with facts about their manifests. */
  details(): readonly LoadedEndpoint[]
  /** Listens at the address of the settings. @throws SetupError when that fails. */
  listen(): Promise<RunningServer>
  /** Stops warming, then closes the engine and the stores. Servers must be closed before, by the code that started them. */
  close(): Promise<void>
}

export type CallArguments = Readonly<Record<string, string | readonly string[]>>

export interface CallOptions {
  /** @default json */
  readonly format?: ResultFormat
  /** Freezes `@now`, in microseconds since 1970; such a call bypasses the cache. */
  readonly nowMicros?: bigint
  readonly signal?: AbortSignal
}

/** A query, and how the engine runs it. */
export interface Explained extends Explanation {
  /** The variant in words: `interval=1day, function_id given`; null for a query without an endpoint. */
  readonly variant: string | null
  /** The BigQuery SQL; its bound values follow. */
  readonly sql: string
  readonly parameters: Readonly<Record<string, BoundValue>>
  /** Milliseconds by stage. */
  readonly timingsMs: Readonly<Record<string, number>>
}

export interface RunnerOptions {
  /** Receives every event. @default events are dropped */
  readonly observe?: Observer
  /** The number of lines that the log has dropped, for the metrics. @default 0 */
  readonly droppedLogLines?: () => number
}

/**
 * Creates a runner. Missing settings have their defaults.
 * @throws UsageError naming every setting that is unknown or invalid; LoadError when the folder of manifests cannot be
 *   read, and, with the setting `strict`, when a manifest, table schema or function has errors; SetupError when something
 *   cannot be opened. Everything opened before the failure is closed.
 */
export async function createRunner(given: Partial<Settings> = {}, options: RunnerOptions = {}): Promise<Runner> {
  return (await openRunner(given, options)).runner
}

/** A store without tokens, for callers in this process alone. */
export const NO_TOKENS: TokenStore = { find: () => null }

export interface OpenOptions extends RunnerOptions {
  /** Finds the places of failing queries, for authors. @default null: failures name the variant alone, as the log of a server does */
  readonly placeFailure?: PlaceFailure | null
}

/**
 * As createRunner, for the program's own commands: the runner, the `deps` of calls that do not come through its listener, and all
 * tables that queries can name now. `tokenStore` replaces the tokens of the settings.
 */
export async function openRunner(given: Partial<Settings>, options: OpenOptions, tokenStore: TokenStore | null = null) {
  const settings = completeSettings(given)
  requireData(settings)
  const opened = new Closers()
  try {
    const service = await openService(settings, options, tokenStore, opened)
    const { engine } = service
    const deps: RequestDeps = service.deps
    const runner = runnerOver(settings, service, openApp(settings, service, opened), () => opened.close())
    return { runner, deps, tables: (): TableCatalogue => engine.current()!.tables() }
  } catch (thrown) {
    await opened.close()
    throw thrown
  }
}

/** The parts that answer calls, without HTTP. */
type Service = Awaited<ReturnType<typeof openService>>

async function openService(settings: Settings, options: OpenOptions, tokenStore: TokenStore | null, opened: Closers) {
  const metrics = new Metrics()
  metrics.droppedLogLines = options.droppedLogLines ?? metrics.droppedLogLines
  const observe = afterTurn(event => {
    metrics.observe(event)
    options.observe?.(event)
  })
  const clock = systemClock()
  const engine = opened.add(
    new ServedEngine<ServingEngine>({
      name: settings.engine,
      maxQueries: settings.maxQueries,
      placeFailure: options.placeFailure ?? null,
      onFailure: cause => observe({ kind: 'bug', where: 'engine', cause }),
    }),
  )
  const registry = opened.add(openRegistry(settings, engine, { observe, clock }))
  const changes = settings.dev ? new EndpointChanges() : null
  if (changes) registry.onRead(outcome => changes.update(outcome))
  await registry.start()
  const { store, counters } = await openStores(settings, { observe, clock }, opened)
  const path = tokensPath(settings)
  const tokens = tokenStore ?? new FileTokens({ path, unrestrictedToken: settings.token, clock, observe })
  const results = opened.add(new ResultCache({ store, clock, observe, random: Math.random }))
  registry.onGone(ids => results.forget(ids))
  metrics.cacheSize = () => store.size()
  const { maxBytesBilled } = settings
  const deps = {
    engine,
    clock,
    observe,
    budgets: new Budgets({ counters, clock, observe, maxBytesBilled }),
    tokens,
    results,
    refresher: new Refresher({
      engine,
      clock,
      observe,
      publish: (result, options) => engine.publish(result, options),
      find: key => results.kept(key),
      verifyEvery: settings.verifyRefresh,
    }),
    pages: new Pages(results, new Cursors(cursorKey(settings, observe))),
    endpoints: registry.index,
    beginCall: () => engine.begin(),
    codings: AVAILABLE_CODINGS,
    newRequestId: randomUUID,
    exports: new ExportPlaces(settings.maxExports),
    unsent: new UnsentBodies({
      maxUnsentBytes: settings.maxUnsentMb * BYTES_PER_MB,
      writeIdleMs: settings.writeIdleSeconds * 1000,
    }),
  }
  return { engine, registry, changes, metrics, deps }
}

type App = ReturnType<typeof openApp>

/** The HTTP application without its server, and the callbacks that the server calls. */
function openApp(settings: Settings, { registry, changes, metrics, deps }: Service, opened: Closers) {
  const { tokens, clock } = deps
  const deriver = opened.add(new Deriver(clock))
  const representations = new Representations(deriver, settings.maxResultMb * BYTES_PER_MB)
  let isLeaving = false
  let isDraining = false
  const { corsOrigins, publicUrl, mcp, mcpMaxBytes, pricePerTib } = settings
  const streams = changes && opened.add(new DevStreams({ changes, tokens, clock }))
  const appDeps = {
    ...deps,
    metrics,
    sendChanges: streams?.send ?? null,
    isDev: settings.dev,
    representations,
    corsOrigins,
    publicUrl,
    mcp: mcp === 'on' ? { maxBytes: mcpMaxBytes, thread: opened.add(new AgentThread()) } : null,
    pricePerTib,
    hasExplorer: settings.explorer === 'on',
    isServedHost: servedHosts(settings.hosts),
    hasMetricsPort: settings.metricsPort !== null,
    isLeaving: () => isLeaving,
    isDraining: () => isDraining,
  }
  const listener = new FastPath(appDeps, createApp(appDeps)).answer
  if (settings.watch || settings.dev) {
    const { lastRead, reloadIfChanged } = registry
    const fingerprint = (): Promise<string> => sourceState(settings)
    opened.add(watchSources({ fingerprint, lastRead, reloadIfChanged, clock }))
  }
  const onLeaving = (): void => {
    isLeaving = true
    streams?.close()
  }
  const onDraining = (): void => {
    isDraining = true
  }
  return { appDeps, listener, onLeaving, onDraining }
}

function runnerOver(settings: Settings, service: Service, app: App, close: () => Promise<void>): Runner {
  const { engine, registry, deps } = service
  const { results, clock } = deps
  return {
    listener: app.listener,
    async call(name, args = {}, { signal = new AbortController().signal, ...rest } = {}) {
      const { format = 'json' } = rest
      const readAddress = () => parsedArguments(args, true)
      const request = { ref: name, readAddress, signal, ...rest, format }
      const facts = { token: null, endpoint: null }
      const { result, endpoint, key } = await handleFor(unrestrictedCaller('in-process'), request, deps, facts)
      if (format === 'json') return result
      const { representations } = app.appDeps
      const wanted = { token: '', endpoint, format, coding: PLAIN }
      const { body, etag } = await representations.make(result, wanted, bytes => results.grow(key, bytes))
      return { ...result, body, etag }
    },
    async export(name, args, write, { signal = new AbortController().signal, ...rest } = {}) {
      const request = { ref: name, readAddress: () => parsedArguments(args, true), signal, ...rest }
      let count = 0
      const end = async ({ rows }: ExportEnd): Promise<void> => {
        count = rows
      }
      const target = { begin: () => {}, write, end }
      await exportFor(unrestrictedCaller('in-process'), request, target, deps, { token: null, endpoint: null })
      return count
    },
    async explain(name, args = {}, { nowMicros = clock.nowMicros() } = {}) {
      const began = clock.nowMicros()
      const endpoint = route(registry.index(), name)
      const bound = bindParams(endpoint, parsedArguments(args, true))
      const { sql, parameters } = endpoint.render(bound, nowMicros)
      const rendered = clock.nowMicros()
      const { engineSql, plan } = await engine.explain({ sql, parameters })
      const timingsMs = { render: millis(rendered - began), explain: millis(clock.nowMicros() - rendered) }
      const loadedEndpoint = registry.loadedEndpoints().find(loaded => loaded.endpoint.id === endpoint.id)
      const variant = loadedEndpoint?.variants.find(rendered => rendered.sql === sql)?.label ?? null
      return { variant, sql, parameters, engineSql, plan, timingsMs }
    },
    dryRun(name, args = {}, { nowMicros = clock.nowMicros() } = {}) {
      const endpoint = route(registry.index(), name)
      return engine.dryRun(endpoint.render(bindParams(endpoint, parsedArguments(args, true)), nowMicros))
    },
    endpoints: () => registry.index().all,
    find: name => routeWithHint(registry.index(), name),
    details: registry.loadedEndpoints,
    reload: registry.reload,
    listen: () => listen(settings, service, app),
    close,
  }
}

async function listen(settings: Settings, { engine, registry, deps }: Service, app: App): Promise<RunningServer> {
  const readAhead = (): void => engine.current()?.readAhead?.()
  readAhead()
  registry.onRead(readAhead)
  const { appDeps, ...rest } = app
  const [drainDelayMs, graceMs] = [settings.drainDelaySeconds * 1000, settings.graceSeconds * 1000]
  const { host, port } = settings
  // This server starts first: it closes at once where the other cannot start, while the other would wait for callers to leave.
  const metricsServer = await listenForMetrics(appDeps, settings)
  const server = await startServer({ ...deps, ...rest, host, port, drainDelayMs, graceMs }).catch(async thrown => {
    await metricsServer?.close()
    throw thrown
  })
  const endpoints = registry.index().all.length
  deps.observe({ kind: 'server.ready', url: server.url, endpoints, engine: engine.name })
  return metricsServer === null ? server : besideMetrics(server, metricsServer)
}

/** The server of `--metrics-port`; null without that setting. */
async function listenForMetrics(deps: AppDeps, { host, metricsPort }: Settings): Promise<RunningServer | null> {
  if (metricsPort === null) return null
  const listener = createMetricsApp(deps)
  const unheard = { observe: () => undefined, onLeaving: () => undefined, onDraining: () => undefined }
  const address = { host, port: metricsPort, portFlag: '--metrics-port' }
  return startServer({ ...deps, ...unheard, ...address, listener, drainDelayMs: 0, graceMs: 0 })
}

/** Health is reported until the last call has been answered. */
function besideMetrics(server: RunningServer, metrics: RunningServer): RunningServer {
  return { ...server, metricsUrl: metrics.url, close: () => server.close().then(metrics.close) }
}

/** Creates the registry of the endpoints that the engine serves; nothing is loaded yet. */
function openRegistry(settings: Settings, engine: ServedEngine<ServingEngine>, deps: EngineDeps) {
  const readSchema = createSchemaCache()
  return new EndpointRegistry<ServingEngine>({
    ...deps,
    engine,
    endpointsDir: settings.endpointsDir,
    isStrict: settings.strict,
    fingerprint: () => sourceState(settings),
    readDefinitions: yieldToEventLoop => readDefinitions(settings, yieldToEventLoop, readSchema),
    openEngine: definitions => openServingEngineOver(definitions, settings, { ...deps, isShared: true }),
    // Only `validate` prepares variants on DuckDB: at start-up it would cost a second and a hundred megabytes.
    load: (opening, definitions, options) =>
      loadManifests(settings, opening, async (sql, types) => (await opening).compile(sql, types), {
        ...options,
        definitions: hashDefinitions(definitions),
      }),
  })
}

const millis = (micros: bigint): number => Number(micros) / 1000
