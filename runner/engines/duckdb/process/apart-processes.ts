/**
 * Processes of the engine for queries that would make other queries wait. These are exports, queries with JavaScript functions, which run
 * on the main thread of a process, and queries that have blocked or ended the process that queries share. While such a
 * query runs, it has a process to itself: it runs "apart".
 */
import { constants } from 'node:os'
import { BoundedMap } from '../../../model/bounded-map.js'
import { FairTurns } from '../../../model/fair-queue.js'
import type { Clock } from '../../../model/ports.js'
import { isExport, type Request, runsJavaScript, type SessionOptions } from './messages.js'
import { type Ask, type AskOptions, NO_SHARE, RequestFailure, unavailable } from './request-queue.js'
import type { EngineProcess } from './supervisor.js'

type Session = Omit<SessionOptions, 'folder'>

export interface ApartProcessesOptions {
  /** The session of the process that queries share. */
  readonly session: Session
  readonly start: (session: Session) => Promise<EngineProcess>
  readonly clock: Clock
}

/** The most of these processes, and so the most queries that run apart at once; others wait. */
const MOST_PROCESSES = 4
/** The least memory of a process, in megabytes. With half of it, DuckDB cannot convert text files of 100 columns. */
const LEAST_MEMORY_MB = 128
/**
 * The memory for each thread where there are several, in megabytes. Each thread has its own vectors and its own rows to write: with long
 * texts, many threads run out of memory where a few do not.
 */
const THREAD_MEMORY_MB = 256
/** How long a process without queries is kept, in milliseconds: it uses about 100 MB. */
const KEPT_MS = 300_000
/** The most texts of queries that are remembered. */
const MAX_TEXTS = 1_000

/** The most processes of this session. There are fewer where the memory is small: each converts the text files that its queries read. */
const mostProcesses = ({ memoryLimitMb }: Session): number =>
  Math.min(MOST_PROCESSES, Math.max(1, Math.floor(memoryLimitMb / LEAST_MEMORY_MB)))

/** The session of one of these processes. Together they may use as much memory and disk space as the shared process. */
function apartSession(shared: Session): Session {
  const most = mostProcesses(shared)
  const memoryLimitMb = Math.floor(shared.memoryLimitMb / most)
  return {
    ...shared,
    connections: 1,
    isShared: false,
    // Queries in the shared process have priority over those that run apart.
    niceness: constants.priority.PRIORITY_LOW,
    memoryLimitMb,
    threads: Math.min(shared.threads, Math.max(1, Math.floor(memoryLimitMb / THREAD_MEMORY_MB))),
    tempLimitMb: Math.ceil(shared.tempLimitMb / most),
  }
}

export class ApartProcesses {
  readonly #options: ApartProcessesOptions
  readonly #turns: FairTurns
  readonly #processes = new Set<EngineProcess>()
  /** The processes that have no query now. All of them know the current tables. */
  #idle: EngineProcess[] = []
  /** The SQL, without arguments, of queries that have blocked or ended a process. */
  readonly #disruptive = new BoundedMap<string, true>(MAX_TEXTS)
  /** The SQL of queries that may have ended the shared process once. */
  readonly #suspects = new BoundedMap<string, true>(MAX_TEXTS)
  /** The processes that end after their query. */
  readonly #outdated = new WeakSet<EngineProcess>()
  #isClosed = false
  #cancelTimer: () => void = () => undefined

  constructor(options: ApartProcessesOptions) {
    this.#options = options
    const most = mostProcesses(options.session)
    const maxOfCaller = Math.ceil(most / 2)
    this.#turns = new FairTurns({ maxRunning: most, maxOfCaller, maxOfEndpoint: maxOfCaller })
  }

  /**
   * Asks the shared process, or one of these processes if the query runs apart. A query that blocks the shared process runs once more,
   * apart, and always apart from then on. If the shared process dies, each of its queries runs once more, apart: the query that also ends
   * its own process was the cause.
   */
  readonly askSharedOrApart =
    (shared: Ask): Ask =>
    async (request, options) => {
      if (this.runsApart(request)) return this.#ask(request, options)
      try {
        return await shared(request, options)
      } catch (error) {
        if (!(error instanceof RequestFailure) || error.failure.kind !== 'disruptive') throw error
        const { how } = error.failure
        if (how === 'blocked') this.remember(request)
        return this.#ask(request, options).catch(failure => {
          if (how === 'died' && isShortOfRoom(failure)) this.#suspect(request)
          throw failure
        })
      }
    }

  /**
   * To be called when the shared process has died with a query, and the query then had too little memory apart. The first time may be
   * chance: a process apart has less memory, so a large query fails there although another query has ended the shared process. Only the
   * second time, the query is remembered.
   */
  #suspect(request: Request): void {
    if (!('sql' in request)) return
    if (this.#suspects.has(request.sql)) this.remember(request)
    this.#suspects.set(request.sql, true)
  }

  /** Makes the query of a request run apart from now on, with any arguments. Ignores exports: a call of the same query may be harmless. */
  remember(request: Request): void {
    if ('sql' in request && !isExport(request)) this.#disruptive.set(request.sql, true)
  }

  /** Whether the query of a request must not be sent to the shared process. */
  runsApart(request: Request): boolean {
    const isDisruptive = 'sql' in request && this.#disruptive.has(request.sql)
    if (isDisruptive) this.remember(request)
    return isDisruptive || runsJavaScript(request) || isExport(request)
  }

  /** Asks as EngineProcess.ask does; processes are started when they are needed. Exports, which are few, do not wait for a turn. */
  readonly #ask: Ask = async (request, options = {}) => {
    const endTurn = isExport(request) ? () => undefined : await this.#turn(options)
    const process = this.#idle.pop() ?? (await this.#start(endTurn))
    let isIdle = true
    try {
      return await process.ask(request, options)
    } catch (error) {
      const failure = error instanceof RequestFailure ? error.failure.kind : null
      if (failure === 'disruptive') this.remember(request)
      isIdle = failure !== null && failure !== 'interrupted'
      throw error
    } finally {
      const giveBack = (): void => this.#giveBack(process, endTurn)
      // A query whose caller has left may still run in the process, and a process that cannot be reached may be dead: a ping shows it.
      if (isIdle) giveBack()
      else void process.ask({ kind: 'ping' }).then(giveBack, () => this.#giveBack(process, endTurn, true))
    }
  }

  /** Makes later queries run in new processes, which know the current tables. */
  renew(): void {
    for (const process of this.#processes) this.#outdated.add(process)
    void this.#endIdle()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelTimer()
    this.#turns.beginAll()
    await Promise.all([...this.#processes].map(process => process.close()))
  }

  #turn({ share = NO_SHARE, signal }: AskOptions): Promise<() => void> {
    return this.#turns.begin(share, signal).catch(() => {
      throw new RequestFailure({ kind: 'interrupted' })
    })
  }

  async #start(endTurn: () => void): Promise<EngineProcess> {
    try {
      if (this.#isClosed) throw unavailable('closed')
      const process = await this.#options.start(apartSession(this.#options.session))
      this.#processes.add(process)
      if (this.#isClosed) await this.#end(process)
      return process
    } catch (error) {
      endTurn()
      throw error
    }
  }

  #giveBack(process: EngineProcess, endTurn: () => void, isDead = this.#outdated.has(process)): void {
    if (isDead) void this.#end(process)
    else this.#idle.push(process)
    this.#cancelTimer()
    this.#cancelTimer = this.#options.clock.after(KEPT_MS, () => void this.#endIdle())
    endTurn()
  }

  async #endIdle(): Promise<void> {
    const idle = this.#idle
    this.#idle = []
    await Promise.all(idle.map(process => this.#end(process)))
  }

  async #end(process: EngineProcess): Promise<void> {
    await process.close()
    this.#processes.delete(process)
  }
}

const isShortOfRoom = (error: unknown): boolean =>
  error instanceof RequestFailure && error.failure.kind === 'query' && error.failure.isShortOfRoom === true
