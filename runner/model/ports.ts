/** The ports: engines, stores, tokens, clock and counters as the core uses them. Adapters implement them. */
import type { ConstantChecks, KeptQuery, NotKept, SqlProblem } from '../../googlesql/index.js'
import type { EngineName } from './engines.js'
import type { RunnerError } from './errors.js'
import type {
  CheckedColumn,
  ColumnPromise,
  KeptFacts,
  PartChoice,
  Query,
  QueryReads,
  ResultSet,
  TablePart,
  Tier,
  TimedResult,
  WarehouseReads,
} from './query.js'
import type { Waiters } from './waiters.js'

/** The name under which all background refreshes count, since they have no token. A token's name is never empty. */
export const BACKGROUND = ''

/** Limits and labels of a warehouse's job. */
export interface JobOptions {
  /** A query that would be billed for more bytes fails; null for the engine's own default. */
  readonly maxBytesBilled: number | null
  /** The labels that the manifest declares. */
  readonly labels: Readonly<Record<string, string>>
  /** The endpoint's revision. */
  readonly revision: string
  /** The name of the token whose call started the query; null for a background refresh. */
  readonly token: string | null
  /** The tokens whose calls wait for the query. */
  readonly waiters?: Waiters
  /** Called with the bytes that the job was billed for, where the call ended first and the job was cancelled. */
  readonly onBilledLater?: (bytes: number) => void
}

/** An export: rows that are passed on as the engine gives them. */
export interface ExportOptions {
  /** The format of the rows, which exports must offer. */
  readonly format: string
  /** Takes the next bytes. The engine waits for it, and holds few bytes meanwhile; where it rejects, the query is cancelled. */
  readonly write: (bytes: Uint8Array) => Promise<void>
}

export interface RunOptions {
  /** The most rows of the result; the engine reads one more to know whether the result is cut. */
  readonly maxRows: number
  /** A larger result fails, as does one above the engine's own limit. @default the engine's own limit */
  readonly maxBytes?: number
  readonly timestamps: 'iso8601' | 'unix_micros'
  /**
   * Makes the run an export, for which there is no `maxBytes`. The `body` of its result has the last bytes, which the caller still
   * writes. A run that fails after the first bytes is not tried again.
   */
  readonly exported?: ExportOptions
  /** What the result must keep to, by column; absent where nothing is promised. */
  readonly contract?: readonly ColumnPromise[]
  /** For the log and for job labels. */
  readonly endpoint: string
  /** For warehouses; an engine without jobs ignores it. */
  readonly job?: JobOptions
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** True: the rows are only a part, from which the endpoint's result is put together. @default false */
  readonly isPart?: boolean
  /**
   * Reads only these parts of a table, which have all rows of it that the query needs. The query fails where the table no longer has
   * them. Engines whose tier is not exact read all parts. @default all parts
   */
  readonly parts?: PartChoice
  /** Asks for `parts` in the result; only an engine whose tier is exact gives them. @default false */
  readonly tellsParts?: boolean
}

export type CheckResult =
  | {
      readonly ok: true
      readonly columns: readonly CheckedColumn[]
      /** The tables that the query names, as their schemas spell them; absent where only the warehouse knows them. */
      readonly tables?: readonly string[]
      /** The engine's compiled query. A caller that passes it back to `run` saves the engine the compilation. */
      readonly compiled?: object
      /** What the warehouse would read; absent on other engines. */
      readonly reads?: WarehouseReads
      /** The constants with which every call may fail, and which the embedded engine has not computed. */
      readonly constants?: ConstantChecks
    }
  | {
      readonly ok: false
      readonly problem: SqlProblem
      readonly constants?: ConstantChecks
    }

export interface Explanation {
  /** The SQL that the engine runs, after translation. */
  readonly engineSql: string
  readonly plan: string
}

/** A run in the search for a failing expression. The numbers are offsets of expressions in the query's text. */
export interface TolerantRun {
  /** The expressions that can give NULL instead of failing. */
  readonly tolerable: readonly number[]
  /** The other expressions that may fail. */
  readonly notTolerable: readonly number[]
  /** What has failed, as `QueryFault.kind`; null where the query has not failed so. */
  readonly failure: string | null
}

export interface TablePartsOptions {
  readonly withTimes: boolean
  /** A query of the table. For a wildcard table, the parts are those of the shards that the query's conditions choose. */
  readonly query?: Query
  /** The revision of the endpoint that asks: the engine that runs its queries answers. @default the current engine */
  readonly revision?: string
  readonly signal: AbortSignal
}

/** Runs BigQuery SQL. One instance per process; safe for concurrent calls. */
export interface Engine {
  /** Takes one of the token's places among the calls that run, until the returned function is called. @throws RunnerError OVERLOADED. */
  admit?(token: string): () => void
  readonly name: EngineName
  /** How the engine reports changes of tables; absent on engines that know no parts. */
  readonly tier?: Tier | undefined
  /**
   * @throws RunnerError QUERY_FAILED when the engine rejects or cannot finish the query, QUERY_TIMEOUT after
   *   `timeoutMs`, CALL_ABANDONED when `signal` fires first, ENGINE_UNAVAILABLE when the engine is gone,
   *   ARGUMENT_INVALID when bound values alone make the query fail (an invalid regular expression, a divisor that is 0),
   *   RESULT_TOO_LARGE,
   *   CONTRACT_BROKEN.
   */
  run(query: Query, options: RunOptions): Promise<ResultSet>
  /**
   * Compiles without running. `types` are those of the parameters: `{ project: 'STRING' }`. `values` are example arguments for a
   * warehouse's estimate; a parameter without one is NULL.
   */
  check(
    sql: string,
    types: Readonly<Record<string, string>>,
    values?: Readonly<Record<string, unknown>>,
  ): Promise<CheckResult>
  explain(query: Query): Promise<Explanation>
  /**
   * Runs the query so that the first `tolerated` of its tolerable expressions give NULL instead of failing. For authors, to
   * find the expression at which a query fails. Absent on engines whose failures have their place already.
   * @throws RunnerError where something else than an expression fails.
   */
  runTolerant?(query: Query, options: RunOptions, tolerated: number): Promise<TolerantRun>
  /** What running the query would read; no row is read. @throws RunnerError as `explain` does. */
  dryRun(query: Query): Promise<QueryReads>
  /**
   * A fingerprint of the data that this query reads, taken now; null when it cannot be taken now. Absent on engines that
   * cannot take one.
   */
  dataState?(query: Query): string | null
  /**
   * Asks the warehouse for what `dataState` needs and does not know. Absent on engines that know it at once. Never rejects: what
   * cannot be asked for stays unknown.
   */
  learnDataState?(query: Query): Promise<void>
  /**
   * The parts in which the rows of a table are stored now. `withTimes`: each has the least and greatest value of the column, NULL
   * aside. The column is a DATE, DATETIME or TIMESTAMP, or a STRING of days like 20260131, whose times are not known where any row
   * has another text. Null where parts are not known (a table of an attached database, a wildcard table without a query, a view of
   * INFORMATION_SCHEMA). Absent on engines that do not know parts.
   * @throws RunnerError as `run` does, without a timeout: QUERY_FAILED also where a file goes on changing while it is read.
   */
  tableParts?(table: string, column: string, options: TablePartsOptions): Promise<readonly TablePart[] | null>
  /**
   * How the query's result can be put together from rows that were read before, or why not. Absent where nothing is kept.
   *
   * @param revision the revision of the query's endpoint
   */
  keptQuery?(query: Query, revision: string | undefined): KeptQuery | NotKept
  /** Identifies this engine's copy of the data: fingerprints of different copies cannot be compared. */
  dataCopy?(): string
  /**
   * Begins to read the tables of all queries that were compiled, so that the first call of each is not the slow one. Absent on
   * engines that do not read tables before they run a query.
   */
  readAhead?(): void
  /** Resolves when the engine has answered a trivial query. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** A result in a store: the finished bytes, and the facts that the response headers need. */
export interface StoredResult extends Omit<TimedResult, 'cost' | 'partial' | 'kept' | 'parts'> {
  /** The strong ETag with its quotes, computed once. */
  readonly etag: string
  /** When its query began, in milliseconds since 1970; the age of the result counts from here. */
  readonly storedAt: number
  /** Milliseconds since 1970; equal to `storedAt` where the endpoint is not cached. */
  readonly freshUntil: number
  /** The fingerprint of the data that the result was computed from; present where a change of data makes the result stale. */
  readonly dataState?: string
  /** Present where these rows are kept for a refresh, and given to no caller. */
  readonly kept?: KeptFacts
  /** Present where these rows are a page of a result. */
  readonly page?: PageFacts
}

export interface PageFacts {
  /** The cursor of the next page; null on the last. */
  readonly next: string | null
  /** The rows of all pages. */
  readonly totalRows: number
}

/** Results in the memory of a process. */
export interface CacheSize {
  readonly entries: number
  /** The bytes of keys, bodies, finished headers and compressed representations, with the overhead of each entry. */
  readonly bytes: number
}

/** Stores results: in this process's memory, and where replicas share a store, there too. */
export interface ResultStore {
  /** The result in this process's memory. */
  entry(key: string): StoredResult | undefined
  /**
   * False when the store has no room for a result of this size, or already has a result whose query began later: that query
   * has read newer data, even if it ended first. `purges` are the marks that were read before the query began; without them
   * the result is not shared.
   */
  set(key: string, result: StoredResult, keepMs: number, purges?: PurgeMarks): Promise<boolean> | boolean
  /**
   * Keeps a result that is stored under `key` also under `as`, which may be the same key: for at least `keepMs` from now, and at
   * most for twice as long. False where it is not stored under `key`, or has no room.
   */
  keep(result: StoredResult, key: string, as: string, keepMs: number): Promise<boolean> | boolean
  /** Resolves when other replicas can find the result that was set under this key, or when sharing it has failed. */
  shared(key: string): Promise<unknown>
  /** How long the entry in this process's memory is kept, in milliseconds; 0 or less for a key without one. */
  keptMs(key: string): number
  /**
   * Removes every entry whose key has this prefix ('' for all), in every replica. With `part`, the text of a partition, the endpoint's
   * kept rows lose only the rows of that partition. Rejects where some may be left.
   */
  purge(prefix: string, part?: string): Promise<void> | void
  /**
   * Drops this process's entries of keys that will not be asked for again. A shared store keeps its entries, since another
   * replica may still serve them.
   */
  forget(isGone: (key: string) => boolean): void
  /** Counts bytes that were added to an entry in memory: finished headers, compressed representations. */
  grow(key: string, bytes: number): void
  /** The entries and bytes in this process's memory. */
  size(): CacheSize
  /** Present where replicas share the store. */
  readonly replicas?: Replicas
  close(): Promise<void>
}

/**
 * The marks of the last purges of everything, of an endpoint, of its tenant, and of partitions. A purge replaces its mark; a purge of
 * a partition appends to it. A result is stored with the marks that were read before its query began, and is no longer used when one
 * of them has changed.
 */
export type PurgeMarks = readonly string[]

/** How replicas that share a store agree on which of them runs a key. A store that fails is reported, and counts as empty. */
export interface Replicas {
  /**
   * Claims the key for this replica until the lease ends, and looks up its result. Runs over different states of the data are
   * claimed separately; `dataState` is '' where results do not depend on a state.
   */
  claim(key: string, dataState: string): Promise<Claim>
  /**
   * Waits for the outcome of a key that another replica has claimed. `unknown`: its lease may have ended, so claim the key
   * again. Rejects with CALL_ABANDONED when `signal` fires.
   */
  outcome(key: string, signal: AbortSignal): Promise<RunOutcome>
  /** The result that any replica has stored; undefined also where the store failed. */
  find(key: string): Promise<StoredResult | undefined>
  /** Calls `listener` for each event of a replica, also of this one. */
  onEvent(listener: (event: ReplicaEvent) => void): void
}

export interface Claim {
  /** Null where another replica runs the key; undefined where the store failed, or is not shared. */
  readonly lease?: Lease | null | undefined
  /** The newest result that any replica has stored. */
  readonly result?: StoredResult | undefined
  /** The marks of purges now; undefined where the store failed. */
  readonly purges?: PurgeMarks | undefined
}

/** What replicas tell each other: results stored, runs ended without a stored result, entries purged. */
export type ReplicaEvent =
  | { readonly type: 'stored'; readonly key: string; readonly storedAt: number }
  | { readonly type: 'ended'; readonly key: string; readonly outcome: RunOutcome }
  | { readonly type: 'purged'; readonly prefix: string; readonly part?: string }

/**
 * A claimed key. The lease is renewed until it is released; if the process dies, it ends soon and another replica may claim
 * the key.
 */
export interface Lease {
  /** Publishes the outcome to the replicas that wait for it. Never rejects. */
  release(outcome: RunOutcome): Promise<void>
}

/** How a run ended. `failed` carries the failure, which the callers of every replica get. */
export type RunOutcome =
  | { readonly kind: 'stored' }
  | { readonly kind: 'failed'; readonly failure: SharedFailure }
  | { readonly kind: 'unknown' }

/** The parts of a RunnerError that a caller may see. */
export interface SharedFailure extends Pick<RunnerError, 'detail' | 'errors'> {
  readonly code: string
}

/** Counters that replicas share: bytes billed in a day, runs in a minute. A failure is a rejected promise. */
export interface CounterStore {
  /** Adds to the counter and returns its new value. It begins at 0 and expires `keepMs` after its first use. */
  add(key: string, amount: number, keepMs: number): Promise<number> | number
}

/** The caller: what its token allows. */
export interface Caller {
  /** The token's name in the tokens file, for the log. */
  readonly token: string
  /** Whether the token's scope includes the endpoint of this name. */
  mayCall(endpointName: string): boolean
  /** The arguments that the token pins, as text. */
  readonly pinned: Readonly<Record<string, string>>
  /** Whether it may call endpoints that declare a tenant without pinning it. */
  readonly allTenants: boolean
  /** Counts one call against the token's rate. Returns 0 when it may go on, else the milliseconds until the next call may. */
  admit(): number
  /**
   * Counts a call as waiting for a query, and returns the function to call once, when the wait ends. Null when the token already
   * has as many waiting calls as it may.
   */
  beginWait(): (() => void) | null
  /** Counts one demand for a fresh result; false when the rate allows none now. Null: the token may not demand any. */
  readonly admitFresh: (() => boolean) | null
  /** Whether it may purge the stored results of endpoints that it may call. */
  readonly mayPurge: boolean
  /** Whether it may see the SQL of the queries that its calls would run. */
  readonly mayExplain: boolean
  /** Whether it may export. */
  readonly mayExport: boolean
  /** The most bytes that its queries may be billed for in a day; null for no limit. */
  readonly bytesPerDay: number | null
}

export interface TokenStore {
  /** The caller with this token; null when the token is unknown or has expired. */
  find(token: string): Caller | null
}

export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number
  /** Microseconds since 1970. */
  nowMicros(): bigint
  /** Milliseconds, with fractions, of a monotonic clock: for durations. */
  ticksMs(): number
  /** Calls back after `ms` milliseconds; returns a function that cancels it. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void
}
