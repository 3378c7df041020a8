/** Starts the engine's child process, keeps it alive, and carries requests to it. */
import { join } from 'node:path'
import type { Observer } from '../../../model/events.js'
import type { Clock } from '../../../model/ports.js'
import { type EngineChild, forkChild } from './fork-child.js'
import type { Discovery, FromChild, Request, SessionOptions } from './messages.js'
import { type Ask, EngineDiedError, RequestQueue, unavailable } from './request-queue.js'

export interface ProcessOptions {
  /** The existing folder of the engine; each child gets a folder inside it. */
  readonly folder: string
  /** Distinguishes this process's folders from those of the engine's other processes. */
  readonly name: string
  readonly session: Omit<SessionOptions, 'folder'>
  readonly observe: Observer
  readonly clock: Clock
  readonly onDiscovery?: (discovery: Discovery) => void
  /** See RequestQueueOptions. */
  readonly onDisruptive: (request: Request) => void
  /** The tables that a child reads before it replaces another, so that no query waits for them. @default none */
  readonly tablesAhead?: () => readonly string[]
  /** See RequestQueueOptions. */
  readonly runsApart?: (request: Request) => boolean
}

/**
 * If a child dies sooner than this, and had no request that may be the cause, the next child is started after a pause:
 * FIRST_PAUSE_MS the first time, then twice the last pause each time.
 */
const HEALTHY_AFTER_MS = 5_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
/** How long close() waits for the child to exit before it is killed, in milliseconds. */
const CLOSE_WITHIN_MS = 2_000

/** One of the engine's processes: a child that is replaced when it dies, and the requests to it. */
export class EngineProcess {
  readonly #options: ProcessOptions
  readonly #work: RequestQueue
  /** The child that gets the requests; null where there is no child. */
  #child: EngineChild | null = null
  /** The child that is being started, and takes the other's place when it is ready. */
  #next: EngineChild | null = null
  readonly #alive = new Set<EngineChild>()
  #children = 0
  #startedAt = 0
  #pauseMs = 0
  #isClosed = false
  /** Why the child is being replaced. */
  #renewReason = ''
  /** Called when the next child is ready, or, with the reason, could not be started. */
  #onNext: ((failure: string | null) => void)[] = []

  private constructor(options: ProcessOptions) {
    this.#options = options
    this.#work = new RequestQueue({
      connections: options.session.connections,
      clock: options.clock,
      post: message => this.#child?.post(message),
      onStuck: () => void this.renew('a query did not stop when it was told to'),
      onDisruptive: options.onDisruptive,
      ...(options.runsApart && { runsApart: options.runsApart }),
    })
  }

  /** Starts the process. @throws EngineDiedError when the first child cannot start. */
  static async start(options: ProcessOptions): Promise<EngineProcess> {
    const started = new EngineProcess(options)
    const failure = await started.#startNext()
    if (failure !== null) {
      started.#isClosed = true
      throw new EngineDiedError(failure)
    }
    return started
  }

  /**
   * Sends a request, waiting for a starting child and for a connection. Rejects with a `RequestFailure` that holds the Failure;
   * with RunnerError ENGINE_UNAVAILABLE when no child can be started.
   */
  readonly ask: Ask = (request, options) =>
    this.#isClosed ? Promise.reject(unavailable('closed')) : this.#work.ask(request, options)

  /**
   * Starts another child, and ends this one when the other is ready; running requests begin again in the other. Resolves when the
   * other is ready or could not be started.
   */
  async renew(reason: string): Promise<void> {
    this.#renewReason = reason
    await this.#startNext()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const { clock } = this.#options
    for (const child of this.#alive) child.post({ kind: 'close' })
    const cancelTimer = clock.after(CLOSE_WITHIN_MS, () => {
      for (const child of this.#alive) child.kill('it did not end')
    })
    await Promise.all([...this.#alive].map(child => child.exited))
    cancelTimer()
    this.#settleNext('closed')
    this.#work.loseChild('closed', true)
    this.#work.refuse('closed')
  }

  /** The child's process id while it runs; for tests and the log. */
  pid(): number | undefined {
    return this.#child?.pid
  }

  /** Resolves with why the child could not be started; null when it is ready. */
  #startNext(): Promise<string | null> {
    if (this.#isClosed) return Promise.resolve('closed')
    const settled = new Promise<string | null>(resolve => this.#onNext.push(resolve))
    this.#next ??= this.#fork()
    return settled
  }

  #settleNext(failure: string | null): void {
    this.#next = null
    for (const settle of this.#onNext.splice(0)) settle(failure)
  }

  #fork(): EngineChild {
    const { session, folder, name, clock, tablesAhead } = this.#options
    const isReplacement = this.#child !== null
    this.#startedAt = clock.nowMs()
    const child = forkChild({
      session: { ...session, folder: join(folder, `${name}-${++this.#children}`) },
      readAhead: (isReplacement && tablesAhead?.()) || [],
      clock,
      onMessage: message => this.#receive(child, message),
      onExit: reason => {
        this.#alive.delete(child)
        this.#onExit(child, reason)
      },
    })
    this.#alive.add(child)
    return child
  }

  #receive(from: EngineChild, message: FromChild): void {
    if (message.kind === 'ready') this.#onReady(from, message.discovery)
    // What a replaced child still sends is of requests that have begun again.
    else if (from !== this.#child) return
    else if (message.kind === 'table-read') this.#options.observe({ ...message, kind: 'engine.table-read' })
    else if (message.kind === 'part') this.#work.addPart(message.id, message.bytes)
    else if (message.kind !== 'broken') this.#work.settle(message.id, message)
  }

  #onReady(child: EngineChild, discovery: Discovery): void {
    const { observe, clock, onDiscovery } = this.#options
    const replaced = this.#child
    this.#child = child
    if (replaced) {
      this.#work.loseChild(this.#renewReason, true)
      replaced.kill(this.#renewReason)
    }
    onDiscovery?.(discovery)
    observe({ kind: 'engine.started', engine: 'duckdb', durationMs: clock.nowMs() - this.#startedAt })
    this.#settleNext(null)
    this.#work.setReady(true)
  }

  #onExit(child: EngineChild, reason: string): void {
    if (this.#isClosed) return
    this.#options.observe({ kind: 'engine.died', engine: 'duckdb', reason })
    if (child === this.#next) {
      const isFirst = this.#children === 1
      this.#settleNext(reason)
      // Where it was to replace another, the other ends all the same, and the next one starts without it.
      if (this.#child !== null) this.#child.kill(this.#renewReason)
      else if (!isFirst) this.#startLater(reason, false)
    } else if (child === this.#child) {
      this.#child = null
      this.#work.setReady(false)
      const hadRequests = this.#work.loseChild(reason, false)
      if (this.#next !== null) return
      if (hadRequests) void this.#startNext()
      else this.#startLater(reason, true)
    }
  }

  #startLater(reason: string, hasOpened: boolean): void {
    const { clock } = this.#options
    const isHealthy = hasOpened && clock.nowMs() - this.#startedAt >= HEALTHY_AFTER_MS
    const isFirst = this.#pauseMs === 0
    this.#pauseMs = isHealthy ? 0 : Math.min(LONGEST_PAUSE_MS, isFirst ? FIRST_PAUSE_MS : this.#pauseMs * 2)
    // Waiting requests fail now: the next child may not start either.
    if (!hasOpened && !isFirst) this.#work.refuse(reason)
    const start = (): void => void this.#startNext()
    if (this.#pauseMs === 0) start()
    else clock.after(this.#pauseMs, start)
  }
}
