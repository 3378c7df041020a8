/** What the core asks of the outside. */
import type { Query, ResultColumn, ResultFormat, ResultSet, WarehouseReads } from './query.js'

/** What bounds and marks a warehouse's job. */
export interface JobOptions {
  /** A query that would be billed for more fails; null for the engine's own default. */
  readonly maxBytesBilled: number | null
  /** The manifest's own. */
  readonly labels: Readonly<Record<string, string>>
  /** Of the endpoint. */
  readonly revision: string
  /** The name of the token whose call started the query; null where nobody's did. */
  readonly token: string | null
}

export interface RunOptions {
  /** At most so many rows; one more is asked for to know whether the result was cut. */
  readonly maxRows: number
  /** A result of more bytes fails; so does one of more than the engine allows any query. @default the engine's own */
  readonly maxBytes?: number
  readonly format: ResultFormat
  readonly timestamps: 'iso8601' | 'unix_micros'
  /** For the log and for job labels. */
  readonly endpoint: string
  /** What a warehouse's job is given beside the query; an engine without jobs has no use for it. */
  readonly job?: JobOptions
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** A mistake in SQL text. `line` and `column` are 1-based places in that text. */
export interface SqlProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

export type CheckResult =
  | {
      readonly ok: true
      readonly columns: readonly ResultColumn[]
      /** What the engine made of the text; kept with it and given to `run`, it need not be made again. */
      readonly compiled?: object
      /** Only of a warehouse. */
      readonly reads?: WarehouseReads
    }
  | { readonly ok: false; readonly problem: SqlProblem }

export interface Explanation {
  /** The SQL that the engine really runs. */
  readonly engineSql: string
  readonly plan: string
}

/** Runs BigQuery SQL. One instance per process; safe for concurrent calls. */
export interface Engine {
  readonly name: 'duckdb' | 'bigquery'
  /**
   * @throws RunnerError QUERY_FAILED when the engine rejects or cannot finish the query, QUERY_TIMEOUT after
   *   `timeoutMs`, CALL_ABANDONED when `signal` fires first, ENGINE_UNAVAILABLE when the engine is gone,
   *   ARGUMENT_INVALID when a bound value itself is at fault (an invalid regular expression), RESULT_TOO_LARGE.
   */
  run(query: Query, options: RunOptions): Promise<ResultSet>
  /**
   * Compiles without running. `types` are those of the parameters: `{ project: 'STRING' }`. `values`, for the estimate of a
   * warehouse, are arguments that it may be asked with; a parameter without one is NULL.
   */
  check(
    sql: string,
    types: Readonly<Record<string, string>>,
    values?: Readonly<Record<string, unknown>>,
  ): Promise<CheckResult>
  explain(query: Query): Promise<Explanation>
  /**
   * What tells the data that this query reads from any other, looked up anew; null when it cannot be told now. Absent
   * on an engine that cannot know.
   */
  dataState?(query: Query): string | null
  /** What tells the copy of the data that this engine reads from copies of other replicas: their states do not compare. */
  dataCopy?(): string
  /** Resolves when a trivial query has been answered. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** A result in a store: finished bytes and what the headers need. */
export interface StoredResult {
  readonly body: Uint8Array
  readonly columns: readonly ResultColumn[]
  readonly rowCount: number
  readonly isTruncated: boolean
  /** Strong, with its quotes: computed once. */
  readonly etag: string
  /** When its query began, in milliseconds since 1970: the result is as old as that. */
  readonly storedAt: number
  /** Milliseconds since 1970; equal to `storedAt` where the endpoint is not cached. */
  readonly freshUntil: number
  /** Of the data that it was made of; present where it may be served only as long as that is the same. */
  readonly dataState?: string
}

/** A result in the memory of a store. Whoever asks for its key again finds it at once with this. */
export interface HeldResult {
  /** Null once the store has let go of it. */
  readonly result: StoredResult | null
}

/** Results in the memory of a process. */
export interface CacheSize {
  readonly entries: number
  /** Of keys, bodies, finished headers and compressed forms, with what an entry takes beside them. */
  readonly bytes: number
}

/** Keeps results. A failure is a rejected promise; the cache makes a miss of it. */
export interface ResultStore {
  get(key: string): Promise<StoredResult | undefined> | StoredResult | undefined
  /**
   * What can be had without waiting, as `get` has it; absent where nothing can. `before` is what was given for this key
   * before.
   */
  hold?(key: string, before?: HeldResult | null): HeldResult | undefined
  /**
   * False when the store has no room for a result of this size, or has one whose query began later: of two runs of a key the
   * one that began later has seen the newer data, whichever ends first.
   */
  set(key: string, result: StoredResult, keepMs: number): Promise<boolean> | boolean
  /** Forgets every entry whose key begins so; '' for all, here and in every replica that shares the store. */
  purge(prefix: string): Promise<void> | void
  /**
   * Lets go of what this process holds of these endpoints: it will not be asked for again. A store that replicas share keeps
   * its entries, since another may still serve them.
   */
  forget?(endpointIds: Iterable<string>): void
  /** The entry of this key has grown by so many bytes in memory: finished headers, compressed forms. */
  grow?(key: string, bytes: number): void
  /** What this process holds. */
  size?(): CacheSize
  /** Present where replicas share the store. */
  readonly replicas?: Replicas
  close(): Promise<void>
}

/** How replicas that share a store agree on who runs what. A failure is a rejected promise. */
export interface Replicas {
  /**
   * The key is this replica's to run until its lease ends; null when it is another's. Runs of one key over data of two states
   * are two: '' where a result is not of any state.
   */
  claim(key: string, dataState: string): Promise<Lease | null>
  /** The same where no replica has stored a result of this key; `stored`: one has, and nothing was claimed. */
  claimUnlessStored(key: string, dataState: string): Promise<Lease | 'stored' | null>
  /**
   * What became of a key that is another replica's. `unknown`: its lease may have ended, or somebody asked in vain; look
   * and claim again. Rejects with CALL_ABANDONED when `signal` fires.
   */
  outcome(key: string, signal: AbortSignal): Promise<RunOutcome>
  /** The newest result that any replica has stored. */
  latest(key: string): Promise<StoredResult | undefined>
  /** Told of purges by other replicas. */
  onPurge(listener: (prefix: string) => void): void
}

/** A key that is this replica's. It is kept until it is released, and soon another's when the process is gone. */
export interface Lease {
  /** Tells those who wait. Never rejects. */
  release(outcome: RunOutcome): Promise<void>
}

/** `failed`: with what every caller is told, whoever ran it. */
export type RunOutcome =
  | { readonly kind: 'stored' }
  | { readonly kind: 'failed'; readonly failure: SharedFailure }
  | { readonly kind: 'unknown' }

/** Of a RunnerError, what a caller may see. */
export interface SharedFailure {
  readonly code: string
  readonly detail: string
  readonly errors: readonly { readonly parameter: string; readonly detail: string }[]
}

/** Numbers that replicas share: bytes billed a day, runs of a minute. A failure is a rejected promise. */
export interface CounterStore {
  /** Adds to the counter, which begins at 0 and ends `keepMs` after its first use; returns what it is then. */
  add(key: string, amount: number, keepMs: number): Promise<number> | number
}

/** Who calls. */
export interface Caller {
  /** The token's name in the tokens file; for the log. */
  readonly token: string
  /** May this token call the endpoint of this name? */
  mayCall(endpointName: string): boolean
  /** Arguments that every call of this token runs with; as wire text. */
  readonly pinned: Readonly<Record<string, string>>
  /** May call endpoints of tenants without pinning the tenant. */
  readonly allTenants: boolean
  /** Counts one call against the token's rate: 0 when it may go on, else milliseconds until the next one may. */
  admit(): number
  /** Counts one fresh result, demanded instead of a stored one: false when there may be none now. Null: never. */
  readonly admitFresh: (() => boolean) | null
  /** May have the stored results forgotten of endpoints that it may call. */
  readonly mayPurge: boolean
  /** What its queries may be billed for in a day; null for no limit. */
  readonly bytesPerDay: number | null
}

export interface TokenStore {
  /** The caller of this token, or null when it is unknown or has expired. */
  find(token: string): Caller | null
  close(): Promise<void>
}

export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number
  /** Microseconds since 1970. */
  nowMicros(): bigint
  /** Milliseconds, with fractions, of a clock that nobody sets: for durations. */
  ticksMs(): number
  /** Calls back after so many milliseconds; returns how to call it off. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void
}
