/** Starts the engine's child process, keeps it alive, and carries requests to it. */
import { join } from 'node:path'
import { type Backoff, pauseAfter } from '../../../model/backoff.js'
import type { Observer } from '../../../model/events.js'
import { type EngineChild, forkChild, type WorkMessage } from './fork-child.js'
import type { Discovery, SessionOptions } from './messages.js'
import { type Ask, EngineDiedError, RequestQueue, type RequestQueueOptions, unavailable } from './request-queue.js'

export interface ProcessOptions extends Pick<RequestQueueOptions, 'clock' | 'onDisruptive' | 'runsApart'> {
  /** The existing folder of the engine; each child gets a folder inside it. */
  readonly folder: string
  /** Distinguishes this process's folders from those of the engine's other processes. */
  readonly name: string
  readonly session: Omit<SessionOptions, 'folder'>
  readonly observe: Observer
  readonly onDiscovery?: (discovery: Discovery) => void
  /** The tables that a child reads before it replaces another, so that no query waits for them. @default none */
  readonly tablesAhead?: () => readonly string[]
}

/** If a child dies sooner than this, in milliseconds, and had no request that may be the cause, the next one starts after a pause. */
const HEALTHY_AFTER_MS = 5_000
const PAUSES: Backoff = { firstMs: 100, longestMs: 10_000, jitter: 0 }
/** How long close() waits for the child to exit before it is killed, in milliseconds. */
const CLOSE_WITHIN_MS = 2_000

/** One of the engine's processes: a child that is replaced when it dies, and the requests to it. */
export class EngineProcess {
  readonly #options: ProcessOptions
  readonly #requests: RequestQueue
  /** The child that gets the requests; null while there is no child. */
  #child: EngineChild | null = null
  /** Resolves to null when the child that is being started has taken over, or to the reason why it could not start. */
  #starting: Promise<string | null> | null = null
  readonly #aliveChildren = new Set<EngineChild>()
  #childCount = 0
  /** How many children in a row have died before HEALTHY_AFTER_MS. */
  #failures = 0
  #isClosed = false

  private constructor(options: ProcessOptions) {
    this.#options = options
    this.#requests = new RequestQueue({
      ...options,
      connections: options.session.connections,
      post: message => this.#child?.post(message),
      onStuck: () => void this.renew('a query did not stop when it was told to'),
    })
  }

  /** Starts the process. @throws EngineDiedError when the first child cannot start. */
  static async start(options: ProcessOptions): Promise<EngineProcess> {
    const process = new EngineProcess(options)
    const failure = await process.renew('')
    if (failure !== null) {
      process.#isClosed = true
      throw new EngineDiedError(failure)
    }
    return process
  }

  /**
   * Sends a request when a child has started and a connection is free. Rejects with a RequestFailure where the request fails, and with
   * the RunnerError ENGINE_UNAVAILABLE where no child can be started.
   */
  readonly ask: Ask = (request, options) =>
    this.#isClosed ? Promise.reject(unavailable('closed')) : this.#requests.ask(request, options)

  /**
   * Starts a new child. When it is ready, the old one, if there is one, is ended, and its running requests begin again in the new one.
   * Resolves to null when the new child has taken over, or to the reason why it could not be started.
   */
  renew(reason: string): Promise<string | null> {
    if (this.#isClosed) return Promise.resolve('closed')
    this.#starting ??= this.#start(reason).finally(() => {
      this.#starting = null
    })
    return this.#starting
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const { clock } = this.#options
    for (const child of this.#aliveChildren) child.post({ kind: 'close' })
    const cancelTimer = clock.after(CLOSE_WITHIN_MS, () => {
      for (const child of this.#aliveChildren) child.kill('it did not end')
    })
    await Promise.all([...this.#aliveChildren].map(child => child.exited))
    cancelTimer()
    this.#requests.loseChild('closed', true)
    this.#requests.refuse('closed')
  }

  /** The child's process id while it runs; for tests and the log. */
  pid(): number | undefined {
    return this.#child?.pid
  }

  async #start(renewReason: string): Promise<string | null> {
    const { observe, clock, onDiscovery } = this.#options
    const startedAt = clock.nowMs()
    const child = this.#fork(startedAt)
    const discovery = await child.opened
    if (this.#isClosed) return 'closed'
    const oldChild = this.#child
    if (discovery === null) {
      const reason = await child.exited
      // The old child ends although its successor could not start: when it has exited, the next child is started.
      if (oldChild) oldChild.kill(renewReason)
      else if (this.#childCount > 1) this.#startLater(reason, null)
      return reason
    }
    this.#child = child
    if (oldChild) {
      this.#requests.loseChild(renewReason, true)
      oldChild.kill(renewReason)
    }
    onDiscovery?.(discovery)
    observe({ kind: 'engine.started', engine: 'duckdb', durationMs: clock.nowMs() - startedAt })
    this.#requests.setReady(true)
    return null
  }

  #fork(startedAt: number): EngineChild {
    const { session, folder, name, clock, tablesAhead } = this.#options
    const child = forkChild({
      session: { ...session, folder: join(folder, `${name}-${++this.#childCount}`) },
      readAhead: (this.#child && tablesAhead?.()) ?? [],
      clock,
      onMessage: message => this.#receive(child, message),
    })
    this.#aliveChildren.add(child)
    void child.exited.then(reason => {
      this.#aliveChildren.delete(child)
      this.#onExit(child, reason, startedAt)
    })
    return child
  }

  #receive(from: EngineChild, message: WorkMessage): void {
    // A replaced child may still send messages: they are about requests that have begun again in the new child.
    if (from !== this.#child) return
    if (message.kind === 'table-read') this.#options.observe({ ...message, kind: 'engine.table-read' })
    else if (message.kind === 'part') this.#requests.addPart(message.id, message.bytes)
    else this.#requests.settle(message.id, message)
  }

  #onExit(child: EngineChild, reason: string, startedAt: number): void {
    if (this.#isClosed) return
    const { observe, clock } = this.#options
    observe({ kind: 'engine.died', engine: 'duckdb', reason })
    if (child !== this.#child) return
    this.#child = null
    this.#requests.setReady(false)
    const hadRequests = this.#requests.loseChild(reason, false)
    if (this.#starting !== null) return
    if (hadRequests) void this.renew(reason)
    else this.#startLater(reason, clock.nowMs() - startedAt)
  }

  /** `livedMs` is null for a child that was never ready. */
  #startLater(reason: string, livedMs: number | null): void {
    const isHealthy = livedMs !== null && livedMs >= HEALTHY_AFTER_MS
    this.#failures = isHealthy ? 0 : this.#failures + 1
    // Waiting requests fail now: the next child may not start either.
    if (livedMs === null && this.#failures > 1) this.#requests.refuse(reason)
    const start = (): void => void this.renew(reason)
    if (isHealthy) start()
    else this.#options.clock.after(pauseAfter(this.#failures, PAUSES, 0), start)
  }
}
