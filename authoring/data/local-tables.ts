/** The tables of the embedded engine: what they hold, where, and what of them cannot be read. */

import { basename, relative } from 'node:path'
import {
  type SchemaField,
  type TableCatalogue,
  type TableDefinition,
  type Type,
  typeName,
} from '../../googlesql/index.js'
import { type DuckdbEngine, filesInPlace, filesOfTable, statFile } from '../../runner/engines/duckdb/index.js'
import { diagnosticAt } from '../../runner/manifest/report.js'
import { loadTableSchemas } from '../../runner/manifest/tables/load.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import { RunnerError } from '../../runner/model/errors.js'
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
  /** The first column that tells a time, or the one that partitions the table; null where no column does. */
  readonly time: { readonly column: string; readonly first: string | null; readonly last: string | null } | null
  /** Why the table, or its rows, cannot be read; null where they can. */
  readonly problem: string | null
}

/** @throws LoadError, SetupError; the caller closes it. */
export async function openLocalTables(settings: Settings, signal: AbortSignal) {
  requireData({ ...settings, engine: 'duckdb' })
  const { tables: schemas, diagnostics } = await loadTableSchemas(settings.tablesDir)
  refuseErrors(diagnostics)
  const engine = await openEngine(settings, { observe: () => undefined, clock: systemClock() })
  const refused = new Map(engine.unreadable().map(({ table, reason }) => [table, reason]))
  const find = (name: string): TableDefinition | undefined => engine.tables().find(name)
  return {
    /** All tables, in the order of their names. */
    names: [...new Set([...engine.tables().names(), ...refused.keys()])].sort(),
    /** @returns null for a table that is not there. */
    async describe(name: string): Promise<LocalTable | null> {
      const schema = schemas.find(one => one.name === name)
      const definition = find(name)
      const files = filesOf(settings, name)
      if (definition === undefined) {
        const reason = refused.get(name)
        if (reason === undefined) return null
        return { ...NOTHING_KNOWN, table: name, files, problem: reason }
      }
      // Columns are listed without the elements of arrays: `items.sku`, not `items[].sku`.
      const required = (definition.required ?? [])
        .filter(path => !path.endsWith('[]'))
        .map(path => path.replaceAll('[]', ''))
      const described = {
        table: name,
        schema: schema?.file ?? null,
        columns: definition.columns.flatMap(({ name: column, type }) =>
          columnsOf(column, type, new Set(required), schema?.fields),
        ),
        unreadable: (definition.unreadable ?? []).map(({ name: column, reason }) => ({ column, reason })),
        files,
      }
      const contents = await contentsOf(engine, definition, signal)
      if (contents.problem === null) return { ...described, ...contents }
      const failing = await failingColumns(engine, definition, signal)
      if (failing.length === 0) return { ...described, ...contents }
      const rest = columnsWithout(definition, failing)
      const unreadable = [...described.unreadable, ...failing]
      return { ...described, unreadable, ...(await contentsOf(engine, { ...definition, columns: rest }, signal)) }
    },
    /** Some rows, as objects by the names of their columns; none where they cannot be read. */
    async someRows({ table: name, unreadable }: LocalTable): Promise<Outcome['rows']> {
      const definition = find(name)
      const names = definition ? columnsWithout(definition, unreadable).map(column => quoted(column.name)) : []
      if (names.length === 0) return []
      const outcome = await rowsOf(engine, `SELECT ${names.join(', ')} FROM ${quoted(name)}`, SOME_ROWS, signal)
      return outcome.rows
    },
    close: () => engine.close(),
  }
}

/** Warnings of columns that no query can read, each in the file that has it; of all tables of this catalogue. */
export function unreadableColumns(settings: Settings, tables: TableCatalogue): readonly Diagnostic[] {
  return tables.names().flatMap(table =>
    (tables.find(table)?.unreadable ?? []).map(({ name, reason }) => {
      const file = filesOf(settings, table)[0]?.path ?? settings.dataDir
      return warningIn(file, 'table/unreadable', `column ${name} of ${table} cannot be read: ${reason}`)
    }),
  )
}

/** Warnings of files in the places of this catalogue's tables that are not read. */
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

const SOME_ROWS = 100
const QUERY_TIMEOUT_MS = 60_000
const NOTHING_KNOWN = { schema: null, columns: [], unreadable: [], rows: null, time: null }

/** The files of a table; none where its place cannot be read. */
export function filesOf({ dataDir, database }: Settings, name: string): LocalTable['files'] {
  const found = database === null ? tryFiles(dataDir, name) : [statFile(database)].flatMap(file => file ?? [])
  return found.map(({ path, size }) => ({ path: relative('.', path), bytes: Number(size) }))
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
  const own = name.slice(name.lastIndexOf('.') + 1)
  const field = fields?.find(one => one.name === own)
  const element = type.kind === 'ARRAY' ? type.element : type
  const record = element.kind === 'STRUCT' ? (type.kind === 'ARRAY' ? 'ARRAY<STRUCT>' : 'STRUCT') : typeName(type)
  const column = { name, type: record, required: required.has(name), description: field?.description ?? null }
  if (element.kind !== 'STRUCT') return [column]
  const below = element.fields.flatMap(one => columnsOf(`${name}.${one.name}`, one.type, required, field?.fields))
  return [column, ...below]
}

const TIME_KINDS: ReadonlySet<string> = new Set(['TIMESTAMP', 'DATETIME', 'DATE'])

async function contentsOf(
  engine: DuckdbEngine,
  { name, columns, partitionedBy }: TableDefinition,
  signal: AbortSignal,
): Promise<Pick<LocalTable, 'rows' | 'time' | 'problem'>> {
  const column =
    columns.find(one => one.name === partitionedBy) ?? columns.find(({ type }) => TIME_KINDS.has(type.kind))
  const range = column ? `, MIN(${quoted(column.name)}) AS first, MAX(${quoted(column.name)}) AS last` : ''
  const { rows, problem } = await rowsOf(engine, `SELECT COUNT(*) AS n${range} FROM ${quoted(name)}`, 1, signal)
  const found = rows[0] as { readonly n: number; readonly first?: string; readonly last?: string } | undefined
  return {
    rows: found?.n ?? null,
    time: column && found ? { column: column.name, first: found.first ?? null, last: found.last ?? null } : null,
    problem,
  }
}

type Unreadable = LocalTable['unreadable']

const columnsWithout = ({ columns }: TableDefinition, failing: Unreadable): TableDefinition['columns'] =>
  columns.filter(({ name }) => !failing.some(({ column }) => column === name))

/** The columns with a value that no query can read; none where the table as a whole cannot be read. */
async function failingColumns(
  engine: DuckdbEngine,
  { name, columns }: TableDefinition,
  signal: AbortSignal,
): Promise<Unreadable> {
  const read = (what: string): Promise<Outcome> => rowsOf(engine, `SELECT ${what} FROM ${quoted(name)}`, 1, signal)
  if ((await read('COUNT(*) AS n')).problem !== null) return []
  const failing: { column: string; reason: string }[] = []
  for (const column of columns) {
    const { problem } = await read(`COUNTIF(TO_JSON_STRING(${quoted(column.name)}) = '') AS n`)
    if (problem !== null) failing.push({ column: column.name, reason: problem })
  }
  return failing
}

interface Outcome {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  /** Why there are none; null where the query ran. */
  readonly problem: string | null
}

async function rowsOf(engine: DuckdbEngine, sql: string, maxRows: number, signal: AbortSignal): Promise<Outcome> {
  try {
    const { body } = await engine.run(
      { sql, parameters: {} },
      { maxRows, timestamps: 'iso8601', endpoint: 'tables', timeoutMs: QUERY_TIMEOUT_MS, signal },
    )
    const { result } = JSON.parse(Buffer.from(body).toString('utf8')) as { readonly result: Outcome['rows'] }
    return { rows: result, problem: null }
  } catch (thrown) {
    const { cause } = thrown as { readonly cause?: unknown }
    if (!(thrown instanceof RunnerError) || thrown.code === 'CALL_ABANDONED') throw thrown
    return { rows: [], problem: cause instanceof QueryFault ? cause.message : thrown.detail }
  }
}

const quoted = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&')}\``
