/** Converts stored JSON results to other formats: in a worker thread if the result is large or the format needs a library. */
import { RunnerError, retryLater } from '../model/errors.js'
import { joinInTurns } from '../model/in-turns.js'
import type { Clock } from '../model/ports.js'
import { AskedThread } from '../platform/asked-thread.js'
import { derive, formatOf } from './index.js'
import { refusalOf } from './refusal.js'

/** The format, and what it is written from. */
export type ToDeriver = Parameters<typeof derive>

export type FromDeriver =
  | { readonly kind: 'derived'; readonly bytes: Uint8Array }
  | { readonly kind: 'too-large'; readonly detail: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** Results from this size on are converted in the thread, since they would block the event loop for more than 10 ms. */
export const LARGE_BYTES = 1_000_000
/** The most large results that wait or are being converted. Each caller holds its result in memory. */
const MOST_LARGE = 64
const IDLE_MS = 30_000

const isLarge = ([, , json]: ToDeriver): boolean => json.byteLength >= LARGE_BYTES

export class Deriver {
  readonly #clock: Clock
  readonly #idleMs: number
  #thread: AskedThread | null = null
  /** The jobs that the thread has or that wait for it; `#last` settles with the last of them. */
  readonly #jobs = new Set<ToDeriver>()
  #last: Promise<unknown> = Promise.resolve()
  #cancelIdle = (): void => {}
  #isClosed = false

  /** `idleMs`: the thread ends after this long without work. */
  constructor(clock: Clock, idleMs = IDLE_MS) {
    this.#clock = clock
    this.#idleMs = idleMs
  }

  /**
   * The result in this format: bytes that are alone in their buffer. The JSON must not change meanwhile.
   * @throws RunnerError RESULT_TOO_LARGE where the format cannot hold it or it has more than `maxBytes`, OVERLOADED while too many
   *   large results wait; any other error is a bug, such as JSON that is not a result.
   */
  async derive(...job: ToDeriver): Promise<Uint8Array> {
    if (!isLarge(job) && !formatOf(job[0]).hasLibrary) return deriveHere(job)
    if (this.#isClosed || (isLarge(job) && [...this.#jobs].filter(isLarge).length >= MOST_LARGE)) throw overloaded()
    this.#jobs.add(job)
    const derived = this.#last.then(() => this.#deriveThere(job))
    this.#last = derived.catch(() => {})
    return derived
  }

  /** Ends the thread; waiting calls are rejected with OVERLOADED. */
  close(): void {
    this.#isClosed = true
    this.#end()
  }

  async #deriveThere(job: ToDeriver): Promise<Uint8Array> {
    try {
      if (this.#isClosed) throw overloaded()
      this.#cancelIdle()
      this.#thread ??= this.#start()
      this.#thread.worker.ref() // Only work keeps the process alive.
      const message = await ask(this.#thread, job)
      if (message.kind === 'derived') return message.bytes
      throw message.kind === 'too-large' ? tooLarge(message.detail) : new Error(message.reason)
    } catch (error) {
      throw this.#isClosed ? overloaded() : error
    } finally {
      this.#jobs.delete(job)
      if (this.#jobs.size === 0) this.#thread?.worker.unref()
      if (this.#jobs.size === 0 && this.#thread) this.#cancelIdle = this.#clock.after(this.#idleMs, () => this.#end())
    }
  }

  #start(): AskedThread {
    const thread = new AskedThread('runner/formats/derive-worker')
    thread.ended.addEventListener('abort', () => {
      if (this.#thread === thread) this.#thread = null
    })
    return thread
  }

  #end(): void {
    this.#cancelIdle()
    void this.#thread?.worker.terminate()
    this.#thread = null
  }
}

async function ask(thread: AskedThread, [format, columns, original, facts]: ToDeriver): Promise<FromDeriver> {
  // A copy: the cache still serves the original, and a view would be cloned with all of its buffer.
  const json = await joinInTurns([original])
  return thread.ask([format, columns, json, facts] satisfies ToDeriver, [json.buffer as ArrayBuffer])
}

/** Derives in this thread: small results, and those of a command, where no other call waits. @throws RunnerError RESULT_TOO_LARGE. */
export async function deriveHere(job: ToDeriver): Promise<Uint8Array> {
  try {
    return await derive(...job)
  } catch (error) {
    const detail = refusalOf(error)
    throw detail === null ? error : tooLarge(detail)
  }
}

const tooLarge = (detail: string): RunnerError => new RunnerError('RESULT_TOO_LARGE', { detail })

const overloaded = (): RunnerError =>
  retryLater('OVERLOADED', 'Too many large results are being made; try again in a moment.')
