/**
 * Tells whether the data that queries read has changed, from metadata of tables, which costs nothing. BigQuery is asked for each table at
 * most once in `pollMs`, for all queries together, and only while callers ask for a query that reads it.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../../model/ports.js'
import type { Query } from '../../model/query.js'
import { QueryFault } from '../../model/query-fault.js'
import { PolledValues } from './polled.js'

/** A table as tables.get describes it: https://cloud.google.com/bigquery/docs/reference/rest/v2/tables#Table. */
export interface TableMetadata {
  readonly type?: string
  /** Milliseconds since 1970, as digits. */
  readonly lastModifiedTime?: string
  readonly numRows?: string
  readonly streamingBuffer?: { readonly estimatedRows?: string; readonly oldestEntryTime?: string }
}

/** A table by its full name, `project.dataset.table`. */
export type TableName = string

export interface DataStateDeps {
  readonly clock: Clock
  readonly pollMs: number
  readonly describeTable: (table: TableName) => Promise<TableMetadata>
  /** The tables and views that a query names; null where they are not known here. */
  readonly namedTables: (query: Query) => readonly TableName[] | null
  /** All tables that the query reads, also those behind views: a dry run finds them. */
  readonly readTables: (query: Query) => Promise<readonly TableName[]>
  /** Called when BigQuery does not answer. `what` names the table, or the tables of a query, that it was asked for. */
  readonly onFailure: (what: string, cause: unknown) => void
}

/** For how long the list of the tables behind a query's views is used. A view that is replaced is noticed earlier: its own time changes. */
const TABLES_KEPT_MS = 600_000
/** For how long results are kept while rows are streamed to a table: its time of change does not move then. */
const STREAMED_MS = 600_000
/** The types of tables whose time of change shows that rows have changed. External tables and materialized views are not among them. */
const TIMED_TYPES: readonly (string | undefined)[] = ['TABLE', 'VIEW', 'SNAPSHOT', 'CLONE']

export class DataState {
  readonly #deps: DataStateDeps
  readonly #versions: PolledValues<string>
  readonly #tables: PolledValues<readonly TableName[]>

  constructor(deps: DataStateDeps) {
    const { clock, pollMs, onFailure } = deps
    this.#deps = deps
    this.#versions = new PolledValues({ clock, keepMs: pollMs, onFailure })
    this.#tables = new PolledValues({ clock, keepMs: TABLES_KEPT_MS, onFailure })
  }

  /** A fingerprint of the data that the query reads. It is at most `pollMs` and one second old. Null where it is not known. */
  fingerprint(query: Query): string | null {
    const namedState = this.#stateOf(this.#deps.namedTables(query))
    const tables = namedState === null ? null : this.#tables.current(keyOf(namedState, query), this.#askTables(query))
    const readState = this.#stateOf(tables)
    return namedState === null || readState === null ? null : hashOf(namedState + readState)
  }

  /** Asks BigQuery for what `fingerprint` needs. Never rejects: where BigQuery does not answer, `fingerprint` gives null. */
  async learn(query: Query): Promise<void> {
    const tables = this.#deps.namedTables(query)
    await this.#learnAll(tables)
    const state = this.#stateOf(tables)
    if (state !== null) await this.#learnAll(await this.#tables.learn(keyOf(state, query), this.#askTables(query)))
  }

  async #learnAll(tables: readonly TableName[] | null): Promise<void> {
    await Promise.all((tables ?? []).map(table => this.#versions.learn(table, this.#askVersion(table))))
  }

  #stateOf(tables: readonly TableName[] | null): string | null {
    // An unknown table must not keep the tables after it from being asked for.
    const versions = tables?.map(table => [table, this.#versions.current(table, this.#askVersion(table))] as const)
    return versions?.every(([, version]) => version !== null) ? JSON.stringify(versions) : null
  }

  #askVersion(table: TableName): () => Promise<string> {
    return async () => versionOf(await this.#deps.describeTable(table), this.#deps.clock.nowMs())
  }

  #askTables(query: Query): () => Promise<readonly TableName[]> {
    return () => this.#deps.readTables(query)
  }
}

/** The key has the state of the named tables, since a changed view may read other tables. */
const keyOf = (namedState: string, { sql }: Query): string => `tables of a query, ${hashOf(namedState + sql)}`

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** @throws Error where the table does not tell whether its rows have changed. */
function versionOf({ type, lastModifiedTime, numRows, streamingBuffer }: TableMetadata, nowMs: number): string {
  if (lastModifiedTime === undefined || !TIMED_TYPES.includes(type)) {
    throw new QueryFault(`a table of type ${type} does not tell when its rows have changed`)
  }
  const streamed = streamingBuffer && [streamingBuffer, Math.floor(nowMs / STREAMED_MS)]
  return JSON.stringify([lastModifiedTime, numRows, streamed])
}
