/** `sluice tables list` and `sluice tables describe`: the tables of the embedded engine, for people and tools. */

import { UsageError } from '../../runner/model/errors.js'
import { didYouMean } from '../../runner/model/suggest.js'
import type { Settings } from '../../runner/settings/settings.js'
import { EXIT, type Io } from '../terminal/io.js'
import { plural } from '../terminal/plural.js'
import type { ReportFormat } from '../terminal/report.js'
import { sizeText } from '../terminal/size-text.js'
import { tableOf } from '../terminal/table.js'
import { type LocalTable, openLocalTables } from './local-tables.js'

/** Prints every table; ends with 1 if a table cannot be read. */
export async function listTables(settings: Settings, format: ReportFormat, io: Io): Promise<number> {
  const local = await openLocalTables(settings, io.interruption())
  try {
    const tables: LocalTable[] = []
    for (const name of local.names) tables.push((await local.describe(name))!.table)
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
  return { ...rest, columns: columnCount(table), files: files.length, bytes: bytesOf(table) }
}

/** The number of columns, without the fields of records. */
const columnCount = ({ columns }: LocalTable): number => columns.filter(({ name }) => !name.includes('.')).length

function printTables(tables: readonly LocalTable[], io: Io): void {
  io.print(tableOf(tables, LIST_COLUMNS, ['columns', 'rows', 'files', 'size']))
  io.print(`${plural(tables.length, 'table')}\n`)
  for (const table of tables) printProblems(table, `${table.table}.`, io)
}

const LIST_COLUMNS: Readonly<Record<string, (table: LocalTable) => unknown>> = {
  table: ({ table }) => table,
  columns: columnCount,
  rows: ({ rows }) => rows ?? '?',
  files: ({ files }) => files.length,
  size: table => sizeText(bytesOf(table)),
  time: ({ time }) => time?.column ?? '',
  from: ({ time }) => time?.first ?? '',
  to: ({ time }) => time?.last ?? '',
}

function printProblems({ table, unreadable, problem }: LocalTable, prefix: string, io: Io): void {
  if (problem !== null) io.printError(`${table} cannot be read: ${problem}\n`)
  for (const { column, reason } of unreadable) io.printError(`${prefix}${column} cannot be read: ${reason}\n`)
}

/** Prints one table: its columns with a value of each, its files, rows and time. @throws UsageError for an unknown table. */
export async function describeTable(name: string, settings: Settings, format: ReportFormat, io: Io): Promise<number> {
  const local = await openLocalTables(settings, io.interruption())
  try {
    const description = await local.describe(name)
    if (description === null) throw new UsageError([`there is no table ${name}${didYouMean(name, local.names).hint}`])
    const { table, examples } = description
    const columns = table.columns.map(column => ({
      ...column,
      example: valuesAt(examples, column.name.split('.'))[0] ?? null,
    }))
    if (format === 'json') io.print(`${JSON.stringify({ ...table, columns, bytes: bytesOf(table) }, null, 2)}\n`)
    else printTable({ ...table, columns }, io)
    return table.problem === null ? EXIT.clean : EXIT.problems
  } finally {
    await local.close()
  }
}

/** The values at this path that are not NULL, through the elements of arrays. */
function valuesAt(value: unknown, [first, ...rest]: readonly string[]): readonly unknown[] {
  if (value === null || value === undefined) return []
  if (first === undefined) return [value]
  if (Array.isArray(value)) return value.flatMap(element => valuesAt(element, [first, ...rest]))
  return valuesAt((value as Readonly<Record<string, unknown>>)[first], rest)
}

function printTable(table: LocalTable & { readonly columns: readonly ShownColumn[] }, io: Io): void {
  const { columns, files, rows, time, schema } = table
  io.print(`${table.table}: ${rows === null ? 'rows unknown' : plural(rows, 'row')}, ${sizeText(bytesOf(table))}\n`)
  io.print(`schema: ${schema ?? 'that of the data'}\n`)
  if (time?.first) io.print(`${time.column}: from ${time.first} to ${time.last}\n`)
  io.print(`${files.length === 0 ? 'no files' : files.map(({ path }) => path).join('\n')}\n\n`)
  if (columns.length > 0) io.print(tableOf(columns, DESCRIBE_COLUMNS))
  printProblems(table, '', io)
}

type ShownColumn = LocalTable['columns'][number] & { readonly example: unknown }

const DESCRIBE_COLUMNS: Readonly<Record<string, (column: ShownColumn) => unknown>> = {
  column: ({ name }) => name,
  type: ({ type, required }) => (required ? `${type} REQUIRED` : type),
  example: ({ example }) => example ?? '',
  description: ({ description }) => description ?? '',
}
