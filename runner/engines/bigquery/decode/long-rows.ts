/** Decodes long rows in a thread of their own: a row of 7 MB, with an array of 100,000 STRUCTs, would delay all other calls by 0.5 s. */
import type { RunOptions } from '../../../model/ports.js'
import { AskedThread } from '../../../platform/asked-thread.js'
import type { RestSchema } from '../rest-messages.js'

/** The `workerData` of the thread. */
export interface LongRowsStart extends Pick<RunOptions, 'timestamps' | 'contract'> {
  readonly schema: RestSchema
}

/** The texts of the values of each row; null where the rows are not those of the schema. */
export type LongRowsCells = readonly (readonly string[])[] | null

export class LongRows {
  readonly #options: Omit<LongRowsStart, 'schema'>
  #thread: AskedThread | null = null

  constructor({ timestamps, contract = [] }: Omit<LongRowsStart, 'schema'>) {
    this.#options = { timestamps, contract }
  }

  /** @param rows JSON of the rows, without the brackets around them @returns null also where the thread runs out of memory */
  async cellsOf(schema: RestSchema, rows: string): Promise<LongRowsCells> {
    const workerData: LongRowsStart = { ...this.#options, schema }
    this.#thread ??= new AskedThread('runner/engines/bigquery/decode/long-rows-worker', { workerData })
    return this.#thread.ask<LongRowsCells>(rows).catch(() => null)
  }

  /** Ends the thread. */
  close(): void {
    void this.#thread?.worker.terminate()
  }
}
