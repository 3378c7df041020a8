/** Reads the files of tables as an author would: `tables infer` writes a schema, by which they are read in place and imported. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { DuckDBInstance } from '@duckdb/node-api'
import { importFiles, openDuckdb } from '../../../../authoring/data/import/import-table.js'
import { inferSchema } from '../../../../authoring/data/infer.js'
import type { TextFormFlags } from '../../../../authoring/data/text-form-flags.js'
import type { TableDefinition } from '../../../../googlesql/index.js'
import { badRowLine } from '../../../../runner/engines/duckdb/tables/rows/row-stream.js'
import { toTable } from '../../../../runner/formats/table.js'
import { type LoadedTable, loadTableSchemas } from '../../../../runner/manifest/tables/load.js'
import type { Engine } from '../../../../runner/model/ports.js'
import { definitionOf } from '../../../../runner/serve/engine.js'
import { SILENT_IO } from '../../../../tools/silent-io.js'
import { runOptions } from '../../../engines/ask-engine.js'
import { openEngine } from '../../../engines/duckdb/raw-engine.js'
import type { Found } from './cells.js'

/** A table of the dataset `in`, whose files are in their place in the data folder. */
export interface MadeTable {
  /** The name of the table, without the dataset. */
  readonly table: string
  /** The paths of its files. */
  readonly files: readonly string[]
  /** The flags that `tables infer` needs. */
  readonly flags: TextFormFlags
}

export interface Rows {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  /** Numbers as `{number: text}`, with all their digits. */
  readonly rows: readonly (readonly Found[])[]
}

/** Rows, or the message of the error. */
export type Reading = Rows | { readonly refused: string }

export interface Readings {
  /** What `tables infer` printed. */
  readonly inferred: string
  readonly inPlace: Reading
  readonly imported: Reading
}

interface Prepared {
  readonly inferred: string
  /** Why there is no schema, or null. */
  readonly failure: string | null
  /** Why it was not imported, or null. */
  readonly importFailure?: string | null
  readonly definitions?: readonly TableDefinition[]
}

/**
 * Reads the tables from `folder`/data/in, imports them into `out`, and writes their schemas into `folder`/schemas/<table>, unless there
 * is one.
 */
export async function readThreeWays(folder: string, tables: readonly MadeTable[]): Promise<readonly Readings[]> {
  const data = join(folder, 'data')
  mkdirSync(join(data, 'out'), { recursive: true })
  const prepared: Prepared[] = []
  // One instance for all imports, and an engine of one thread, since to open one and to keep two in step take longer than such a file.
  const duckdb = await openDuckdb(1, 400)
  try {
    for (const table of tables) prepared.push(await prepare(folder, table, duckdb))
  } finally {
    duckdb.closeSync()
  }
  const sources = prepared.flatMap(({ definitions = [] }) => definitions.map(definition => ({ definition })))
  const engine = await openEngine({ dataDir: data, tables: sources, threads: 1 })
  try {
    const readings: Readings[] = []
    for (const [i, { inferred, failure, importFailure = null }] of prepared.entries()) {
      const { table } = tables[i]!
      const [inPlace, imported] =
        failure !== null
          ? [{ refused: failure }, { refused: failure }]
          : importFailure !== null
            ? [await read(engine, `SELECT * FROM \`in.${table}\``), { refused: importFailure }]
            : await readBoth(engine, table)
      readings.push({ inferred, inPlace, imported })
    }
    return readings
  } finally {
    await engine.close()
  }
}

async function prepare(folder: string, { table, files, flags }: MadeTable, duckdb: DuckDBInstance): Promise<Prepared> {
  const [dataDir, tablesDir] = [join(folder, 'data'), join(folder, 'schemas', table)]
  let printed = ''
  const print = (text: unknown): void => {
    printed += text
  }
  if (!existsSync(join(tablesDir, `in.${table}.json`))) {
    const io = { ...SILENT_IO, print, printError: print }
    const code = await inferSchema(`in.${table}`, files, { dataDir, tablesDir }, flags, io).catch(print)
    if (code !== 0) return { inferred: printed, failure: printed }
  }
  const { tables, diagnostics } = await loadTableSchemas(tablesDir)
  const [loaded] = tables
  if (!loaded) return { inferred: printed, failure: JSON.stringify(diagnostics.map(({ message }) => message)) }
  const copy = { ...loaded, name: `out.${table}` }
  return {
    inferred: printed,
    failure: null,
    importFailure: await importFailureOf(dataDir, copy, files, duckdb),
    definitions: [loaded, copy].map(definitionOf),
  }
}

/** Imports the files as the command does; the message for bad rows, or null. */
async function importFailureOf(
  dataDir: string,
  table: LoadedTable,
  files: readonly string[],
  duckdb: DuckDBInstance,
): Promise<string | null> {
  try {
    const { badRows } = await importFiles(duckdb, {
      dataDir,
      table: definitionOf(table),
      layout: table.layout,
      files,
      inputFormat: null,
      standardInput: () => Readable.from([]),
      replaces: false,
      ignoresUnknown: table.textForm?.ignoresUnknown === true,
      skipFile: null,
      maxBadRows: 100,
      nowMs: 0,
      idSuffix: '00000000',
    })
    return badRows.length === 0 ? null : badRows.map(badRowLine).join('\n')
  } catch (error) {
    return (error as Error).message
  }
}

/** One query takes less time than two. */
async function readBoth(engine: Engine, table: string): Promise<readonly [Reading, Reading]> {
  const sql = (name: string, number: number): string => `SELECT *, ${number} AS table_number FROM \`${name}.${table}\``
  const both = await read(engine, `${sql('in', 1)} UNION ALL ${sql('out', 2)}`)
  if ('refused' in both)
    return [await read(engine, `SELECT * FROM \`in.${table}\``), await read(engine, `SELECT * FROM \`out.${table}\``)]
  const columns = both.columns.slice(0, -1)
  const rowsOf = (number: string): Rows => ({
    columns,
    rows: both.rows.filter(row => (row.at(-1) as { number: string }).number === number).map(row => row.slice(0, -1)),
  })
  return [rowsOf('1'), rowsOf('2')]
}

async function read(engine: Engine, sql: string): Promise<Reading> {
  try {
    const { columns, body } = await engine.run({ sql, parameters: {} }, runOptions({ maxRows: 100_000 }))
    const facts = { endpoint: 'test', revision: '', isTruncated: false, timestamps: 'iso8601' } as const
    return withNumbersAsText(Buffer.from(toTable(columns, body, facts)).toString())
  } catch (error) {
    return { refused: reasonOf(error as Error) }
  }
}

const reasonOf = ({ cause, message }: Error): string => (cause instanceof Error ? cause.message : message)

/** JSON.parse would round numbers of more than 15 digits. */
const withNumbersAsText = (text: string): Rows =>
  JSON.parse(
    text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, token =>
      token.startsWith('"') ? token : `{"number":"${token}"}`,
    ),
  )
