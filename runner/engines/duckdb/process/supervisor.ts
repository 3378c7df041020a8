/** Starts the engine's child process, keeps it alive, and carries requests to it. */
import { join } from 'node:path'
import type { Observer } from '../../../model/events.js'
import type { Clock } from '../../../model/ports.js'
import { type EngineChild, forkChild } from './fork-child.js'
import type { Discovery, FromChild, Request, SessionOptions } from './messages.js'
import { type Ask, createWork, EngineDiedError, unavailable } from './request-queue.js'
import { watchMemory } from './watch-memory.js'

export interface EngineProcess {
  /**
   * Sends a request, waiting for a starting child and for a connection. Rejects with a `RequestFailure` that holds the Failure;
   * with RunnerError ENGINE_UNAVAILABLE when no child can be started.
   */
  readonly ask: Ask
  /** Replaces the child at once; running requests start again in the new one. */
  readonly renew: (reason: string) => void
  readonly close: () => Promise<void>
  /** The child's process id while it runs; for tests and the log. */
  readonly pid: () => number | undefined
}

export interface ProcessOptions {
  /** The existing folder of the engine; each child gets a folder inside it. */
  readonly folder: string
  /** Distinguishes this process's folders from those of the engine's other processes. */
  readonly name: string
  readonly session: Omit<SessionOptions, 'folder'>
  readonly observe: Observer
  readonly clock: Clock
  readonly onDiscovery: (discovery: Discovery) => void
  /** See WorkOptions. */
  readonly onDisruptive: (request: Request) => void
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

/**
 * The memory that a child may use beyond DuckDB's limit, in megabytes: code, JavaScript, and the rows that operators are
 * processing, which DuckDB does not count. A REPEAT over a series took 4 GB although the limit was 200 MB.
 */
const UNCOUNTED_MB = 600

/** Starts the engine's process. @throws EngineDiedError when the first child cannot start. */
export async function startEngineProcess(options: ProcessOptions): Promise<EngineProcess> {
  const { clock, observe } = options
  let nextChild = 1
  let child: EngineChild | null = null
  let startedAt = 0
  let hasOpened = false
  let isClosed = false
  /** Whether the child was ended for a reason other than its current requests. */
  let isBlameless = false
  let pauseMs = 0
  let gone: () => void = () => undefined
  let endWatch: () => void = () => undefined
  let settleFirst: ((error: Error | null) => void) | null = null

  const work = createWork({
    connections: options.session.connections,
    clock,
    post: message => child?.post(message),
    onStuck: () => renew('a query did not stop when it was told to'),
    onDisruptive: options.onDisruptive,
  })

  const start = (): void => {
    if (isClosed) return
    startedAt = clock.nowMs()
    hasOpened = false
    const started = forkChild({
      session: { ...options.session, folder: join(options.folder, `${options.name}-${nextChild++}`) },
      onMessage: message => {
        if (child === started) receive(message)
      },
      onExit,
    })
    child = started
    if (started.pid === undefined) return
    endWatch = watchMemory({
      pid: started.pid,
      limitMb: options.session.memoryLimitMb + UNCOUNTED_MB,
      clock,
      onExceeded: megabytes => started.kill(`it held ${megabytes} MB of memory`),
    })
  }

  const receive = (message: FromChild): void => {
    switch (message.kind) {
      case 'ready':
        hasOpened = true
        options.onDiscovery(message.discovery)
        observe({ kind: 'engine.started', engine: 'duckdb', durationMs: clock.nowMs() - startedAt })
        settleFirst?.(null)
        work.setReady(true)
        break
      case 'part':
        work.addPart(message.id, message.bytes)
        break
      case 'answer':
        work.settle(message.id, { answer: message.answer })
        break
      case 'failed':
        work.settle(message.id, { failure: message.failure })
        break
      case 'table-read':
        observe({
          kind: 'engine.table-read',
          table: message.table,
          files: message.files,
          durationMs: message.durationMs,
        })
        break
      case 'broken':
        break
    }
  }

  const onExit = (reason: string): void => {
    work.setReady(false)
    endWatch()
    child = null
    if (isClosed) {
      gone()
      return
    }
    observe({ kind: 'engine.died', engine: 'duckdb', reason })
    if (settleFirst) {
      settleFirst(new EngineDiedError(reason))
      return
    }
    const isExplained = work.loseChild(reason, isBlameless) || isBlameless
    isBlameless = false
    if (hasOpened && isExplained) start()
    else startLater(reason)
  }

  const startLater = (reason: string): void => {
    const isHealthy = hasOpened && clock.nowMs() - startedAt >= HEALTHY_AFTER_MS
    const isFirst = pauseMs === 0
    pauseMs = isHealthy ? 0 : Math.min(LONGEST_PAUSE_MS, isFirst ? FIRST_PAUSE_MS : pauseMs * 2)
    // Waiting requests fail now: the next child may not start either.
    if (!hasOpened && !isFirst) work.refuse(reason)
    if (pauseMs === 0) start()
    else clock.after(pauseMs, start)
  }

  const renew = (reason: string): void => {
    isBlameless = true
    work.setReady(false)
    child?.kill(reason)
  }

  await new Promise<void>((resolve, reject) => {
    settleFirst = error => {
      settleFirst = null
      if (error) reject(error)
      else resolve()
    }
    start()
  })

  return {
    ask: (request, options) => (isClosed ? Promise.reject(unavailable('closed')) : work.ask(request, options)),
    renew,
    close: async () => {
      if (isClosed) return
      isClosed = true
      const closing = child
      if (closing) {
        await new Promise<void>(resolve => {
          const cancelTimer = clock.after(CLOSE_WITHIN_MS, () => closing.kill('it did not end'))
          gone = () => {
            cancelTimer()
            resolve()
          }
          closing.post({ kind: 'close' })
        })
      }
      work.loseChild('closed', true)
      work.refuse('closed')
    },
    pid: () => child?.pid,
  }
}
