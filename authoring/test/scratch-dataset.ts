/** A temporary dataset: tables with a few rows, all removed at the end. */

import { randomUUID } from 'node:crypto'
import type { TableSchema } from '@google-cloud/bigquery'
import type { SchemaField } from '../../googlesql/index.js'
import { clientFailure, type OpenedAccess } from '../../runner/engines/bigquery/index.js'
import { raced } from '../../runner/model/deadline.js'
import { RunnerError, SetupError } from '../../runner/model/errors.js'
import { systemClock } from '../../runner/platform/clock.js'

/** BigQuery has refused the rows of a table; the message is BigQuery's. */
export class RefusedRowsError extends Error {
  override readonly name = 'RefusedRowsError'
}

/** After this time BigQuery removes the tables, in case the process dies before it removes the dataset. */
const TABLES_KEPT_MS = 3_600_000
/** The longest wait for an answer, in milliseconds: Google's client itself would wait for ever. */
const TIMEOUT_MS = 300_000
const REMOVE_TIMEOUT_MS = 60_000
/** The largest upload that BigQuery takes in one request. */
const MAX_UPLOAD_BYTES = 10_000_000

/** Makes the dataset; `signal` cancels the adding of tables. @throws SetupError */
export async function createScratchDataset(
  access: OpenedAccess,
  location: string | null,
  signal: AbortSignal,
): Promise<ScratchDataset> {
  const dataset = new ScratchDataset(access, location, signal)
  try {
    await dataset.make()
    return dataset
  } catch (thrown) {
    // The dataset may have been made although no answer came.
    await dataset.close().catch(() => {})
    throw thrown
  }
}

class ScratchDataset {
  readonly #client: OpenedAccess['client']
  readonly #id = `sluice_test_${systemClock().nowMs()}_${randomUUID().replaceAll('-', '').slice(0, 12)}`
  readonly #location: { readonly location?: string }
  readonly #signal: AbortSignal
  /** `project.dataset` */
  readonly name: string
  #tables = 0

  constructor({ client, project }: OpenedAccess, location: string | null, signal: AbortSignal) {
    this.#client = client
    this.#location = location === null ? {} : { location }
    this.#signal = signal
    this.name = `${project}.${this.#id}`
  }

  make(): Promise<void> {
    return this.#attempt('make the dataset', () =>
      this.#client.createDataset(this.#id, {
        ...this.#location,
        defaultTableExpirationMs: String(TABLES_KEPT_MS),
        description: 'Tables of a run of sluice test. It may be deleted.',
      }),
    )
  }

  /**
   * Makes a table; resolves to its name, `project.dataset.table`.
   * @param ndjson its rows, or null for none
   * @param table a name that no other table of the dataset has, and not `t` with a number; by default `t1`, `t2`, …
   * @throws RefusedRowsError for rows that BigQuery does not take, SetupError
   */
  async addTable(
    declared: readonly SchemaField[],
    ndjson: Uint8Array | null,
    table = `t${++this.#tables}`,
  ): Promise<string> {
    const what = 'add a table to'
    const schema = { fields: declared.map(plainField) } as TableSchema
    if (ndjson !== null) await this.#attempt(what, () => this.#load(table, schema, ndjson))
    else await this.#attempt(what, () => this.#client.dataset(this.#id).createTable(table, { schema }))
    return `${this.name}.${table}`
  }

  /** Removes the dataset with its tables, also where the signal has fired. @throws SetupError */
  async close(): Promise<void> {
    try {
      const removal = this.#client.dataset(this.#id).delete({ force: true })
      await raced(removal, AbortSignal.timeout(REMOVE_TIMEOUT_MS))
    } catch (cause) {
      if (clientFailure(cause).status !== NOT_FOUND) throw this.#failure('remove the dataset', cause)
    }
  }

  async #attempt(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await raced(raced(work(), AbortSignal.timeout(TIMEOUT_MS)), this.#signal)
    } catch (cause) {
      // No name is used twice, so a conflict means that the client has repeated a request whose answer was lost.
      if (clientFailure(cause).status === CONFLICT) return
      if (cause instanceof RefusedRowsError) throw cause
      if (this.#signal.aborted) throw new RunnerError('CALL_ABANDONED', { cause })
      throw this.#failure(what, cause)
    }
  }

  #failure(what: string, cause: unknown): SetupError {
    return new SetupError(`cannot ${what} ${this.name}: ${clientFailure(cause).text}`, { cause })
  }

  /** Resolves when the rows are in the table. */
  async #load(table: string, schema: TableSchema, ndjson: Uint8Array): Promise<void> {
    if (ndjson.byteLength > MAX_UPLOAD_BYTES) {
      throw new RefusedRowsError(`the rows have ${ndjson.byteLength} bytes, more than ${MAX_UPLOAD_BYTES}`)
    }
    const options = { schema, sourceFormat: 'NEWLINE_DELIMITED_JSON' } as const
    const stream = this.#client.dataset(this.#id).table(table, this.#location).createWriteStream(options)
    return new Promise((resolve, reject) => {
      stream.once('complete', () => resolve())
      stream.once('error', thrown => reject(refusalOf(thrown) ?? thrown))
      stream.end(Buffer.from(ndjson))
    })
  }
}

const NOT_FOUND = 404
const CONFLICT = 409

/** The failure of the job that loads the rows; null for any other failure. Unlike a failed request, a failed job has no status. */
function refusalOf(thrown: unknown): RefusedRowsError | null {
  const { code, errors } = thrown as {
    readonly code?: unknown
    readonly errors?: readonly { readonly message?: string }[]
  }
  const isJobFailure = code === undefined && errors !== undefined
  return isJobFailure ? new RefusedRowsError(errors[0]?.message ?? 'BigQuery gives no reason') : null
}

/** The field without REQUIRED, since tests leave columns out, and without policy tags, which would refuse to show its values. */
function plainField({ name, type, mode, fields, precision, scale, maxLength }: SchemaField): SchemaField {
  return {
    name,
    type,
    mode: mode?.toUpperCase() === 'REPEATED' ? 'REPEATED' : 'NULLABLE',
    ...(fields && { fields: fields.map(plainField) }),
    ...(precision !== undefined && { precision }),
    ...(scale !== undefined && { scale }),
    ...(maxLength !== undefined && { maxLength }),
  }
}
