/** The engine's child process: it runs DuckDB, answers its parent's requests, and ends when its parent ends. */
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { TableDefinition } from '../../../../googlesql/data.js'
import { loadSandbox } from '../../../../googlesql-duckdb/runtime/index.js'
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
import type { Evaluate } from '../tables/choose-parts.js'
import { informationSchemaSql, isInformationSchema, tablesCounted } from '../tables/information-schema.js'
import { type ChosenShards, emptyShards, makeViews, NO_SHARDS } from '../tables/shard-store.js'
import { FileChangedError, UNSTEADY_FOR_MS } from '../tables/table-store.js'
import { failureOf, isFatal } from './failure.js'
import { isOptimizerFailure } from './large-plans.js'
import { prepareEach } from './prepared-statements.js'
import { checkQuery, explainQuery, prepareSelect, queryFailure, runQuery, type SendPart } from './run-query.js'
import { openSession, type Session } from './session.js'
import { statementGuard } from './statement-allowlist.js'

/** A request that has not been answered. */
interface Running {
  /** The connection that runs it; null while it waits for tables to be loaded. */
  connection: DuckDBConnection | null
  isCancelled: boolean
  /** Whether a part of its result has been sent. */
  hasSent: boolean
}

/**
 * The interval of repeated interrupts, in milliseconds: DuckDB ignores an interrupt that arrives before the query has begun.
 */
const INTERRUPT_EVERY_MS = 10
/**
 * The time until a child of a dead process gets another parent, in milliseconds: the dead process's files are closed before
 * that.
 */
const ADOPTION_MS = 50

/**
 * The size of Parquet files from which the quick SQL is tried first. It takes some milliseconds more to plan, which pays off
 * only for large files; this size holds some 100,000 log entries.
 */
const QUICK_FROM_BYTES = 8_000_000n
/** The most bytes of a quick result that are held until it is complete, since sent bytes cannot be taken back. */
const MAX_HELD_BYTES = 32_000_000
/** The most texts that are remembered because their quick SQL failed, which is likely to happen again. */
const MAX_FAILED_TEXTS = 1000

type QueryRequest = Exclude<Request, { kind: 'discover' | 'ping' | 'reads' }>

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
    session = await openSession(options, guard)
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

/** A failure that already has its message. */
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
  if (request.runsJavaScript) await loadSandbox()
  open.shards.declare(request.tables)
  if (request.kind === 'reads') {
    return open.borrow(connection => open.findReads(connection, request, interruptible(connection, state)))
  }
  if (request.kind === 'check') {
    await open.tables.stand(request.tables)
    const { views } = emptyShards(request.shardReads)
    return lend(open, id, request, state, { ...NO_SHARDS, views: new Map([...views, ...schemaViews(request, null)]) })
  }
  const startedAt = performance.now()
  for (let attempt = 1; ; attempt++) {
    const reads = await open.tables.refresh(request.tables)
    const chosen = await withSchemaViews(open, request, await chooseShards(open, request, state))
    for (const read of [...reads, ...chosen.reads]) {
      send({ kind: 'table-read', ...read, durationMs: performance.now() - startedAt })
    }
    const look = open.tables.lookAtFiles(request.tables)
    const outcome = await outcomeOf(lend(open, id, request, state, chosen))
    // The query may have read a part of the old file and a part of the new one.
    const replaced = state.isCancelled
      ? null
      : (look() ?? chosen.lookAtFiles() ?? (await chosenElsewhere(open, chosen)))
    if (replaced === null) return outcome()
    const isLast = state.hasSent || (attempt > 1 && performance.now() - startedAt > UNSTEADY_FOR_MS)
    if (isLast) throw new FileChangedError(replaced)
  }
}

async function chooseShards(
  open: Session,
  { shardReads, parameters }: RunRequest | ExplainRequest,
  state: Running,
): Promise<ChosenShards> {
  if (shardReads.length === 0) return NO_SHARDS
  return open.borrow(connection =>
    open.shards.choose(connection, shardReads, parameters, interruptible(connection, state)),
  )
}

/** Evaluates conditions on this connection, so that cancelling the request interrupts them. */
const interruptible =
  (connection: DuckDBConnection, state: Running): Evaluate =>
  async evaluate => {
    if (state.isCancelled) throw new CancelledError()
    state.connection = connection
    try {
      return await evaluate()
    } finally {
      state.connection = null
    }
  }

/** The SQL of the views of INFORMATION_SCHEMA that the request reads, by name. */
const schemaViews = ({ tables }: QueryRequest, known: readonly TableDefinition[] | null): [string, string][] =>
  tables.filter(isInformationSchema).map(name => [name, informationSchemaSql(name, known)])

async function withSchemaViews(open: Session, request: QueryRequest, chosen: ChosenShards): Promise<ChosenShards> {
  if (!request.tables.some(isInformationSchema)) return chosen
  await open.discover()
  const known = [...open.tables.definitions(), ...open.shards.definitions()]
  const counted = request.tables.flatMap(name => tablesCounted(name, known))
  open.shards.declare(counted)
  const reads = await open.tables.refresh(counted)
  const look = open.tables.lookAtFiles(counted)
  return {
    ...chosen,
    reads: [...chosen.reads, ...reads],
    lookAtFiles: () => chosen.lookAtFiles() ?? look(),
    views: new Map([...chosen.views, ...schemaViews(request, known)]),
  }
}

const chosenElsewhere = async (open: Session, { lookAtClock }: ChosenShards): Promise<string | null> =>
  lookAtClock && open.borrow(lookAtClock)

/** Captures the outcome of work, to be returned or thrown later. @throws only errors that end this process. */
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

async function lend(
  open: Session,
  id: number,
  request: QueryRequest,
  state: Running,
  chosen: ChosenShards,
): Promise<Answers[keyof Answers]> {
  if (state.isCancelled) throw new CancelledError()
  return open.borrow(connection =>
    open.largePlans.during(request.sql, async () => {
      const begin = (): Promise<Answers[keyof Answers]> => work(connection, open, id, request, state, chosen)
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
  chosen: ChosenShards,
): Promise<Answers[keyof Answers]> {
  if (state.isCancelled) throw new CancelledError()
  state.connection = connection
  try {
    await guard(connection, request.sql, namesRead(request))
    await makeViews(connection, chosen)
    switch (request.kind) {
      case 'run':
        return await runEitherWay(connection, open, id, request, state, chosen)
      case 'check':
        return await checkQuery(connection, request)
      case 'explain': {
        const { sql, plan } = await explainQuery(connection, firstTried(open, request, chosen))
        return { sql, plan: [...chosen.summary, plan].join('\n') }
      }
    }
  } catch (error) {
    if (state.isCancelled || request.kind === 'check' || isFatal(error)) throw error
    throw new FailureError(await queryFailure(connection, error, request.parameters))
  } finally {
    state.connection = null
  }
}

/** The names of the tables and views that the SQL may read. */
const namesRead = ({ tables, shardReads }: QueryRequest): readonly string[] => [
  ...tables,
  ...shardReads.map(({ view }) => view),
]

/** The request with the quick SQL where the files are large and the quick SQL has not failed before. */
function firstTried<R extends RunRequest | ExplainRequest>({ tables }: Session, request: R, chosen: ChosenShards): R {
  const { quickSql } = request
  if (quickSql === null || failedQuickly.has(quickSql)) return request
  return tables.bytesInPlace(request.tables) + chosen.bytes >= QUICK_FROM_BYTES
    ? { ...request, sql: quickSql }
    : request
}

/** Runs the quick SQL; when it fails, runs the query as written, whose outcome counts. */
async function runEitherWay(
  connection: DuckDBConnection,
  open: Session,
  id: number,
  request: RunRequest,
  state: Running,
  chosen: ChosenShards,
): Promise<Answers['run']> {
  // A kept statement would read the views of the query before: DuckDB does not notice every view that was replaced.
  const statements = chosen.views.size === 0 ? open.statements : prepareEach(prepareSelect)
  const send = (bytes: Uint8Array): Promise<void> => sendPart(id, bytes, state)
  const first = firstTried(open, request, chosen)
  if (first !== request) {
    const held = holdBack(MAX_HELD_BYTES)
    try {
      await guard(connection, first.sql, namesRead(first))
      const answer = await runQuery(connection, first, held.take, statements)
      for (const bytes of held.parts) await send(bytes)
      return answer
    } catch (error) {
      if (state.isCancelled || state.hasSent || isFatal(error)) throw error
      failedQuickly.set(first.sql, true)
    }
  }
  return runQuery(connection, request, send, statements)
}

class HeldTooLongError extends Error {
  override readonly name = 'HeldTooLongError'
  constructor() {
    super('The result of the quick way is too large to be held back')
  }
}

interface Held {
  readonly parts: readonly Uint8Array[]
  /** Holds a part. @throws HeldTooLongError when the held bytes exceed the bound. */
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

/** Sends a part; resolves when the parent has received it, so that few bytes are buffered here. */
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
    // The tables that it waits for are still loaded, since the next query is likely to need them.
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

/** Ends this process after an unexpected error; the parent starts another one. */
function giveUp(error: unknown): void {
  if (process.connected) process.send?.({ kind: 'broken', cause: causeText(error) } satisfies FromChild, end)
}

/** Ends the process at once, with its running queries. */
function end(): void {
  for (const state of running.values()) state.connection?.interrupt()
  process.removeAllListeners('message')
  if (process.connected) process.disconnect()
  if (folder !== null) rmSync(folder, { recursive: true, force: true })
  // Threads of a query that cannot be interrupted would keep the process alive.
  process.kill(process.pid, 'SIGKILL')
}

/** Ends after the parent was killed: removes the engine's folder, since the parent cannot. */
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
// Ctrl-C on a terminal reaches both processes; the parent decides, and first drains its requests.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => undefined)
