/** Starts the engine's child process, keeps it alive, and carries requests to it. */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RunnerError } from '../../model/errors.js'
import type { Observer } from '../../model/events.js'
import type { Clock } from '../../model/ports.js'
import type { Answers, Discovery, Failure, FromChild, Request, SessionOptions, ToChild } from './messages.js'

export interface EngineProcess {
  /**
   * Waits for the child where it is being started. Rejects with the Failure as `RequestFailure`, and with RunnerError
   * ENGINE_UNAVAILABLE when the child dies or cannot be started. When `signal` fires the child stops the work; the promise then
   * rejects with an `interrupted` failure.
   */
  readonly ask: <K extends Request['kind']>(
    request: Extract<Request, { kind: K }>,
    signal?: AbortSignal,
  ) => Promise<Answers[K]>
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

export class RequestFailure extends Error {
  override readonly name = 'RequestFailure'
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.kind)
    this.failure = failure
  }
}

interface Pending {
  readonly request: Request
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
}

/** What a child that dies sooner than this after its start waits for, doubled each time, before the next is started. */
const HEALTHY_AFTER_MS = 5_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
/** How long close() waits for the child to go before it is killed. */
const CLOSE_WITHIN_MS = 2_000

const isSource = import.meta.url.endsWith('.ts')
const CHILD = fileURLToPath(new URL(isSource ? './child.ts' : './child.js', import.meta.url))
/** The child keeps little in JavaScript: rows live in DuckDB, bodies in buffers. */
const NODE_FLAGS = ['--max-old-space-size=384', '--max-semi-space-size=4']

/** @throws EngineDiedError when the first child cannot open. */
export async function startEngineProcess(options: ProcessOptions): Promise<EngineProcess> {
  const pending = new Map<number, Pending>()
  let nextId = 1
  let nextChild = 1
  let child: ChildProcess | null = null
  let isReady = false
  let isClosed = false
  let pauseMs = 0
  let gone: () => void = () => undefined
  let settleFirst: ((error: Error | null) => void) | null = null

  const post = (message: ToChild): void => {
    child?.send(message, error => {
      // The exit event that follows settles what is pending.
      if (error) child?.kill('SIGKILL')
    })
  }

  const start = (): void => {
    if (isClosed) return
    const startedAt = options.clock.nowMs()
    const folder = join(options.folder, `child-${nextChild++}`)
    mkdirSync(folder, { recursive: true })
    const started = fork(CHILD, [], {
      serialization: 'advanced',
      execArgv: [...NODE_FLAGS, ...(isSource ? ['--import', 'tsx'] : [])],
      // Nothing of the parent's environment: it holds secrets, and DuckDB needs none of it.
      env: {
        TZ: 'UTC',
        HOME: folder,
        UV_THREADPOOL_SIZE: String(options.session.connections + 2),
        MALLOC_ARENA_MAX: '2',
      },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child = started
    isReady = false
    let reason = ''
    started.on('message', (message: FromChild) => {
      if (message.kind === 'broken') reason = message.cause
      else receive(message, startedAt)
    })
    started.on('error', error => {
      reason = error.message
    })
    started.on('exit', (code, signal) => {
      rmSync(folder, { recursive: true, force: true })
      if (child === started) child = null
      onExit(reason || (signal ? `killed by ${signal}` : `exit code ${code}`), startedAt)
    })
    post({ kind: 'open', options: { ...options.session, folder } })
  }

  const receive = (message: FromChild, startedAt: number): void => {
    switch (message.kind) {
      case 'ready':
        isReady = true
        options.onDiscovery(message.discovery)
        options.observe({ kind: 'engine.started', engine: 'duckdb', durationMs: options.clock.nowMs() - startedAt })
        settleFirst?.(null)
        for (const [id, { request }] of pending) post({ kind: 'request', id, request })
        break
      case 'answer':
        pending.get(message.id)?.resolve(message.answer as never)
        pending.delete(message.id)
        break
      case 'failed':
        pending.get(message.id)?.reject(new RequestFailure(message.failure))
        pending.delete(message.id)
        break
      case 'table-read':
        options.observe({
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

  const onExit = (reason: string, startedAt: number): void => {
    const wasReady = isReady
    isReady = false
    const error = (): RunnerError => new RunnerError('ENGINE_UNAVAILABLE', { cause: new EngineDiedError(reason) })
    for (const { reject } of pending.values()) reject(error())
    pending.clear()
    if (isClosed) {
      gone()
      return
    }
    options.observe({ kind: 'engine.died', engine: 'duckdb', reason })
    if (!wasReady && settleFirst) {
      settleFirst(new EngineDiedError(reason))
      return
    }
    const livedMs = options.clock.nowMs() - startedAt
    pauseMs =
      wasReady && livedMs >= HEALTHY_AFTER_MS
        ? 0
        : Math.min(LONGEST_PAUSE_MS, pauseMs === 0 ? FIRST_PAUSE_MS : pauseMs * 2)
    if (pauseMs === 0) start()
    else options.clock.after(pauseMs, start)
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
    ask: (request, signal) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new RunnerError('ENGINE_UNAVAILABLE', { cause: new EngineDiedError('closed') }))
        if (signal?.aborted) return reject(new RequestFailure({ kind: 'interrupted' }))
        const id = nextId++
        pending.set(id, { request, resolve, reject })
        if (isReady) post({ kind: 'request', id, request })
        signal?.addEventListener(
          'abort',
          () => {
            if (!pending.delete(id)) return
            if (isReady) post({ kind: 'cancel', id })
            reject(new RequestFailure({ kind: 'interrupted' }))
          },
          { once: true },
        )
      }),
    close: async () => {
      if (isClosed) return
      isClosed = true
      const closing = child
      if (!closing) return
      await new Promise<void>(resolve => {
        const callOff = options.clock.after(CLOSE_WITHIN_MS, () => closing.kill('SIGKILL'))
        gone = () => {
          callOff()
          resolve()
        }
        post({ kind: 'close' })
      })
    },
    pid: () => child?.pid,
  }
}

/** Why the child is gone, or could not open; for the log. */
export class EngineDiedError extends Error {
  override readonly name = 'EngineDiedError'
}
