/** Starts the engine's child process, keeps it alive, and carries requests to it. */
import { join } from 'node:path'
import type { Observer } from '../../../model/events.js'
import type { Clock } from '../../../model/ports.js'
import { type EngineChild, forkChild } from './fork-child.js'
import type { Discovery, FromChild, SessionOptions } from './messages.js'
import { type Ask, createWork, EngineDiedError, unavailable } from './request-queue.js'
import { watchMemory } from './watch-memory.js'

export interface EngineProcess {
  /**
   * Waits for the child where it is being started, and for a connection. Rejects with the Failure as `RequestFailure`,
   * and with RunnerError ENGINE_UNAVAILABLE when no child can be started or two have died of, or with, the request.
   */
  readonly ask: Ask
  /** Has a new child take over at once; what runs begins again there. */
  readonly renew: (reason: string) => void
  readonly close: () => Promise<void>
  /** The child's process id while there is one; for tests and the log. */
  readonly pid: () => number | undefined
}

export interface ProcessOptions {
  /** The folder of the engine, which is there; each child gets one of its own inside. */
  readonly folder: string
  readonly session: Omit<SessionOptions, 'folder'>
  readonly observe: Observer
  readonly clock: Clock
  readonly onDiscovery: (discovery: Discovery) => void
}

/**
 * A child that dies sooner than this without a request to blame is not replaced at once: after FIRST_PAUSE_MS, and twice
 * that each further time.
 */
const HEALTHY_AFTER_MS = 5_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
/** How long close() waits for the child to go before it is killed. */
const CLOSE_WITHIN_MS = 2_000

/**
 * What a child may hold beyond DuckDB's own limit: code and JavaScript, and the rows in hand, which DuckDB does not
 * count. A REPEAT over a series took 4 GB under a limit of 200 MB.
 */
const UNCOUNTED_MB = 600

/** @throws EngineDiedError when the first child cannot open. */
export async function startEngineProcess(options: ProcessOptions): Promise<EngineProcess> {
  const { clock, observe } = options
  let nextChild = 1
  let child: EngineChild | null = null
  let startedAt = 0
  let hasOpened = false
  let isClosed = false
  /** The child was ended for something that none of its present requests has done. */
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
  })

  const start = (): void => {
    if (isClosed) return
    startedAt = clock.nowMs()
    hasOpened = false
    const started = forkChild({
      session: { ...options.session, folder: join(options.folder, `child-${nextChild++}`) },
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
    // Who waits need not do so for a child that may never open.
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
