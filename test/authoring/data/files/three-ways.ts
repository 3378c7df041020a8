/** Reads the files of tables as an author would: `tables infer` writes a schema, by which they are read in place and imported. */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { toTable } from '../../../../runner/formats/table.js'
import { loadTableSchemas } from '../../../../runner/manifest/tables/load.js'
import { definitionOf } from '../../../../runner/serve/engine.js'
import { command } from '../../../cli/command.js'
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
  readonly flags: readonly string[]
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

/**
 * Reads the tables from `folder`/data/in, imports them into `out`, and writes their schemas into `folder`/schemas/<table>, unless there
 * is one.
 */
export async function readThreeWays(folder: string, tables: readonly MadeTable[]): Promise<readonly Readings[]> {
  const data = join(folder, 'data')
  mkdirSync(join(data, 'out'), { recursive: true })
  const prepared = []
  for (const { table, files, flags } of tables) {
    const schemas = join(folder, 'schemas', table)
    const [from, to] = ['in', 'out'].map(dataset => join(schemas, `${dataset}.${table}.json`))
    const places = ['--tables', schemas, '--data', data]
    const inferred = existsSync(from!)
      ? { code: 0, out: '', err: '' }
      : await command(['tables', 'infer', `in.${table}`, ...files, ...flags, ...places])
    if (inferred.code !== 0) {
      prepared.push({ inferred: inferred.out, failure: inferred.err })
      continue
    }
    copyFileSync(from!, to!)
    const imported = await command(['import', `out.${table}`, ...files, ...places])
    const { tables: loaded, diagnostics } = await loadTableSchemas(schemas)
    prepared.push({
      inferred: inferred.out,
      failure: loaded.length === 2 ? null : JSON.stringify(diagnostics.map(({ message }) => message)),
      importFailure: imported.code === 0 ? null : imported.err,
      definitions: loaded.map(definitionOf),
    })
  }
  const sources = prepared.flatMap(({ definitions = [] }) => definitions.map(definition => ({ definition })))
  const engine = await openEngine({ dataDir: data, tables: sources })
  const read = async (name: string): Promise<Reading> => {
    try {
      const { columns, body } = await engine.run(
        { sql: `SELECT * FROM \`${name}\``, parameters: {} },
        runOptions({ maxRows: 100_000 }),
      )
      const facts = { endpoint: 'test', revision: '', isTruncated: false, timestamps: 'iso8601' } as const
      return withNumbersAsText(Buffer.from(toTable(columns, body, facts)).toString())
    } catch (error) {
      return { refused: reasonOf(error as Error) }
    }
  }
  const readings: Readings[] = []
  try {
    for (const [i, { inferred, failure, importFailure = null }] of prepared.entries()) {
      const { table } = tables[i]!
      readings.push(
        failure === null
          ? {
              inferred,
              inPlace: await read(`in.${table}`),
              imported: importFailure === null ? await read(`out.${table}`) : { refused: importFailure },
            }
          : { inferred, inPlace: { refused: failure }, imported: { refused: failure } },
      )
    }
  } finally {
    await engine.close()
  }
  return readings
}

const reasonOf = ({ cause, message }: Error): string => (cause instanceof Error ? cause.message : message)

/** JSON.parse would round numbers of more than 15 digits. */
const withNumbersAsText = (text: string): Rows =>
  JSON.parse(
    text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, token =>
      token.startsWith('"') ? token : `{"number":"${token}"}`,
    ),
  )
