/** The tables of the embedded engine: their columns, files and rows, and which of these cannot be read. */

import { basename, dirname, relative } from 'node:path'
import {
  type SchemaField,
  type TableCatalogue,
  type TableDefinition,
  type Type,
  typeName,
} from '../../googlesql/index.js'
import { filesInPlace, filesOfTable, statFile } from '../../runner/engines/duckdb/index.js'
import { diagnosticAt } from '../../runner/manifest/report.js'
import { loadTableSchemas } from '../../runner/manifest/tables/load.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import { RunnerError } from '../../runner/model/errors.js'
import type { Engine } from '../../runner/model/ports.js'
import { QueryFault } from '../../runner/model/query-fault.js'
import { systemClock } from '../../runner/platform/clock.js'
import { refuseErrors } from '../../runner/serve/endpoint-registry.js'
import { openEngine, requireData } from '../../runner/serve/engine.js'
import type { Settings } from '../../runner/settings/settings.js'

/** A column of a table, or a field of a record. */
export interface LocalColumn {
  /** `lines.sku`: the names of the records around it, too. */
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string | null
}

export interface LocalTable {
  readonly table: string
  /** The schema file; null where the columns are those of the data. */
  readonly schema: string | null
  readonly columns: readonly LocalColumn[]
  readonly unreadable: readonly { readonly column: string; readonly reason: string }[]
  readonly files: readonly { readonly path: string; readonly bytes: number }[]
  /** Null where they cannot be counted: see `problem`. */
  readonly rows: number | null
  /** The column that partitions the table, or else the first one of a date or time type; null where there is neither. */
  readonly time: { readonly column: string; readonly first: string | null; readonly last: string | null } | null
  /** Why the table, or its rows, cannot be read; null where they can. */
  readonly problem: string | null
}

interface TableDescription {
  readonly table: LocalTable
  /** Empty where the rows cannot be read. */
  readonly examples: Outcome['rows']
}

/** @throws LoadError, SetupError; the caller closes it. */
export async function openLocalTables(settings: Settings, signal: AbortSignal) {
  requireData({ ...settings, engine: 'duckdb' })
  const { tables: schemas, diagnostics } = await loadTableSchemas(settings.tablesDir)
  refuseErrors(diagnostics)
  const engine = await openEngine(settings, { observe: () => undefined, clock: systemClock() })
  const reasons = new Map(engine.unreadable().map(({ table, reason }) => [table, reason]))
  const readTable = (what: string, table: string, maxRows = 1): Promise<Outcome> =>
    runQuery(engine, `SELECT ${what} FROM ${quoted(table)}`, signal, maxRows)

  /** @returns the table, with some rows as objects by the names of their columns; null for a table that is not there. */
  async function describe(name: string): Promise<TableDescription | null> {
    const definition = engine.tables().find(name)
    const files = filesOf(settings, name)
    if (definition === undefined) {
      const problem = reasons.get(name)
      return problem === undefined ? null : { table: { ...NO_FACTS, table: name, files, problem }, examples: [] }
    }
    const schema = schemas.find(table => table.name === name)
    // Columns are listed without the elements of arrays: `items.sku`, not `items[].sku`.
    const paths = (definition.required ?? []).filter(path => !path.endsWith('[]'))
    const required = new Set(paths.map(path => path.replaceAll('[]', '')))
    const columns = definition.columns.flatMap(column => columnsOf(column.name, column.type, required, schema?.fields))
    const unreadable = (definition.unreadable ?? []).map(column => ({ column: column.name, reason: column.reason }))
    const times = definition.columns.filter(({ type }) => TIME_KINDS.has(type.kind))
    const time = definition.columns.find(column => column.name === definition.partitionedBy) ?? times[0]
    const range = time ? `, MIN(${quoted(time.name)}) AS first, MAX(${quoted(time.name)}) AS last` : ''
    const count = await readTable(`COUNT(*) AS n${range}`, name)
    const row = count.rows[0] as { readonly n: number; readonly first?: string; readonly last?: string } | undefined
    // Counting does not read all values: a row may have a value that its column does not allow.
    const names = definition.columns.map(column => quoted(column.name))
    const sample = row && names.length > 0 ? await readTable(names.join(', '), name, MAX_ROWS) : { ...count, rows: [] }
    const table = {
      table: name,
      schema: schema?.file ?? null,
      columns,
      unreadable,
      files,
      rows: row?.n ?? null,
      time: time && row ? { column: time.name, first: row.first ?? null, last: row.last ?? null } : null,
      problem: sample.problem,
    }
    return { table, examples: sample.rows }
  }

  return {
    /** All tables, in the order of their names. */
    names: [...new Set([...engine.tables().names(), ...reasons.keys()])].sort(),
    describe,
    close: () => engine.close(),
  }
}

async function runQuery(engine: Engine, sql: string, signal: AbortSignal, maxRows: number): Promise<Outcome> {
  const options = { maxRows, timestamps: 'iso8601', endpoint: 'tables', timeoutMs: QUERY_TIMEOUT_MS, signal } as const
  try {
    const { body } = await engine.run({ sql, parameters: {} }, options)
    const { result } = JSON.parse(Buffer.from(body).toString('utf8')) as { readonly result: Outcome['rows'] }
    return { rows: result, problem: null }
  } catch (thrown) {
    const { cause } = thrown as { readonly cause?: unknown }
    if (!(thrown instanceof RunnerError) || thrown.code === 'CALL_ABANDONED') throw thrown
    return { rows: [], problem: cause instanceof QueryFault ? cause.message : thrown.detail }
  }
}

/** Warnings about tables whose Parquet files do not fit the schema. Only the footers of the files are read. */
export async function unfitTables({ dataDir, database }: Settings, tables: readonly TableDefinition[], engine: Engine) {
  const warnings: Diagnostic[] = []
  for (const { name } of database === null ? tables : []) {
    const [first, ...others] = tryFiles(dataDir, name)
    // For text files, the query would have to read and convert all rows.
    if (first === undefined || [first, ...others].some(({ format }) => format !== 'parquet')) continue
    const { problem } = await runQuery(engine, `SELECT 1 FROM ${quoted(name)} LIMIT 0`, new AbortController().signal, 1)
    const place = relative('.', others.length === 0 ? first.path : dirname(first.path))
    if (problem !== null) warnings.push(warningIn(place, 'table/unreadable', `${name} cannot be read: ${problem}`))
  }
  return warnings
}

/** Warnings about columns that no query can read, for all tables of this catalogue, each in the file that has the column. */
export function unreadableColumns(settings: Settings, tables: TableCatalogue): readonly Diagnostic[] {
  return tables.names().flatMap(table =>
    (tables.find(table)?.unreadable ?? []).map(({ name, reason }) => {
      const file = filesOf(settings, table)[0]?.path ?? settings.dataDir
      return warningIn(file, 'table/unreadable', `column ${name} of ${table} cannot be read: ${reason}`)
    }),
  )
}

/** Warnings about files that are in the places of this catalogue's tables but are not read. */
export function unreadFileWarnings({ dataDir }: Settings, tables: TableCatalogue): readonly Diagnostic[] {
  return tables
    .names()
    .flatMap(table =>
      filesInPlace(dataDir, table).unread.map(({ path, reason }) =>
        warningIn(path, 'table/unread-file', `${basename(path)} is not read: ${reason}`),
      ),
    )
}

const warningIn = (file: string, rule: 'table/unreadable' | 'table/unread-file', message: string): Diagnostic =>
  diagnosticAt({ file, line: 1, column: 1 }, rule, message, { severity: 'warning' })

const MAX_ROWS = 100
const QUERY_TIMEOUT_MS = 60_000
const NO_FACTS = { schema: null, columns: [], unreadable: [], rows: null, time: null }

/** The files of a table; none where its place cannot be read. */
export function filesOf({ dataDir, database }: Settings, name: string): LocalTable['files'] {
  const files = database === null ? tryFiles(dataDir, name) : [statFile(database)].flatMap(file => file ?? [])
  return files.map(({ path, size }) => ({ path: relative('.', path), bytes: Number(size) }))
}

/** The query that reads the table says what is wrong with its folder. */
function tryFiles(dataDir: string, name: string): ReturnType<typeof filesOfTable> {
  try {
    return filesOfTable(dataDir, name)
  } catch {
    return []
  }
}

function columnsOf(
  name: string,
  type: Type,
  required: ReadonlySet<string>,
  fields: readonly SchemaField[] | undefined,
): readonly LocalColumn[] {
  const ownName = name.slice(name.lastIndexOf('.') + 1)
  const field = fields?.find(declared => declared.name === ownName)
  const element = type.kind === 'ARRAY' ? type.element : type
  const typeText = element.kind === 'STRUCT' ? (type.kind === 'ARRAY' ? 'ARRAY<STRUCT>' : 'STRUCT') : typeName(type)
  const column = { name, type: typeText, required: required.has(name), description: field?.description ?? null }
  if (element.kind !== 'STRUCT') return [column]
  const nested = element.fields.flatMap(item => columnsOf(`${name}.${item.name}`, item.type, required, field?.fields))
  return [column, ...nested]
}

const TIME_KINDS: ReadonlySet<string> = new Set(['TIMESTAMP', 'DATETIME', 'DATE'])

interface Outcome {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  /** Why there are no rows; null where the query ran. */
  readonly problem: string | null
}

const quoted = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&')}\``
