/** `sluice tables list` and `sluice tables describe`: the tables of the embedded engine, for people and tools. */
import { nearest } from '../../googlesql/index.js'
import { UsageError } from '../../runner/model/errors.js'
import { readSettings } from '../../runner/settings/settings.js'
import { sizeText } from '../call/read-price.js'
import { EXIT, type Io } from '../terminal/io.js'
import { plural } from '../terminal/plural.js'
import { textTable } from '../terminal/table.js'
import { type LocalTable, openLocalTables } from './local-tables.js'

type Flags = Readonly<Record<string, string | undefined>>
type Format = 'text' | 'json'

/** Prints every table; ends with 1 where one cannot be read. */
export async function listTables(flags: Flags, format: Format, io: Io): Promise<number> {
  const local = await openLocalTables(readSettings(flags, io.environment), io.interruption())
  try {
    const tables: LocalTable[] = []
    for (const name of local.names) tables.push((await local.describe(name))!)
    if (format === 'json') io.print(`${JSON.stringify(tables.map(summaryOf), null, 2)}\n`)
    else printTables(tables, io)
    return tables.some(({ problem }) => problem !== null) ? EXIT.problems : EXIT.clean
  } finally {
    await local.close()
  }
}

const bytesOf = ({ files }: LocalTable): number => files.reduce((sum, { bytes }) => sum + bytes, 0)

function summaryOf(table: LocalTable): object {
  const { columns, files, ...rest } = table
  return { ...rest, columns: columnCount(columns), files: files.length, bytes: bytesOf(table) }
}

/** Without the fields of records. */
const columnCount = (columns: LocalTable['columns']): number => columns.filter(({ name }) => !name.includes('.')).length

function printTables(tables: readonly LocalTable[], io: Io): void {
  const rows = tables.map(table => [
    table.table,
    columnCount(table.columns),
    table.rows ?? '?',
    table.files.length,
    sizeText(bytesOf(table)),
    table.time?.column ?? '',
    table.time?.first ?? '',
    table.time?.last ?? '',
  ])
  io.print(textTable(LIST_COLUMNS, rows))
  io.print(`${plural(tables.length, 'table')}\n`)
  for (const { table, unreadable, problem } of tables) {
    if (problem !== null) io.printError(`${table} cannot be read: ${problem}\n`)
    for (const { column, reason } of unreadable) io.printError(`${table}.${column} cannot be read: ${reason}\n`)
  }
}

const LIST_COLUMNS = [
  { name: 'table', type: 'STRING' },
  { name: 'columns', type: 'INT64' },
  { name: 'rows', type: 'INT64' },
  { name: 'files', type: 'INT64' },
  { name: 'size', type: 'INT64' },
  { name: 'time', type: 'STRING' },
  { name: 'from', type: 'STRING' },
  { name: 'to', type: 'STRING' },
]

/** Prints one table: its columns with a value of each, its files, rows and time. @throws UsageError for an unknown table. */
export async function describeTable(name: string, flags: Flags, format: Format, io: Io): Promise<number> {
  const local = await openLocalTables(readSettings(flags, io.environment), io.interruption())
  try {
    const table = await local.describe(name)
    if (table === null) {
      const near = nearest(name, local.names)
      throw new UsageError([`there is no table ${name}${near === undefined ? '' : `; did you mean ${near}?`}`])
    }
    const examples = exampleValues(table, table.problem === null ? await local.someRows(table) : [])
    if (format === 'json') {
      const columns = table.columns.map((column, i) => ({ ...column, example: examples[i] ?? null }))
      io.print(`${JSON.stringify({ ...table, columns, bytes: bytesOf(table) }, null, 2)}\n`)
    } else printTable(table, examples, io)
    return table.problem === null ? EXIT.clean : EXIT.problems
  } finally {
    await local.close()
  }
}

type Row = Readonly<Record<string, unknown>>

/** The first value of each column that is not NULL, among some rows; undefined where every one is. */
function exampleValues({ columns }: LocalTable, rows: readonly Row[]): readonly unknown[] {
  return columns.map(({ name }) => {
    const path = name.split('.')
    for (const row of rows) {
      const value = valueAt(row, path)
      if (value !== undefined) return value
    }
    return undefined
  })
}

/** The first value at this path, through the elements of arrays. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  if (value === null || value === undefined) return undefined
  if (path.length === 0) return value
  if (!Array.isArray(value)) return valueAt((value as Row)[path[0]!], path.slice(1))
  for (const element of value) {
    const found = valueAt(element, path)
    if (found !== undefined) return found
  }
  return undefined
}

function printTable(table: LocalTable, examples: readonly unknown[], io: Io): void {
  const { columns, files, rows, time, schema, unreadable, problem } = table
  io.print(`${table.table}: ${rows === null ? 'rows unknown' : plural(rows, 'row')}, ${sizeText(bytesOf(table))}\n`)
  io.print(`schema: ${schema ?? 'that of the data'}\n`)
  if (time?.first) io.print(`${time.column}: from ${time.first} to ${time.last}\n`)
  io.print(`${files.length === 0 ? 'no files' : files.map(({ path }) => path).join('\n')}\n\n`)
  const lines = columns.map(({ name, type, required, description }, i) => {
    return [name, required ? `${type} REQUIRED` : type, examples[i] ?? '', description ?? '']
  })
  if (columns.length > 0) io.print(textTable(TABLE_COLUMNS, lines))
  if (problem !== null) io.printError(`${table.table} cannot be read: ${problem}\n`)
  for (const { column, reason } of unreadable) io.printError(`${column} cannot be read: ${reason}\n`)
}

const TABLE_COLUMNS = ['column', 'type', 'example', 'description'].map(name => ({ name, type: 'STRING' }))
