/** A worker thread that answers each message with one message. */
import { once } from 'node:events'
import type { Transferable, Worker, WorkerOptions } from 'node:worker_threads'
import { raced } from '../model/deadline.js'
import { startWorker } from './start-worker.js'

export class AskedThread {
  readonly worker: Worker
  readonly #ending = new AbortController()

  /** Takes what startWorker takes. */
  constructor(module: string, options: Pick<WorkerOptions, 'workerData'> = {}) {
    this.worker = startWorker(module, options)
    this.worker.on('error', cause => this.#ending.abort(cause))
    this.worker.on('exit', code => this.#ending.abort(new Error(`the thread ${module} ended with ${code}`)))
  }

  /** Fires when the thread has ended, with an error as its reason. */
  get ended(): AbortSignal {
    return this.#ending.signal
  }

  /** Only one message may wait for its answer. @throws what has ended the thread. */
  async ask<Answer>(message: unknown, transferred: readonly Transferable[] = []): Promise<Answer> {
    const answer = raced(once(this.worker, 'message'), this.ended)
    this.worker.postMessage(message, transferred)
    return (await answer)[0]
  }
}
