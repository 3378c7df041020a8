/**
 * Runs JavaScript functions of queries in a thread that is ended when a query has used up its time. DuckDB calls them on this
 * process's main thread and needs the result at once, so the main thread waits.
 */
import { once } from 'node:events'
import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads'
import {
  placeOf,
  type SandboxAnswer,
  type SandboxChannel,
  type SandboxRequest,
  ScalarFunctionError,
  stopwatch,
} from '../../../../googlesql-duckdb/runtime/index.js'
import { startWorker } from '../../../platform/start-worker.js'

/** The time that the JavaScript of one query may take, in milliseconds; see stopwatch. */
export const TIME_LIMIT_MS = 5_000
/** The size of a main thread's stack. With a larger stack, QuickJS takes seconds to notice a recursion that is too deep. */
const STACK_MB = 1

class SandboxFailedError extends Error {
  override readonly name = 'SandboxFailedError'
}

interface Thread {
  readonly worker: Worker
  readonly port: MessagePort
  readonly isAnswered: Int32Array
}

/** The thread, which serves one query at a time. */
export class JavaScriptThread {
  readonly #timeLimitMs: number
  #thread: Thread | null = null
  #remainingMs = 0
  /** Why the JavaScript of the query was stopped; null where it was not. */
  timeOut: string | null = null

  constructor(timeLimitMs = TIME_LIMIT_MS) {
    this.#timeLimitMs = timeLimitMs
  }

  /** Makes the thread ready for a query, which may use the whole time limit. */
  async begin(): Promise<void> {
    this.#remainingMs = this.#timeLimitMs
    this.timeOut = null
    this.#thread ??= await this.#start()
  }

  /** Runs calls as RunJavaScript does. */
  readonly run = (definition: string, calls: readonly string[]): readonly (string | null)[] => {
    if (this.timeOut !== null) throw new ScalarFunctionError(this.timeOut)
    const thread = this.#thread
    if (thread === null) throw new SandboxFailedError('the thread has not begun')
    const spent = stopwatch()
    Atomics.store(thread.isAnswered, 0, 0)
    thread.port.postMessage({ definition, calls } satisfies SandboxRequest)
    // A wake-up may be a late one, for the answer before: only the value says that this answer is there.
    while (Atomics.load(thread.isAnswered, 0) === 0 && spent() < this.#remainingMs) {
      Atomics.wait(thread.isAnswered, 0, 0, Math.max(1, this.#remainingMs - spent()))
    }
    this.#remainingMs -= spent()
    if (Atomics.load(thread.isAnswered, 0) === 0) {
      this.#thread = null
      void thread.worker.terminate()
      this.timeOut = `JavaScript took more than ${this.#timeLimitMs / 1000} s ${placeOf(JSON.parse(definition))}`
      throw new ScalarFunctionError(this.timeOut)
    }
    const answer = receiveMessageOnPort(thread.port)!.message as SandboxAnswer
    if ('results' in answer) return answer.results
    throw answer.refusal === null ? new SandboxFailedError('a call failed') : new ScalarFunctionError(answer.refusal)
  }

  async #start(): Promise<Thread> {
    const { port1: port, port2 } = new MessageChannel()
    const isAnswered = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const worker = startWorker('googlesql-duckdb/runtime/javascript/sandbox-thread', {
      resourceLimits: { stackSizeMb: STACK_MB },
    })
    worker.postMessage({ port: port2, isAnswered } satisfies SandboxChannel, [port2])
    const ended = new Promise<never>((_, reject) => {
      worker.once('error', reject)
      worker.once('exit', code => {
        if (this.#thread?.worker === worker) this.#thread = null
        reject(new SandboxFailedError(`the thread ended with ${code}`))
      })
    })
    await Promise.race([once(port, 'message'), ended])
    ended.catch(() => undefined)
    // The thread does not keep the process alive.
    worker.unref()
    return { worker, port, isAnswered }
  }
}
