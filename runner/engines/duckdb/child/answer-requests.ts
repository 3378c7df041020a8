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
import { changeableIn, openIn } from '../tables/table-view.js'
import { CutResultError } from '../values/result-chunks.js'
import { nameDamagedFile } from './damaged-file.js'
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
interface Job {
  readonly id: number
  readonly request: Request
  /** The connection that runs the request; null while the request waits for tables to be loaded. */
  connection: DuckDBConnection | null
  /** The failure with which the request was stopped; null if it was not. */
  stopFailure: Failure | null
  /** Whether a part of the result has been sent. */
  hasSent: boolean
  /** For an export: resolves when the parent has taken the part that was sent last, or the request is stopped. */
  taken: Promise<void>
  /** Resolves `taken`. */
  onTaken: () => void
  /** How long the query's functions have computed on this process's main thread, in milliseconds. */
  computingMs: number
}

/**
 * How long the functions of a query may compute in a shared process, in milliseconds. While DuckDB's threads call them one after
 * the other, Node's event loop takes no turn, so that all other requests wait.
 */
const MOST_COMPUTING_MS = 100

/**
 * The interval of repeated interrupts, in milliseconds: DuckDB ignores an interrupt that arrives before the query has begun.
 */
const INTERRUPT_EVERY_MS = 10

/** The parts of all lists; null if one of the lists is null. */
const joinParts = (lists: readonly Answers['parts'][]): Answers['parts'] =>
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
  readonly #running = new Map<number, Job>()
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
    const initial = { connection: null, stopFailure: null, taken: Promise.resolve(), onTaken: () => undefined }
    const job: Job = { id, request, ...initial, hasSent: false, computingMs: 0 }
    this.#running.set(id, job)
    const endQuery = session.openFiles.begin()
    try {
      const answer = await this.#perform(request, job)
      if (job.stopFailure !== null) throw new EndedError()
      if (this.#running.delete(id)) send({ kind: 'answer', id, answer })
    } catch (error) {
      if (isFatal(error)) return exitBroken(error)
      if (!this.#running.delete(id)) return
      const failure = this.#failureFor(request, job, error)
      // Other queries may have left too little memory or disk space: the query runs once more, in a process of its own.
      const isCrowded = failure.kind === 'query' && failure.isShortOfRoom && isShared && this.#running.size > 0
      const crowded = { kind: 'disruptive', cause: causeText(error), how: 'crowded' } as const
      send({ kind: 'failed', id, failure: isCrowded ? crowded : failure })
    } finally {
      endQuery()
    }
  }

  /** To be called when the parent has taken the part of an export that was sent last. */
  take(id: number): void {
    this.#running.get(id)?.onTaken()
  }

  cancel(id: number): void {
    const job = this.#running.get(id)
    if (!job) return
    if (job.stopFailure === null) this.#stop(job, { kind: 'interrupted' })
    if (job.connection === null) {
      // The request waits for tables. Loading them continues, since the next query will probably need them.
      this.#running.delete(id)
      this.#options.send({ kind: 'failed', id, failure: { kind: 'interrupted' } })
    }
  }

  /**
   * Adds to the time that functions of a connection's query have computed, in milliseconds. Stops the query if that is too much for a
   * shared process. Returns whether the query was stopped for this reason.
   */
  addComputing(connectionId: number, ms: number): boolean {
    const jobs = [...this.#running.values()]
    const job = jobs.find(({ connection }) => connection?.clientContext.connectionId === connectionId)
    if (!job) return false
    const { request } = job
    job.computingMs += ms
    if (job.stopFailure?.kind === 'disruptive') return true
    if (job.computingMs < MOST_COMPUTING_MS) return false
    // Requests with the same text would block the process next. A cancelled request also gets this failure: its text must run apart.
    const failure = { kind: 'disruptive', cause: 'it held up the process', how: 'blocked' } as const
    for (const other of jobs) if (sqlOf(other.request) === sqlOf(request)) this.#stop(other, failure)
    return true
  }

  /** Interrupts all running queries. */
  interrupt(): void {
    for (const job of this.#running.values()) job.connection?.interrupt()
  }

  #stop(job: Job, failure: Failure): void {
    job.stopFailure = failure
    job.onTaken()
    const interrupt = (): void => {
      if (this.#running.get(job.id) === job) job.connection?.interrupt()
      else clearInterval(timer)
    }
    const timer = setInterval(interrupt, INTERRUPT_EVERY_MS)
    interrupt()
  }

  #failureFor(request: Request, job: Job, error: unknown): Failure {
    if (job.stopFailure !== null) return job.stopFailure
    const { javascript, openFiles } = this.#options.session
    const { timeOut } = javascript
    const isTimeOut = timeOut !== null && runsJavaScript(request)
    return isTimeOut ? { kind: 'javascript-time', message: timeOut } : failureOf(error, path => openFiles.nameOf(path))
  }

  async #perform(request: Request, job: Job): Promise<Answer> {
    const { session } = this.#options
    if (request.kind === 'discover') return session.discover()
    if (request.kind === 'ping') return session.ping().then(() => null)
    if (request.kind === 'parts') return this.#answerParts(request, job)
    if (runsJavaScript(request)) await session.javascript.begin()
    session.shards.declare(request.tables)
    if (request.kind === 'reads') return this.#choose(request, job, deps => findReads(session, request, deps))
    if (request.kind === 'check') {
      const needs = new QueryNeeds()
      session.tables.addEmptyViews(request.tables, needs)
      for (const read of request.shardReads) needs.views.set(read.view, emptyShards(read))
      addSchemaViews(needs, request, null)
      return this.#withConnection(request, job, needs)
    }
    return this.#retryOnChange(job, needs => this.#performOnce(request, job, needs))
  }

  /** Does the work again if a file changed meanwhile: the work may have read a part of the old file and a part of the new one. */
  #retryOnChange<T>(job: Job, work: (needs: QueryNeeds) => Promise<T>): Promise<T> {
    const once = (): Promise<T> => this.#failOnChange(job, work)
    return once().catch(error => {
      if (!(error instanceof FileChangedError) || job.hasSent || job.stopFailure !== null) throw error
      return once()
    })
  }

  /** @throws FileChangedError if a file changed while it was read. */
  async #failOnChange<T>(job: Job, work: (needs: QueryNeeds) => Promise<T>): Promise<T> {
    const needs = new QueryNeeds()
    const [outcome] = await Promise.allSettled([work(needs)])
    const changed =
      job.stopFailure === null ? this.#options.session.openFiles.changedOf(needs.parts.flatMap(changeableIn)) : null
    if (changed !== null) throw new FileChangedError(changed)
    if (outcome.status === 'fulfilled') return outcome.value
    throw outcome.reason
  }

  async #performOnce(request: RunRequest | ExplainRequest, job: Job, needs: QueryNeeds): Promise<Answer> {
    const { session } = this.#options
    const startedAt = performance.now()
    const choice = request.kind === 'run' ? request.parts : undefined
    const tableChoice = choice && !isWildcard(choice.table) ? choice : undefined
    await session.tables.prepare(request.tables, needs, true, tableChoice)
    if (request.shardReads.length > 0)
      await this.#choose(request, job, deps => session.shards.prepare(request.shardReads, deps, needs, choice))
    if (request.tables.some(isComputedView)) await this.#prepareSchemaViews(request, needs)
    this.#tellReads(needs, startedAt)
    const answer = await this.#withConnection(request, job, needs)
    const parts = request.kind === 'run' && request.tellsParts ? needs.partsRead() : undefined
    return parts === undefined ? answer : { ...(answer as Answers['run']), parts }
  }

  #tellReads({ reads }: QueryNeeds, startedAt: number): void {
    const durationMs = performance.now() - startedAt
    for (const read of reads) this.#options.send({ kind: 'table-read', ...read, durationMs })
  }

  async #answerParts(request: PartsRequest, job: Job): Promise<Answers['parts']> {
    const { table, withTimes, shardReads } = request
    const { tables, shards } = this.#options.session
    if (isWildcard(table) && shardReads.length === 0) return null
    shards.declare([table])
    const read = isWildcard(table)
      ? await this.#choose(request, job, deps => shards.chooseShards(shardReads, deps))
      : [{ table, suffix: null }]
    if (withTimes) return this.#partsWithTimes(read, request, job)
    const listing = newListing()
    return joinParts(read.map(shard => tables.partKeys(shard.table, listing)?.map(key => ({ key })) ?? null))
  }

  #partsWithTimes(read: readonly TableRead[], { column }: PartsRequest, job: Job): Promise<Answers['parts']> {
    const { tables, borrow } = this.#options.session
    return this.#retryOnChange(job, async needs => {
      const startedAt = performance.now()
      // No view is made, since it would read all files of the table: the times are read from new parts only.
      needs.reads.push(...(await tables.refresh(read.map(({ table }) => table))))
      this.#tellReads(needs, startedAt)
      const reads = read.map(shard => ({ ...shard, shown: tables.shownParts(shard.table) }))
      const parts = await borrow(connection =>
        runInterruptibly(connection, job, async () => {
          const all: Answers['parts'][] = []
          for (const { shown, suffix } of reads)
            all.push(shown && (await this.#partTimes.partsWithTimes({ ...shown, suffix }, column, connection, needs)))
          return joinParts(all)
        }),
      )
      const listing = newListing()
      for (const { table, shown } of needs.reads.length > 0 ? reads : []) {
        // A text file may have grown before it was copied: then the copy has rows that the key does not stand for.
        const hasText = [...(shown?.parts.values() ?? [])].some(part => part.tables.length > 0)
        if (hasText && tables.partKeys(table, listing)?.join() !== [...shown!.parts.keys()].join())
          throw new FileChangedError(table)
      }
      return parts
    })
  }

  /** Calls `choose` with a connection that evaluates conditions. Cancelling the request interrupts an evaluation. */
  #choose<T>(
    { parameters }: Pick<BoundQuery, 'parameters'>,
    job: Job,
    choose: (deps: ChooseDeps) => Promise<T>,
  ): Promise<T> {
    const { session, guard } = this.#options
    return session.borrow(connection => {
      const evaluate = <R>(work: () => Promise<R>): Promise<R> => runInterruptibly(connection, job, work)
      return choose({ connection, parameters, guard: sql => guard(connection, sql, []), evaluate })
    })
  }

  async #prepareSchemaViews(request: QueryRequest, needs: QueryNeeds): Promise<void> {
    const { discover, tables, shards } = this.#options.session
    await discover()
    const all = [...tables.definitions(), ...shards.definitions()]
    const counted = request.tables.flatMap(name => tablesCounted(name, all))
    shards.declare(counted)
    await tables.prepare(counted, needs)
    addSchemaViews(needs, request, all)
  }

  #withConnection(request: QueryRequest, job: Job, needs: QueryNeeds): Promise<Answer> {
    const { borrow, largePlans } = this.#options.session
    return borrow(connection => {
      const begin = (): Promise<Answer> =>
        runInterruptibly(connection, job, () => this.#work(connection, request, job, needs))
      const retryWithoutOptimizer = (error: unknown): Promise<Answer> => {
        if (job.hasSent || !isOptimizerFailure(causeText(error))) throw error
        return largePlans.rerun(begin)
      }
      return largePlans.run(request.sql, () => begin().catch(retryWithoutOptimizer))
    })
  }

  async #work(connection: DuckDBConnection, request: QueryRequest, job: Job, needs: QueryNeeds): Promise<Answer> {
    await this.#options.guard(connection, request.sql, [...request.tables, ...needs.views.keys()])
    await needs.makeViews(connection)
    if (request.kind === 'run') return this.#run(connection, request, job, needs)
    if (request.kind === 'check') return checkQuery(connection, request)
    const { sql, plan } = await explainQuery(connection, request)
    return { sql, plan: [...needs.summary, plan].join('\n') }
  }

  async #run(connection: DuckDBConnection, request: RunRequest, job: Job, { parts }: QueryNeeds) {
    try {
      const { pipe } = this.#options.session
      const answer = await runQuery(connection, request, bytes => this.#sendPart(bytes, job), pipe)
      await job.taken
      return answer
    } catch (error) {
      if (job.stopFailure !== null) throw error
      const reason = error instanceof CutResultError ? await reasonOfCut(connection, request) : error
      throw await nameDamagedFile(reason, connection, parts.flatMap(openIn))
    }
  }

  /** Sends a part in pieces: the parent joins the bytes of a message in one turn, and a part with long texts is large. */
  async #sendPart(bytes: Uint8Array, job: Job): Promise<void> {
    for (let at = 0; at < bytes.byteLength; at += PART_BYTES) {
      await this.#sendPiece(bytes.subarray(at, at + PART_BYTES), job)
    }
  }

  /**
   * Resolves when the parent has received the piece, so that few bytes are buffered in this process. For an export, it first waits until
   * the parent has taken the piece before, so that a slow reader slows the query down.
   */
  async #sendPiece(bytes: Uint8Array, job: Job): Promise<void> {
    await job.taken
    if (job.stopFailure !== null) throw new EndedError()
    job.hasSent = true
    if (isExport(job.request)) {
      job.taken = new Promise(resolve => {
        job.onTaken = resolve
      })
    }
    await new Promise<void>(resolve => this.#options.send({ kind: 'part', id: job.id, bytes }, resolve))
  }
}

const sqlOf = (request: Request): string => ('sql' in request ? request.sql : request.kind)

/** Does work on the connection. Cancelling the request interrupts the work. */
async function runInterruptibly<T>(connection: DuckDBConnection, job: Job, work: () => Promise<T>): Promise<T> {
  if (job.stopFailure !== null) throw new EndedError()
  job.connection = connection
  try {
    return await work()
  } finally {
    job.connection = null
  }
}

/** Adds the computed views of INFORMATION_SCHEMA that the request reads. */
function addSchemaViews({ views }: QueryNeeds, { tables }: QueryRequest, all: readonly TableDefinition[] | null): void {
  for (const name of tables.filter(isComputedView)) views.set(name, informationSchemaSql(name, all))
}
