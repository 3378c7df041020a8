/** The composition root: settings become a runner; nothing else opens an engine, a store or a clock. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createResultCache } from './cache/result-cache.js'
import { systemClock } from './clock.js'
import { openAccess } from './engines/bigquery/credentials.js'
import { openBigQueryEngine } from './engines/bigquery/open-engine.js'
import {
  type DescribedTable,
  openWarehouseTables as openTables,
  type TablePlace,
  type WarehouseTables,
} from './engines/bigquery/tables.js'
import {
  type EmbeddedEngine,
  type EmbeddedEngineOptions,
  type EmbeddedTable,
  openEmbedded,
} from './engines/duckdb/embedded.js'
import { openDuckdbEngine } from './engines/duckdb/engine.js'
import { type ImportReport, importFiles } from './engines/duckdb/import/import-table.js'
import type { DuckdbEngine } from './engines/duckdb/open-engine.js'
import type { TableCatalogue, TableDefinition } from './googlesql/tables.js'
import { createApp } from './http/app.js'
import { createFastLane } from './http/fast-lane.js'
import { createFormStore } from './http/forms.js'
import { type RunningServer, startServer } from './http/server.js'
import { createLiveEndpoints, type LiveEndpoints, type ReloadReport, refuseErrors } from './live-endpoints.js'
import { type Loaded, type LoadedEndpoint, type LoadOptions, loadEndpoints } from './manifest/load.js'
import { type LoadedTable, loadTableSchemas } from './manifest/load-tables.js'
import { manifestId } from './manifest/manifest-id.js'
import { sourceState } from './manifest/source-state.js'
import { watchSources } from './manifest/watch-sources.js'
import type { Endpoint } from './model/endpoint.js'
import { SetupError, UsageError } from './model/errors.js'
import type { Observer } from './model/events.js'
import type { Clock, CounterStore, Engine, ResultStore, StoredResult } from './model/ports.js'
import type { BoundValue, ResultFormat } from './model/query.js'
import { openMetrics } from './observe/metrics.js'
import { bindParams } from './request/bind-params.js'
import { createBudgets } from './request/budget.js'
import { createEngineRelay, type EngineRelay } from './request/engine-relay.js'
import { handleFor } from './request/handle.js'
import { limitQueries } from './request/limit-queries.js'
import { route } from './request/route.js'
import { renderQuery } from './request/run-query.js'
import { wireArguments } from './request/wire.js'
import { DEFAULT_SETTINGS, type Settings } from './settings.js'
import { openMemoryCounters } from './stores/counters.js'
import { openMemoryStore } from './stores/memory.js'
import { openRedisStore } from './stores/redis.js'
import { openRedis } from './stores/redis-cluster.js'
import { openRedisCounters } from './stores/redis-counters.js'
import { openTieredStore } from './stores/tiered.js'
import { createToken, listTokens, type NewToken, revokeToken, type TokenRecord } from './stores/token-file.js'
import { openTokenStore, unrestrictedCaller } from './stores/tokens.js'

export type {
  DescribedTable,
  EmbeddedEngine,
  EmbeddedEngineOptions,
  EmbeddedTable,
  ImportReport,
  NewToken,
  ReloadReport,
  RunningServer,
  Settings,
  TablePlace,
  TokenRecord,
  WarehouseTables,
}

/** Endpoints that are being served. Whoever creates one closes it. */
export interface Runner {
  /** Mounts in any node:http or Express server. */
  readonly listener: RequestListener
  /**
   * Runs an endpoint by name or id as a call over HTTP would, for a caller who may do everything; a list is several
   * values.
   * @throws RunnerError
   */
  call(name: string, args?: CallArguments, options?: CallOptions): Promise<StoredResult>
  /** What the same call would run, without running it. @throws RunnerError */
  explain(name: string, args?: CallArguments, options?: Pick<CallOptions, 'nowMicros'>): Promise<Explained>
  /**
   * Reads manifests, partials and table schemas again. From then on calls see what was read, all of it; those under way end on
   * what was before. Whatever becomes of it is an event too.
   * @throws LoadError when they hold errors, SetupError, RunnerError; then everything is as it was.
   */
  reload(): Promise<ReloadReport>
  /** By name. */
  endpoints(): readonly Endpoint[]
  /** The same, in the order of their files, with what is known of their manifests. */
  details(): readonly LoadedEndpoint[]
  /** Serves the listener at the address of the settings. @throws SetupError when it cannot be listened on. */
  listen(): Promise<RunningServer>
  /** Stops warming, then closes the engine and the stores. Servers are closed first, by whoever started them. */
  close(): Promise<void>
}

export type CallArguments = Readonly<Record<string, string | readonly string[]>>

export interface CallOptions {
  /** @default json */
  readonly format?: ResultFormat
  /** Freezes `@now`, in microseconds since 1970; such a call goes past the cache. */
  readonly nowMicros?: bigint
  readonly signal?: AbortSignal
}

/** A query, and how the engine runs it. */
export interface Explained {
  /** `interval=1day, function_id given`; null where the query is no endpoint's. */
  readonly variant: string | null
  /** BigQuery SQL, and what is bound to it. */
  readonly sql: string
  readonly parameters: Readonly<Record<string, BoundValue>>
  readonly engineSql: string
  readonly plan: string
  /** Milliseconds by what they were spent on. */
  readonly timingsMs: Readonly<Record<string, number>>
}

export interface RunnerOptions {
  /** Told of everything that happens. @default nobody */
  readonly observe?: Observer
}

/**
 * Settings that are not given have their defaults.
 * @throws LoadError when manifests or table schemas hold errors, SetupError when something cannot be opened. Whatever
 *   was opened by then has been closed.
 */
export async function createRunner(given: Partial<Settings> = {}, options: RunnerOptions = {}): Promise<Runner> {
  const settings: Settings = { ...DEFAULT_SETTINGS, ...given }
  const metrics = openMetrics()
  const observe: Observer = event => {
    metrics.observe(event)
    options.observe?.(event)
  }
  const clock = systemClock()
  const opened = createClosers()
  try {
    const { live, relay } = openLive(settings, { observe, clock }, opened)
    await live.start()
    const engine = limitQueries(relay.engine, settings.maxQueries)
    const { store, counters } = await openStores(settings, { observe, clock }, opened)
    const path = tokensPath(settings)
    const tokens = opened.add(openTokenStore({ path, unrestrictedToken: settings.token, clock, observe }))
    const results = opened.add(createResultCache({ store, clock, observe, random: Math.random }))
    const { maxBytesBilled } = settings
    const budgets = createBudgets({ counters, clock, observe, maxBytesBilled })
    const deps = {
      engine,
      clock,
      observe,
      budgets,
      tokens,
      results,
      endpoints: live.index,
      beginCall: relay.begin,
      newRequestId: randomUUID,
    }
    let isLeaving = false
    let isDraining = false
    const { corsOrigins } = settings
    const appDeps = {
      ...deps,
      metrics,
      forms: createFormStore(),
      corsOrigins,
      isLeaving: () => isLeaving,
      isDraining: () => isDraining,
    }
    const listener = createFastLane(appDeps, createApp(appDeps))
    const look = (): Promise<string> => sourceState(settings)
    if (settings.watch) opened.add(watchSources({ look, ...live, clock }))
    return {
      listener,
      async call(name, args = {}, { signal = new AbortController().signal, ...rest } = {}) {
        const readArguments = () => wireArguments(args)
        const request = { ref: name, accept: undefined, readArguments, signal, ...rest }
        const progress = { token: null, endpoint: null }
        return (await handleFor(unrestrictedCaller('in-process'), request, deps, progress)).result
      },
      async explain(name, args = {}, { nowMicros = clock.nowMicros() } = {}) {
        const began = clock.nowMicros()
        const endpoint = route(live.index(), name)
        const bound = bindParams(endpoint, wireArguments(args))
        const { sql, parameters } = renderQuery({ endpoint, args: bound, nowMicros }, clock)
        const rendered = clock.nowMicros()
        const { engineSql, plan } = await engine.explain({ sql, parameters })
        const timingsMs = { render: millis(rendered - began), explain: millis(clock.nowMicros() - rendered) }
        const detail = live.details().find(one => one.endpoint.id === endpoint.id)
        const variant = detail?.variants.find(one => one.sql === sql)?.label ?? null
        return { variant, sql, parameters, engineSql, plan, timingsMs }
      },
      endpoints: () => live.index().all,
      details: live.details,
      reload: live.reload,
      async listen() {
        const { host, port } = settings
        const onLeaving = (): void => {
          isLeaving = true
        }
        const onDraining = (): void => {
          isDraining = true
        }
        const [drainDelayMs, graceMs] = [settings.drainDelaySeconds * 1000, settings.graceSeconds * 1000]
        const server = await startServer({
          ...deps,
          listener,
          host,
          port,
          drainDelayMs,
          graceMs,
          onLeaving,
          onDraining,
        })
        observe({ kind: 'server.ready', url: server.url, endpoints: live.index().all.length, engine: engine.name })
        return server
      },
      close: opened.close,
    }
  } catch (thrown) {
    await opened.close()
    throw thrown
  }
}

/** The endpoints of the settings, before anything has been read, and the engine behind them. `opened` closes both. */
function openLive(
  settings: Settings,
  { observe, clock }: EngineDeps,
  opened: Closers,
): { readonly live: LiveEndpoints; readonly relay: EngineRelay<ServingEngine> } {
  const relay = opened.add(
    createEngineRelay<ServingEngine>({
      name: settings.engine,
      knowsDataChanges: settings.engine === 'duckdb',
      onFailure: cause => observe({ kind: 'bug', where: 'engine', cause }),
    }),
  )
  const live = opened.add(
    createLiveEndpoints<ServingEngine>({
      relay,
      endpointsDir: settings.endpointsDir,
      look: () => sourceState(settings),
      readTables: breathe => readTables(settings, breathe),
      openEngine: tables => openServingEngineOver(tables, settings, { observe, clock }),
      // Preparing every variant on DuckDB is for `validate`: here it would cost a second and a hundred megabytes.
      load: (engine, options) => load(settings, engine, engine.compile, [], { ...options, checksImplied: false }),
      clock,
      observe,
    }),
  )
  return { live, relay }
}

const BYTES_PER_MB = 1_000_000

const millis = (micros: bigint): number => Number(micros) / 1000

/** Where results and counts are kept: in memory, and with REDIS_URL in a Redis behind it. `opened` closes them. */
async function openStores(
  { cacheMb, redisUrl, redisPrefix }: Settings,
  { observe, clock }: EngineDeps,
  opened: Closers,
): Promise<{ readonly store: ResultStore; readonly counters: CounterStore }> {
  const memory = openMemoryStore({ maxBytes: cacheMb * BYTES_PER_MB })
  if (redisUrl === null) return { store: opened.add(memory), counters: openMemoryCounters(clock) }
  const onTrouble = (cause: Error): void => observe({ kind: 'store.failed', operation: 'connect', cause })
  const link = opened.add(await openRedis({ url: redisUrl, clock, random: Math.random, onTrouble }))
  const shared = openRedisStore({ link, prefix: redisPrefix, clock, replica: randomUUID() })
  const store = opened.add(openTieredStore({ memory, shared, clock, observe }))
  return { store, counters: openRedisCounters(link, redisPrefix) }
}

/** How long Redis may take over a command of a purge that nobody but a command line waits for. */
const PURGE_MS = 5_000

/**
 * Forgets what replicas have stored of an endpoint, by name or id, or of all; their memories too.
 * @throws UsageError when no manifest has this name; SetupError when Redis cannot be reached or did not do it.
 */
export async function purgeShared(settings: Settings, ref: string | null): Promise<void> {
  const { redisUrl, redisPrefix } = settings
  if (redisUrl === null) throw new UsageError(['REDIS_URL names no Redis'])
  const prefix = ref === null ? '' : `${await findEndpointId(settings.endpointsDir, ref)}:`
  const clock = systemClock()
  const link = await openRedis({ url: redisUrl, clock, random: Math.random, commandMs: PURGE_MS })
  try {
    await openRedisStore({ link, prefix: redisPrefix, clock, replica: randomUUID() }).purge(prefix)
  } catch (cause) {
    throw new SetupError(`nothing, or not all, was purged: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    })
  } finally {
    await link.close()
  }
}

async function findEndpointId(endpointsDir: string, ref: string): Promise<string> {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(ref)) return ref.toLowerCase()
  const id = await manifestId(endpointsDir, ref)
  if (id === null) throw new UsageError([`no manifest in ${endpointsDir} has the name "${ref}"`])
  return id
}

/** What else a result depends on: the same SQL means other data elsewhere. */
function engineIdentity(settings: Settings): string {
  const { engine, project, location, defaultDataset, emulatorHost } = settings
  return JSON.stringify(engine === 'duckdb' ? [engine] : [engine, project, location, defaultDataset, emulatorHost])
}

/** What the manifests of the settings are, errors included. */
function load(
  settings: Settings,
  engine: ServingEngine,
  checkSql: Engine['check'],
  only: readonly string[] = [],
  more: Partial<LoadOptions> = {},
): Promise<Loaded> {
  return loadEndpoints({
    dir: settings.endpointsDir,
    schemaTextHash: engineIdentity(settings),
    knowsDataChanges: engine.dataState !== undefined,
    tables: engine.tables(),
    checkSql,
    ...more,
    ...(only.length > 0 && { only }),
  })
}

export interface CheckLimits {
  /** A query that BigQuery would read more bytes for is a mistake; null for no limit. @default null */
  readonly maxBytes?: number | null
}

/**
 * Checks every manifest with every variant of its query on the engine; nothing stays open. `only` keeps what is found in
 * these files and folders; none keeps all.
 * @throws LoadError when table schemas hold errors, for then every query would; SetupError.
 */
export async function checkManifests(
  settings: Settings,
  only: readonly string[],
  limits: CheckLimits = {},
): Promise<Loaded> {
  const clock = systemClock()
  const engine = await openServingEngine(settings, { observe: () => {}, clock })
  // What a warehouse would read of a partitioned table depends on the time.
  const now = new Date(clock.nowMs()).toISOString()
  try {
    return await load(
      settings,
      engine,
      (sql, types, values) => engine.check(sql, types, { ...values, now }),
      only,
      limits,
    )
  } finally {
    await engine.close()
  }
}

/** What an engine needs beside the settings. */
export interface EngineDeps {
  readonly observe: Observer
  readonly clock: Clock
}

/** An engine that manifests can be loaded for. */
export interface ServingEngine extends Engine {
  /** As `check`, without asking an engine where that can be had. */
  readonly compile: Engine['check']
  /** All tables that are known by their schemas. */
  readonly tables: () => TableCatalogue
}

/** The engine that the settings name. @throws LoadError, SetupError. Whoever opens it closes it. */
export async function openServingEngine(settings: Settings, deps: EngineDeps): Promise<ServingEngine> {
  return openServingEngineOver(await readTables(settings), settings, deps)
}

/** The same over tables that have been read. */
function openServingEngineOver(
  tables: readonly TableDefinition[],
  settings: Settings,
  deps: EngineDeps,
): Promise<ServingEngine> {
  return settings.engine === 'bigquery' ? openWarehouse(tables, settings, deps) : openEngineOver(tables, settings, deps)
}

/** @throws LoadError when a table schema holds errors. */
async function readTables({ tablesDir }: Settings, breathe?: () => Promise<void>): Promise<readonly TableDefinition[]> {
  const { tables, diagnostics } = await loadTableSchemas(tablesDir, breathe)
  refuseErrors(diagnostics)
  return tables.map(definitionOf)
}

async function openWarehouse(
  tables: readonly TableDefinition[],
  settings: Settings,
  { observe, clock }: EngineDeps,
): Promise<ServingEngine> {
  const { location, defaultDataset, maxBytesBilled, reservation, priority } = settings
  const access = await openAccess(settings)
  const engine = openBigQueryEngine({
    access,
    tables,
    location,
    defaultDataset,
    maxBytesBilled,
    reservation,
    priority,
    maxResultBytes: settings.maxResultMb * BYTES_PER_MB,
    maxQueries: settings.maxQueries,
    clock,
    observe,
    newRequestId: randomUUID,
    random: Math.random,
  })
  try {
    await engine.ping()
    return engine
  } catch (thrown) {
    await engine.close()
    const { cause } = thrown as { readonly cause?: unknown }
    const why = cause instanceof Error ? cause.message : String(thrown)
    throw new SetupError(`BigQuery cannot be used by project ${access.project}: ${why}`, { cause: thrown })
  }
}

/** The tables that the warehouse of the settings has. @throws SetupError. Whoever opens it closes it. */
export async function openWarehouseTables(settings: Settings): Promise<WarehouseTables> {
  return openTables(await openAccess(settings), { clock: systemClock(), random: Math.random })
}

/** The embedded engine over its tables. @throws LoadError, SetupError. Whoever opens it closes it. */
export async function openEngine(settings: Settings, deps: EngineDeps): Promise<DuckdbEngine> {
  return openEngineOver(await readTables(settings), settings, deps)
}

function openEngineOver(
  tables: readonly TableDefinition[],
  settings: Settings,
  { observe, clock }: EngineDeps,
): Promise<DuckdbEngine> {
  return openDuckdbEngine({
    dataDir: settings.database === null ? settings.dataDir : null,
    database: settings.database,
    tables: tables.map(definition => ({ definition })),
    naming: { project: settings.project, defaultDataset: settings.defaultDataset },
    memoryLimitMb: settings.engineMemoryMb,
    threads: settings.engineThreads === 0 ? availableParallelism() : settings.engineThreads,
    tempDir: tmpdir(),
    tempLimitMb: settings.engineTempMb,
    maxResultBytes: settings.maxResultMb * BYTES_PER_MB,
    observe,
    clock,
  })
}

const definitionOf = ({ name, columns, layout }: LoadedTable): TableDefinition => ({
  name,
  columns,
  ...(layout.partition && { partitionedBy: layout.partition.column }),
})

/** What `sluice import` is asked for. */
export interface ImportOrder {
  /** `dataset.table`, with a schema. */
  readonly table: string
  /** `-` is standard input. */
  readonly files: readonly string[]
  /** `ndjson`, `csv.gz`, …: of files whose names do not tell, and of standard input; null for none. */
  readonly inputFormat: string | null
  readonly replaces: boolean
  readonly ignoresUnknown: boolean
  readonly skipFile: string | null
  readonly maxBadRows: number
  readonly standardInput: () => Readable
}

/**
 * Writes the rows of files into the data folder, all of them or none.
 * @throws UsageError, LoadError, SetupError; QueryFault for a file that cannot be read at all.
 */
export async function importTable(settings: Settings, order: ImportOrder): Promise<ImportReport> {
  const { tables, diagnostics } = await loadTableSchemas(settings.tablesDir)
  refuseErrors(diagnostics)
  const table = tables.find(({ name }) => name === order.table)
  if (!table) {
    const path = join(settings.tablesDir, `${order.table}.json`)
    throw new UsageError([`there is no table ${order.table}: its schema would be ${path}`])
  }
  return importFiles({
    ...order,
    dataDir: settings.dataDir,
    table: definitionOf(table),
    schema: table.fields,
    layout: table.layout,
    memoryLimitMb: Math.min(settings.engineMemoryMb, IMPORT_MEMORY_MB),
    threads: settings.engineThreads === 0 ? availableParallelism() : settings.engineThreads,
    nowMs: systemClock().nowMs(),
    unique: randomUUID().slice(0, 8),
  })
}

/** Of DuckDB; with what the rows take while they are checked, an import stays below 1 GB. */
const IMPORT_MEMORY_MB = 400

/** The embedded engine as a library: BigQuery SQL over these tables. Whoever opens it closes it. @throws UsageError, SetupError. */
export function openEmbeddedEngine(options: EmbeddedEngineOptions): Promise<EmbeddedEngine> {
  return openEmbedded(options, systemClock())
}

/** The tokens file of the settings. */
export function tokensPath(settings: Settings): string {
  return settings.tokensFile ?? join(settings.dataDir, 'tokens.json')
}

/** The text of a new token; the file keeps its hash. @throws UsageError, SetupError. */
export function addToken(settings: Settings, order: NewToken): Promise<string> {
  return createToken(tokensPath(settings), order, systemClock().nowMs())
}

/** What the tokens file holds. @throws SetupError. */
export function readTokens(settings: Settings): Promise<readonly TokenRecord[]> {
  return listTokens(tokensPath(settings))
}

/** @throws UsageError when there is no token of this name; SetupError. */
export function removeToken(settings: Settings, name: string): Promise<void> {
  return revokeToken(tokensPath(settings), name)
}

/**
 * On a first run, without SLUICE_TOKEN and without a tokens file, makes a token that may call everything and returns
 * its text, to be shown once; otherwise null. @throws SetupError when the file cannot be written.
 */
export async function ensureToken(settings: Settings): Promise<string | null> {
  if (settings.token !== null || existsSync(tokensPath(settings))) return null
  return addToken(settings, { name: 'first', allow: ['*'] })
}

interface Closable {
  close(): Promise<void> | void
}

interface Closers {
  add<T extends Closable>(closable: T): T
  close(): Promise<void>
}

/** Closes what was added, newest first, all of it even when one fails; the first failure is thrown at the end. */
function createClosers(): Closers {
  const closables: Closable[] = []
  return {
    add(closable) {
      closables.push(closable)
      return closable
    },
    async close() {
      const failures: unknown[] = []
      for (let next = closables.pop(); next; next = closables.pop()) {
        try {
          await next.close()
        } catch (thrown) {
          failures.push(thrown)
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}
