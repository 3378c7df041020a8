/**
 * Answers the parent's requests. Each query reads its tables in their current state. A cancelled request gets a failure, never a result.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import { isComputedView, isWildcard, type TableDefinition } from '../../../../googlesql/data.js'
import { causeText } from '../../../model/cause-text.js'
import { PART_BYTES } from '../../../result/body.js'
import {
  type Answer,
  type Answers,
  type BoundQuery,
  type ExplainRequest,
  type Failure,
  type FromChild,
  isExport,
  type PartsRequest,
  type Request,
  type RunRequest,
  runsJavaScript,
} from '../process/messages.js'
import type { ChooseDeps } from '../tables/choose-parts.js'
import { newListing } from '../tables/data-folder.js'
import { informationSchemaSql, tablesCounted } from '../tables/information-schema.js'
import { PartTimes } from '../tables/part-times.js'
import { QueryNeeds } from '../tables/query-needs.js'
import { emptyShards } from '../tables/shard-store.js'
import { FileChangedError } from '../tables/steady-copy.js'
import { findReads } from '../tables/table-reads.js'
import { changeable, openIn } from '../tables/table-view.js'
import { CutResultError } from '../values/result-chunks.js'
import { namingFile } from './damaged-file.js'
import { failureOf, isFatal } from './failure.js'
import { isOptimizerFailure } from './large-plans.js'
import { checkQuery, explainQuery, reasonOfCut, runQuery } from './run-query.js'
import type { Session } from './session.js'
import type { GuardStatement } from './statement-allowlist.js'

export interface AnsweringOptions {
  readonly session: Session
  readonly guard: GuardStatement
  /** Sends a message to the parent; `onReceived` is called when the parent has received it, or is gone. */
  readonly send: (message: FromChild, onReceived?: () => void) => void
  /** Whether queries of several callers run in this process. */
  readonly isShared: boolean
  /** Called with an error after which the session can answer no request. */
  readonly exitBroken: (error: unknown) => void
}

/** A request that has not been answered. */
interface Running {
  readonly id: number
  readonly request: Request
  /** The connection that runs the request; null while the request waits for tables to be loaded. */
  connection: DuckDBConnection | null
  /** The failure with which the request was stopped; null while it was not. */
  ended: Failure | null
  /** Whether a part of its result has been sent. */
  hasSent: boolean
  /** For an export: resolves when the parent has taken the part that was sent last, or the request is ended. */
  taken: Promise<void>
  /** Resolves `taken`. */
  onTaken: () => void
  /** How long its functions have computed on this process's main thread, in milliseconds. */
  computingMs: number
}

/**
 * How long the functions of a query may compute in a shared process, in milliseconds. While DuckDB's threads call them one after
 * the other, Node's event loop takes no turn, so that all requests of others wait.
 */
const MOST_COMPUTING_MS = 100

/**
 * The interval of repeated interrupts, in milliseconds: DuckDB ignores an interrupt that arrives before the query has begun.
 */
const INTERRUPT_EVERY_MS = 10

/** The parts of all lists; null where one list is not known. */
const joined = (lists: readonly Answers['parts'][]): Answers['parts'] =>
  lists.includes(null) ? null : lists.flatMap(parts => parts!)

/** A table to read, or a shard of a wildcard table. */
interface TableRead {
  readonly table: string
  /** The shard's suffix; null for a table. */
  readonly suffix: string | null
}

type QueryRequest = Exclude<Request, { kind: 'discover' | 'parts' | 'ping' | 'reads' }>

class EndedError extends Error {
  override readonly name = 'EndedError'
}

export class Answering {
  readonly #options: AnsweringOptions
  readonly #running = new Map<number, Running>()
  readonly #partTimes = new PartTimes()

  constructor(options: AnsweringOptions) {
    this.#options = options
  }

  /**
   * Sends the answer or the failure. Resolves when all work on the request has ended; for a cancelled request, this may be
   * later than its failure is sent.
   */
  async answer(id: number, request: Request): Promise<void> {
    const { session, send, exitBroken, isShared } = this.#options
    const initial = { connection: null, ended: null, taken: Promise.resolve(), onTaken: () => undefined }
    const state: Running = { id, request, ...initial, hasSent: false, computingMs: 0 }
    this.#running.set(id, state)
    const end = session.openFiles.begin()
    try {
      const answer = await this.#perform(request, state)
      if (state.ended !== null) throw new EndedError()
      if (this.#running.delete(id)) send({ kind: 'answer', id, answer })
    } catch (error) {
      if (isFatal(error)) return exitBroken(error)
      if (!this.#running.delete(id)) return
      const failure = this.#failureFor(request, state, error)
      // Other queries may have left too little memory or disk space: the query runs once more, in a process of its own.
      const isCrowded = failure.kind === 'query' && failure.isShortOfRoom && isShared && this.#running.size > 0
      const suspected = { kind: 'disruptive', cause: causeText(error), how: 'crowded' } as const
      send({ kind: 'failed', id, failure: isCrowded ? suspected : failure })
    } finally {
      end()
    }
  }

  /** To be called when the parent has taken the part of an export that was sent last. */
  take(id: number): void {
    this.#running.get(id)?.onTaken()
  }

  cancel(id: number): void {
    const state = this.#running.get(id)
    if (!state) return
    if (state.ended === null) this.#stop(state, { kind: 'interrupted' })
    if (state.connection === null) {
      // The request waits for tables. Loading them continues, since the next query will probably need them.
      this.#running.delete(id)
      this.#options.send({ kind: 'failed', id, failure: { kind: 'interrupted' } })
    }
  }

  /**
   * Adds to the time that functions of a connection's query have computed, in milliseconds. Stops the query if that is too much for a
   * shared process. Returns whether it is stopped for that.
   */
  addComputing(connectionId: number, ms: number): boolean {
    const running = [...this.#running.values()]
    const state = running.find(({ connection }) => connection?.clientContext.connectionId === connectionId)
    if (!state) return false
    const { request } = state
    state.computingMs += ms
    if (state.ended?.kind === 'disruptive') return true
    if (state.computingMs < MOST_COMPUTING_MS) return false
    // Requests with the same text would block the process next. Even one that was cancelled gets this failure: its text must run apart.
    const failure = { kind: 'disruptive', cause: 'it held up the process', how: 'blocked' } as const
    for (const other of running) if (sqlOf(other.request) === sqlOf(request)) this.#stop(other, failure)
    return true
  }

  /** Interrupts the queries that run. */
  interrupt(): void {
    for (const state of this.#running.values()) state.connection?.interrupt()
  }

  #stop(state: Running, failure: Failure): void {
    state.ended = failure
    state.onTaken()
    const interrupt = (): void => {
      if (this.#running.get(state.id) === state) state.connection?.interrupt()
      else clearInterval(timer)
    }
    const timer = setInterval(interrupt, INTERRUPT_EVERY_MS)
    interrupt()
  }

  #failureFor(request: Request, state: Running, error: unknown): Failure {
    if (state.ended !== null) return state.ended
    const { javascript, openFiles } = this.#options.session
    const { timeOut } = javascript
    const isTimeOut = timeOut !== null && runsJavaScript(request)
    return isTimeOut ? { kind: 'javascript-time', message: timeOut } : failureOf(error, path => openFiles.nameOf(path))
  }

  async #perform(request: Request, state: Running): Promise<Answer> {
    const { session } = this.#options
    if (request.kind === 'discover') return session.discover()
    if (request.kind === 'ping') return session.ping().then(() => null)
    if (request.kind === 'parts') return this.#parts(request, state)
    if (runsJavaScript(request)) await session.javascript.begin()
    session.shards.declare(request.tables)
    if (request.kind === 'reads') return this.#choosing(request, state, deps => findReads(session, request, deps))
    if (request.kind === 'check') {
      const prepared = new QueryNeeds()
      session.tables.addEmptyViews(request.tables, prepared)
      for (const read of request.shardReads) prepared.views.set(read.view, emptyShards(read))
      addSchemaViews(prepared, request, null)
      return this.#withConnection(request, state, prepared)
    }
    return this.#steadily(state, prepared => this.#performOnce(request, state, prepared))
  }

  /** Does the work again if a file changed meanwhile: it may have read a part of the old file and a part of the new one. */
  #steadily<T>(state: Running, work: (prepared: QueryNeeds) => Promise<T>): Promise<T> {
    const once = (): Promise<T> => this.#onSteadyFiles(state, work)
    return once().catch(error => {
      if (!(error instanceof FileChangedError) || state.hasSent || state.ended !== null) throw error
      return once()
    })
  }

  /** @throws FileChangedError if a file changed while it was read. */
  async #onSteadyFiles<T>(state: Running, work: (prepared: QueryNeeds) => Promise<T>): Promise<T> {
    const prepared = new QueryNeeds()
    const [outcome] = await Promise.allSettled([work(prepared)])
    const changed =
      state.ended === null ? this.#options.session.openFiles.changedOf(prepared.parts.flatMap(changeable)) : null
    if (changed !== null) throw new FileChangedError(changed)
    if (outcome.status === 'fulfilled') return outcome.value
    throw outcome.reason
  }

  async #performOnce(request: RunRequest | ExplainRequest, state: Running, prepared: QueryNeeds): Promise<Answer> {
    const { session } = this.#options
    const startedAt = performance.now()
    const chosen = request.kind === 'run' ? request.parts : undefined
    const ofTable = chosen && !isWildcard(chosen.table) ? chosen : undefined
    await session.tables.prepare(request.tables, prepared, true, ofTable)
    if (request.shardReads.length > 0)
      await this.#choosing(request, state, deps => session.shards.prepare(request.shardReads, deps, prepared, chosen))
    if (request.tables.some(isComputedView)) await this.#prepareSchemaViews(request, prepared)
    this.#tellReads(prepared, startedAt)
    const answer = await this.#withConnection(request, state, prepared)
    const parts = request.kind === 'run' && request.tellsParts ? prepared.partsRead() : undefined
    return parts === undefined ? answer : { ...(answer as Answers['run']), parts }
  }

  #tellReads({ reads }: QueryNeeds, startedAt: number): void {
    const durationMs = performance.now() - startedAt
    for (const read of reads) this.#options.send({ kind: 'table-read', ...read, durationMs })
  }

  async #parts(request: PartsRequest, state: Running): Promise<Answers['parts']> {
    const { table, withTimes, shardReads } = request
    const { tables, shards } = this.#options.session
    if (isWildcard(table) && shardReads.length === 0) return null
    shards.declare([table])
    const read = isWildcard(table)
      ? await this.#choosing(request, state, deps => shards.chosenBy(shardReads, deps))
      : [{ table, suffix: null }]
    if (withTimes) return this.#partsWithTimes(read, request, state)
    const listing = newListing()
    return joined(read.map(shard => tables.partKeys(shard.table, listing)?.map(key => ({ key })) ?? null))
  }

  #partsWithTimes(read: readonly TableRead[], { column }: PartsRequest, state: Running): Promise<Answers['parts']> {
    const { tables, borrow } = this.#options.session
    return this.#steadily(state, async prepared => {
      const startedAt = performance.now()
      // No view is made: it would read all files of the table, but only new parts are read next, for their times.
      prepared.reads.push(...(await tables.refresh(read.map(({ table }) => table))))
      this.#tellReads(prepared, startedAt)
      const shown = read.map(shard => ({ ...shard, shown: tables.shownParts(shard.table) }))
      const parts = await borrow(connection =>
        registered(connection, state, async () => {
          const all: Answers['parts'][] = []
          for (const { shown: of, suffix } of shown)
            all.push(of && (await this.#partTimes.of({ ...of, suffix }, column, connection, prepared)))
          return joined(all)
        }),
      )
      const listing = newListing()
      for (const { table, shown: of } of prepared.reads.length > 0 ? shown : []) {
        // A text file may have grown before it was copied: then it has more rows than its key stands for.
        const hasText = [...(of?.parts.values() ?? [])].some(part => part.tables.length > 0)
        if (hasText && tables.partKeys(table, listing)?.join() !== [...of!.parts.keys()].join())
          throw new FileChangedError(table)
      }
      return parts
    })
  }

  /** Calls `choose` with a connection that evaluates conditions. Cancelling the request interrupts an evaluation. */
  #choosing<T>(
    { parameters }: Pick<BoundQuery, 'parameters'>,
    state: Running,
    choose: (deps: ChooseDeps) => Promise<T>,
  ): Promise<T> {
    const { session, guard } = this.#options
    return session.borrow(connection => {
      const evaluate = <R>(work: () => Promise<R>): Promise<R> => registered(connection, state, work)
      return choose({ connection, parameters, guard: sql => guard(connection, sql, []), evaluate })
    })
  }

  async #prepareSchemaViews(request: QueryRequest, prepared: QueryNeeds): Promise<void> {
    const { discover, tables, shards } = this.#options.session
    await discover()
    const all = [...tables.definitions(), ...shards.definitions()]
    const counted = request.tables.flatMap(name => tablesCounted(name, all))
    shards.declare(counted)
    await tables.prepare(counted, prepared)
    addSchemaViews(prepared, request, all)
  }

  #withConnection(request: QueryRequest, state: Running, prepared: QueryNeeds): Promise<Answer> {
    const { borrow, largePlans } = this.#options.session
    return borrow(connection => {
      const begin = (): Promise<Answer> =>
        registered(connection, state, () => this.#work(connection, request, state, prepared))
      const unlessFailing = (error: unknown): Promise<Answer> => {
        if (state.hasSent || !isOptimizerFailure(causeText(error))) throw error
        return largePlans.unfailing(begin)
      }
      return largePlans.during(request.sql, () => begin().catch(unlessFailing))
    })
  }

  async #work(
    connection: DuckDBConnection,
    request: QueryRequest,
    state: Running,
    prepared: QueryNeeds,
  ): Promise<Answer> {
    await this.#options.guard(connection, request.sql, [...request.tables, ...prepared.views.keys()])
    await prepared.makeViews(connection)
    if (request.kind === 'run') return this.#run(connection, request, state, prepared)
    if (request.kind === 'check') return checkQuery(connection, request)
    const { sql, plan } = await explainQuery(connection, request)
    return { sql, plan: [...prepared.summary, plan].join('\n') }
  }

  async #run(connection: DuckDBConnection, request: RunRequest, state: Running, { parts }: QueryNeeds) {
    try {
      const { pipe } = this.#options.session
      const answer = await runQuery(connection, request, bytes => this.#sendPart(bytes, state), pipe)
      await state.taken
      return answer
    } catch (error) {
      if (state.ended !== null) throw error
      const reason = error instanceof CutResultError ? await reasonOfCut(connection, request) : error
      throw await namingFile(reason, connection, parts.flatMap(openIn))
    }
  }

  /** Sends a part in pieces: the parent joins the bytes of each message in one turn, and rows of long texts are a large part. */
  async #sendPart(bytes: Uint8Array, state: Running): Promise<void> {
    for (let at = 0; at < bytes.byteLength; at += PART_BYTES) {
      await this.#sendPiece(bytes.subarray(at, at + PART_BYTES), state)
    }
  }

  /**
   * Resolves when the parent has received the piece, so that few bytes are buffered in this process. For an export, it first waits until
   * the piece before was taken, so that a slow reader slows the query down.
   */
  async #sendPiece(bytes: Uint8Array, state: Running): Promise<void> {
    await state.taken
    if (state.ended !== null) throw new EndedError()
    state.hasSent = true
    if (isExport(state.request)) {
      state.taken = new Promise(resolve => {
        state.onTaken = resolve
      })
    }
    await new Promise<void>(resolve => this.#options.send({ kind: 'part', id: state.id, bytes }, resolve))
  }
}

const sqlOf = (request: Request): string => ('sql' in request ? request.sql : request.kind)

/** Registers the connection while it works, so that cancelling the request interrupts the work. */
async function registered<T>(connection: DuckDBConnection, state: Running, work: () => Promise<T>): Promise<T> {
  if (state.ended !== null) throw new EndedError()
  state.connection = connection
  try {
    return await work()
  } finally {
    state.connection = null
  }
}

/** Adds the views of INFORMATION_SCHEMA that the request reads and that are computed. */
function addSchemaViews({ views }: QueryNeeds, { tables }: QueryRequest, all: readonly TableDefinition[] | null): void {
  for (const name of tables.filter(isComputedView)) views.set(name, informationSchemaSql(name, all))
}
