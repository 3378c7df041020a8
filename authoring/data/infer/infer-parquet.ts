/**
 * Infers the columns of a table from Parquet files: from their types, and from their values if a type has no exact equivalent.
 */
import {
  type DuckDBConnection,
  DuckDBDecimalType,
  DuckDBInstance,
  type DuckDBType,
  DuckDBTypeId,
} from '@duckdb/node-api'
import type { SchemaField, Type } from '../../../googlesql/index.js'
import { quoteName } from '../../../googlesql-duckdb/index.js'
import {
  asList,
  googlesqlType,
  isNearlyExact,
  whyUnreadable,
} from '../../../runner/engines/duckdb/tables/file-types.js'
import { parquetShape, parquetSource } from '../../../runner/engines/duckdb/tables/parquet-source.js'
import { cutTypes, isCut, isTooWide, leavesOf } from '../../../runner/engines/duckdb/tables/stored-types.js'
import { QueryFault } from '../../../runner/model/query-fault.js'
import type { ImportSource } from '../import/formats/source-file.js'
import { needsBackticks, whyNoColumn } from './column-name.js'
import type { Inference, InferredTable } from './inferred-table.js'

/** @throws QueryFault for a file that is not Parquet, and for a column whose types in two files have no common type. */
export async function inferFromParquet(sources: readonly ImportSource[]): Promise<InferredTable> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '400MB' })
  try {
    const connection = await instance.connect()
    await connection.run("SET GLOBAL TimeZone = 'UTC'")
    const columns = await columnsOf(connection, sources)
    const rows = await countRows(connection, sources)
    const result: Inference = { columns: [], doubts: [] }
    const fields: SchemaField[] = []
    for (const column of columns) fields.push(...(await inferColumn(connection, column, rows, result)))
    if (fields.length === 0) throw new QueryFault(`${sources[0]!.name}: no column can be one of a table`)
    return { rows, fields, ...result, badRows: [] }
  } finally {
    instance.closeSync()
  }
}

/** A column of one or several files. */
interface FileColumn {
  readonly name: string
  readonly parts: readonly { readonly file: ImportSource; readonly type: DuckDBType }[]
}

async function columnsOf(
  connection: DuckDBConnection,
  sources: readonly ImportSource[],
): Promise<readonly FileColumn[]> {
  const columns = new Map<string, { name: string; parts: { file: ImportSource; type: DuckDBType }[] }>()
  for (const file of sources) {
    const shape = await parquetShape(connection, file.path!).catch(cause => {
      throw new QueryFault(`${file.name}: it is missing, damaged, or not a Parquet file`, { cause })
    })
    for (const [i, name] of shape.names.entries()) {
      const column = columns.get(name.toLowerCase()) ?? { name, parts: [] }
      columns.set(name.toLowerCase(), column)
      column.parts.push({ file, type: shape.types[i]! })
    }
  }
  return [...columns.values()]
}

async function countRows(connection: DuckDBConnection, sources: readonly ImportSource[]): Promise<number> {
  let rows = 0
  for (const file of sources) rows += Number((await oneRow(connection, file, 'SELECT count(*)'))[0])
  return rows
}

/** @throws QueryFault for a file whose pages are damaged. */
async function oneRow(
  connection: DuckDBConnection,
  { name, path }: ImportSource,
  select: string,
  where = 'TRUE',
): Promise<readonly unknown[]> {
  try {
    const sql = `${select} FROM ${parquetSource([path!])} WHERE ${where}`
    return (await connection.runAndReadAll(sql)).getRows()[0] ?? []
  } catch (cause) {
    throw new QueryFault(`${name}: it cannot be decoded as Parquet`, { cause })
  }
}

async function inferColumn(
  connection: DuckDBConnection,
  { name, parts }: FileColumn,
  rows: number,
  into: Inference,
): Promise<readonly SchemaField[]> {
  const doubt = (message: string): void => void into.doubts.push({ path: name, message })
  const reason = whyNoColumn(name)
  if (reason !== null) {
    doubt(`is left out: ${reason}`)
    return []
  }
  if (needsBackticks(name)) doubt(`is a name that SQL needs in backticks: \`${name}\``)
  let values = 0
  let example: string | null = null
  const fields: SchemaField[] = []
  for (const { file, type } of parts) {
    const column = quoteName(name)
    const [count, first] = await oneRow(
      connection,
      file,
      `SELECT count(${column}), left(CAST(any_value(${column}) AS VARCHAR), 80)`,
    )
    values += Number(count)
    example ??= first === null ? null : String(first)
    if (leavesOf(type).some(isTooWide)) {
      doubt(`is left out: ${whyUnreadable('', name, type)}`)
      return []
    }
    fields.push(await fieldFor(connection, name, type, file, doubt))
  }
  const field = fields.reduce((a, b) =>
    common(
      a,
      b,
      parts.map(({ file }) => file.name),
    ),
  )
  into.columns.push({ path: name, field, nulls: rows - values, example })
  return [field]
}

/** The field for a column of one file; reads the column's values if the type depends on them. */
async function fieldFor(
  connection: DuckDBConnection,
  name: string,
  stored: DuckDBType,
  file: ImportSource,
  doubt: (message: string) => void,
): Promise<SchemaField> {
  const type = cutTypes(stored)
  if (leavesOf(stored).some(isCut)) doubt('has nanoseconds in the file, which are cut to microseconds')
  const found = googlesqlType(type)
  if (found === undefined) {
    doubt(`is JSON: ${whyUnreadable('', name, type).replace(/;.*/s, '')}`)
    return { name, type: 'JSON', mode: 'NULLABLE' }
  }
  const misfits = async (fits: string): Promise<number> =>
    Number((await oneRow(connection, file, 'SELECT count(*)', `NOT (${fits})`))[0])
  const column = quoteName(name)
  if (type.typeId === DuckDBTypeId.UBIGINT || WIDE.has(type.typeId)) {
    if ((await misfits(`TRY_CAST(${column} AS BIGINT) IS NOT NULL OR ${column} IS NULL`)) === 0) {
      doubt(`is INTEGER, since every value of its type ${type} is an INT64; a later file may have others`)
      return { name, type: 'INTEGER', mode: 'NULLABLE' }
    }
    if ((await misfits(`TRY_CAST(${column} AS DECIMAL(38, 9)) IS NOT NULL OR ${column} IS NULL`)) === 0) {
      doubt(`is NUMERIC, since its type ${type} has values beyond INT64`)
      return { name, type: 'NUMERIC', mode: 'NULLABLE' }
    }
    doubt(`is STRING, since its type ${type} has values that no type of numbers keeps`)
    return { name, type: 'STRING', mode: 'NULLABLE' }
  }
  if (type instanceof DuckDBDecimalType && isNearlyExact(type)) {
    const fits = `${column} IS NULL OR TRY_CAST(TRY_CAST(${column} AS DECIMAL(38, 9)) AS ${type}) = ${column}`
    const isWhole = (await misfits(fits)) === 0
    if (isWhole) doubt(`is NUMERIC, since every value of its type ${type} is one; a later file may have others`)
    else doubt(`is BIGNUMERIC, since its type ${type} has values that NUMERIC would round`)
    return { name, type: isWhole ? 'NUMERIC' : 'BIGNUMERIC', mode: 'NULLABLE' }
  }
  if (type.typeId === DuckDBTypeId.TIMESTAMP_NS) {
    const cut = await misfits(`${column} IS NULL OR epoch_ns(${column}) % 1000 = 0`)
    if (cut > 0) doubt(`has digits beyond microseconds in ${cut} ${cut === 1 ? 'row' : 'rows'}, which are cut`)
  }
  if (asList(type) && !String(type).endsWith(']')) doubt('is a map: its entries are records of key and value')
  return fieldOf(name, found)
}

/** Types beyond 64 bits. */
const WIDE: ReadonlySet<DuckDBTypeId> = new Set([DuckDBTypeId.HUGEINT, DuckDBTypeId.UHUGEINT])

/** The types whose name in BigQuery's schemas differs from the name in SQL. */
const NAMES: Readonly<Record<string, string>> = {
  INT64: 'INTEGER',
  FLOAT64: 'FLOAT',
  BOOL: 'BOOLEAN',
  STRUCT: 'RECORD',
}

function fieldOf(name: string, type: Type): SchemaField {
  const element = type.kind === 'ARRAY' ? type.element : type
  const mode = type.kind === 'ARRAY' ? 'REPEATED' : 'NULLABLE'
  const kind = NAMES[element.kind] ?? element.kind
  if (element.kind !== 'STRUCT') return { name, type: kind, mode }
  return { name, type: kind, mode, fields: element.fields.map(field => fieldOf(field.name, field.type)) }
}

/** The type that holds the values of two types, by the two names in alphabetical order. */
const WIDER: Readonly<Record<string, string>> = {
  'FLOAT INTEGER': 'FLOAT',
  'INTEGER NUMERIC': 'NUMERIC',
  'FLOAT NUMERIC': 'FLOAT',
  'INTEGER STRING': 'STRING',
  'NUMERIC STRING': 'STRING',
  'DATETIME TIMESTAMP': 'TIMESTAMP',
}

function common(a: SchemaField, b: SchemaField, files: readonly string[]): SchemaField {
  if (JSON.stringify(a) === JSON.stringify(b)) return a
  const wider = WIDER[[a.type, b.type].sort().join(' ')]
  if (wider !== undefined && a.mode === b.mode) return { ...a, type: wider }
  throw new QueryFault(
    `${a.name} is ${a.type} in one of ${files.join(', ')}, and ${b.type} in another: no type holds both`,
  )
}
