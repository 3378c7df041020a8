/** A temporary dataset: tables with a few rows, all removed at the end. */

import { randomUUID } from 'node:crypto'
import type { TableSchema } from '@google-cloud/bigquery'
import type { SchemaField } from '../../googlesql/index.js'
import { clientFailure, type OpenedAccess } from '../../runner/engines/bigquery/index.js'
import { raced } from '../../runner/model/deadline.js'
import { RunnerError, SetupError } from '../../runner/model/errors.js'
import { systemClock } from '../../runner/platform/clock.js'

/** BigQuery does not take the rows of a table; the message is its own. */
export class RefusedRowsError extends Error {
  override readonly name = 'RefusedRowsError'
}

/** Where the process dies before it removes the dataset, BigQuery removes the tables after this. */
const TABLES_KEPT_MS = 3_600_000
/** The client waits for an answer without end. */
const WITHIN_MS = 300_000
const REMOVE_WITHIN_MS = 60_000
/** How often the rows of a table are sent: the client does not repeat an upload. */
const MAX_UPLOADS = 3
const REMOVING = 'remove the dataset'
/** BigQuery takes no larger upload in one request. */
const MAX_UPLOAD_BYTES = 10_000_000

/** Makes the dataset; `signal` cancels the adding of tables. @throws SetupError */
export async function createScratchDataset(
  { client, project }: OpenedAccess,
  location: string | null,
  signal: AbortSignal,
) {
  const own = { ...(location !== null && { location }) }
  const dataset = `sluice_test_${systemClock().nowMs()}_${randomUUID().replaceAll('-', '').slice(0, 12)}`

  async function attempt<T>(what: string, work: () => Promise<T>): Promise<T> {
    const isRemoving = what === REMOVING
    try {
      const inTime = raced(work(), AbortSignal.timeout(isRemoving ? REMOVE_WITHIN_MS : WITHIN_MS))
      return await (isRemoving ? inTime : raced(inTime, signal))
    } catch (cause) {
      if (cause instanceof RefusedRowsError) throw cause
      if (signal.aborted && !isRemoving) throw new RunnerError('CALL_ABANDONED', { cause })
      throw new SetupError(`cannot ${what} ${project}.${dataset}: ${clientFailure(cause).text}`, { cause })
    }
  }

  async function load(table: string, fields: readonly SchemaField[], ndjson: Uint8Array): Promise<void> {
    if (ndjson.byteLength > MAX_UPLOAD_BYTES) {
      throw new RefusedRowsError(`the rows have ${ndjson.byteLength} bytes, more than ${MAX_UPLOAD_BYTES}`)
    }
    for (let uploads = 1; ; uploads++) {
      try {
        return await upload(table, fields, ndjson)
      } catch (thrown) {
        if (thrown instanceof RefusedRowsError || uploads >= MAX_UPLOADS || signal.aborted) throw thrown
      }
    }
  }

  /** Resolves when the rows are in the table. */
  function upload(table: string, fields: readonly SchemaField[], ndjson: Uint8Array): Promise<void> {
    const stream = client
      .dataset(dataset)
      .table(table, own)
      .createWriteStream({
        schema: { fields } as TableSchema,
        sourceFormat: 'NEWLINE_DELIMITED_JSON',
        // So that it may be sent again where no answer came.
        writeDisposition: 'WRITE_TRUNCATE',
      })
    return new Promise((resolve, reject) => {
      stream.once('complete', () => resolve())
      stream.once('error', thrown => reject(refusalOf(thrown) ?? thrown))
      stream.end(Buffer.from(ndjson))
    })
  }

  async function remove(): Promise<void> {
    try {
      await attempt(REMOVING, () => client.dataset(dataset).delete({ force: true }))
    } catch (thrown) {
      if (statusOf(thrown) !== NOT_FOUND) throw thrown
    }
  }

  /** Ignores that a thing exists already: names are never used twice, so an attempt without an answer has made it. */
  async function once(what: string, work: () => Promise<unknown>): Promise<void> {
    await attempt(what, work).catch((thrown: unknown) => {
      if (statusOf(thrown) !== CONFLICT) throw thrown
    })
  }

  try {
    await once('make the dataset', () =>
      client.createDataset(dataset, {
        ...own,
        defaultTableExpirationMs: String(TABLES_KEPT_MS),
        description: 'Tables of a run of sluice test. It may be deleted.',
      }),
    )
  } catch (thrown) {
    // The dataset may have been made although no answer came.
    await remove().catch(() => {})
    throw thrown
  }

  let tables = 0
  return {
    /** `project.dataset` */
    name: `${project}.${dataset}`,
    /**
     * Makes a table; resolves to its name, `project.dataset.table`.
     * @param ndjson its rows, or null for none
     * @param table a name that no other table of the dataset has, without the letter `t` and a number; by default it is one of these
     * @throws RefusedRowsError for rows that BigQuery does not take, SetupError
     */
    async addTable(
      declared: readonly SchemaField[],
      ndjson: Uint8Array | null,
      table = `t${++tables}`,
    ): Promise<string> {
      const fields = declared.map(plainField)
      if (ndjson !== null) await attempt('add a table to', () => load(table, fields, ndjson))
      else {
        const schema = { fields } as TableSchema
        await once('add a table to', () => client.dataset(dataset).createTable(table, { schema }))
      }
      return `${project}.${dataset}.${table}`
    },
    /** Removes the dataset with its tables, also where `signal` has fired. @throws SetupError */
    remove,
  }
}

const NOT_FOUND = 404
const CONFLICT = 409

const statusOf = (thrown: unknown): number | null =>
  thrown instanceof SetupError ? clientFailure(thrown.cause).status : null

/** The failure of the job that loads the rows, which, unlike a failed request, has no status; null for any other. */
function refusalOf(thrown: unknown): RefusedRowsError | null {
  const { code, errors } = thrown as {
    readonly code?: unknown
    readonly errors?: readonly { readonly message?: string }[]
  }
  const isOfJob = code === undefined && errors !== undefined
  return isOfJob ? new RefusedRowsError(errors[0]?.message ?? 'BigQuery gives no reason') : null
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
