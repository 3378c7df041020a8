/** The endpoints in service. A reload replaces all of them at once, or none. */

import type { ReadOutcome } from '../http/endpoint-changes.js'
import { type Definitions, withCauses } from '../manifest/definitions.js'
import { noneLeft } from '../manifest/discover.js'
import type { FaultlessManifest, Loaded, LoadedEndpoint, LoadOptions } from '../manifest/load.js'
import { createLoadCache, type LoadCache } from '../manifest/load-cache.js'
import type { Diagnostic } from '../model/diagnostic.js'
import type { BrokenEndpoint } from '../model/endpoint.js'
import { LoadError, RunnerError, SetupError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Clock, Engine } from '../model/ports.js'
import { type EndpointIndex, indexEndpoints } from '../request/route.js'
import type { EngineRelay } from './engine-switch.js'

/** The numbers of endpoints that a reload added, changed and removed. */
export interface ReloadReport {
  readonly endpoints: number
  readonly added: number
  readonly changed: number
  readonly removed: number
}

export interface EndpointRegistry {
  readonly index: () => EndpointIndex
  /** The loaded endpoints, in the order of their files. */
  readonly details: () => readonly LoadedEndpoint[]
  /** Calls `listener` with the ids of endpoints that a reload has changed or removed, before any call sees the new state. */
  onGone(listener: (endpointIds: readonly string[]) => void): void
  /** Calls `listener` after the start and after each reload, also a refused one. */
  onRead(listener: (outcome: ReadOutcome) => void): void
  /** The state of the files that were read last; see sourceState. */
  readonly lastRead: () => string
  /**
   * Loads everything for the first time. Endpoints with errors are broken; strictly, any error is refused.
   * @throws LoadError, SetupError; nothing is open then.
   */
  start(): Promise<void>
  /**
   * Reads everything again and serves it; observes this, or the refusal. Any error is refused, except errors of endpoints that
   * have not been served. A caller joins a reload that has not begun yet.
   * @throws LoadError, SetupError, RunnerError; then the previous state stays in service.
   */
  reload(): Promise<ReloadReport>
  /**
   * Reloads where files have changed since they were read. False when that failed for a reason outside the files. Never
   * rejects.
   */
  reloadIfChanged(): Promise<boolean>
  /** Ends a reading that is under way. */
  close(): Promise<void>
}

/** Awaited between manifests and between table schemas, to yield to the event loop. */
type YieldToEventLoop = () => Promise<void>

export interface RegistryDeps<E extends Engine> {
  readonly relay: EngineRelay<E>
  /** The folder of manifests, for diagnostics. */
  readonly endpointsDir: string
  /** Whether any error is refused, also at the start. @default false */
  readonly isStrict?: boolean
  /** The state of the files. Never rejects. */
  readonly fingerprint: () => Promise<string>
  readonly readDefinitions: (yieldToEventLoop: YieldToEventLoop) => Promise<Definitions>
  /** Opens an engine with these tables and functions. @throws SetupError. */
  readonly openEngine: (definitions: Definitions) => Promise<E>
  readonly load: (engine: E, options: Pick<LoadOptions, 'yieldToEventLoop' | 'cache'>) => Promise<Loaded>
  readonly clock: Clock
  readonly observe: Observer
}

interface Reading<E> {
  readonly loaded: Loaded
  /** The tables and functions as text, for comparison. */
  readonly definitions: string
  readonly engine: E
  /** Opened for this reading. */
  readonly isNewEngine: boolean
  /** The cache of loads with this engine. */
  readonly cache: LoadCache<FaultlessManifest>
}

/** How long loading may block the event loop, in milliseconds; a single manifest may take longer. */
const SLICE_MS = 5
/** The most attempts to load files that change while they are read. */
const MAX_ATTEMPTS = 5
const NOTHING = indexEndpoints([])

/** Nothing is served before `start`. */
export function createEndpointRegistry<E extends Engine>(deps: RegistryDeps<E>): EndpointRegistry {
  const { relay, clock, observe } = deps
  let index = NOTHING
  let details: readonly LoadedEndpoint[] = []
  let known = ''
  let cache = createLoadCache<FaultlessManifest>()
  let lastRead = ''
  let isClosed = false
  const listeners: ((endpointIds: readonly string[]) => void)[] = []
  const readers: ((outcome: ReadOutcome) => void)[] = []
  /** What the last reading has loaded; null before, and where it failed earlier. */
  let lastLoaded: Loaded | null = null
  let turn: Promise<unknown> = Promise.resolve()
  /** The reload that waits for the current one to end. */
  let waiting: Promise<ReloadReport> | null = null

  function notifyReaders(diagnostics: readonly Diagnostic[]): void {
    for (const reader of readers) reader({ loaded: lastLoaded, diagnostics, served: index })
  }

  async function read(): Promise<Reading<E>> {
    lastLoaded = null
    const yieldToEventLoop = createYield(clock, () => isClosed)
    const definitions = await deps.readDefinitions(yieldToEventLoop)
    const text = JSON.stringify(definitions)
    const present = text === known ? relay.current() : null
    const engine = present ?? (await deps.openEngine(definitions))
    const isNewEngine = present === null
    const reading = {
      definitions: text,
      engine,
      isNewEngine,
      cache: isNewEngine ? createLoadCache<FaultlessManifest>() : cache,
    }
    try {
      const read = await deps.load(engine, { yieldToEventLoop, cache: reading.cache })
      const loaded = withCauses(read, definitions.mistakes)
      lastLoaded = loaded
      if (deps.isStrict || isFolderUnreadable(loaded, deps.endpointsDir) || losesServed(details, loaded)) {
        refuseErrors(loaded.diagnostics)
      }
      return { ...reading, loaded }
    } catch (thrown) {
      await discard(reading)
      throw thrown
    }
  }

  /** Loads until no file has changed during the load; otherwise the result could mix two edits. */
  async function readAtRest(): Promise<Reading<E>> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const before = await deps.fingerprint()
      const [outcome] = await Promise.allSettled([read()])
      const isAtRest = (await deps.fingerprint()) === before
      if (isAtRest && (outcome.status === 'fulfilled' || outcome.reason instanceof LoadError)) lastRead = before
      if (isClosed || isAtRest) {
        if (outcome.status === 'rejected') throw outcome.reason
        return outcome.value
      }
      if (outcome.status === 'fulfilled') await discard(outcome.value)
    }
    throw new SetupError('the files went on changing while they were read')
  }

  async function discard({ engine, isNewEngine }: Pick<Reading<E>, 'engine' | 'isNewEngine'>): Promise<void> {
    if (isNewEngine) await engine.close()
  }

  /** Puts the loaded state into service: every later call sees all of it. */
  function serve(reading: Reading<E>): ReloadReport {
    const report = compare(index, reading.loaded)
    const { broken } = reading.loaded
    const isSameBroken = JSON.stringify(broken) === JSON.stringify(index.broken)
    const isSame = !reading.isNewEngine && isSameBroken && report.added + report.changed + report.removed === 0
    relay.serve(
      reading.engine,
      reading.loaded.endpoints.map(endpoint => endpoint.revision),
    )
    const before = index
    // Cached addresses belong to the index and are dropped with it.
    if (!isSame) index = indexEndpoints(reading.loaded.endpoints, broken)
    ;({ details } = reading.loaded)
    ;({ definitions: known, cache } = reading)
    const gone = isSame ? [] : goneOf(before, index)
    for (const listener of listeners) listener(gone)
    return report
  }

  async function reloadNow(): Promise<ReloadReport> {
    waiting = null
    if (isClosed) throw new RunnerError('DRAINING')
    const began = clock.ticksMs()
    try {
      const reading = await readAtRest()
      if (isClosed) {
        await discard(reading)
        throw new RunnerError('DRAINING')
      }
      // More likely an unmounted folder than an intention.
      const isEmptied = index.all.length > 0 && reading.loaded.manifests === 0
      if (isEmptied) {
        await discard(reading)
        throw new LoadError([noneLeft(deps.endpointsDir)])
      }
      const report = serve(reading)
      observe({ kind: 'manifests.reloaded', ...report, durationMs: Math.round(clock.ticksMs() - began) })
      observeBroken(reading.loaded, observe)
      notifyReaders(reading.loaded.diagnostics)
      return report
    } catch (thrown) {
      if (thrown instanceof LoadError) notifyReaders(thrown.diagnostics)
      if (!isClosed) observeRefusal(thrown, observe)
      throw thrown
    }
  }

  return {
    index: () => index,
    details: () => details,
    lastRead: () => lastRead,
    onGone: listener => void listeners.push(listener),
    onRead: listener => void readers.push(listener),
    async start() {
      // A later change of the files differs from this fingerprint.
      lastRead = await deps.fingerprint()
      const reading = await read()
      serve(reading)
      observe({ kind: 'manifests.loaded', endpoints: index.all.length })
      observeBroken(reading.loaded, observe)
      notifyReaders(reading.loaded.diagnostics)
    },
    reload() {
      if (waiting !== null) return waiting
      const run = turn.then(reloadNow)
      turn = run.catch(() => {})
      waiting = run
      return run
    },
    reloadIfChanged() {
      const run = turn.then(async () => {
        if (isClosed || (await deps.fingerprint()) === lastRead) return true
        return reloadNow().then(
          () => true,
          thrown => thrown instanceof LoadError,
        )
      })
      turn = run
      return run
    },
    async close() {
      isClosed = true
      await turn
    },
  }
}

export function refuseErrors(diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.some(({ severity }) => severity === 'error')) throw new LoadError(diagnostics)
}

/** Whether the folder itself could not be read, rather than some of its manifests. */
const isFolderUnreadable = ({ diagnostics }: Loaded, endpointsDir: string): boolean =>
  diagnostics.some(({ file, severity }) => severity === 'error' && file === endpointsDir)

/** Whether an endpoint that is served is missing now, and a broken manifest may be the reason. */
function losesServed(served: readonly LoadedEndpoint[], { endpoints, broken }: Loaded): boolean {
  if (broken.length === 0) return false
  const sound = new Set(endpoints.map(({ id }) => id))
  const mayBe = (one: BrokenEndpoint, { file, endpoint }: LoadedEndpoint): boolean =>
    one.file === file || one.id === endpoint.id || one.name === endpoint.name || (one.id === null && one.name === null)
  return served.some(one => !sound.has(one.endpoint.id) && broken.some(other => mayBe(other, one)))
}

function observeBroken({ broken, diagnostics }: Loaded, observe: Observer): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) observe({ kind: 'manifests.broken', manifests: broken.length, diagnostics: errors })
}

function observeRefusal(thrown: unknown, observe: Observer): void {
  const isExpected = thrown instanceof LoadError || thrown instanceof SetupError || thrown instanceof RunnerError
  if (!isExpected) observe({ kind: 'bug', where: 'reload', cause: thrown })
  const [reason, diagnostics] =
    thrown instanceof LoadError ? [thrown.summary, thrown.diagnostics] : [messageOf(thrown), []]
  observe({ kind: 'manifests.refused', reason, diagnostics })
}

function compare(before: EndpointIndex, { endpoints }: Loaded): ReloadReport {
  let [added, changed] = [0, 0]
  for (const { id, revision, example } of endpoints) {
    const old = before.find(id)
    if (old?.id !== id) added += 1
    // An example changes no result, so it is not part of the revision.
    else if (old.revision !== revision || JSON.stringify(old.example) !== JSON.stringify(example)) changed += 1
  }
  const kept = endpoints.length - added
  return { endpoints: endpoints.length, added, changed, removed: before.all.length - kept }
}

/** The ids of endpoints that were removed or changed. */
function goneOf(before: EndpointIndex, now: EndpointIndex): readonly string[] {
  return before.all.filter(({ id, revision }) => now.find(id)?.revision !== revision).map(({ id }) => id)
}

/** Yields to the event loop whenever a time slice is used up. */
function createYield(clock: Clock, isOver: () => boolean): YieldToEventLoop {
  let since = clock.ticksMs()
  return async () => {
    if (clock.ticksMs() - since < SLICE_MS) return
    await new Promise(resolve => setImmediate(resolve))
    if (isOver()) throw new RunnerError('DRAINING')
    since = clock.ticksMs()
  }
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))
