/** A temporary dataset: tables with a few rows, all removed at the end. */

import type { TableSchema } from '@google-cloud/bigquery'
import type { SchemaField } from '../../googlesql/index.js'
import {
  type Access,
  BigQueryFailure,
  clientOver,
  createSender,
  createTransport,
  jobOf,
  pause,
  type RestJob,
  type RestJobReference,
  TransportError,
} from '../../runner/engines/bigquery/index.js'
import { RunnerError, SetupError } from '../../runner/model/errors.js'
import type { Clock } from '../../runner/model/ports.js'

export interface ScratchDataset {
  /** `project.dataset` */
  readonly name: string
  /**
   * Makes a table; resolves to its name, `project.dataset.table`.
   * @param ndjson its rows, or null for none
   * @param name a name that no other table of the dataset has, without the letter `t` and a number; by default it is one of these
   * @throws RefusedRowsError for rows that BigQuery does not take, SetupError
   */
  addTable(fields: readonly SchemaField[], ndjson: Uint8Array | null, name?: string): Promise<string>
  /** Removes the dataset with its tables, also where `signal` has fired. @throws SetupError */
  remove(): Promise<void>
}

/** BigQuery does not take the rows of a table; the message is its own. */
export class RefusedRowsError extends Error {
  override readonly name = 'RefusedRowsError'
}

export interface ScratchDatasetDeps {
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  readonly location: string | null
  /** Cancels the adding of tables. */
  readonly signal: AbortSignal
}

/** Where the process dies before it removes the dataset, BigQuery removes the tables after this. */
const TABLES_KEPT_MS = 3_600_000
const ATTEMPT_MS = 60_000
const WITHIN_MS = 300_000
const REMOVE_WITHIN_MS = 60_000
const POLL_MS = 500
const REMOVING = 'remove the dataset'
/** BigQuery takes no larger upload in one request. */
const MAX_UPLOAD_BYTES = 10_000_000

/** Makes the dataset. @throws SetupError */
export async function createScratchDataset(access: Access, deps: ScratchDatasetDeps): Promise<ScratchDataset> {
  const { clock, random, location, signal } = deps
  const { project } = access
  const transport = createTransport(access)
  const sender = createSender({ transport, clock, random })
  const client = clientOver(sender, project)
  const limits = { attemptMs: ATTEMPT_MS, onRetry: () => {}, signal }
  const within = () => client({ ...limits, until: clock.nowMs() + WITHIN_MS })
  const suffix = Array.from({ length: 12 }, () => Math.floor(random() * 36).toString(36)).join('')
  const dataset = `sluice_test_${clock.nowMs()}_${suffix}`

  async function attempt<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (cause) {
      if (signal.aborted && what !== REMOVING) throw new RunnerError('CALL_ABANDONED', { cause })
      if (!(cause instanceof BigQueryFailure || cause instanceof TransportError)) throw cause
      throw new SetupError(`cannot ${what} ${project}.${dataset}: ${cause.message}`, { cause })
    }
  }

  async function load(table: string, fields: readonly SchemaField[], ndjson: Uint8Array): Promise<void> {
    if (ndjson.byteLength > MAX_UPLOAD_BYTES) {
      throw new RefusedRowsError(`the rows have ${ndjson.byteLength} bytes, more than ${MAX_UPLOAD_BYTES}`)
    }
    const body = {
      configuration: {
        load: {
          destinationTable: { projectId: project, datasetId: dataset, tableId: table },
          schema: { fields },
          sourceFormat: 'NEWLINE_DELIMITED_JSON',
          // So that it may be sent again where no answer came.
          writeDisposition: 'WRITE_TRUNCATE',
        },
      },
      ...(location !== null && { jobReference: { projectId: project, location } }),
    }
    const call = {
      method: 'POST',
      path: `projects/${encodeURIComponent(project)}/jobs`,
      query: { uploadType: 'multipart' },
      body,
      file: ndjson,
      signal,
    } as const
    let job = (await sender.send(call, { ...limits, until: clock.nowMs() + WITHIN_MS })) as RestJob
    const until = clock.nowMs() + WITHIN_MS
    while (job.status?.state !== 'DONE') {
      if (clock.nowMs() > until) throw new SetupError(`the rows of ${dataset}.${table} were not loaded in time`)
      await pause(POLL_MS, signal, clock)
      const [metadata] = await jobOf(within(), job.jobReference as RestJobReference).getMetadata()
      job = metadata as RestJob
    }
    const failure = job.status.errorResult
    if (failure !== undefined)
      throw new RefusedRowsError(failure.message ?? failure.reason ?? 'BigQuery gives no reason')
  }

  async function remove(): Promise<void> {
    try {
      await attempt(REMOVING, async () => {
        const own = { ...limits, signal: new AbortController().signal, until: clock.nowMs() + REMOVE_WITHIN_MS }
        await client(own).dataset(dataset).delete({ force: true })
      })
    } catch (thrown) {
      if (statusOf(thrown) !== NOT_FOUND) throw thrown
    } finally {
      transport.close()
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
      within().createDataset(dataset, {
        ...(location !== null && { location }),
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
    name: `${project}.${dataset}`,
    async addTable(declared, ndjson, table = `t${++tables}`) {
      const fields = declared.map(plainField)
      if (ndjson !== null) await attempt('add a table to', () => load(table, fields, ndjson))
      else {
        const schema = { fields } as TableSchema
        await once('add a table to', () => within().dataset(dataset).createTable(table, { schema }))
      }
      return `${project}.${dataset}.${table}`
    },
    remove,
  }
}

const NOT_FOUND = 404
const CONFLICT = 409

const statusOf = (thrown: unknown): number | null =>
  thrown instanceof SetupError && thrown.cause instanceof BigQueryFailure ? thrown.cause.status : null

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
