/** The endpoints that are served. What is read anew takes their place at once and as a whole, or not at all. */
import type { TableDefinition } from '../../googlesql/index.js'
import { noneLeft } from '../manifest/discover.js'
import type { FaultlessManifest, Loaded, LoadedEndpoint, LoadOptions } from '../manifest/load.js'
import { createLoadMemory, type LoadMemory } from '../manifest/load-cache.js'
import type { Diagnostic } from '../model/diagnostic.js'
import { LoadError, RunnerError, SetupError } from '../model/errors.js'
import type { Observer } from '../model/events.js'
import type { Clock, Engine } from '../model/ports.js'
import type { EngineRelay } from './engine-switch.js'
import { type EndpointIndex, indexEndpoints } from './route.js'

/** What reading manifests, partials and table schemas again has changed, in numbers of endpoints. */
export interface ReloadReport {
  readonly endpoints: number
  readonly added: number
  readonly changed: number
  readonly removed: number
}

export interface LiveEndpoints {
  readonly index: () => EndpointIndex
  /** In the order of their files. */
  readonly details: () => readonly LoadedEndpoint[]
  /** Told of the ids of endpoints that a reload has changed or removed, before anybody asks for one as it is then. */
  onGone(listener: (endpointIds: readonly string[]) => void): void
  /** The state of the files that were read last; see sourceState. */
  readonly lastRead: () => string
  /**
   * Reads everything for the first time.
   * @throws LoadError, SetupError; then nothing is open.
   */
  start(): Promise<void>
  /**
   * Reads everything again and serves it, which is an event, as is a refusal. Who asks while another waits to begin shares
   * its turn.
   * @throws LoadError, SetupError, RunnerError; then everything is as it was.
   */
  reload(): Promise<ReloadReport>
  /**
   * The same where files have changed since they were read. False when it could not be done for a reason that lies outside
   * of them. Never rejects.
   */
  follow(): Promise<boolean>
  /** Ends a reading that is under way. */
  close(): Promise<void>
}

/** To be waited for between manifests, and between table schemas. */
type Breathe = () => Promise<void>

export interface LiveDeps<E extends Engine> {
  readonly relay: EngineRelay<E>
  /** For diagnostics. */
  readonly endpointsDir: string
  /** The state of the files. Never rejects. */
  readonly look: () => Promise<string>
  /** @throws LoadError. */
  readonly readTables: (breathe: Breathe) => Promise<readonly TableDefinition[]>
  /** An engine that knows these tables. @throws SetupError. */
  readonly openEngine: (tables: readonly TableDefinition[]) => Promise<E>
  readonly load: (engine: E, options: Pick<LoadOptions, 'breathe' | 'memory'>) => Promise<Loaded>
  readonly clock: Clock
  readonly observe: Observer
}

interface Reading<E> {
  readonly loaded: Loaded
  /** As text, to compare. */
  readonly tables: string
  readonly engine: E
  /** Opened for this reading. */
  readonly isNewEngine: boolean
  /** Of what was read with this engine. */
  readonly memory: LoadMemory<FaultlessManifest>
}

/** How long reading keeps the thread from callers, in milliseconds; a single manifest may take longer. */
const SLICE_MS = 5
/** Of files that change while they are read. */
const MAX_ATTEMPTS = 5
const NOTHING = indexEndpoints([])

/** Nothing is served before `start`. */
export function createLiveEndpoints<E extends Engine>(deps: LiveDeps<E>): LiveEndpoints {
  const { relay, clock, observe } = deps
  let index = NOTHING
  let details: readonly LoadedEndpoint[] = []
  let tables = ''
  let memory = createLoadMemory<FaultlessManifest>()
  let lastRead = ''
  let isClosed = false
  const listeners: ((endpointIds: readonly string[]) => void)[] = []
  let turn: Promise<unknown> = Promise.resolve()
  /** Waits for its turn. */
  let waiting: Promise<ReloadReport> | null = null

  async function read(): Promise<Reading<E>> {
    const breathe = breather(clock, () => isClosed)
    const definitions = await deps.readTables(breathe)
    const text = JSON.stringify(definitions)
    const present = text === tables ? relay.current() : null
    const engine = present ?? (await deps.openEngine(definitions))
    const isNewEngine = present === null
    const reading = {
      tables: text,
      engine,
      isNewEngine,
      memory: isNewEngine ? createLoadMemory<FaultlessManifest>() : memory,
    }
    try {
      const loaded = await deps.load(engine, { breathe, memory: reading.memory })
      refuseErrors(loaded.diagnostics)
      return { ...reading, loaded }
    } catch (thrown) {
      await discard(reading)
      throw thrown
    }
  }

  /** What was read while nobody wrote: else it might be half of one edit and half of another. */
  async function readAtRest(): Promise<Reading<E>> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const before = await deps.look()
      const [outcome] = await Promise.allSettled([read()])
      const isAtRest = (await deps.look()) === before
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

  /** From here on every call sees what was read, and none sees less than all of it. */
  function serve(reading: Reading<E>): ReloadReport {
    const report = compare(index, reading.loaded)
    const isSame = !reading.isNewEngine && report.added + report.changed + report.removed === 0
    relay.serve(
      reading.engine,
      reading.loaded.endpoints.map(endpoint => endpoint.revision),
    )
    const before = index
    // What is remembered of addresses goes with the index.
    if (!isSame) index = indexEndpoints(reading.loaded.endpoints)
    ;({ details } = reading.loaded)
    ;({ tables, memory } = reading)
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
      // More likely a mount that is away than a wish.
      const isEmptied = index.all.length > 0 && reading.loaded.manifests === 0
      if (isEmptied) {
        await discard(reading)
        throw new LoadError([noneLeft(deps.endpointsDir)])
      }
      const report = serve(reading)
      observe({ kind: 'manifests.reloaded', ...report, durationMs: Math.round(clock.ticksMs() - began) })
      return report
    } catch (thrown) {
      if (!isClosed) tellRefusal(thrown, observe)
      throw thrown
    }
  }

  return {
    index: () => index,
    details: () => details,
    lastRead: () => lastRead,
    onGone: listener => void listeners.push(listener),
    async start() {
      // What changes from here on is no longer what was read.
      lastRead = await deps.look()
      serve(await read())
      observe({ kind: 'manifests.loaded', endpoints: index.all.length })
    },
    reload() {
      if (waiting !== null) return waiting
      const run = turn.then(reloadNow)
      turn = run.catch(() => {})
      waiting = run
      return run
    },
    follow() {
      const run = turn.then(async () => {
        if (isClosed || (await deps.look()) === lastRead) return true
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

function tellRefusal(thrown: unknown, observe: Observer): void {
  const isExpected = thrown instanceof LoadError || thrown instanceof SetupError || thrown instanceof RunnerError
  if (!isExpected) observe({ kind: 'bug', where: 'reload', cause: thrown })
  const [reason, diagnostics] =
    thrown instanceof LoadError ? [thrown.summary, thrown.diagnostics] : [messageOf(thrown), []]
  observe({ kind: 'manifests.refused', reason, diagnostics })
}

function compare(before: EndpointIndex, { endpoints }: Loaded): ReloadReport {
  let [added, changed] = [0, 0]
  for (const { id, revision } of endpoints) {
    const old = before.find(id)
    if (old?.id !== id) added += 1
    else if (old.revision !== revision) changed += 1
  }
  const kept = endpoints.length - added
  return { endpoints: endpoints.length, added, changed, removed: before.all.length - kept }
}

/** Those of before that are no more, or not as they were. */
function goneOf(before: EndpointIndex, now: EndpointIndex): readonly string[] {
  return before.all.filter(({ id, revision }) => now.find(id)?.revision !== revision).map(({ id }) => id)
}

/** Lets others have the thread, once a slice of time is used up. */
function breather(clock: Clock, isOver: () => boolean): Breathe {
  let since = clock.ticksMs()
  return async () => {
    if (clock.ticksMs() - since < SLICE_MS) return
    await new Promise(resolve => setImmediate(resolve))
    if (isOver()) throw new RunnerError('DRAINING')
    since = clock.ticksMs()
  }
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))
