/**
 * Processes of the engine for queries that would make others wait: those that call JavaScript functions, which DuckDB calls on the
 * main thread of its process, exports, and those that have held up or ended the process that queries share. Each of them has a
 * process to itself while it runs.
 */
import { constants } from 'node:os'
import { BoundedMap } from '../../../model/bounded-map.js'
import type { Clock } from '../../../model/ports.js'
import { FairQueue, type Share } from './fair-queue.js'
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

/** The most processes, and so the most queries that run at once; others wait. */
const MOST_PROCESSES = 4
/** The least memory of a process, in megabytes. With half of it, DuckDB cannot convert text files of 100 columns. */
const LEAST_MEMORY_MB = 128
/**
 * The memory of each thread where there are several, in megabytes: each has vectors and rows to be written of its own, so that more threads
 * run out of memory at texts that fewer write.
 */
const THREAD_MEMORY_MB = 256
/** How long a process without queries is kept, in milliseconds: it uses about 100 MB. */
const KEPT_MS = 300_000
/** The most texts of queries that are remembered. */
const MAX_TEXTS = 1_000

/** Fewer where the memory is small, since each process converts the text files that its queries read. */
const mostProcesses = ({ memoryLimitMb }: Session): number =>
  Math.min(MOST_PROCESSES, Math.max(1, Math.floor(memoryLimitMb / LEAST_MEMORY_MB)))

/** The session of one of the processes: together they may use as much memory and disk space as the engine's first process. */
function ofApart(shared: Session): Session {
  const most = mostProcesses(shared)
  const memoryLimitMb = Math.floor(shared.memoryLimitMb / most)
  return {
    ...shared,
    connections: 1,
    isShared: false,
    // The queries that share a process go first, whatever runs apart.
    niceness: constants.priority.PRIORITY_LOW,
    memoryLimitMb,
    threads: Math.min(shared.threads, Math.max(1, Math.floor(memoryLimitMb / THREAD_MEMORY_MB))),
    tempLimitMb: Math.ceil(shared.tempLimitMb / most),
  }
}

export class ApartProcesses {
  readonly #options: ApartProcessesOptions
  readonly #turns: FairQueue<() => void>
  readonly #all = new Set<EngineProcess>()
  /** The processes without a query, all of which know the current tables. */
  #idle: EngineProcess[] = []
  /** The SQL of queries that have held up or ended a process; arguments are not part of it. */
  readonly #disruptive = new BoundedMap<string, true>(MAX_TEXTS)
  /** The processes that end after their query. */
  readonly #outdated = new WeakSet<EngineProcess>()
  #isClosed = false
  #cancelTimer: () => void = () => undefined

  constructor(options: ApartProcessesOptions) {
    this.#options = options
    const most = mostProcesses(options.session)
    const mostOfCaller = Math.ceil(most / 2)
    this.#turns = new FairQueue({ most, mostOfCaller, mostOfEndpoint: mostOfCaller })
  }

  /**
   * Asks the shared process, or one of these if the query runs apart. If the query disturbs the shared process, it runs apart from
   * then on, and now again. If the shared process dies, each query that it had runs once more, apart: the one that ends its own
   * process too was the cause.
   */
  readonly askBeside =
    (shared: Ask): Ask =>
    async (request, options) => {
      if (this.runsApart(request)) return this.#ask(request, options)
      try {
        return await shared(request, options)
      } catch (error) {
        if (!(error instanceof RequestFailure) || error.failure.kind !== 'disruptive') throw error
        if (error.failure.isCertain) this.remember(request)
        return this.#ask(request, options)
      }
    }

  /** Makes the query of a request run apart from now on, whatever its arguments. An export says nothing about calls. */
  remember(request: Request): void {
    if ('sql' in request && !isExport(request)) this.#disruptive.set(request.sql, true)
  }

  /** Whether the query of a request must not be sent to the shared process. */
  runsApart(request: Request): boolean {
    const isDisruptive = 'sql' in request && this.#disruptive.has(request.sql)
    if (isDisruptive) this.remember(request)
    return isDisruptive || runsJavaScript(request) || isExport(request)
  }

  /** As EngineProcess.ask; processes are started when they are needed. Exports, of which there are few, have no turns. */
  readonly #ask: Ask = async (request, options = {}) => {
    const share = isExport(request) ? null : (options.share ?? NO_SHARE)
    if (share !== null) await this.#turn(share, options)
    const process = this.#idle.pop() ?? (await this.#start(share))
    let isFree = true
    try {
      return await process.ask(request, options)
    } catch (error) {
      const failure = error instanceof RequestFailure ? error.failure.kind : null
      if (failure === 'disruptive') this.remember(request)
      isFree = failure !== null && failure !== 'interrupted'
      throw error
    } finally {
      const giveBack = (): void => this.#giveBack(process, share)
      // A query whose caller has left may still run in the process, and one that cannot be reached may be dead.
      if (isFree) giveBack()
      else void process.ask({ kind: 'ping' }).then(giveBack, () => this.#giveBack(process, share, true))
    }
  }

  /** Makes later queries run in new processes, which know the tables of now. */
  renew(): void {
    for (const process of this.#all) this.#outdated.add(process)
    void this.#endIdle()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelTimer()
    for (const begin of this.#turns.clear()) begin()
    await Promise.all([...this.#all].map(process => process.close()))
  }

  #turn(share: Share, { signal }: AskOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#turns.remove(begin)
        reject(new RequestFailure({ kind: 'interrupted' }))
      }
      const begin = (): void => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      if (signal?.aborted) return leave()
      signal?.addEventListener('abort', leave, { once: true })
      this.#turns.add(share, begin)
      if (share.waiters) share.waiters.onJoin = () => this.#beginNext()
      this.#beginNext()
    })
  }

  #beginNext(): void {
    for (let begin = this.#turns.take(); begin; begin = this.#turns.take()) begin()
  }

  #endTurn(share: Share | null): void {
    if (share !== null) this.#turns.release(share)
    this.#beginNext()
  }

  async #start(share: Share | null): Promise<EngineProcess> {
    try {
      if (this.#isClosed) throw unavailable('closed')
      const process = await this.#options.start(ofApart(this.#options.session))
      this.#all.add(process)
      if (this.#isClosed) await this.#end(process)
      return process
    } catch (error) {
      this.#endTurn(share)
      throw error
    }
  }

  #giveBack(process: EngineProcess, share: Share | null, isDead = this.#outdated.has(process)): void {
    if (isDead) void this.#end(process)
    else this.#idle.push(process)
    this.#cancelTimer()
    this.#cancelTimer = this.#options.clock.after(KEPT_MS, () => void this.#endIdle())
    this.#endTurn(share)
  }

  async #endIdle(): Promise<void> {
    const ended = this.#idle
    this.#idle = []
    await Promise.all(ended.map(process => this.#end(process)))
  }

  async #end(process: EngineProcess): Promise<void> {
    await process.close()
    this.#all.delete(process)
  }
}
