/** Writes the rows of an export in a thread: the library of a format would keep the other calls of this thread waiting. */
import type { ResultColumn } from '../model/query.js'
import { AskedThread } from '../platform/asked-thread.js'
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
  #thread: AskedThread | null = null
  #rows: (readonly string[])[] = []

  constructor(format: string, facts: RowFacts) {
    this.#format = format
    this.#facts = facts
  }

  /** Starts the thread, and returns the writer that collects rows for it. */
  readonly begin = (columns: readonly ResultColumn[]): Pick<RowWriter, 'add' | 'finish'> => {
    const workerData: ExportStart = { format: this.#format, columns, facts: this.#facts }
    this.#thread = new AskedThread('runner/formats/export-worker', { workerData })
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
    void this.#thread?.worker.terminate()
  }

  async #send(isLast: boolean): Promise<Uint8Array | null> {
    const rows = this.#rows
    this.#rows = []
    const answer = await this.#thread!.ask<FromExport>({ rows, isLast } satisfies ToExport)
    if ('failure' in answer) throw answer.failure
    return answer.bytes
  }
}

const NO_BYTES = new Uint8Array()
