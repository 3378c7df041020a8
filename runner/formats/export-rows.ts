/** Writes the rows of an export in a thread: the library of a format would keep the other calls of this thread waiting. */
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { raced } from '../model/deadline.js'
import type { ResultColumn } from '../model/query.js'
import { startWorker } from '../platform/start-worker.js'
import type { RowWriter } from '../result/row-writer.js'
import type { RowFacts } from './format.js'

/** The `workerData` of the thread. */
export interface ExportStart {
  readonly format: string
  readonly columns: readonly ResultColumn[]
  readonly facts: RowFacts
}

export interface ToExport {
  readonly rows: readonly (readonly string[])[]
  readonly isLast: boolean
}

export type FromExport = { readonly bytes: Uint8Array | null } | { readonly failure: Error }

export class ExportRows {
  readonly #format: string
  readonly #facts: RowFacts
  readonly #ended = new AbortController()
  #worker: Worker | null = null
  #rows: (readonly string[])[] = []

  constructor(format: string, facts: RowFacts) {
    this.#format = format
    this.#facts = facts
  }

  /** Starts the thread, and gives what takes the rows. */
  readonly begin = (columns: readonly ResultColumn[]): Pick<RowWriter, 'add' | 'finish'> => {
    const workerData: ExportStart = { format: this.#format, columns, facts: this.#facts }
    const worker = startWorker('runner/formats/export-worker', { workerData })
    worker.on('error', cause => this.#ended.abort(cause))
    worker.on('exit', code => this.#ended.abort(new Error(`the thread of an export ended with ${code}`)))
    this.#worker = worker
    return { add: cells => void this.#rows.push(cells), finish: () => NO_BYTES }
  }

  /** As RowWriter.takePart. */
  takePart(): Promise<Uint8Array | null> {
    return this.#send(false)
  }

  /** As RowWriter.finish. */
  async finish(): Promise<Uint8Array> {
    return (await this.#send(true))!
  }

  /** Ends the thread. */
  close(): void {
    void this.#worker?.terminate()
  }

  async #send(isLast: boolean): Promise<Uint8Array | null> {
    const worker = this.#worker!
    const answer = raced(once(worker, 'message'), this.#ended.signal)
    worker.postMessage({ rows: this.#rows, isLast } satisfies ToExport)
    this.#rows = []
    const [message] = (await answer) as [FromExport]
    if ('failure' in message) throw message.failure
    return message.bytes
  }
}

const NO_BYTES = new Uint8Array()
