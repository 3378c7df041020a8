/** Converts stored JSON results to other formats: small ones in this thread, large ones and those that need a library in a worker thread. */
import type { Worker } from 'node:worker_threads'
import { BodyTooLargeError } from '../encode/body.js'
import { derive, LIBRARY_FORMATS } from '../encode/derive/derive.js'
import type { ResultFacts } from '../encode/derive/facts.js'
import { RunnerError } from '../model/errors.js'
import { joinInTurns } from '../model/in-turns.js'
import type { Clock } from '../model/ports.js'
import type { DerivedFormat, ResultColumn } from '../model/query.js'
import { startWorker } from '../platform/start-worker.js'

export interface Deriver {
  /**
   * The result in this format: bytes that are alone in their buffer. `json` must not change meanwhile.
   * @throws RunnerError RESULT_TOO_LARGE where there are more than `maxBytes`, OVERLOADED while too many large results
   *   wait; any other error is a bug, such as JSON that is not a result.
   */
  derive(
    format: DerivedFormat,
    columns: readonly ResultColumn[],
    json: Uint8Array,
    facts: ResultFacts,
  ): Promise<Uint8Array>
  /** Ends the thread; waiting calls are rejected with OVERLOADED. */
  close(): void
}

export interface DeriverOptions {
  readonly clock: Clock
  /** The thread ends after this long without work, in milliseconds. @default 30,000 */
  readonly idleMs?: number
}

export interface ToDeriver {
  readonly format: DerivedFormat
  readonly columns: readonly ResultColumn[]
  readonly json: Uint8Array
  readonly facts: ResultFacts
}

export type FromDeriver =
  | { readonly kind: 'derived'; readonly bytes: Uint8Array }
  | { readonly kind: 'too-large'; readonly maxBytes: number }
  | { readonly kind: 'failed'; readonly reason: string }

/** Results from this size on are converted in the thread, since they would block the event loop for more than 10 ms. */
export const LARGE_BYTES = 1_000_000
/** The most large results that wait or are being converted. Each caller holds its result in memory. */
const MOST_LARGE = 64
const IDLE_MS = 30_000

interface Job extends ToDeriver {
  readonly resolve: (bytes: Uint8Array) => void
  readonly reject: (error: Error) => void
}

export function createDeriver({ clock, idleMs = IDLE_MS }: DeriverOptions): Deriver {
  let worker: Worker | null = null
  /** The job that the thread has. */
  let current: Job | null = null
  const waiting: Job[] = []
  let cancelIdle: (() => void) | null = null
  let isClosed = false
  /** The large results that wait or that the thread has. */
  let large = 0

  const start = (): Worker => {
    const started = startWorker('runner/derive/derive-worker')
    const lose = (error: Error): void => {
      if (worker !== started) return
      worker = null
      settle(job => job.reject(error))
    }
    started.on('message', (message: FromDeriver) => settle(job => answer(job, message)))
    started.on('error', lose)
    started.on('exit', code => lose(new Error(`the thread that derives formats ended with ${code}`)))
    return started
  }

  const settle = (report: (job: Job) => void): void => {
    const job = current
    current = null
    if (job) report(job)
    next()
  }

  const next = (): void => {
    const job = waiting.shift()
    if (!job) {
      // Only work keeps the process alive.
      worker?.unref()
      if (worker) cancelIdle = clock.after(idleMs, end)
      return
    }
    current = job
    worker ??= start()
    worker.ref()
    void send(job, worker)
  }

  const send = async ({ format, columns, facts, json: original }: Job, to: Worker): Promise<void> => {
    // A copy: the cache still serves the original, and a view would be cloned with all of its buffer.
    const json = await joinInTurns([original])
    const message: ToDeriver = { format, columns, json, facts }
    to.postMessage(message, [json.buffer as ArrayBuffer])
  }

  const end = (): void => {
    const ended = worker
    worker = null
    cancelIdle?.()
    cancelIdle = null
    void ended?.terminate()
  }

  return {
    async derive(format, columns, json, facts) {
      const isLarge = json.byteLength >= LARGE_BYTES
      if (!isLarge && !LIBRARY_FORMATS.has(format)) return deriveHere(format, columns, json, facts)
      if (isClosed || (isLarge && large >= MOST_LARGE)) throw overloaded()
      if (isLarge) large += 1
      try {
        return await new Promise((resolve, reject) => {
          waiting.push({ format, columns, json, facts, resolve, reject })
          cancelIdle?.()
          cancelIdle = null
          if (!current) next()
        })
      } finally {
        if (isLarge) large -= 1
      }
    },
    close() {
      isClosed = true
      const rejected = current ? [current, ...waiting] : [...waiting]
      current = null
      waiting.length = 0
      end()
      for (const job of rejected) job.reject(overloaded())
    },
  }
}

async function deriveHere(...[format, columns, json, facts]: Parameters<Deriver['derive']>): Promise<Uint8Array> {
  try {
    return await derive(format, columns, json, facts)
  } catch (error) {
    throw error instanceof BodyTooLargeError ? tooLarge(error.maxBytes) : error
  }
}

function answer({ resolve, reject }: Job, message: FromDeriver): void {
  if (message.kind === 'derived') resolve(message.bytes)
  else reject(message.kind === 'too-large' ? tooLarge(message.maxBytes) : new Error(message.reason))
}

const tooLarge = (maxBytes: number): RunnerError =>
  new RunnerError('RESULT_TOO_LARGE', { detail: `In this format the result is larger than ${maxBytes} bytes.` })

const overloaded = (): RunnerError =>
  new RunnerError('OVERLOADED', {
    detail: 'Too many large results are being made; try again in a moment.',
    headers: { 'Retry-After': '1' },
  })
