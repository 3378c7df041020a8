/**
 * The embedded engine in the parent process: translates queries, sends them to the child process, and translates its errors.
 */
import { join, resolve } from 'node:path'
import {
  type BrokenTables,
  constantChecks,
  type FunctionSources,
  type resolveQuery,
  rootOf,
  SqlError,
  type TableCatalogue,
  type TableDefinition,
  type TableNaming,
  type Type,
  typeName,
  wildcardOver,
} from '../../../googlesql/index.js'
import type { Delay, GenerateOptions } from '../../../googlesql-duckdb/index.js'
import { BoundedMap } from '../../model/bounded-map.js'
import { RunnerError, SetupError } from '../../model/errors.js'
import type { Observer } from '../../model/events.js'
import { BACKGROUND, type CheckResult, type Clock, type Engine, type RunOptions } from '../../model/ports.js'
import type { Query } from '../../model/query.js'
import { QueryFault } from '../../model/query-fault.js'
import { ArgumentFaults } from '../argument-faults.js'
import { makeEngineFolder, ownFileFailure, temporaryFailure, tryRemove } from './engine-folder.js'
import { locateFailure } from './locate-failure.js'
import { ApartProcesses, ofApart } from './process/apart-processes.js'
import { boundedSignal } from './process/bounded-signal.js'
import type { Share } from './process/fair-queue.js'
import type { Discovery, SqlNeeds, TableSource } from './process/messages.js'
import { RequestFailure } from './process/request-queue.js'
import { EngineProcess } from './process/supervisor.js'
import { runnerError } from './runner-error.js'
import { dataFolderFault } from './tables/data-folder.js'
import { dataCopyReader, dataStateReader } from './tables/data-state.js'
import { isInformationSchema } from './tables/information-schema.js'
import { withFiles } from './tables/source-files.js'
import { CompiledQuery, type Translate, type Translation } from './translation/compiled-query.js'
import {
  type CatalogueSource,
  catalogueOf,
  type TranslationPool,
  type TranslationPoolOptions,
} from './translation/translation-pool.js'
import { readTypes, typesOf, wireParameters } from './values/parameter-values.js'

export interface DuckdbEngineOptions {
  /** The data folder, with files such as `<dataset>/<table>.ndjson`; null if there is no data folder. */
  readonly dataDir: string | null
  /** A DuckDB database file, opened read-only, whose schemas are datasets; null if there is no such file. */
  readonly database: string | null
  readonly tables: readonly TableSource[]
  /** The functions that queries may call besides those of the language. @default none */
  readonly functions?: FunctionSources
  /** Tables whose schemas have mistakes, which no query can read. @default none */
  readonly broken?: BrokenTables
  /** How names in SQL map to tables. @default names are used unchanged */
  readonly naming?: TableNaming
  readonly memoryLimitMb: number
  readonly threads: number
  /** The folder in which the engine creates its own temporary folder, which is removed when the engine is closed or dies. */
  readonly tempDir: string
  readonly observe: Observer
  readonly clock: Clock
  /** Whether many callers share the engine: a query that holds up its process then runs in another one. @default false */
  readonly isShared?: boolean
  /** The most queries that run at once; others wait. @default 8 */
  readonly connections?: number
  /** The largest result in bytes; a larger one fails. @default 64 MB */
  readonly maxResultBytes?: number
  /** Disk space for queries that exceed the memory limit, in megabytes. @default 8,192 */
  readonly tempLimitMb?: number
}

/** The engine with the additional functions that the command line and tests use. */
export interface DuckdbEngine extends Engine {
  /** Like `check`, but without DuckDB: checks names, types and everything else that the translator can check. */
  readonly compile: Engine['check']
  /** All tables that queries can name, including discovered ones. */
  readonly tables: () => TableCatalogue
  /** The id of the child process while it runs. */
  readonly pid: () => number | undefined
  /** Columns and files that were left out of discovered tables, and why. */
  readonly notes: () => readonly string[]
  /** Tables that have files and cannot be queried, and why. */
  readonly unreadable: () => Discovery['unreadable']
  /**
   * The engine with some tables replaced: `standIns` maps the name of a table to the declared table that queries read instead,
   * which has the same columns.
   */
  readonly withTables: (standIns: ReadonlyMap<string, TableDefinition>) => Pick<Engine, 'run' | 'locate'>
}

/** The tables that a query sees. Views in which a name means different tables have different keys. */
interface TableView {
  readonly key: string
  readonly catalogue: () => TableCatalogue
}

const DEFAULT_CONNECTIONS = 8
const DEFAULT_MAX_RESULT_BYTES = 64_000_000
const DEFAULT_TEMP_LIMIT_MB = 8_192
const MAX_TRANSLATIONS = 1_000
/** The length of a text from which its translation takes some 10 ms. */
const LONG_TEXT = 2_000
/** The timeout of a check or an explanation, in milliseconds: a query that needs longer for planning alone is hardly usable. */
const COMPILE_TIMEOUT_MS = 30_000
/** The timeout of a ping, in milliseconds: longer than most queries may keep the child's one thread busy. */
const PING_TIMEOUT_MS = 10_000

/** The next revision, unique among all engines of the process: engines cannot use each other's compiled queries. */
let nextRevision = 0

/**
 * Opens the engine. `resolveText` finds the constants that `check` tests.
 * @throws SetupError when DuckDB cannot be opened, for example for an invalid database file or two tables with the same name.
 */
export async function openEngine(
  options: DuckdbEngineOptions,
  translate: Translate,
  makeTranslationPool: ((options: TranslationPoolOptions) => TranslationPool) | null = null,
  resolveText: typeof resolveQuery | null = null,
): Promise<DuckdbEngine> {
  const folder = makeEngineFolder(options.tempDir)
  const maxResultBytes = options.maxResultBytes ?? DEFAULT_MAX_RESULT_BYTES
  const declared = options.tables.map(table => table.definition)
  let source: CatalogueSource = { tables: declared, ...namesOf(options), absences: new Map() }
  let catalogue = catalogueOf(source)
  let discovery: Discovery = { tables: [], notes: [], unreadable: [], isOutgrown: false }
  let revision = nextRevision++
  const learn = (found: Discovery): void => {
    if (JSON.stringify(found) === JSON.stringify(discovery)) return
    discovery = found
    const absences = new Map(found.unreadable.map(({ table, reason }) => [table, { reason }]))
    source = { tables: [...found.tables, ...declared], ...namesOf(options), absences }
    catalogue = catalogueOf(source)
    revision = nextRevision++
    apart.renew()
  }

  const refuse = (failure: SetupError): never => {
    tryRemove(folder)
    throw failure
  }
  const session = {
    dataDir: options.dataDir === null ? null : resolve(options.dataDir),
    database: options.database === null ? null : resolve(options.database),
    tables: filesOfAll(options.tables, join(folder, 'rows'), cause => refuse(temporaryFailure(options.tempDir, cause))),
    memoryLimitMb: options.memoryLimitMb,
    tempLimitMb: options.tempLimitMb ?? DEFAULT_TEMP_LIMIT_MB,
    threads: options.threads,
    connections: options.connections ?? DEFAULT_CONNECTIONS,
    isShared: options.isShared ?? false,
  }
  const { observe, clock } = options
  let apartProcesses = 0
  const apart = new ApartProcesses({
    clock,
    start: () =>
      EngineProcess.start({
        folder,
        name: `apart-${++apartProcesses}`,
        session: ofApart(session),
        observe,
        clock,
        onDiscovery: () => undefined,
        onDisruptive: request => apart.remember(request),
      }),
  })
  const compiledTables = new Set<string>()
  /** The tables that each process reads before a query needs them. */
  const tablesAhead = new Set<string>()
  /** Reads the tables one by one, so that a query waits for one of them at most. */
  const readTables = async (): Promise<void> => {
    for (const table of tablesAhead) {
      const order = { sql: 'SELECT 1', quickSql: null, tables: [table], shardReads: [], runsJavaScript: false }
      // A table that cannot be read, or that ends the process, is left to the query that needs it.
      await child.ask({ kind: 'explain', ...order, parameters: [] }).catch(() => tablesAhead.delete(table))
    }
  }
  const child = await EngineProcess.start({
    folder,
    name: 'child',
    session,
    observe,
    clock,
    onDiscovery: found => {
      learn(found)
      void readTables()
    },
    onDisruptive: request => apart.remember(request),
    tablesAhead: () => [...tablesAhead],
    runsApart: request => apart.runsApart(request),
  }).catch(error => refuse(openFailure(error)))
  const ask = apart.askBeside(child.ask)

  const all: TableView = { key: '', catalogue: () => catalogue }
  // The translations of ad-hoc texts, and those for queries that fail; endpoints keep their other translations, see CompiledQuery.
  const translations = new BoundedMap<string, Translation>(MAX_TRANSLATIONS)
  const translated = (
    sql: string,
    types: Readonly<Record<string, Type>>,
    view = all,
    options: Pick<GenerateOptions, 'bindsTimes' | 'delay'> = { bindsTimes: true },
  ): Translation => {
    const key = keyOf(sql, types, view, options)
    const translation = translations.get(key) ?? translate(sql, view.catalogue(), types, options)
    translations.set(key, translation)
    return translation
  }
  const keyOf = (sql: string, types: Readonly<Record<string, Type>>, view: TableView, options: object): string => {
    const names = Object.keys(types).sort()
    return JSON.stringify([revision, view.key, names.map(name => [name, typeName(types[name]!)]), options, sql])
  }
  const discover = async (): Promise<Discovery> => {
    const found = await child.ask({ kind: 'discover' })
    if (!found.isOutgrown) return found
    await child.renew('there are new datasets')
    return child.ask({ kind: 'discover' })
  }
  const translators = makeTranslationPool?.({ threads: options.threads, clock: options.clock, source: () => source })
  const translateInThread = async (
    sql: string,
    names: Readonly<Record<string, string>>,
    delay: Delay | null = null,
  ): Promise<Translation | null> => {
    const asked = source
    const [outcome] = await Promise.allSettled([translators?.translate(sql, names, delay) ?? null])
    // If the tables have changed in the meantime, the translation may be outdated.
    if (asked !== source) return null
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }
  /** Translates. If a table is missing, looks for new files and translates again. */
  const withNewFiles = async (
    sql: string,
    translateNow: () => Translation,
    first: () => Translation | Promise<Translation> = translateNow,
  ): Promise<Translation> => {
    try {
      return await first()
    } catch (error) {
      if (!(error instanceof SqlError) || rootOf(error.mistake)?.code !== 'unknown-table') throw error
      const before = revision
      learn(await discover())
      if (revision === before) throw withFault(error, sql)
      return translateNow()
    }
  }
  /** `names` are the names of the types, as the worker threads take them; null translates in this thread. */
  const translateFresh = (
    sql: string,
    types: Readonly<Record<string, Type>>,
    names: Readonly<Record<string, string>> | null = null,
    view = all,
  ): Promise<Translation> => {
    const here = (): Translation => translated(sql, types, view)
    return withNewFiles(sql, here, async () => (names && (await translateInThread(sql, names))) ?? here())
  }

  /** Why the data folder cannot be used; null where it can. */
  const dataFault = (): string | null => (options.dataDir === null ? null : dataFolderFault(options.dataDir))
  const withFault = (error: SqlError, sql: string): SqlError => {
    const fault = dataFault()
    return fault === null ? error : new SqlError(`${error.reason}; ${fault}`, sql, error.offset, error.mistake)
  }

  const compiledOf = async (query: Query, view: TableView): Promise<CompiledQuery> => {
    if (view !== all) {
      return new CompiledQuery(await translateFresh(query.sql, typesOf(query.parameters), null, view), revision)
    }
    const known = query.compiled instanceof CompiledQuery ? query.compiled : null
    if (known?.revision === revision) return known
    const translation = await translateFresh(query.sql, typesOf(query.parameters))
    return known ? known.renew(translation, revision) : new CompiledQuery(translation, revision)
  }

  /**
   * The SQL and parameters for the child. If a computed time is out of range, the SQL computes that time itself, and raises the
   * error only when the query reads it.
   */
  const withParameters = (translation: Translation, { sql, parameters }: Query, view = all) => {
    const wire = wireParameters(translation, parameters)
    const found = wire === null ? translated(sql, typesOf(parameters), view, {}) : translation
    return {
      sql: found.sql,
      quickSql: found.quickSql,
      ...needsOf(found),
      parameters: wire ?? wireParameters(found, parameters)!,
    }
  }

  /** The translation for a query that has failed. A long text is translated in a thread, so that no other call waits. */
  const delayedTranslation = async (
    sql: string,
    types: Readonly<Record<string, Type>>,
    delay: Delay,
    view: TableView,
  ): Promise<Translation> => {
    const options = { bindsTimes: true, delay }
    if (sql.length > LONG_TEXT && view === all && !translations.has(keyOf(sql, types, view, options))) {
      const names = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, typeName(type)]))
      const translation = await translateInThread(sql, names, delay)
      if (translation !== null) translations.set(keyOf(sql, types, view, options), translation)
    }
    return translated(sql, types, view, options)
  }

  /**
   * Runs the query. If it fails and contains constants that can fail, runs it again with those constants evaluated per row:
   * DuckDB folds constants even if no row reaches them.
   */
  const askTwice = async <T>(
    translation: Translation,
    sql: string,
    types: Readonly<Record<string, Type>>,
    delay: Delay,
    run: (asked: Translation) => Promise<T>,
    view = all,
  ): Promise<T> => {
    try {
      return await run(translation)
    } catch (error) {
      if (!(error instanceof RequestFailure) || error.failure.kind !== 'query') throw error
      const delayed = await delayedTranslation(sql, types, delay, view)
      if (delayed.sql === translation.sql) throw error
      return await run({ ...delayed, quickSql: null }).catch((late: unknown) => {
        // DuckDB requires some arguments to be constant; an error about a delayed constant does not concern the query.
        throw late instanceof RequestFailure && late.failure.kind === 'engine' ? error : late
      })
    }
  }

  const dataState = dataStateReader(options)
  const stateOf = (query: Query): string | null => {
    try {
      const known =
        query.compiled instanceof CompiledQuery && query.compiled.revision === revision ? query.compiled : null
      return dataState((known?.translation ?? translated(query.sql, typesOf(query.parameters))).tables)
    } catch {
      return null // A query that cannot be translated has no known tables.
    }
  }

  const locateOver =
    (view: TableView): NonNullable<Engine['locate']> =>
    async (query, runOptions, { cause }) => {
      if (!(cause instanceof QueryFault) || cause.kind === null) return null
      const { maxRows, timestamps, signal } = runOptions
      const types = typesOf(query.parameters)
      const generate = { bindsTimes: true, delay: 'rows' } as const
      return locateFailure(cause.kind, {
        translate: tolerated => translate(query.sql, view.catalogue(), types, { ...generate, tolerated }),
        run(asked, until) {
          const { columns } = new CompiledQuery(asked, revision)
          const order = { columns, maxRows, timestamps, contract: [], maxBytes: maxResultBytes }
          return ask(
            { kind: 'run', ...withParameters(asked, query, view), ...order },
            { signal: until, share: shareOf(runOptions) },
          )
        },
        clock: options.clock,
        signal,
      })
    }

  const runQuery =
    (view: TableView): Engine['run'] =>
    async (query, runOptions) => {
      const { signal, cancelTimer } = boundedSignal(runOptions, options.clock)
      try {
        const { translation, columns, resultColumns } = await compiledOf(query, view)
        const run = (asked: Translation) =>
          ask(
            {
              kind: 'run',
              ...withParameters(asked, query, view),
              columns,
              maxRows: runOptions.maxRows,
              timestamps: runOptions.timestamps,
              contract: runOptions.contract ?? [],
              maxBytes: Math.min(maxResultBytes, runOptions.maxBytes ?? maxResultBytes),
            },
            { signal, share: shareOf(runOptions) },
          )
        const answer = await askTwice(translation, query.sql, typesOf(query.parameters), 'rows', run, view)
        return { columns: resultColumns, ...answer }
      } catch (error) {
        throw runnerError(error, signal)
      } finally {
        cancelTimer()
      }
    }

  const faults =
    resolveText &&
    new ArgumentFaults({
      resolve: (sql, types) => resolveText(sql, catalogue, readTypes(types)),
      run: runQuery(all),
    })
  const runOver =
    (view: TableView): Engine['run'] =>
    async (query, runOptions) => {
      try {
        return await runQuery(view)(query, runOptions)
      } catch (error) {
        throw faults && error instanceof RunnerError ? await faults.explain(error, query, runOptions) : error
      }
    }

  const compile = async (
    sql: string,
    types: Readonly<Record<string, string>>,
  ): Promise<CheckResult & { readonly compiled?: CompiledQuery }> => {
    try {
      const compiled = new CompiledQuery(await translateFresh(sql, readTypes(types), types), revision)
      for (const table of compiled.translation.tables) if (!isInformationSchema(table)) compiledTables.add(table)
      return { ok: true, columns: compiled.checkedColumns, compiled }
    } catch (error) {
      if (error instanceof SqlError) return { ok: false, problem: error.problem }
      throw runnerError(error)
    }
  }

  // Caches the results of `probe`, since many manifests, and many variants of a query, contain the same patterns.
  const probed = new BoundedMap<string, string | null>(MAX_TRANSLATIONS)
  /** Runs a query without tables and parameters. Returns the message of its error; null if it succeeds. */
  const probe = async (sql: string, signal: AbortSignal): Promise<string | null> => {
    const known = probed.get(sql)
    if (known !== undefined) return known
    const translation = translate(sql, catalogue, {}, { delay: 'rows' })
    const { columns } = new CompiledQuery(translation, revision)
    const order = { columns, maxRows: 1, timestamps: 'iso8601', contract: [], maxBytes: maxResultBytes } as const
    const { sql: text, quickSql } = translation
    const outcome = await ask(
      { kind: 'run', sql: text, quickSql, ...needsOf(translation), parameters: [], ...order },
      { signal },
    ).then(
      () => null,
      error => {
        if (error instanceof RequestFailure && error.failure.kind === 'query') return error.failure.message
        throw error
      },
    )
    probed.set(sql, outcome)
    return outcome
  }
  /** The error of the first invalid constant; null if all constants are valid. */
  const wrongConstant = async (
    sql: string,
    types: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<SqlError | null> => {
    if (resolveText === null) return null
    const { mistakes, probes } = constantChecks(resolveText(sql, catalogue, readTypes(types)))
    const [mistake] = mistakes
    if (mistake) return new SqlError(mistake.reason, sql, mistake.at, mistake.mistake)
    for (const { at, sql: asked, parameters } of probes) {
      if (parameters.length > 0) continue
      const message = await probe(asked, signal)
      if (message !== null) return new SqlError(message, sql, at)
    }
    return null
  }

  const check = async (sql: string, types: Readonly<Record<string, string>>): Promise<CheckResult> => {
    const compiled = await compile(sql, types)
    if (compiled.compiled === undefined) return compiled
    const { signal, cancelTimer } = boundedSignal({ timeoutMs: COMPILE_TIMEOUT_MS }, options.clock)
    try {
      const wrong = await wrongConstant(sql, types, signal)
      if (wrong !== null) return { ok: false, problem: wrong.problem }
      const { translation, columns, checkedColumns } = compiled.compiled
      await askTwice(translation, sql, readTypes(types), 'branches', asked =>
        ask({ kind: 'check', sql: asked.sql, columns, ...needsOf(asked) }, { signal }),
      )
      return { ok: true, columns: checkedColumns }
    } catch (error) {
      // DuckDB finds some errors of the query before it runs the query, such as a constant that overflows or an invalid pattern.
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
    run: runOver(all),
    locate: locateOver(all),
    withTables: standIns => {
      const view = viewWith(standIns, () => catalogue)
      return { run: runOver(view), locate: locateOver(view) }
    },
    compile,
    check,
    explain: async query => {
      const { signal, cancelTimer } = boundedSignal({ timeoutMs: COMPILE_TIMEOUT_MS }, options.clock)
      try {
        const types = typesOf(query.parameters)
        const translation = await translateFresh(query.sql, types)
        const { sql, plan } = await askTwice(translation, query.sql, types, 'rows', asked =>
          ask({ kind: 'explain', ...withParameters(asked, query) }, { signal }),
        )
        return { engineSql: sql, plan }
      } catch (error) {
        throw runnerError(error, signal)
      } finally {
        cancelTimer()
      }
    },
    dryRun: async query => {
      const { signal, cancelTimer } = boundedSignal({ timeoutMs: COMPILE_TIMEOUT_MS }, options.clock)
      try {
        const types = typesOf(query.parameters)
        const translation = await withNewFiles(query.sql, () =>
          translate(query.sql, catalogue, types, { tellsPartitions: true }),
        )
        const { partitionReads = [] } = translation
        const parameters = wireParameters(translation, query.parameters)!
        const reads = await ask({ kind: 'reads', ...needsOf(translation), partitionReads, parameters }, { signal })
        return { engine: 'duckdb', ...reads }
      } catch (error) {
        throw runnerError(error, signal)
      } finally {
        cancelTimer()
      }
    },
    readAhead: () => {
      for (const table of compiledTables) tablesAhead.add(table)
      void readTables()
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
      await Promise.all([child.close(), apart.close()])
      tryRemove(folder)
    },
    tables: () => catalogue,
    pid: () => child.pid(),
    notes: () => discovery.notes,
    unreadable: () => discovery.unreadable,
  }
}

/** A view in which queries read each table of `standIns` instead of the table that its key names. */
function viewWith(standIns: ReadonlyMap<string, TableDefinition>, catalogue: () => TableCatalogue): TableView {
  const key = JSON.stringify([...standIns].map(([name, table]) => [name, table.name]))
  const find = (name: string): TableDefinition | undefined => {
    const table = catalogue().find(name)
    return table && (standIns.get(table.name) ?? wildcardOver(table, standIns))
  }
  return { key, catalogue: () => ({ ...catalogue(), find }) }
}

/** The tables with their files. @throws what `refuse` throws when rows cannot be written to `folder`. */
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

const namesOf = ({
  naming,
  functions,
  broken,
}: DuckdbEngineOptions): Pick<CatalogueSource, 'naming' | 'functions' | 'broken'> => ({
  ...(naming && { naming }),
  ...(functions && { functions }),
  ...(broken && { broken }),
})

const needsOf = ({ tables, runsJavaScript, shardReads }: SqlNeeds): SqlNeeds => ({ tables, runsJavaScript, shardReads })

const shareOf = ({ endpoint, job }: RunOptions): Share => ({ caller: job?.token ?? BACKGROUND, endpoint })
