/** A pool of worker threads that translate while many texts are waiting, for example when thousands of manifests are loaded. */
import type { Worker } from 'node:worker_threads'
import {
  type Absence,
  type BrokenTables,
  type FunctionSources,
  type OutputColumn,
  SqlError,
  type TableCatalogue,
  type TableDefinition,
  type TableNaming,
  type Type,
  tableCatalogue,
} from '../../../../googlesql/index.js'
import type { Delay, TranslatedQuery } from '../../../../googlesql-duckdb/index.js'
import type { Clock } from '../../../model/ports.js'
import { startWorker } from '../../../platform/start-worker.js'

/** The tables of a catalogue, as sent to the threads. */
export interface CatalogueSource {
  readonly tables: readonly TableDefinition[]
  readonly naming?: TableNaming
  readonly absences: ReadonlyMap<string, Absence>
  readonly functions?: FunctionSources
  readonly broken?: BrokenTables
}

export const catalogueOf = ({ tables, naming, absences, functions, broken }: CatalogueSource): TableCatalogue =>
  tableCatalogue(tables, naming, absences, functions, broken)

/** A column whose type is JSON text. */
interface WireColumn extends Omit<OutputColumn, 'type' | 'column'> {
  readonly type: string
}

/** A translation in a form that can be sent between threads: each type is JSON text. */
export interface WireTranslation {
  readonly sql: string
  readonly columns: readonly WireColumn[]
  readonly parameters: readonly string[]
  readonly times: TranslatedQuery['times']
  readonly tables: readonly string[]
  readonly quickSql: string | null
  readonly runsJavaScript: boolean
  readonly shardReads: TranslatedQuery['shardReads']
}

export type ToTranslator =
  | { readonly kind: 'tables'; readonly source: CatalogueSource }
  | {
      readonly kind: 'text'
      readonly id: number
      readonly sql: string
      readonly types: Readonly<Record<string, string>>
      readonly delay: Delay | null
    }

/** `failed` stands for any error other than a mistake in the text; the main thread then translates again and reports it. */
export type FromTranslator =
  | { readonly kind: 'translated'; readonly id: number; readonly translation: WireTranslation }
  | ({ readonly kind: 'mistake'; readonly id: number } & Pick<SqlError, 'reason' | 'offset' | 'mistake'>)
  | { readonly kind: 'failed'; readonly id: number }

/** The parts of a translation that the engine keeps. */
export type KeptTranslation = Omit<TranslatedQuery, 'columns'> & {
  readonly columns: readonly Omit<OutputColumn, 'column'>[]
}

export interface TranslationPool {
  /**
   * Translates in a thread. Returns null if the caller should translate the text itself, since there were few texts recently or
   * the threads are busy. With a `delay`, which only a failed query needs, the number of texts does not matter. Resolves to null if
   * the thread has failed. @throws SqlError as `translate` does.
   */
  translate(
    sql: string,
    types: Readonly<Record<string, string>>,
    delay?: Delay | null,
  ): Promise<KeptTranslation | null> | null
  /** Ends the threads; pending translations resolve to null. */
  close(): void
}

export interface TranslationPoolOptions {
  /** The number of threads, including the calling thread; with 1 there is no worker. */
  readonly threads: number
  readonly clock: Clock
  /** The catalogue's source; the same object while the tables are the same. */
  readonly source: () => CatalogueSource
}

/**
 * The number of recent texts up to which no thread is started: a thread needs a tenth of a second to start, and as long again
 * to warm up.
 */
const FEW = 300
/** The pause after which loading counts as finished, in milliseconds. */
const IDLE_MS = 1_000
const MOST_THREADS = 4
/**
 * The most pending texts of one thread: enough to keep the thread busy and to give most of the work to few threads, since V8
 * optimises the translator in each thread separately.
 */
const MOST_PENDING = 40

interface Thread {
  readonly worker: Worker
  /** The pending texts by id. */
  readonly pending: Map<number, Pending>
  source: CatalogueSource | null
}

interface Pending {
  readonly sql: string
  readonly resolve: (translation: KeptTranslation | null) => void
  readonly reject: (error: SqlError) => void
}

export function createTranslationPool({ threads: wanted, clock, source }: TranslationPoolOptions): TranslationPool {
  const most = Math.min(wanted, MOST_THREADS) - 1
  let threads: readonly Thread[] = []
  let asked = 0
  let lastAsked = 0
  let nextId = 1
  let isBroken = false
  let cancelTimer: (() => void) | null = null
  const typeOf = typeReader()

  const start = (): Thread => {
    const thread: Thread = {
      worker: startWorker('runner/engines/duckdb/translation/translation-worker'),
      pending: new Map(),
      source: null,
    }
    thread.worker.on('message', (message: FromTranslator) => settle(thread, message))
    // The worker's error is ignored: the main thread retries the translation and reports it with more context.
    const lose = (): void => {
      if (!threads.includes(thread)) return
      isBroken = true
      end()
    }
    thread.worker.on('error', lose)
    thread.worker.on('exit', lose)
    return thread
  }

  const settle = ({ pending }: Thread, message: FromTranslator): void => {
    const job = pending.get(message.id)
    pending.delete(message.id)
    if (message.kind === 'mistake') job?.reject(new SqlError(message.reason, job.sql, message.offset, message.mistake))
    else job?.resolve(message.kind === 'failed' ? null : withTypes(message.translation, typeOf))
  }

  const end = (): void => {
    const ended = threads
    threads = []
    asked = 0
    cancelTimer?.()
    cancelTimer = null
    for (const { worker, pending } of ended) {
      for (const job of pending.values()) job.resolve(null)
      void worker.terminate()
    }
  }

  const endIdle = (): void => {
    const isIdle = clock.ticksMs() - lastAsked >= IDLE_MS && threads.every(({ pending }) => pending.size === 0)
    cancelTimer = isIdle ? null : clock.after(IDLE_MS, endIdle)
    if (isIdle) end()
  }

  return {
    translate(sql, types, delay = null) {
      const now = clock.ticksMs()
      if (threads.length === 0 && now - lastAsked >= IDLE_MS) asked = 0
      lastAsked = now
      if (delay === null) asked += 1
      if ((delay === null && asked <= FEW) || most < 1 || isBroken) return null
      if (threads.length === 0) {
        threads = Array.from({ length: most }, start)
        cancelTimer = clock.after(IDLE_MS, endIdle)
      }
      const thread = threads.reduce((least, other) => (other.pending.size < least.pending.size ? other : least))
      if (thread.pending.size >= MOST_PENDING) return null
      const current = source()
      const post = (message: ToTranslator): void => thread.worker.postMessage(message)
      if (thread.source !== current) post({ kind: 'tables', source: current })
      thread.source = current
      const id = nextId++
      return new Promise((resolve, reject) => {
        thread.pending.set(id, { sql, resolve, reject })
        post({ kind: 'text', id, sql, types, delay })
      })
    },
    close: end,
  }
}

function withTypes({ columns, ...rest }: WireTranslation, typeOf: (json: string) => Type): KeptTranslation {
  return { ...rest, columns: columns.map(column => ({ ...column, type: typeOf(column.type) })) }
}

/** Parses types and caches them by their text, since there are thousands of columns but few types. */
function typeReader(): (json: string) => Type {
  const known = new Map<string, Type>()
  return json => {
    const type = known.get(json) ?? (JSON.parse(json) as Type)
    if (known.size < MOST_TYPES) known.set(json, type)
    return type
  }
}

const MOST_TYPES = 1_000
