/**
 * Checks whether times that a Parquet file has in nanoseconds are whole microseconds: DuckDB cuts them to microseconds. For the check,
 * DuckDB reads a copy of their columns whose footer says that the numbers are microseconds. There DuckDB cuts no digits, and takes each
 * time to be 1,000 times farther from 1970.
 */
import { type FileHandle, open } from 'node:fs/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { DuckDBMapType, DuckDBStructType, type DuckDBType } from '@duckdb/node-api'
import { quoteName, quotePath, quoteText } from '../../../../googlesql-duckdb/names-and-types.js'
import { asList } from './file-types.js'
import type { Shape } from './parquet-source.js'
import { isCut, isInt96, leavesOf, mapLeaves, markCut, withoutMark, withStoredTypes } from './stored-types.js'

/** Whether a type is a time that DuckDB cuts, or contains one. */
export const hasCut = (type: DuckDBType): boolean => leavesOf(type).some(leaf => isCut(leaf) && !isInt96(leaf))

/**
 * The types of the columns. Where all times of a column are whole microseconds, its type is the one that DuckDB reads. In any other column,
 * times are marked with the first row that has more digits (see markCut). `copy` is the path for the copy, which the caller removes.
 */
export async function withWholeMicroseconds(
  connection: DuckDBConnection,
  path: string,
  { names, types }: Shape,
  copy: string,
): Promise<readonly DuckDBType[]> {
  if (!(await copyInMicroseconds(connection, path, { names, types }, copy))) return types
  const checkedTypes: DuckDBType[] = []
  for (const [i, type] of types.entries()) {
    const where = digitsBeyond(quoteName(names[i]!), type)
    const row = where && (await firstRow(connection, copy, where))
    checkedTypes.push(where === null ? type : mapLeaves(type, leaf => markCut(leaf, row)))
  }
  return checkedTypes
}

async function firstRow(connection: DuckDBConnection, copy: string, where: string): Promise<string | null> {
  const rows = `read_parquet(${quotePath(copy)}, hive_partitioning = false, file_row_number = true)`
  const result = await connection.runAndReadAll(`SELECT min(file_row_number) + 1 FROM ${rows} WHERE ${where}`)
  const row = result.getRows()[0]?.[0] ?? null
  return row === null ? null : String(row)
}

/** SQL that is true if the value in the copy has digits beyond microseconds; null for a type without such times. */
function digitsBeyond(sql: string, type: DuckDBType, depth = 0): string | null {
  if (!hasCut(type)) return null
  const list = asList(type)
  if (list) {
    const item = `x${depth}`
    const items = type instanceof DuckDBMapType ? `map_entries(${sql})` : sql
    return `len(list_filter(${items}, lambda ${item}: ${digitsBeyond(item, list.valueType, depth + 1)})) > 0`
  }
  if (!(type instanceof DuckDBStructType)) return `epoch_us(${sql}) % 1000 <> 0`
  const fields = type.entryNames.map((name, i) =>
    digitsBeyond(`struct_extract(${sql}, ${quoteText(name)})`, type.entryTypes[i]!, depth),
  )
  return `(${fields.filter(field => field !== null).join(' OR ')})`
}

const TAIL_BYTES = 8
const CHUNK_BYTES = 1 << 20

/** Writes the copy, with holes in place of other columns. False if the footer has an unknown form. */
async function copyInMicroseconds(
  connection: DuckDBConnection,
  path: string,
  { names, types }: Shape,
  copy: string,
): Promise<boolean> {
  const cutColumns = names.filter((_, i) => hasCut(types[i]!))
  const result = await connection.runAndReadAll(
    'SELECT path_in_schema, coalesce(least(dictionary_page_offset, data_page_offset), data_page_offset), total_compressed_size ' +
      `FROM parquet_metadata(${quotePath(path)})`,
  )
  const chunks = result.getRows().filter(([column]) => cutColumns.some(name => `${column}, `.startsWith(`${name}, `)))
  const [from, into] = [await open(path), await open(copy, 'w')]
  try {
    const { size } = await from.stat()
    const length = (await bytesAt(from, size - TAIL_BYTES, TAIL_BYTES)).readUInt32LE()
    const footer = await bytesAt(from, size - TAIL_BYTES - length, length + TAIL_BYTES)
    const leaves = types.flatMap(leavesOf).filter(hasCut)
    if (changeToMicroseconds(footer) !== leaves.length) return false
    await into.write(await bytesAt(from, 0, 4), 0, 4, 0)
    await into.write(footer, 0, footer.length, size - footer.length)
    for (const [, start, bytes] of chunks)
      for (let at = Number(start), end = at + Number(bytes); at < end; at += CHUNK_BYTES) {
        const chunk = await bytesAt(from, at, Math.min(CHUNK_BYTES, end - at))
        await into.write(chunk, 0, chunk.length, at)
      }
  } finally {
    await Promise.all([from.close(), into.close()])
  }
  const read = types.map(type => mapLeaves(type, withoutMark))
  return !(await withStoredTypes(connection, copy, read)).some(hasCut)
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer
}

const [TIME, TIMESTAMP, IN_UTC, LOCAL, MICROS] = [0x7c, 0x8c, 0x11, 0x12, 0x2c]
/** The unit NANOS, and after it the four bytes that end NANOS, the unit, the time's type and the logical type. */
const NANOS_ENDING = Buffer.from([0x1c, 0x3c, 0, 0, 0, 0])

/**
 * Changes the types of times in nanoseconds to timestamps in microseconds in the footer, and returns how many it changed. A local
 * timestamp in nanoseconds stays, since DuckDB does not cut it. Source, for the compact protocol:
 * https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift.
 */
function changeToMicroseconds(footer: Buffer): number {
  let count = 0
  for (let at = footer.indexOf(NANOS_ENDING); at >= 0; at = footer.indexOf(NANOS_ENDING, at + 1)) {
    const [type, zone] = [footer[at - 2], footer[at - 1]]
    if (zone !== IN_UTC && (zone !== LOCAL || type === TIMESTAMP)) continue
    if (type !== TIME && type !== TIMESTAMP) continue
    footer[at - 2] = TIMESTAMP
    footer[at + 1] = MICROS
    count++
  }
  return count
}
