/** Threads that translate beside this one while there are many texts to be translated, as when thousands of manifests load. */
import { Worker } from 'node:worker_threads'
import {
  SqlError,
  type TableCatalogue,
  type TableDefinition,
  type TableNaming,
  type Type,
  tableCatalogue,
} from '../../../../googlesql/index.js'
import type { TranslatedQuery } from '../../../../googlesql-duckdb/index.js'
import type { Clock } from '../../../model/ports.js'

/** What a catalogue is made of. */
export interface CatalogueSource {
  readonly tables: readonly TableDefinition[]
  readonly naming?: TableNaming
  readonly absences: ReadonlyMap<string, string>
}

export const catalogueOf = ({ tables, naming, absences }: CatalogueSource): TableCatalogue =>
  tableCatalogue(tables, naming, absences)

/** A translation without the resolver's own columns; each type as JSON. */
export interface WireTranslation {
  readonly sql: string
  readonly columns: readonly (readonly [name: string, type: string])[]
  readonly parameters: readonly string[]
  readonly times: TranslatedQuery['times']
  readonly tables: readonly string[]
  readonly quickSql: string | null
}

export type ToTranslator =
  | { readonly kind: 'tables'; readonly source: CatalogueSource }
  | {
      readonly kind: 'text'
      readonly id: number
      readonly sql: string
      readonly types: Readonly<Record<string, string>>
    }

/** `failed` is whatever is no mistake in the text: who translates it again is told. */
export type FromTranslator =
  | { readonly kind: 'translated'; readonly id: number; readonly translation: WireTranslation }
  | { readonly kind: 'mistake'; readonly id: number; readonly reason: string; readonly offset: number }
  | { readonly kind: 'failed'; readonly id: number }

/** Of a translation, what is kept. */
export type KeptTranslation = Omit<TranslatedQuery, 'columns'> & {
  readonly columns: readonly { readonly name: string; readonly type: Type }[]
}

export interface TranslationPool {
  /**
   * Null when the caller does it as fast itself: there have been few texts of late, or the threads have enough to do.
   * Resolves to null when it could not be done. @throws SqlError as `translate` does.
   */
  translate(sql: string, types: Readonly<Record<string, string>>): Promise<KeptTranslation | null> | null
  /** What has been asked ends with null. */
  close(): void
}

export interface TranslationPoolOptions {
  /** This thread included; one means no other. */
  readonly threads: number
  readonly clock: Clock
  /** The same object as long as it says the same. */
  readonly source: () => CatalogueSource
}

/** A thread takes a tenth of a second to begin, and as long again until it is as fast as this one. */
const FEW = 300
/** Who has not asked for so long has asked for all. */
const IDLE_MS = 1_000
const MOST_THREADS = 4
/** Of one thread: enough for it not to wait, and to have most of the work, so that V8 compiles the translator for few threads. */
const MOST_PENDING = 40
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

const isSource = import.meta.url.endsWith('.ts')
const TRANSLATOR = new URL(isSource ? './translation-worker.ts' : './translation-worker.js', import.meta.url)
/** tsx reads TypeScript in a thread only when the thread itself asks it to. */
const SOURCE_START = `import('tsx/esm/api').then(tsx => { tsx.register(); return import('${TRANSLATOR.href}') })`

interface Thread {
  readonly worker: Worker
  /** By id. */
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
    const options = { execArgv: [], resourceLimits: LIMITS, env: {}, eval: isSource }
    const thread: Thread = {
      worker: new Worker(isSource ? SOURCE_START : TRANSLATOR, options),
      pending: new Map(),
      source: null,
    }
    thread.worker.on('message', (message: FromTranslator) => settle(thread, message))
    // What a thread dies of, this one dies of or tells of better.
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
    if (message.kind === 'mistake') job?.reject(new SqlError(message.reason, job.sql, message.offset))
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
    translate(sql, types) {
      const now = clock.ticksMs()
      if (threads.length === 0 && now - lastAsked >= IDLE_MS) asked = 0
      lastAsked = now
      asked += 1
      if (asked <= FEW || most < 1 || isBroken) return null
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
        post({ kind: 'text', id, sql, types })
      })
    },
    close: end,
  }
}

function withTypes({ columns, ...rest }: WireTranslation, typeOf: (json: string) => Type): KeptTranslation {
  return { ...rest, columns: columns.map(([name, type]) => ({ name, type: typeOf(type) })) }
}

/** Columns of one type share it: there are thousands of columns and few types. */
function typeReader(): (json: string) => Type {
  const known = new Map<string, Type>()
  return json => {
    const type = known.get(json) ?? (JSON.parse(json) as Type)
    if (known.size < MOST_TYPES) known.set(json, type)
    return type
  }
}

const MOST_TYPES = 1_000
