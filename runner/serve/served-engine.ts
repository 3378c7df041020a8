/**
 * The engine in service. Its implementation can be replaced while queries run, without losing any of them. It limits the number
 * of queries, publishes their results, and says which variant of an endpoint has failed.
 */
import { channel } from 'node:diagnostics_channel'
import type { KeptQuery, NotKept } from '../../googlesql/index.js'
import type { LoadedEndpoint } from '../manifest/load.js'
import type { Endpoint } from '../model/endpoint.js'
import { RunnerError, retryLater } from '../model/errors.js'
import type { CheckResult, Engine, Explanation, RunOptions, TablePartsOptions } from '../model/ports.js'
import type { Query, QueryReads, ResultSet, TablePart, Tier } from '../model/query.js'
import { QueryFault } from '../model/query-fault.js'
import { KEEPS_NOTHING } from '../refresh/kept-buckets.js'

/** A query of an endpoint that has failed through its own fault. */
export interface FailedQuery {
  readonly failure: RunnerError & { readonly cause: QueryFault }
  readonly query: Query
  readonly options: RunOptions
  /** The manifest of the endpoint. */
  readonly file: string
  /** The engine that has run the query. */
  readonly engine: Pick<Engine, 'runTolerant'>
}

/** The fault with its place in the manifest; null where the place cannot be found. Never rejects. */
export type PlaceFailure = (failed: FailedQuery) => Promise<QueryFault | null>

export interface ServedEngineDeps {
  readonly name: Engine['name']
  /** The most queries that run or wait, all together. */
  readonly maxQueries: number
  /** For authors alone, since it may run the query again; null on a server. */
  readonly placeFailure: PlaceFailure | null
  /** Called when a replaced engine fails to close. */
  readonly onFailure: (cause: unknown) => void
}

/**
 * A message of the diagnostics channel `sluice.result` of node:diagnostics_channel, which has each result of the engine, and none
 * from the cache.
 */
export interface EngineResult {
  readonly endpoint: Endpoint
  /** Its body is `{"result":[row,…]}`. */
  readonly result: ResultSet
}

const results = channel('sluice.result')

/** What was served from one reload to the next; several may share an engine. */
interface Generation<E> {
  readonly engine: E
  readonly loadedEndpoints: readonly LoadedEndpoint[]
  readonly revisions: ReadonlySet<string>
  /** The number of calls that began in it, and of running queries of its revisions. */
  uses: number
}

export class ServedEngine<E extends Engine> implements Engine {
  readonly name: Engine['name']
  readonly #deps: ServedEngineDeps
  /** Newest first: the current one, and those that running calls still use. */
  #generations: readonly Generation<E>[] = []
  readonly #closing = new Set<Promise<void>>()
  #queries = 0
  readonly #queriesOf = new Map<string, number>()

  constructor(deps: ServedEngineDeps) {
    this.name = deps.name
    this.#deps = deps
  }

  /** The current engine; null before the first. */
  current(): E | null {
    return this.#generations[0]?.engine ?? null
  }

  /**
   * Makes this the current engine, which has compiled these endpoints. The previous engine is closed once its calls and queries
   * have ended.
   */
  serve(engine: E, loadedEndpoints: readonly LoadedEndpoint[]): void {
    const previous = this.#generations[0]
    const revisions = new Set(loadedEndpoints.map(({ endpoint }) => endpoint.revision))
    this.#generations = [{ engine, loadedEndpoints, revisions, uses: 0 }, ...this.#generations]
    if (previous) this.#closeUnused(previous)
  }

  /** Registers the beginning of a call, whose engine stays open; returns a function to call once, at its end. */
  begin(): () => void {
    const generation = this.#generations[0]
    return generation ? this.#enter(generation) : () => {}
  }

  /**
   * Runs a query on the newest engine that knows its endpoint's revision. A query whose revision no engine knows any more is
   * refused: it can only be a late background refresh.
   * @throws RunnerError as Engine.run does.
   */
  async run(query: Query, options: RunOptions): Promise<ResultSet> {
    return this.#use(options.job?.revision, async ({ engine, loadedEndpoints }) => {
      const loadedEndpoint = (): LoadedEndpoint | undefined =>
        loadedEndpoints.find(({ endpoint }) => endpoint.name === options.endpoint)
      const result = await engine.run(query, options).catch(async (thrown: unknown) => {
        throw await this.#explained(thrown, query, options, engine, loadedEndpoint())
      })
      if (!options.exported && !options.isPart) this.publish(result, options)
      return result
    })
  }

  check(...args: Parameters<Engine['check']>): Promise<CheckResult> {
    return this.#use(undefined, ({ engine }) => engine.check(...args))
  }

  explain(query: Query): Promise<Explanation> {
    return this.#use(undefined, ({ engine }) => engine.explain(query))
  }

  dryRun(query: Query): Promise<QueryReads> {
    return this.#use(undefined, ({ engine }) => engine.dryRun(query))
  }

  ping(): Promise<void> {
    return this.#use(undefined, ({ engine }) => engine.ping())
  }

  get tier(): Tier | undefined {
    return this.current()?.tier
  }

  keptQuery(query: Query, revision: string | undefined): KeptQuery | NotKept {
    return this.#generationOf(revision)?.engine.keptQuery?.(query, revision) ?? KEEPS_NOTHING
  }

  dataState(query: Query): string | null {
    return this.current()?.dataState?.(query) ?? null
  }

  async learnDataState(query: Query): Promise<void> {
    await this.current()?.learnDataState?.(query)
  }

  dataCopy(): string {
    return this.current()?.dataCopy?.() ?? ''
  }

  tableParts(table: string, column: string, options: TablePartsOptions): Promise<readonly TablePart[] | null> {
    return this.#use(
      options.revision,
      async ({ engine }) => (await engine.tableParts?.(table, column, options)) ?? null,
    )
  }

  async close(): Promise<void> {
    const engines = new Set(this.#generations.map(({ engine }) => engine))
    this.#generations = []
    await Promise.all([...this.#closing, ...[...engines].map(engine => this.#closeEngine(engine))])
  }

  /**
   * Takes one of the places among the queries that run, until the returned function is called. A token may take a place while it has
   * fewer places than are left. So one token takes at most half of them, and the next one finds the other half free.
   * @throws RunnerError OVERLOADED.
   */
  admit(token: string): () => void {
    const own = this.#queriesOf.get(token) ?? 0
    if (own >= this.#deps.maxQueries - this.#queries) throw overloaded(own)
    this.#count(token, 1)
    return () => this.#count(token, -1)
  }

  #count(token: string, by: 1 | -1): void {
    this.#queries += by
    const own = (this.#queriesOf.get(token) ?? 0) + by
    if (own === 0) this.#queriesOf.delete(token)
    else this.#queriesOf.set(token, own)
  }

  async #use<T>(revision: string | undefined, ask: (generation: Generation<E>) => Promise<T>): Promise<T> {
    const generation = this.#generationOf(revision)
    if (generation === undefined) throw new RunnerError('ENGINE_UNAVAILABLE')
    const leave = this.#enter(generation)
    try {
      return await ask(generation)
    } finally {
      leave()
    }
  }

  /** The newest generation that knows the revision; the newest of all without a revision. */
  #generationOf(revision: string | undefined): Generation<E> | undefined {
    return this.#generations.find(({ revisions }) => revision === undefined || revisions.has(revision))
  }

  #enter(generation: Generation<E>): () => void {
    generation.uses += 1
    return () => {
      generation.uses -= 1
      this.#closeUnused(generation)
    }
  }

  /** Closes an older engine after its last call, when no call can ask for its revisions any more. */
  #closeUnused(generation: Generation<E>): void {
    if (generation === this.#generations[0] || generation.uses > 0 || !this.#generations.includes(generation)) return
    this.#generations = this.#generations.filter(other => other !== generation)
    if (this.#generations.some(({ engine }) => engine === generation.engine)) return
    this.#closeEngine(generation.engine).catch(this.#deps.onFailure)
  }

  #closeEngine(engine: E): Promise<void> {
    const closed: Promise<void> = engine.close().finally(() => this.#closing.delete(closed))
    this.#closing.add(closed)
    return closed
  }

  /** Publishes a result, unless a reload has just replaced its endpoint. */
  publish(result: ResultSet, { job, endpoint }: RunOptions): void {
    const current = this.#generations[0]
    if (!results.hasSubscribers || job === undefined || !current?.revisions.has(job.revision)) return
    const loadedEndpoint = current.loadedEndpoints.find(loaded => loaded.endpoint.name === endpoint)
    if (loadedEndpoint?.endpoint.revision !== job.revision) return
    results.publish({ endpoint: loadedEndpoint.endpoint, result } satisfies EngineResult)
  }

  /** `division by zero` becomes `division by zero (variant interval=1day)`; for authors, it has its place in the manifest. */
  async #explained(
    failure: unknown,
    query: Query,
    options: RunOptions,
    engine: E,
    loadedEndpoint: LoadedEndpoint | undefined,
  ) {
    if (loadedEndpoint === undefined || !isFault(failure)) return failure
    const { placeFailure } = this.#deps
    const fault = placeFailure
      ? await placeFailure({ failure, query, options, file: loadedEndpoint.file, engine })
      : withVariant(failure.cause, query, loadedEndpoint)
    return fault === null ? failure : failure.withCause(fault)
  }
}

function withVariant({ message, cause }: QueryFault, { sql }: Query, { variants }: LoadedEndpoint): QueryFault | null {
  const label = variants.find(variant => variant.sql === sql)?.label ?? ''
  return label === '' ? null : new QueryFault(`${message} (variant ${label})`, { cause })
}

const isFault = (thrown: unknown): thrown is FailedQuery['failure'] =>
  thrown instanceof RunnerError && thrown.cause instanceof QueryFault

const overloaded = (own: number): RunnerError =>
  retryLater('OVERLOADED', `Too many queries${own > 0 ? ' of this token' : ''} are waiting; try again in a moment.`)
