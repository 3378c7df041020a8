/** The embedded engine as a library: tables in, rows out. */
import { tmpdir } from 'node:os'
import { fieldsToColumns, requiredPaths, type SchemaField, typeLimits } from '../../../googlesql/index.js'
import { toTable } from '../../formats/table.js'
import { RunnerError, UsageError } from '../../model/errors.js'
import type { Clock, Engine } from '../../model/ports.js'
import type { BoundValue } from '../../model/query.js'
import { QueryFault } from '../../model/query-fault.js'
import { openDuckdbEngine } from './open-engine.js'

export interface EmbeddedTable {
  /** Fields as `bq show --schema --format=prettyjson` prints them. */
  readonly schema: readonly SchemaField[]
  /** Rows as objects by column name, with values as in results. */
  readonly rows?: readonly object[]
  /** Parquet, NDJSON or CSV files. */
  readonly files?: readonly string[]
}

export interface EmbeddedEngineOptions {
  /**
   * The tables by name, dots included: `sales.orders`. If no table has the name that a query uses, the name means the table
   * whose name differs only in case, if there is exactly one such table.
   */
  readonly tables: Readonly<Record<string, EmbeddedTable>>
  /** DuckDB's memory limit in megabytes. @default 2048 */
  readonly memoryLimitMb?: number
  /** The number of threads. @default 2 */
  readonly threads?: number
  /** The timeout of a query in milliseconds. @default 60,000 */
  readonly timeoutMs?: number
}

export type EmbeddedEngine = Awaited<ReturnType<typeof openEmbedded>>

const DEFAULT_TIMEOUT_MS = 60_000
const MAX_RESULT_BYTES = 256_000_000

/** @throws UsageError when a table's schema names an unknown type, SetupError when DuckDB cannot be opened. */
export async function openEmbedded(options: EmbeddedEngineOptions, clock: Clock) {
  const engine = await openDuckdbEngine({
    dataDir: null,
    database: null,
    tables: Object.entries(options.tables).map(([name, table]) => tableSource(name, table)),
    naming: { project: null, defaultDataset: null, ignoresCase: true },
    memoryLimitMb: options.memoryLimitMb ?? 2_048,
    threads: options.threads ?? 2,
    tempDir: tmpdir(),
    maxResultBytes: MAX_RESULT_BYTES,
    observe: () => undefined,
    clock,
  })
  return {
    /**
     * Runs BigQuery SQL. Values of rows are as in the HTTP results: INT64 a number or, beyond ±(2^53−1), a string, and so on.
     * @throws QueryFault in BigQuery's words when the query is at fault, RunnerError otherwise.
     */
    query: (sql: string, parameters: Readonly<Record<string, BoundValue>> = {}) =>
      query(engine, sql, parameters, options.timeoutMs ?? DEFAULT_TIMEOUT_MS),
    close: () => engine.close(),
  }
}

function tableSource(name: string, { schema, rows, files }: EmbeddedTable) {
  const columns = fieldsToColumns(schema)
  if (!columns) throw new UsageError([`The schema of ${name} has a type that BigQuery does not know`])
  return {
    definition: { name, columns, required: requiredPaths(schema), limits: typeLimits(schema) },
    // A table with neither rows nor files is empty.
    ...(rows || !files ? { rows: rows ?? [] } : {}),
    ...(files ? { files } : {}),
  }
}

async function query(engine: Engine, sql: string, parameters: Readonly<Record<string, BoundValue>>, timeoutMs: number) {
  try {
    const { columns, body, isTruncated } = await engine.run(
      { sql, parameters },
      {
        maxRows: Number.POSITIVE_INFINITY,
        timestamps: 'iso8601',
        endpoint: 'query',
        timeoutMs,
        signal: new AbortController().signal,
      },
    )
    const facts = { endpoint: 'query', revision: '', isTruncated, timestamps: 'iso8601' } as const
    const table: { readonly rows: unknown[][] } = JSON.parse(
      Buffer.from(toTable(columns, body, facts)).toString('utf8'),
    )
    return { columns: [...columns], rows: table.rows }
  } catch (error) {
    // The caller of the library wrote the query, so the mistake in it is not hidden.
    throw error instanceof RunnerError && error.cause instanceof QueryFault ? error.cause : error
  }
}
