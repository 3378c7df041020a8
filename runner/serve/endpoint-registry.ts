/** The endpoints in service. A reload replaces all of them at once, or none. */

import type { ReadOutcome } from '../http/endpoint-changes.js'
import { type Definitions, withCauses } from '../manifest/definitions.js'
import { noneLeft } from '../manifest/discover.js'
import type { FaultlessManifest, Loaded, LoadedEndpoint, LoadOptions } from '../manifest/load.js'
import { LoadCache } from '../manifest/load-cache.js'
import type { Diagnostic } from '../model/diagnostic.js'
import type { Endpoint } from '../model/endpoint.js'
import { LoadError, RunnerError, SetupError } from '../model/errors.js'
import type { Observer, ReloadReport } from '../model/events.js'
import type { Clock, Engine } from '../model/ports.js'
import { type EndpointIndex, indexEndpoints } from '../request/route.js'
import type { ServedEngine } from './served-engine.js'

export interface RegistryDeps<E extends Engine> {
  readonly engine: ServedEngine<E>
  /** The folder of manifests, for diagnostics. */
  readonly endpointsDir: string
  /** Whether any error is refused also at the start. @default false */
  readonly isStrict?: boolean
  /** The state of the files. Never rejects. */
  readonly fingerprint: () => Promise<string>
  /** The function is awaited between files, to yield to the event loop. */
  readonly readDefinitions: (yieldToEventLoop: () => Promise<void>) => Promise<Definitions>
  /** Opens an engine with these tables and functions. @throws SetupError. */
  readonly openEngine: (definitions: Definitions) => Promise<E>
  /** At the start, it reads manifests while the engine is being opened. */
  readonly load: (
    engine: Promise<E>,
    definitions: Definitions,
    options: Pick<LoadOptions, 'yieldToEventLoop' | 'cache'>,
  ) => Promise<Loaded>
  readonly clock: Clock
  readonly observe: Observer
}

/** The engine, and what it was opened and loaded with. */
interface Opened<E> {
  readonly engine: E
  /** The tables and functions as text, for comparison. */
  readonly definitions: string
  readonly cache: LoadCache<FaultlessManifest>
}

interface LoadedState<E> extends Opened<E> {
  readonly loaded: Loaded
}

/** The most attempts to load files that change while they are read. */
const MAX_ATTEMPTS = 5

/** Nothing is served before `start`. */
export class EndpointRegistry<E extends Engine> {
  readonly #deps: RegistryDeps<E>
  #index = indexEndpoints([])
  #loadedEndpoints: readonly LoadedEndpoint[] = []
  #opened: Opened<E> | null = null
  #lastRead = ''
  #isClosed = false
  readonly #goneListeners: ((endpointIds: readonly string[]) => void)[] = []
  readonly #readListeners: ((outcome: ReadOutcome) => void)[] = []
  /** What the last reading has loaded; null before the first one, and where it failed before it loaded manifests. */
  #lastLoaded: Loaded | null = null
  #turn: Promise<unknown> = Promise.resolve()
  /** The reload that waits for the current one to end. */
  #waiting: Promise<ReloadReport> | null = null

  constructor(deps: RegistryDeps<E>) {
    this.#deps = deps
  }

  readonly index = (): EndpointIndex => this.#index

  /** The loaded endpoints, in the order of their files. */
  readonly loadedEndpoints = (): readonly LoadedEndpoint[] => this.#loadedEndpoints

  /** The state of the files that were read last; see sourceState. */
  readonly lastRead = (): string => this.#lastRead

  /** Calls `listener` with the ids of endpoints that a reload has changed or removed, before any call sees the new state. */
  onGone(listener: (endpointIds: readonly string[]) => void): void {
    this.#goneListeners.push(listener)
  }

  /** Calls `listener` after the start and after each reload, also a refused one. */
  onRead(listener: (outcome: ReadOutcome) => void): void {
    this.#readListeners.push(listener)
  }

  /**
   * Loads everything for the first time. Endpoints with errors are broken; with `isStrict`, any error is a LoadError.
   * @throws LoadError, SetupError; nothing is open then.
   */
  async start(): Promise<void> {
    const { fingerprint, endpointsDir, isStrict } = this.#deps
    // A later change of the files differs from this fingerprint.
    this.#lastRead = await fingerprint()
    const state = await this.#read(({ file }) => isStrict === true || file === endpointsDir)
    this.#serve(state)
    this.#deps.observe({ kind: 'manifests.loaded', endpoints: this.#index.all.length })
    this.#observeBroken(state.loaded)
    this.#notifyReaders(state.loaded.diagnostics)
  }

  /**
   * Reads everything again and serves it; observes this, or the refusal. With any error, the previous state stays in service.
   * A caller joins a reload that has not begun yet.
   * @throws LoadError, SetupError, RunnerError; then the previous state stays in service.
   */
  readonly reload = (): Promise<ReloadReport> => {
    if (this.#waiting !== null) return this.#waiting
    const run = this.#turn.then(() => this.#reloadNow())
    this.#turn = run.catch(() => {})
    this.#waiting = run
    return run
  }

  /**
   * Reloads where files have changed since they were read. False when that failed for a reason outside the files. Never
   * rejects.
   */
  readonly reloadIfChanged = (): Promise<boolean> => {
    const run = this.#turn.then(async () => {
      if (this.#isClosed || (await this.#deps.fingerprint()) === this.#lastRead) return true
      return this.#reloadNow().then(
        () => true,
        thrown => thrown instanceof LoadError,
      )
    })
    this.#turn = run
    return run
  }

  /** Ends a reading that is under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#turn
  }

  /** @param isRefused whether this error keeps everything out of service */
  async #read(isRefused: (error: Diagnostic) => boolean): Promise<LoadedState<E>> {
    this.#lastLoaded = null
    const definitions = await this.#deps.readDefinitions(this.#yieldToEventLoop)
    const { opening, ...opened } = this.#openWith(definitions)
    opening.catch(() => {}) // A failure is thrown where it is awaited.
    try {
      // Checks that wait for an engine then run in one turn, which would hold up the calls that are answered meanwhile.
      if (this.#opened !== null) await opening
      const options = { yieldToEventLoop: this.#yieldToEventLoop, cache: opened.cache }
      const read = await this.#deps.load(opening, definitions, options)
      const engine = await opening
      const loaded = withCauses(read, definitions.mistakes)
      this.#lastLoaded = loaded
      if (errorsOf(loaded.diagnostics).some(isRefused)) throw new LoadError(loaded.diagnostics)
      return { ...opened, engine, loaded }
    } catch (thrown) {
      await opening.then(
        engine => this.#discard(engine),
        () => {},
      )
      throw thrown
    }
  }

  /** The present engine where it has these definitions, or else a new one. */
  #openWith(definitions: Definitions): Omit<Opened<E>, 'engine'> & { readonly opening: Promise<E> } {
    const text = JSON.stringify(definitions)
    if (this.#opened?.definitions === text) return { ...this.#opened, opening: Promise.resolve(this.#opened.engine) }
    const opening = this.#deps.openEngine(definitions)
    return { opening, definitions: text, cache: new LoadCache<FaultlessManifest>() }
  }

  /** Loads until no file has changed during the load; otherwise the result could mix two edits. */
  async #readAtRest(): Promise<LoadedState<E>> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const before = await this.#deps.fingerprint()
      const [outcome] = await Promise.allSettled([this.#read(() => true)])
      const isAtRest = (await this.#deps.fingerprint()) === before
      if (isAtRest && (outcome.status === 'fulfilled' || outcome.reason instanceof LoadError)) this.#lastRead = before
      if (this.#isClosed || isAtRest) {
        if (outcome.status === 'rejected') throw outcome.reason
        return outcome.value
      }
      if (outcome.status === 'fulfilled') await this.#discard(outcome.value.engine)
    }
    throw new SetupError('the files went on changing while they were read')
  }

  /** Closes an engine that was opened and is not taken into service. */
  async #discard(engine: E): Promise<void> {
    if (engine !== this.#opened?.engine) await engine.close()
  }

  /** Puts the loaded state into service: every later call sees all of it. */
  #serve({ loaded, engine, definitions, cache }: LoadedState<E>): ReloadReport {
    const { endpoints, broken, loadedEndpoints } = loaded
    const previous = this.#index
    const report = compare(previous, endpoints)
    const isSame =
      engine === this.#opened?.engine &&
      report.added + report.changed + report.removed === 0 &&
      JSON.stringify(broken) === JSON.stringify(previous.broken)
    this.#deps.engine.serve(engine, loadedEndpoints)
    // Cached addresses belong to the index and are dropped with it.
    if (!isSame) this.#index = indexEndpoints(endpoints, broken)
    this.#loadedEndpoints = loadedEndpoints
    this.#opened = { engine, definitions, cache }
    const gone = previous.all.filter(({ id, revision }) => this.#index.find(id)?.revision !== revision)
    for (const listener of this.#goneListeners) listener(gone.map(({ id }) => id))
    return report
  }

  async #reloadNow(): Promise<ReloadReport> {
    this.#waiting = null
    if (this.#isClosed) throw new RunnerError('DRAINING')
    const { clock, observe, endpointsDir } = this.#deps
    const began = clock.ticksMs()
    try {
      const state = await this.#readAtRest()
      // No manifest at all is more likely an unmounted folder than an intention.
      const isEmptied = this.#index.all.length > 0 && state.loaded.manifests === 0
      if (this.#isClosed || isEmptied) {
        await this.#discard(state.engine)
        throw this.#isClosed ? new RunnerError('DRAINING') : new LoadError([noneLeft(endpointsDir)])
      }
      const report = this.#serve(state)
      observe({ kind: 'manifests.reloaded', ...report, durationMs: Math.round(clock.ticksMs() - began) })
      this.#notifyReaders(state.loaded.diagnostics)
      return report
    } catch (thrown) {
      if (thrown instanceof LoadError) this.#notifyReaders(thrown.diagnostics)
      if (!this.#isClosed) this.#observeRefusal(thrown)
      throw thrown
    }
  }

  #notifyReaders(diagnostics: readonly Diagnostic[]): void {
    for (const listener of this.#readListeners) {
      listener({ loaded: this.#lastLoaded, diagnostics, served: this.#index })
    }
  }

  readonly #yieldToEventLoop = async (): Promise<void> => {
    await new Promise(resolve => setImmediate(resolve))
    if (this.#isClosed) throw new RunnerError('DRAINING')
  }

  #observeBroken({ broken, diagnostics }: Loaded): void {
    const errors = errorsOf(diagnostics)
    if (errors.length === 0) return
    this.#deps.observe({ kind: 'manifests.broken', manifests: broken.length, diagnostics: errors })
  }

  #observeRefusal(thrown: unknown): void {
    const { observe } = this.#deps
    const isExpected = thrown instanceof LoadError || thrown instanceof SetupError || thrown instanceof RunnerError
    if (!isExpected) observe({ kind: 'bug', where: 'reload', cause: thrown })
    const [reason, diagnostics] =
      thrown instanceof LoadError ? [thrown.summary, thrown.diagnostics] : [messageOf(thrown), []]
    observe({ kind: 'manifests.refused', reason, diagnostics })
  }
}

export function refuseErrors(diagnostics: readonly Diagnostic[]): void {
  if (errorsOf(diagnostics).length > 0) throw new LoadError(diagnostics)
}

const errorsOf = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] =>
  diagnostics.filter(({ severity }) => severity === 'error')

function compare(before: EndpointIndex, endpoints: readonly Endpoint[]): ReloadReport {
  let [added, changed] = [0, 0]
  for (const endpoint of endpoints) {
    const old = before.find(endpoint.id)
    if (old?.id !== endpoint.id) added += 1
    else if (old.revision !== endpoint.revision || documentedText(old) !== documentedText(endpoint)) changed += 1
  }
  const kept = endpoints.length - added
  return { endpoints: endpoints.length, added, changed, removed: before.all.length - kept }
}

/** The facts in documents that a revision does not depend on: the columns of a table without a schema may change. */
const documentedText = ({ columns, example }: Endpoint): string => JSON.stringify([columns, example])

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))
