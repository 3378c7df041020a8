/** The composition root: settings become a runner; nothing else opens an engine, a store or a clock. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createResultCache } from './cache/result-cache.js'
import { systemClock } from './clock.js'
import {
  type EmbeddedEngine,
  type EmbeddedEngineOptions,
  type EmbeddedTable,
  openEmbedded,
} from './engines/duckdb/embedded.js'
import { openDuckdbEngine } from './engines/duckdb/engine.js'
import type { DuckdbEngine } from './engines/duckdb/open-engine.js'
import { createApp } from './http/app.js'
import { type RunningServer, startServer } from './http/server.js'
import { type Loaded, loadEndpoints } from './manifest/load.js'
import { loadTableSchemas } from './manifest/load-tables.js'
import type { Diagnostic } from './model/diagnostic.js'
import type { Endpoint } from './model/endpoint.js'
import { LoadError } from './model/errors.js'
import type { Observer } from './model/events.js'
import type { Clock, StoredResult } from './model/ports.js'
import type { BoundValue, ResultFormat } from './model/query.js'
import { bindParams } from './request/bind-params.js'
import { handleFor } from './request/handle.js'
import { limitQueries } from './request/limit-queries.js'
import { indexEndpoints, route } from './request/route.js'
import { renderQuery } from './request/run-query.js'
import { wireArguments } from './request/wire.js'
import { DEFAULT_SETTINGS, type Settings } from './settings.js'
import { openMemoryStore } from './stores/memory.js'
import { createToken, listTokens, type NewToken, revokeToken, type TokenRecord } from './stores/token-file.js'
import { openTokenStore, unrestrictedCaller } from './stores/tokens.js'

export type { EmbeddedEngine, EmbeddedEngineOptions, EmbeddedTable, NewToken, RunningServer, Settings, TokenRecord }

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
  /** By name. */
  endpoints(): readonly Endpoint[]
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
  const observe = options.observe ?? (() => {})
  const clock = systemClock()
  const opened = createClosers()
  try {
    const engine = limitQueries(opened.add(await openEngine(settings, { observe, clock })), MAX_QUERIES)
    // Preparing every variant on DuckDB is for `validate`: here it would cost a second and a hundred megabytes.
    const loaded = await load(settings, engine, engine.compile)
    refuseErrors(loaded.diagnostics)
    const endpoints = indexEndpoints(loaded.endpoints)
    const store = opened.add(openMemoryStore({ maxBytes: settings.cacheMb * BYTES_PER_MB }))
    const path = tokensPath(settings)
    const tokens = opened.add(openTokenStore({ path, unrestrictedToken: settings.token, clock, observe }))
    const results = opened.add(createResultCache({ store, clock, observe }))
    const deps = { engine, clock, observe, tokens, results, endpoints: () => endpoints, newRequestId: randomUUID }
    let isDraining = false
    const listener = createApp({ ...deps, corsOrigins: settings.corsOrigins, isDraining: () => isDraining })
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
        const endpoint = route(endpoints, name)
        const bound = bindParams(endpoint, wireArguments(args))
        const { sql, parameters } = renderQuery({ endpoint, args: bound, nowMicros }, clock)
        const rendered = clock.nowMicros()
        const { engineSql, plan } = await engine.explain({ sql, parameters })
        const timingsMs = { render: millis(rendered - began), explain: millis(clock.nowMicros() - rendered) }
        const detail = loaded.details.find(one => one.endpoint.id === endpoint.id)
        const variant = detail?.variants.find(one => one.sql === sql)?.label ?? null
        return { variant, sql, parameters, engineSql, plan, timingsMs }
      },
      endpoints: () => endpoints.all,
      async listen() {
        const { host, port } = settings
        const onDraining = (): void => {
          isDraining = true
        }
        const graceMs = settings.graceSeconds * 1000
        const server = await startServer({ ...deps, listener, host, port, graceMs, onDraining })
        observe({ kind: 'server.ready', url: server.url, endpoints: endpoints.all.length, engine: engine.name })
        return server
      },
      close: opened.close,
    }
  } catch (thrown) {
    await opened.close()
    throw thrown
  }
}

const BYTES_PER_MB = 1_000_000
/** Queries that run or wait for the engine at once; more are refused, since their callers would leave before their turn. */
const MAX_QUERIES = 512

const millis = (micros: bigint): number => Number(micros) / 1000

/** What the manifests of the settings are, errors included. */
function load(
  settings: Settings,
  engine: DuckdbEngine,
  checkSql: DuckdbEngine['check'],
  only: readonly string[] = [],
): Promise<Loaded> {
  return loadEndpoints({
    dir: settings.endpointsDir,
    tables: engine.tables(),
    checkSql,
    ...(only.length > 0 && { only }),
  })
}

/**
 * Checks every manifest with every variant of its query on the engine; nothing stays open. `only` keeps what is found in
 * these files and folders; none keeps all.
 * @throws LoadError when table schemas hold errors, for then every query would; SetupError.
 */
export async function checkManifests(settings: Settings, only: readonly string[]): Promise<Loaded> {
  const engine = await openEngine(settings, { observe: () => {}, clock: systemClock() })
  try {
    return await load(settings, engine, engine.check, only)
  } finally {
    await engine.close()
  }
}

/** What an engine needs beside the settings. */
export interface EngineDeps {
  readonly observe: Observer
  readonly clock: Clock
}

/** The engine of the settings, over its tables. @throws LoadError, SetupError. Whoever opens it closes it. */
export async function openEngine(settings: Settings, { observe, clock }: EngineDeps): Promise<DuckdbEngine> {
  const { tables, diagnostics } = await loadTableSchemas(settings.tablesDir)
  refuseErrors(diagnostics)
  return openDuckdbEngine({
    dataDir: settings.database === null ? settings.dataDir : null,
    database: settings.database,
    tables: tables.map(({ name, columns, fields }) => ({ definition: { name, columns }, schema: fields })),
    memoryLimitMb: settings.engineMemoryMb,
    threads: settings.engineThreads === 0 ? availableParallelism() : settings.engineThreads,
    tempDir: tmpdir(),
    observe,
    clock,
  })
}

function refuseErrors(diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.some(({ severity }) => severity === 'error')) throw new LoadError(diagnostics)
}

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

/** Closes what was added, newest first, all of it even when one fails; the first failure is thrown at the end. */
function createClosers(): { add<T extends Closable>(closable: T): T; close(): Promise<void> } {
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
