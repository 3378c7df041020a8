/** The embedded engine's parent side: translates, sends the work to the child process, and words what comes back. */
import { join, resolve } from 'node:path'
import { SqlError, type TableCatalogue, type TableNaming, type Type, typeName } from '../../../googlesql/index.js'
import type { Delay } from '../../../googlesql-duckdb/index.js'
import { BoundedMap } from '../../model/bounded-map.js'
import { RunnerError, SetupError } from '../../model/errors.js'
import type { Observer } from '../../model/events.js'
import type { CheckResult, Clock, Engine, RunOptions } from '../../model/ports.js'
import type { Query, ResultSet } from '../../model/query.js'
import { makeEngineFolder, ownFileFailure, temporaryFailure, tryRemove } from './engine-folder.js'
import { boundedSignal } from './process/bounded-signal.js'
import type { Discovery, TableSource } from './process/messages.js'
import { RequestFailure } from './process/request-queue.js'
import { startEngineProcess } from './process/supervisor.js'
import { runnerError } from './runner-error.js'
import { dataFolderFault } from './tables/data-folder.js'
import { dataCopyReader, dataStateReader } from './tables/data-state.js'
import { withFiles } from './tables/source-files.js'
import { CompiledText, type Translate, type Translation } from './translation/compiled-query.js'
import {
  type CatalogueSource,
  catalogueOf,
  type TranslationPool,
  type TranslationPoolOptions,
} from './translation/translation-pool.js'
import { readTypes, typesOf, wireParameters } from './values/parameter-values.js'

export interface DuckdbEngineOptions {
  /** Where tables' files are, `DIR/<dataset>/<table>.ndjson` and so on; null for none. */
  readonly dataDir: string | null
  /** A DuckDB database file, read only: its schemas are datasets. */
  readonly database: string | null
  readonly tables: readonly TableSource[]
  /** @default tables are called as they are named */
  readonly naming?: TableNaming
  readonly memoryLimitMb: number
  readonly threads: number
  /** A folder in which the engine makes one of its own, removed when it is closed or dies. */
  readonly tempDir: string
  readonly observe: Observer
  readonly clock: Clock
  /** Queries that run at once; others wait. @default 8 */
  readonly connections?: number
  /** A result of more bytes fails. @default 64 MB */
  readonly maxResultBytes?: number
  /** What queries that need more memory than they may have may write to the disk, in megabytes. @default 8,192 */
  readonly tempLimitMb?: number
}

/** What the command line and tests may know beyond the port. */
export interface DuckdbEngine extends Engine {
  /** `check` without asking DuckDB: names, types and everything else that the translator knows. */
  readonly compile: Engine['check']
  /** All tables that queries can name, found ones included. */
  readonly tables: () => TableCatalogue
  /** Of the child process while there is one. */
  readonly pid: () => number | undefined
  /** What was left out of the tables that were found, and why. */
  readonly notes: () => readonly string[]
}

const DEFAULT_CONNECTIONS = 8
const DEFAULT_MAX_RESULT_BYTES = 64_000_000
const DEFAULT_TEMP_LIMIT_MB = 8_192
const MAX_TRANSLATIONS = 1_000
/** Of a check or an explanation: DuckDB plans for long only what it could hardly run. */
const COMPILE_TIMEOUT_MS = 30_000
/** Longer than a new child takes to open. */
const PING_TIMEOUT_MS = 5_000

/** Of all engines of the process: what one has compiled is nothing to another. */
let nextRevision = 0

/** @throws SetupError when DuckDB cannot be opened so: a database file that is none, two tables of one name. */
export async function openEngine(
  options: DuckdbEngineOptions,
  translate: Translate,
  makeTranslationPool: ((options: TranslationPoolOptions) => TranslationPool) | null = null,
): Promise<DuckdbEngine> {
  const folder = makeEngineFolder(options.tempDir)
  const maxResultBytes = options.maxResultBytes ?? DEFAULT_MAX_RESULT_BYTES
  const declared = options.tables.map(table => table.definition)
  let source: CatalogueSource = { tables: declared, ...naming(options), absences: new Map() }
  let catalogue = catalogueOf(source)
  let discovery: Discovery = { tables: [], notes: [], unreadable: [], isOutgrown: false }
  let revision = nextRevision++
  const learn = (found: Discovery): void => {
    if (JSON.stringify(found) === JSON.stringify(discovery)) return
    discovery = found
    const absences = new Map(found.unreadable.map(({ table, reason }) => [table, reason]))
    source = { tables: [...found.tables, ...declared], ...naming(options), absences }
    catalogue = catalogueOf(source)
    revision = nextRevision++
  }

  const refuse = (failure: SetupError): never => {
    tryRemove(folder)
    throw failure
  }
  const child = await startEngineProcess({
    folder,
    session: {
      dataDir: options.dataDir === null ? null : resolve(options.dataDir),
      database: options.database === null ? null : resolve(options.database),
      tables: filesOfAll(options.tables, join(folder, 'rows'), cause =>
        refuse(temporaryFailure(options.tempDir, cause)),
      ),
      memoryLimitMb: options.memoryLimitMb,
      tempLimitMb: options.tempLimitMb ?? DEFAULT_TEMP_LIMIT_MB,
      threads: options.threads,
      connections: options.connections ?? DEFAULT_CONNECTIONS,
    },
    observe: options.observe,
    clock: options.clock,
    onDiscovery: learn,
  }).catch(error => refuse(openFailure(error)))

  // Of texts that nobody keeps: those of endpoints keep theirs, see CompiledText.
  const translations = new BoundedMap<string, Translation>(MAX_TRANSLATIONS)
  const translated = (sql: string, types: Readonly<Record<string, Type>>): Translation => {
    const names = Object.keys(types).sort()
    const key = JSON.stringify([revision, names.map(name => [name, typeName(types[name]!)]), sql])
    const translation = translations.get(key) ?? translate(sql, catalogue, types, { bindsTimes: true })
    translations.set(key, translation)
    return translation
  }
  const discover = async (): Promise<Discovery> => {
    const found = await child.ask({ kind: 'discover' })
    if (!found.isOutgrown) return found
    child.renew('there are new datasets')
    return child.ask({ kind: 'discover' })
  }
  const translators = makeTranslationPool?.({ threads: options.threads, clock: options.clock, source: () => source })
  const elsewhere = async (sql: string, names: Readonly<Record<string, string>>): Promise<Translation | null> => {
    const asked = source
    const [outcome] = await Promise.allSettled([translators?.translate(sql, names) ?? null])
    // What is known of the tables by now may make something else of it.
    if (asked !== source) return null
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }
  /** A table that is not there may have appeared since the folder was looked at. `names` are those of the types. */
  const translateFresh = async (
    sql: string,
    types: Readonly<Record<string, Type>>,
    names: Readonly<Record<string, string>> | null = null,
  ): Promise<Translation> => {
    try {
      return (names && (await elsewhere(sql, names))) ?? translated(sql, types)
    } catch (error) {
      if (!(error instanceof SqlError) || !/not found/i.test(error.reason)) throw error
      const before = revision
      learn(await discover())
      if (revision === before) throw withFault(error, sql)
      return translated(sql, types)
    }
  }

  /** Why there is no data folder, where there should be one. */
  const dataFault = (): string | null => (options.dataDir === null ? null : dataFolderFault(options.dataDir))
  const withFault = (error: SqlError, sql: string): SqlError => {
    const fault = dataFault()
    return fault === null ? error : new SqlError(`${error.reason}; ${fault}`, sql, error.offset)
  }

  const compiledOf = async (query: Query): Promise<CompiledText> => {
    const known = query.compiled instanceof CompiledText ? query.compiled : null
    if (known?.revision === revision) return known
    const translation = await translateFresh(query.sql, typesOf(query.parameters))
    return known ? known.renew(translation, revision) : new CompiledText(translation, revision)
  }

  /** What the child is to run. A time that cannot be bound is left to the query, which raises its error where it reads it. */
  const withParameters = (translation: Translation, { sql, parameters }: Query) => {
    const wire = wireParameters(translation, parameters)
    const found = wire === null ? translate(sql, catalogue, typesOf(parameters)) : translation
    return {
      sql: found.sql,
      quickSql: found.quickSql,
      tables: found.tables,
      parameters: wire ?? wireParameters(found, parameters)!,
    }
  }

  /**
   * Where the query itself fails and has constants that can fail, it is asked once more, with those left to the rows that
   * reach them: DuckDB computes constants though no row does.
   */
  const askTwice = async <T>(
    translation: Translation,
    sql: string,
    types: Readonly<Record<string, Type>>,
    delay: Delay,
    ask: (asked: Translation) => Promise<T>,
  ): Promise<T> => {
    try {
      return await ask(translation)
    } catch (error) {
      if (!(error instanceof RequestFailure) || error.failure.kind !== 'query') throw error
      const delayed = translate(sql, catalogue, types, { bindsTimes: true, delay })
      if (delayed.sql === translation.sql) throw error
      return await ask({ ...delayed, quickSql: null }).catch((late: unknown) => {
        // DuckDB wants some constants where the query is planned: what it says of the late ones is no word on the query.
        throw late instanceof RequestFailure && late.failure.kind === 'engine' ? error : late
      })
    }
  }

  const dataState = dataStateReader(options)
  const stateOf = (query: Query): string | null => {
    try {
      const known =
        query.compiled instanceof CompiledText && query.compiled.revision === revision ? query.compiled : null
      return dataState((known?.translation ?? translated(query.sql, typesOf(query.parameters))).tables)
    } catch {
      return null // what cannot be translated reads nothing that is known
    }
  }

  const run = async (query: Query, runOptions: RunOptions): Promise<ResultSet> => {
    const { signal, cancelTimer } = boundedSignal(runOptions, options.clock)
    try {
      const { translation, columns, resultColumns } = await compiledOf(query)
      const answer = await askTwice(translation, query.sql, typesOf(query.parameters), 'rows', asked =>
        child.ask(
          {
            kind: 'run',
            ...withParameters(asked, query),
            columns,
            maxRows: runOptions.maxRows,
            format: runOptions.format,
            timestamps: runOptions.timestamps,
            maxBytes: Math.min(maxResultBytes, runOptions.maxBytes ?? maxResultBytes),
          },
          { signal, caller: runOptions.endpoint },
        ),
      )
      return { columns: resultColumns, ...answer }
    } catch (error) {
      throw runnerError(error, signal)
    } finally {
      cancelTimer()
    }
  }

  const compile = async (
    sql: string,
    types: Readonly<Record<string, string>>,
  ): Promise<CheckResult & { readonly compiled?: CompiledText }> => {
    try {
      const compiled = new CompiledText(await translateFresh(sql, readTypes(types), types), revision)
      return { ok: true, columns: compiled.resultColumns, compiled }
    } catch (error) {
      if (error instanceof SqlError) return { ok: false, problem: { ...error.place, message: error.reason } }
      throw runnerError(error)
    }
  }

  const check = async (sql: string, types: Readonly<Record<string, string>>): Promise<CheckResult> => {
    const compiled = await compile(sql, types)
    if (compiled.compiled === undefined) return compiled
    const { signal, cancelTimer } = boundedSignal({ timeoutMs: COMPILE_TIMEOUT_MS }, options.clock)
    try {
      const { translation, columns, resultColumns } = compiled.compiled
      await askTwice(translation, sql, readTypes(types), 'branches', asked =>
        child.ask({ kind: 'check', sql: asked.sql, columns, tables: asked.tables }, { signal }),
      )
      return { ok: true, columns: resultColumns }
    } catch (error) {
      // What the query itself does wrong, DuckDB can see before it runs: a constant that overflows, a bad pattern.
      if (error instanceof RequestFailure && error.failure.kind === 'query') {
        return { ok: false, problem: { line: 1, column: 1, message: error.failure.message } }
      }
      throw runnerError(error, signal)
    } finally {
      cancelTimer()
    }
  }

  return {
    name: 'duckdb',
    run,
    compile,
    check,
    explain: async query => {
      const { signal, cancelTimer } = boundedSignal({ timeoutMs: COMPILE_TIMEOUT_MS }, options.clock)
      try {
        const types = typesOf(query.parameters)
        const translation = await translateFresh(query.sql, types)
        const { sql, plan } = await askTwice(translation, query.sql, types, 'rows', asked =>
          child.ask({ kind: 'explain', ...withParameters(asked, query) }, { signal }),
        )
        return { engineSql: sql, plan }
      } catch (error) {
        throw runnerError(error, signal)
      } finally {
        cancelTimer()
      }
    },
    dataState: query => stateOf(query),
    dataCopy: dataCopyReader(options),
    ping: async () => {
      const fault = dataFault()
      if (fault !== null) throw new RunnerError('ENGINE_UNAVAILABLE', { cause: new SetupError(fault) })
      const { signal, cancelTimer } = boundedSignal({ timeoutMs: PING_TIMEOUT_MS }, options.clock)
      try {
        await child.ask({ kind: 'ping' }, { signal })
      } catch (error) {
        throw runnerError(error, signal)
      } finally {
        cancelTimer()
      }
    },
    close: async () => {
      translators?.close()
      await child.close()
      tryRemove(folder)
    },
    tables: () => catalogue,
    pid: child.pid,
    notes: () => discovery.notes,
  }
}

/** @throws what `refuse` throws when rows of tables cannot be written to `folder`. */
function filesOfAll(
  tables: readonly TableSource[],
  folder: string,
  refuse: (cause: unknown) => never,
): readonly TableSource[] {
  try {
    return tables.map((table, index) => withFiles(table, folder, index))
  } catch (cause) {
    return refuse(cause)
  }
}

function openFailure(error: unknown): SetupError {
  const text = error instanceof Error ? error.message : String(error)
  return ownFileFailure(error) ?? new SetupError(`DuckDB could not be opened: ${text}`, { cause: error })
}

const naming = ({ naming }: DuckdbEngineOptions): Pick<CatalogueSource, 'naming'> => (naming ? { naming } : {})
