/** The engine's own process: it holds DuckDB, answers its parent's requests, and ends when its parent does. */
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { BoundedMap } from '../../../model/bounded-map.js'
import { causeText } from '../../../model/cause-text.js'
import type {
  Answers,
  ExplainRequest,
  Failure,
  FromChild,
  Request,
  RunRequest,
  SessionOptions,
  ToChild,
} from '../process/messages.js'
import { FileChangedError, UNSTEADY_FOR_MS } from '../tables/table-store.js'
import { failureOf, isFatal } from './failure.js'
import { isOptimizerFailure } from './large-plans.js'
import { checkQuery, explainQuery, queryFailure, runQuery, type SendPart } from './run-query.js'
import { openSession, type Session } from './session.js'
import { statementGuard } from './statement-allowlist.js'

/** A request that has not been answered. */
interface Running {
  /** What it runs on; null while it waits for tables to be read. */
  connection: DuckDBConnection | null
  isCancelled: boolean
  /** Something of its result has been sent. */
  hasSent: boolean
}

/** DuckDB forgets an interrupt that arrives before the query has begun, so it is repeated until the query has ended. */
const INTERRUPT_EVERY_MS = 10
/** A process that ends closes its files before its children get another parent. */
const ADOPTION_MS = 50

/**
 * To cut rows early takes some milliseconds more to plan, and of a table that DuckDB has loaded the rows that are not
 * wanted cost little. Of log entries in Parquet so many bytes are some 100,000.
 */
const QUICK_FROM_BYTES = 8_000_000n
/** Of a result that came the quick way, until it is whole: what has been sent cannot be taken back. */
const MAX_HELD_BYTES = 32_000_000
/** Texts whose quick way failed, which it is likely to do again. */
const MAX_FAILED_TEXTS = 1000

type QueryRequest = Exclude<Request, { kind: 'discover' | 'ping' }>

const running = new Map<number, Running>()
const guard = statementGuard()
const failedQuickly = new BoundedMap<string, true>(MAX_FAILED_TEXTS)
let session: Session | null = null
let folder: string | null = null
const parent = process.ppid

const send = (message: FromChild): void => {
  if (process.connected) process.send?.(message)
}

class CancelledError extends Error {
  override readonly name = 'CancelledError'
}

async function open(options: SessionOptions): Promise<void> {
  folder = options.folder
  try {
    session = await openSession(options)
    send({ kind: 'ready', discovery: await session.discover() })
  } catch (error) {
    giveUp(error)
  }
}

async function answer(id: number, request: Request): Promise<void> {
  const state: Running = { connection: null, isCancelled: false, hasSent: false }
  running.set(id, state)
  try {
    const answer = await perform(session!, id, request, state)
    if (running.has(id)) send({ kind: 'answer', id, answer })
    running.delete(id)
  } catch (error) {
    if (isFatal(error)) return giveUp(error)
    if (!running.delete(id)) return
    const failure: Failure = error instanceof FailureError ? error.failure : failureOf(error)
    send({ kind: 'failed', id, failure: state.isCancelled ? { kind: 'interrupted' } : failure })
  }
}

/** A failure that has been worded already. */
class FailureError extends Error {
  override readonly name = 'FailureError'
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.kind)
    this.failure = failure
  }
}

async function perform(open: Session, id: number, request: Request, state: Running): Promise<Answers[keyof Answers]> {
  if (request.kind === 'discover') return open.discover()
  if (request.kind === 'ping') {
    await open.ping()
    return null
  }
  if (request.kind === 'check') {
    await open.tables.stand(request.tables)
    return lend(open, id, request, state)
  }
  const startedAt = performance.now()
  for (let attempt = 1; ; attempt++) {
    for (const read of await open.tables.refresh(request.tables)) {
      send({ kind: 'table-read', ...read, durationMs: performance.now() - startedAt })
    }
    const look = open.tables.lookAtFiles(request.tables)
    const outcome = await outcomeOf(lend(open, id, request, state))
    // Such a file may have been read in part as it was, in part as it is.
    const replaced = state.isCancelled ? null : look()
    if (replaced === null) return outcome()
    const isLast = state.hasSent || (attempt > 1 && performance.now() - startedAt > UNSTEADY_FOR_MS)
    if (isLast) throw new FileChangedError(replaced)
  }
}

/** To be thrown or returned later. @throws what is the end of this process. */
async function outcomeOf<T>(work: Promise<T>): Promise<() => T> {
  try {
    const value = await work
    return () => value
  } catch (error) {
    if (isFatal(error)) throw error
    return () => {
      throw error
    }
  }
}

async function lend(open: Session, id: number, request: QueryRequest, state: Running): Promise<Answers[keyof Answers]> {
  if (state.isCancelled) throw new CancelledError()
  return open.borrow(connection =>
    open.largePlans.during(request.sql, async () => {
      const begin = (): Promise<Answers[keyof Answers]> => work(connection, open, id, request, state)
      try {
        return await begin()
      } catch (error) {
        if (state.hasSent || !isOptimizerFailure(causeOf(error))) throw error
        return open.largePlans.unfailing(begin)
      }
    }),
  )
}

const causeOf = (error: unknown): string => {
  if (error instanceof FailureError) return 'cause' in error.failure ? error.failure.cause : ''
  return causeText(error)
}

async function work(
  connection: DuckDBConnection,
  open: Session,
  id: number,
  request: QueryRequest,
  state: Running,
): Promise<Answers[keyof Answers]> {
  if (state.isCancelled) throw new CancelledError()
  state.connection = connection
  try {
    await guard(connection, request.sql, request.tables)
    switch (request.kind) {
      case 'run':
        return await runEitherWay(connection, open, id, request, state)
      case 'check':
        return await checkQuery(connection, request)
      case 'explain':
        return await explainQuery(connection, firstTried(open, request))
    }
  } catch (error) {
    if (state.isCancelled || request.kind === 'check' || isFatal(error)) throw error
    throw new FailureError(await queryFailure(connection, error, request.parameters))
  } finally {
    state.connection = null
  }
}

/** Over large files the query goes the quicker way, unless that failed before. */
function firstTried<R extends RunRequest | ExplainRequest>({ tables }: Session, request: R): R {
  const { quickSql } = request
  if (quickSql === null || failedQuickly.has(quickSql)) return request
  return tables.bytesInPlace(request.tables) >= QUICK_FROM_BYTES ? { ...request, sql: quickSql } : request
}

/** Where the other way fails, the query as it is written is what counts. */
async function runEitherWay(
  connection: DuckDBConnection,
  open: Session,
  id: number,
  request: RunRequest,
  state: Running,
): Promise<Answers['run']> {
  const send = (bytes: Uint8Array): Promise<void> => sendPart(id, bytes, state)
  const first = firstTried(open, request)
  if (first !== request) {
    const held = holdBack(MAX_HELD_BYTES)
    try {
      await guard(connection, first.sql, first.tables)
      const answer = await runQuery(connection, first, held.take, open.statements)
      for (const bytes of held.parts) await send(bytes)
      return answer
    } catch (error) {
      if (state.isCancelled || state.hasSent || isFatal(error)) throw error
      failedQuickly.set(first.sql, true)
    }
  }
  return runQuery(connection, request, send, open.statements)
}

class HeldTooLongError extends Error {
  override readonly name = 'HeldTooLongError'
  constructor() {
    super('The result of the quick way is too large to be held back')
  }
}

interface Held {
  readonly parts: readonly Uint8Array[]
  /** @throws HeldTooLongError for more bytes than are held */
  readonly take: SendPart
}

function holdBack(maxBytes: number): Held {
  const parts: Uint8Array[] = []
  let size = 0
  return {
    parts,
    take: async bytes => {
      size += bytes.byteLength
      if (size > maxBytes) throw new HeldTooLongError()
      parts.push(bytes)
    },
  }
}

/** Resolves when the parent has taken it, so that little waits here. */
async function sendPart(id: number, bytes: Uint8Array, state: Running): Promise<void> {
  if (state.isCancelled) throw new CancelledError()
  state.hasSent = true
  const message: FromChild = { kind: 'part', id, bytes }
  await new Promise<void>(resolve => process.send?.(message, () => resolve()))
}

function cancel(id: number): void {
  const state = running.get(id)
  if (!state) return
  state.isCancelled = true
  if (state.connection === null) {
    // Tables that it waits for are read all the same: the next query will want them.
    running.delete(id)
    send({ kind: 'failed', id, failure: { kind: 'interrupted' } })
    return
  }
  const interrupt = (): void => {
    if (running.get(id) === state) state.connection?.interrupt()
    else clearInterval(timer)
  }
  const timer = setInterval(interrupt, INTERRUPT_EVERY_MS)
  interrupt()
}

/** The next child may do better. */
function giveUp(error: unknown): void {
  if (process.connected) process.send?.({ kind: 'broken', cause: causeText(error) } satisfies FromChild, end)
}

/** Leaves nothing behind; queries that run are cut off. */
function end(): void {
  for (const state of running.values()) state.connection?.interrupt()
  process.removeAllListeners('message')
  if (process.connected) process.disconnect()
  if (folder !== null) rmSync(folder, { recursive: true, force: true })
  // Threads of a query that cannot be interrupted would keep the process alive.
  process.kill(process.pid, 'SIGKILL')
}

/** A parent that was killed cannot remove the folder of the engine, in which this child's own lies. */
function endAlone(): void {
  setTimeout(() => {
    if (folder !== null && process.ppid !== parent) folder = dirname(folder)
    end()
  }, ADOPTION_MS)
}

process.on('message', (message: ToChild) => {
  switch (message.kind) {
    case 'open':
      void open(message.options)
      break
    case 'request':
      void answer(message.id, message.request)
      break
    case 'cancel':
      cancel(message.id)
      break
    case 'close':
      end()
      break
  }
})
process.on('disconnect', endAlone)
// The parent decides: a Ctrl-C on the terminal reaches both, and the parent still drains.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => undefined)
