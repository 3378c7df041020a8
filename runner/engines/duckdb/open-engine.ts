/** The embedded engine's parent side: translates, sends the work to the child process, and words what comes back. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseTypeName } from '../../googlesql/parse-type-name.js'
import { SqlError } from '../../googlesql/sql-error.js'
import { type TableCatalogue, type TableDefinition, tableCatalogue } from '../../googlesql/tables.js'
import { type StructField, type Type, typeName } from '../../googlesql/types.js'
import { RunnerError, SetupError } from '../../model/errors.js'
import type { Observer } from '../../model/events.js'
import type { CheckResult, Clock, Engine, RunOptions } from '../../model/ports.js'
import type { BoundValue, Query, ResultSet } from '../../model/query.js'
import { QueryFault } from '../../model/query-fault.js'
import type { Discovery, Failure, TableSource, WireParameter } from './messages.js'
import { EngineDiedError, RequestFailure, startEngineProcess } from './process.js'
import { recentCache } from './recent-cache.js'

export interface DuckdbEngineOptions {
  /** Where tables' files are, `DIR/<dataset>/<table>.ndjson` and so on; null for none. */
  readonly dataDir: string | null
  /** A DuckDB database file, read only: its schemas are datasets. */
  readonly database: string | null
  readonly tables: readonly TableSource[]
  readonly memoryLimitMb: number
  readonly threads: number
  /** A folder in which the engine makes one of its own, removed when it is closed or dies. */
  readonly tempDir: string
  readonly observe: Observer
  readonly clock: Clock
  /** Queries that run at once; others wait. @default 8 */
  readonly connections?: number
  /** A result of more bytes fails. @default 256 MiB */
  readonly maxResultBytes?: number
}

/** BigQuery SQL as DuckDB's. */
export interface Translation {
  /** One SELECT, with its parameters as $1, $2, … */
  readonly sql: string
  readonly columns: readonly StructField[]
  /** The names of $1, $2, … */
  readonly parameters: readonly string[]
  /** The tables it reads, as the catalogue spells them. */
  readonly tables: readonly string[]
}
/** @throws SqlError */
export type Translate = (
  source: string,
  tables: TableCatalogue,
  parameterTypes: Readonly<Record<string, Type>>,
) => Translation

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
const DEFAULT_MAX_RESULT_BYTES = 256 * 1024 * 1024
const MAX_TRANSLATIONS = 1_000
/** Of a check or an explanation: DuckDB plans for long only what it could hardly run. */
const COMPILE_TIMEOUT_MS = 30_000

/** @throws SetupError when DuckDB cannot be opened so: a database file that is none, two tables of one name. */
export async function openEngine(options: DuckdbEngineOptions, translate: Translate): Promise<DuckdbEngine> {
  mkdirSync(options.tempDir, { recursive: true })
  const folder = mkdtempSync(join(options.tempDir, 'sluice-duckdb-'))
  const declared = options.tables.map(table => table.definition)
  let catalogue = tableCatalogue(declared)
  let discovery: Discovery = { tables: [], notes: [] }
  let revision = 0
  const learn = (found: Discovery): void => {
    if (JSON.stringify(found) === JSON.stringify(discovery)) return
    discovery = found
    catalogue = tableCatalogue([...found.tables, ...declared])
    revision++
  }

  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true })
  const child = await startEngineProcess({
    folder,
    session: {
      dataDir: options.dataDir === null ? null : resolve(options.dataDir),
      database: options.database === null ? null : resolve(options.database),
      tables: options.tables.map((table, index) => withFiles(table, join(folder, 'rows'), index)),
      memoryLimitMb: options.memoryLimitMb,
      threads: options.threads,
      connections: options.connections ?? DEFAULT_CONNECTIONS,
    },
    observe: options.observe,
    clock: options.clock,
    onDiscovery: learn,
  }).catch(error => {
    removeFolder()
    throw new SetupError(`DuckDB could not be opened: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    })
  })

  const translations = recentCache<Translation>(MAX_TRANSLATIONS)
  const translated = (sql: string, types: Readonly<Record<string, Type>>): Translation => {
    const names = Object.keys(types).sort()
    const key = JSON.stringify([revision, names.map(name => [name, typeName(types[name]!)]), sql])
    return translations.get(key, () => translate(sql, catalogue, types))
  }
  /** A table that is not there may have appeared since the folder was looked at. */
  const translateFresh = async (sql: string, types: Readonly<Record<string, Type>>): Promise<Translation> => {
    try {
      return translated(sql, types)
    } catch (error) {
      if (!(error instanceof SqlError) || !/not found/i.test(error.reason)) throw error
      const before = revision
      learn(await child.ask({ kind: 'discover' }))
      if (revision === before) throw error
      return translated(sql, types)
    }
  }

  const run = async (query: Query, runOptions: RunOptions): Promise<ResultSet> => {
    const { signal, clock } = boundedSignal(runOptions, options.clock)
    try {
      const translation = await translateFresh(query.sql, typesOf(query.parameters))
      const answer = await child.ask(
        {
          kind: 'run',
          sql: translation.sql,
          columns: translation.columns.map(({ name, type }) => ({ name, type })),
          parameters: wireParameters(translation.parameters, query.parameters),
          tables: translation.tables,
          maxRows: runOptions.maxRows,
          format: runOptions.format,
          timestamps: runOptions.timestamps,
          maxBytes: options.maxResultBytes ?? DEFAULT_MAX_RESULT_BYTES,
        },
        signal,
      )
      return { columns: translation.columns.map(({ name, type }) => ({ name, type: typeName(type) })), ...answer }
    } catch (error) {
      throw runnerError(error, signal)
    } finally {
      clock()
    }
  }

  const compile = async (sql: string, types: Readonly<Record<string, string>>): Promise<CheckResult> => {
    try {
      const { columns } = await translateFresh(sql, mapTypes(types))
      return { ok: true, columns: columns.map(({ name, type }) => ({ name, type: typeName(type) })) }
    } catch (error) {
      if (error instanceof SqlError) return { ok: false, problem: { ...error.place, message: error.reason } }
      throw runnerError(error)
    }
  }

  const check = async (sql: string, types: Readonly<Record<string, string>>): Promise<CheckResult> => {
    const compiled = await compile(sql, types)
    if (!compiled.ok) return compiled
    const { signal, clock } = boundedSignal({ timeoutMs: COMPILE_TIMEOUT_MS }, options.clock)
    try {
      const translation = translated(sql, mapTypes(types))
      const columns = translation.columns.map(({ name, type }) => ({ name, type }))
      await child.ask({ kind: 'check', sql: translation.sql, columns, tables: translation.tables }, signal)
      return compiled
    } catch (error) {
      // What the query itself does wrong, DuckDB can see before it runs: a constant that overflows, a bad pattern.
      if (error instanceof RequestFailure && error.failure.kind === 'query') {
        return { ok: false, problem: { line: 1, column: 1, message: error.failure.message } }
      }
      throw runnerError(error, signal)
    } finally {
      clock()
    }
  }

  return {
    name: 'duckdb',
    run,
    compile,
    check,
    explain: async query => {
      const { signal, clock } = boundedSignal({ timeoutMs: COMPILE_TIMEOUT_MS }, options.clock)
      try {
        const { sql, parameters, tables } = await translateFresh(query.sql, typesOf(query.parameters))
        const wire = wireParameters(parameters, query.parameters)
        return { engineSql: sql, plan: await child.ask({ kind: 'explain', sql, parameters: wire, tables }, signal) }
      } catch (error) {
        throw runnerError(error, signal)
      } finally {
        clock()
      }
    },
    ping: async () => {
      try {
        await child.ask({ kind: 'ping' })
      } catch (error) {
        throw runnerError(error)
      }
    },
    close: async () => {
      await child.close()
      removeFolder()
    },
    tables: () => catalogue,
    pid: child.pid,
    notes: () => discovery.notes,
  }
}

/** Rows in memory become a file like any other: one way of reading them, and the child can read it again when it restarts. */
function withFiles(
  source: TableSource,
  folder: string,
  index: number,
): { readonly definition: TableDefinition; readonly files?: readonly string[] } {
  const { definition } = source
  if (!source.rows)
    return source.files ? { definition, files: source.files.map(file => resolve(file)) } : { definition }
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${index}.ndjson`)
  writeFileSync(path, source.rows.map(row => `${JSON.stringify(row, wireValue)}\n`).join(''))
  return { definition, files: [path, ...(source.files ?? []).map(file => resolve(file))] }
}

/** What JSON has no form for, as results write it; a Buffer has become an object by the time that it comes here. */
function wireValue(this: unknown, key: string, value: unknown): unknown {
  const given = (this as Record<string, unknown>)[key]
  if (given instanceof Uint8Array) return Buffer.from(given).toString('base64')
  if (typeof value === 'bigint') return value.toString()
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}

const TIMED_OUT = Symbol('timed out')

/** Fires when the caller's does, or when the time is up; then its reason is TIMED_OUT. `clock` ends the watch. */
function boundedSignal(
  { signal, timeoutMs }: { readonly signal?: AbortSignal; readonly timeoutMs: number },
  clock: Clock,
): { readonly signal: AbortSignal; readonly clock: () => void } {
  const controller = new AbortController()
  const onAbort = (): void => controller.abort(signal?.reason)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  const callOff = clock.after(timeoutMs, () => controller.abort(TIMED_OUT))
  return {
    signal: controller.signal,
    clock: () => {
      callOff()
      signal?.removeEventListener('abort', onAbort)
    },
  }
}

function runnerError(error: unknown, signal?: AbortSignal): RunnerError {
  if (error instanceof RunnerError) return error
  if (error instanceof SqlError) {
    return new RunnerError('QUERY_FAILED', { cause: new QueryFault(error.message, { cause: error }) })
  }
  if (error instanceof RequestFailure) return ofFailure(error.failure, signal)
  if (error instanceof EngineDiedError) return new RunnerError('ENGINE_UNAVAILABLE', { cause: error })
  return new RunnerError('INTERNAL', { cause: error })
}

function ofFailure(failure: Failure, signal?: AbortSignal): RunnerError {
  switch (failure.kind) {
    case 'query':
      return new RunnerError('QUERY_FAILED', { cause: new QueryFault(failure.message, { cause: failure.cause }) })
    case 'engine':
      return new RunnerError('QUERY_FAILED', { cause: new QueryFault('The query failed', { cause: failure.cause }) })
    case 'argument':
      return new RunnerError('ARGUMENT_INVALID', {
        detail: `These arguments are not valid: ${failure.errors.map(error => error.parameter).join(', ')}.`,
        errors: failure.errors,
        cause: failure.cause,
      })
    case 'interrupted':
      return new RunnerError(signal?.reason === TIMED_OUT ? 'QUERY_TIMEOUT' : 'CALL_ABANDONED')
    default:
      return failure satisfies never
  }
}

const typesOf = (parameters: Readonly<Record<string, BoundValue>>): Readonly<Record<string, Type>> =>
  mapTypes(Object.fromEntries(Object.entries(parameters).map(([name, { type }]) => [name, type])))

function mapTypes(types: Readonly<Record<string, string>>): Readonly<Record<string, Type>> {
  return Object.fromEntries(
    Object.entries(types).map(([name, text]) => {
      const type = parseTypeName(text)
      if (type) return [name, type]
      throw new RunnerError('ARGUMENT_INVALID', {
        errors: [{ parameter: name, detail: `has an unknown type: ${text}` }],
      })
    }),
  )
}

/** Names are matched as the language matches them, without regard to case. */
function wireParameters(
  names: readonly string[],
  given: Readonly<Record<string, BoundValue>>,
): readonly WireParameter[] {
  return names.map(name => {
    const key = Object.hasOwn(given, name)
      ? name
      : Object.keys(given).find(other => other.toLowerCase() === name.toLowerCase())
    const bound = key === undefined ? undefined : given[key]
    const type = bound && parseTypeName(bound.type)
    if (!bound || !type)
      throw new RunnerError('ARGUMENT_INVALID', { errors: [{ parameter: name, detail: 'is not given' }] })
    return { name: key!, type, value: bound.value }
  })
}
