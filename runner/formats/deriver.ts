/** Converts stored JSON results to other formats: small ones in this thread, large ones and those that need a library in a worker thread. */
import type { Worker } from 'node:worker_threads'
import { RunnerError } from '../model/errors.js'
import { joinInTurns } from '../model/in-turns.js'
import type { Clock } from '../model/ports.js'
import type { ResultColumn } from '../model/query.js'
import { startWorker } from '../platform/start-worker.js'
import { BodyTooLargeError } from '../result/body.js'
import type { ResultFacts } from './format.js'
import { derive, formatOf, type ResultFormat } from './index.js'

export interface ToDeriver {
  readonly format: ResultFormat
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

const isLarge = ({ json }: Pick<Job, 'json'>): boolean => json.byteLength >= LARGE_BYTES

export class Deriver {
  readonly #clock: Clock
  readonly #idleMs: number
  #worker: Worker | null = null
  /** Those that wait, behind the one that the thread has. */
  #jobs: Job[] = []
  #cancelIdle: (() => void) | null = null
  #isClosed = false

  /** `idleMs`: the thread ends after this long without work. */
  constructor(clock: Clock, idleMs = IDLE_MS) {
    this.#clock = clock
    this.#idleMs = idleMs
  }

  /**
   * The result in this format: bytes that are alone in their buffer. The JSON must not change meanwhile.
   * @throws RunnerError RESULT_TOO_LARGE where there are more than `maxBytes`, OVERLOADED while too many large results
   *   wait; any other error is a bug, such as JSON that is not a result.
   */
  async derive(
    format: ResultFormat,
    columns: readonly ResultColumn[],
    json: Uint8Array,
    facts: ResultFacts,
  ): Promise<Uint8Array> {
    const result: ToDeriver = { format, columns, json, facts }
    if (!isLarge(result) && !formatOf(format).hasLibrary) return deriveHere(result)
    const isFull = isLarge(result) && this.#jobs.filter(isLarge).length >= MOST_LARGE
    if (this.#isClosed || isFull) throw overloaded()
    return new Promise((resolve, reject) => {
      this.#jobs.push({ ...result, resolve, reject })
      if (this.#jobs.length === 1) this.#begin()
    })
  }

  /** Ends the thread; waiting calls are rejected with OVERLOADED. */
  close(): void {
    this.#isClosed = true
    const rejected = this.#jobs
    this.#jobs = []
    this.#end()
    for (const job of rejected) job.reject(overloaded())
  }

  /** Gives the first job to the thread. */
  #begin(): void {
    const [job] = this.#jobs
    this.#cancelIdle?.()
    this.#cancelIdle = null
    // Only work keeps the process alive.
    if (!job) {
      this.#worker?.unref()
      if (this.#worker) this.#cancelIdle = this.#clock.after(this.#idleMs, () => this.#end())
      return
    }
    this.#worker ??= this.#start()
    this.#worker.ref()
    void send(job, this.#worker)
  }

  #start(): Worker {
    const worker = startWorker('runner/formats/derive-worker')
    const lose = (error: Error): void => {
      if (this.#worker !== worker) return
      this.#worker = null
      this.#settle(job => job.reject(error))
    }
    worker.on('message', (message: FromDeriver) => this.#settle(job => answer(job, message)))
    worker.on('error', lose)
    worker.on('exit', code => lose(new Error(`the thread that derives formats ended with ${code}`)))
    return worker
  }

  #settle(report: (job: Job) => void): void {
    const job = this.#jobs.shift()
    if (job) report(job)
    this.#begin()
  }

  #end(): void {
    const worker = this.#worker
    this.#worker = null
    this.#cancelIdle?.()
    this.#cancelIdle = null
    void worker?.terminate()
  }
}

async function send({ format, columns, facts, json: original }: Job, worker: Worker): Promise<void> {
  // A copy: the cache still serves the original, and a view would be cloned with all of its buffer.
  const json = await joinInTurns([original])
  const message: ToDeriver = { format, columns, json, facts }
  worker.postMessage(message, [json.buffer as ArrayBuffer])
}

async function deriveHere({ format, columns, json, facts }: ToDeriver): Promise<Uint8Array> {
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
