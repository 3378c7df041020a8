/** Reads a Parquet file with DuckDB into the form that `arrowRows` has. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import type { Type } from '../../googlesql/index.js'
import type { Typed } from './typed-values.js'

export interface ParquetReader {
  /** The rows. The columns must have these types, in DuckDB's words. */
  read(file: Uint8Array, types: readonly Type[]): Promise<readonly (readonly Typed[])[]>
  /** The types of the columns, in DuckDB's words. */
  types(file: Uint8Array): Promise<readonly string[]>
  /** The least and the greatest value of each column of each group, as texts; null where the file does not say them. */
  bounds(file: Uint8Array): Promise<unknown>
  /** The fields with their types and whether they may be NULL, and the file's metadata. */
  schema(file: Uint8Array): Promise<unknown>
  close(): void
}

export async function openParquetReader(): Promise<ParquetReader> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-parquet-'))
  let files = 0
  const instance = await DuckDBInstance.create(':memory:')
  const connection: DuckDBConnection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  const readAll = (file: Uint8Array, sql = 'FROM read_parquet($path)') => {
    // DuckDB remembers files by their names.
    const path = join(folder, `${files++}.parquet`)
    writeFileSync(path, file)
    return connection.runAndReadAll(sql, { path })
  }
  return {
    async read(file, types) {
      const rows = (await readAll(file)).getRows()
      return rows.map(row => row.map((value, i) => typedOf(value, types[i]!)))
    },
    async types(file) {
      return (await readAll(file)).columnTypes().map(String)
    },
    async bounds(file) {
      return (await readAll(file, 'SELECT stats_min_value, stats_max_value FROM parquet_metadata($path)')).getRows()
    },
    async schema(file) {
      // The older names of two types are as good as the newer ones.
      const fields = `SELECT name, type, type_length, repetition_type, num_children, precision, scale,
        CASE converted_type WHEN 'UTF8' THEN 'StringType()' WHEN 'DATE' THEN 'DateType()' ELSE logical_type END FROM parquet_schema($path) OFFSET 1`
      const metadata = 'SELECT key::VARCHAR, value::VARCHAR FROM parquet_kv_metadata($path)'
      return [(await readAll(file, fields)).getRows(), (await readAll(file, metadata)).getRows()]
    },
    close() {
      connection.closeSync()
      instance.closeSync()
      rmSync(folder, { recursive: true })
    },
  }
}

/** A value of DuckDB's client: its classes are told apart by the members that they have. */
interface Value {
  readonly items: readonly DuckDBValue[]
  readonly entries: Readonly<Record<string, DuckDBValue>>
  readonly value: bigint
  readonly days: number
  readonly micros: bigint
  readonly bytes: Uint8Array
}

function typedOf(value: DuckDBValue, type: Type): Typed {
  if (value === null) return null
  const its = value as unknown as Value
  switch (type.kind) {
    case 'ARRAY':
      return its.items.map(item => typedOf(item, type.element))
    case 'STRUCT':
      return Object.values(its.entries).map((field, i) => typedOf(field, type.fields[i]!.type))
    case 'NUMERIC':
      return its.value
    case 'BIGNUMERIC':
      return scaled(value as string)
    case 'DATE':
      return its.days
    case 'TIME':
    case 'DATETIME':
    case 'TIMESTAMP':
      return its.micros
    case 'BYTES':
      return Buffer.from(its.bytes).toString('hex')
    default:
      return value as Typed
  }
}

/** A BIGNUMERIC, which is text in Parquet. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  const value = BigInt(whole + fraction.padEnd(38, '0'))
  return text.startsWith('-') ? -value : value
}
