/** Converts stored JSON results to other formats: in worker threads if the result is not small or the format needs a library. */
import { RunnerError, retryLater } from '../model/errors.js'
import { FairTurns, ONE_OF_CALLER, type Share } from '../model/fair-queue.js'
import { joinInTurns } from '../model/in-turns.js'
import type { Clock } from '../model/ports.js'
import { AskedThread } from '../platform/asked-thread.js'
import { derive, formatOf } from './index.js'
import { refusalOf } from './refusal.js'

export type ToDeriver = Parameters<typeof derive>

export type FromDeriver =
  | { readonly kind: 'derived'; readonly bytes: Uint8Array }
  | { readonly kind: 'too-large'; readonly detail: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** Results from this size on are converted in a thread, since some would block the event loop for more than 10 ms. */
export const MIN_THREAD_BYTES = 200_000
/** Results from this size on are large: each caller holds its result in memory while it waits. */
export const LARGE_BYTES = 1_000_000
/** The most large results that wait or are being converted, and the most of one token. */
const MOST_LARGE = 64
const MOST_LARGE_OF_TOKEN = MOST_LARGE / 2
const IDLE_MS = 30_000

const isLarge = ([, , json]: ToDeriver): boolean => json.byteLength >= LARGE_BYTES

export class Deriver {
  readonly #clock: Clock
  readonly #idleMs: number
  readonly #turns = new FairTurns(ONE_OF_CALLER)
  /** The token of each job that a thread has or that waits for one. */
  readonly #jobs = new Map<ToDeriver, string>()
  readonly #threads = new Set<AskedThread>()
  /** The threads that have no job. */
  #idle: AskedThread[] = []
  #cancelIdle = (): void => {}
  #isClosed = false

  /** `idleMs`: the threads end after this long without work. */
  constructor(clock: Clock, idleMs = IDLE_MS) {
    this.#clock = clock
    this.#idleMs = idleMs
  }

  /**
   * The result in this format: bytes that are alone in their buffer. The JSON must not change meanwhile.
   * @throws RunnerError RESULT_TOO_LARGE where the format cannot hold it or it has more than `maxBytes`, OVERLOADED while too many
   *   large results wait; any other error is a bug, such as JSON that is not a result.
   */
  async derive(share: Share, ...job: ToDeriver): Promise<Uint8Array> {
    const [format, , json] = job
    if (json.byteLength < MIN_THREAD_BYTES && !formatOf(format).needsLibrary) return deriveHere(job)
    if (isLarge(job) && this.#isFull(share.caller)) throw overloaded()
    this.#jobs.set(job, share.caller)
    this.#cancelIdle()
    try {
      return await this.#turns.run(share, () => this.#deriveThere(job))
    } catch (error) {
      throw this.#isClosed ? overloaded() : error
    } finally {
      this.#jobs.delete(job)
      if (this.#jobs.size === 0) this.#cancelIdle = this.#clock.after(this.#idleMs, () => this.#end())
    }
  }

  /** Ends the threads; waiting calls are rejected with OVERLOADED. */
  close(): void {
    this.#isClosed = true
    this.#end()
  }

  #isFull(token: string): boolean {
    const tokens = [...this.#jobs].flatMap(([job, token]) => (isLarge(job) ? [token] : []))
    return tokens.length >= MOST_LARGE || tokens.filter(other => other === token).length >= MOST_LARGE_OF_TOKEN
  }

  async #deriveThere(job: ToDeriver): Promise<Uint8Array> {
    if (this.#isClosed) throw overloaded()
    const thread = this.#idle.pop() ?? this.#start()
    thread.worker.ref() // Only work keeps the process alive.
    const answer = await ask(thread, job)
    thread.worker.unref()
    this.#idle.push(thread)
    if (answer.kind === 'derived') return answer.bytes
    throw answer.kind === 'too-large' ? tooLarge(answer.detail) : new Error(answer.reason)
  }

  #start(): AskedThread {
    const thread = new AskedThread('runner/formats/derive-worker')
    this.#threads.add(thread)
    thread.ended.addEventListener('abort', () => {
      this.#threads.delete(thread)
      this.#idle = this.#idle.filter(other => other !== thread)
    })
    return thread
  }

  #end(): void {
    this.#cancelIdle()
    this.#idle = []
    for (const { worker } of this.#threads) void worker.terminate()
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
