/**
 * Writes checked rows as sorted Parquet files of one partition each, in bounded memory: rows are first staged in files of about
 * 100,000 rows. DuckDB then sorts the staged rows partition by partition, and spills to disk if necessary.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { TableDefinition, Type } from '../../../googlesql/index.js'
import { quoteText } from '../../../googlesql-duckdb/index.js'
import { readStaged } from '../../../runner/engines/duckdb/tables/convert.js'
import { parquetSource } from '../../../runner/engines/duckdb/tables/parquet-source.js'
import { compareText } from '../../../runner/model/diagnostic.js'
import { QueryFault } from '../../../runner/model/query-fault.js'
import type { RowPiece } from './gathered-rows.js'
import {
  finishedColumns,
  type ImportLayout,
  orderSql,
  PARTITION_COLUMN,
  partitionFolder,
  partitionSql,
} from './layout.js'

/** The metadata key that marks a Parquet file as written by an import, with its version. */
const IMPORT_MARK = 'sluice'

/** Rows per row group: few enough for a query of one cluster to skip most rows, many enough for a short footer. */
const MAX_ROW_GROUP_SIZE = 16_384
/** The least number of rows that DuckDB writes as a row group. */
const MIN_ROW_GROUP_SIZE = 2_048
/**
 * DuckDB writes all fields of a RECORD at once, and each with a dictionary of its own. These limits are for all of them
 * together: the values of a row group, and the bytes of dictionaries (DuckDB's limit for one is 1 MB).
 */
const MAX_RECORD_VALUES = 1 << 22
const MAX_RECORD_DICTIONARIES = 1 << 24
/** Each thread holds 2,048 rows of all fields of a RECORD, several times over. This limit is for the fields of all threads. */
const MAX_FIELDS_OF_THREADS = 1_500
/** BigQuery's limit of partitions in a table. */
const MAX_PARTITIONS = 10_000

export interface WriterOptions {
  readonly connection: DuckDBConnection
  /** An existing folder for staged files, used by this writer alone. */
  readonly folder: string
  readonly table: TableDefinition
  readonly layout: ImportLayout
}

interface StagedFile {
  readonly path: string
  /** The partitions of its rows. */
  readonly partitions: ReadonlySet<string | null>
}

export class PartitionWriter {
  readonly #options: WriterOptions
  readonly #rowGroups: string
  readonly #stagedFiles: StagedFile[] = []
  readonly #partitions = new Set<string | null>()
  #pieces = 0

  constructor(options: WriterOptions) {
    this.#options = options
    const fields = mostFields(options.table)
    const rows = Math.max(MIN_ROW_GROUP_SIZE, Math.min(MAX_ROW_GROUP_SIZE, Math.floor(MAX_RECORD_VALUES / fields)))
    const dictionary = Math.min(1 << 20, Math.floor(MAX_RECORD_DICTIONARIES / fields))
    this.#rowGroups = `ROW_GROUP_SIZE ${rows}, STRING_DICTIONARY_PAGE_SIZE_LIMIT ${dictionary}`
  }

  /** Stages the rows. @throws QueryFault for rows of more partitions than BigQuery allows. */
  async add({ rows, longestRow }: RowPiece): Promise<void> {
    if (rows.length === 0) return
    const { connection, folder, table, layout } = this.#options
    const number = this.#pieces++
    const piece = join(folder, `piece-${number}.ndjson`)
    const path = join(folder, `run-${number}.parquet`)
    await writeFile(piece, rows.join('\n'))
    const source = readStaged(piece, longestRow, table)
    const partition = partitionSql(layout, table)
    // The rows are sorted by partition, so that reading one partition later skips the row groups of the others. Without partitions they
    // keep their order, which DuckDB's sort would not keep among equal rows.
    const order = layout.partition === null ? '' : ` ORDER BY ${PARTITION_COLUMN}`
    await connection.run(
      `COPY (SELECT *, ${partition} AS ${PARTITION_COLUMN} FROM ${source}${order}) ` +
        `TO ${quoteText(path)} (FORMAT parquet, COMPRESSION lz4_raw, ${this.#rowGroups})`,
    )
    rmSync(piece)
    const partitions = layout.partition === null ? new Set(['']) : await this.#partitionsIn(path)
    for (const value of partitions) this.#partitions.add(value)
    if (this.#partitions.size > MAX_PARTITIONS) {
      throw new QueryFault(`${table.name}: the rows are of more than ${MAX_PARTITIONS} partitions`)
    }
    this.#stagedFiles.push({ path, partitions })
  }

  async #partitionsIn(path: string): Promise<ReadonlySet<string | null>> {
    const distinct = `SELECT DISTINCT ${PARTITION_COLUMN} FROM ${parquetSource([path])}`
    const rows = (await this.#options.connection.runAndReadAll(distinct)).getRows()
    return new Set(rows.map(([value]) => value as string | null))
  }

  /** Writes the final files into the folder; returns their paths relative to it. */
  async finish(into: string): Promise<readonly string[]> {
    const files: string[] = []
    for (const value of [...this.#partitions].sort(byPartition)) files.push(await this.#writeFile(value, into))
    return files
  }

  async #writeFile(value: string | null, into: string): Promise<string> {
    const { layout, table, connection } = this.#options
    const path = join(partitionFolder(layout, value), '1.parquet')
    mkdirSync(dirname(join(into, path)), { recursive: true })
    const condition = `${PARTITION_COLUMN} ${value === null ? 'IS NULL' : `= ${quoteText(value)}`}`
    const runs = this.#stagedFiles.filter(run => run.partitions.has(value)).map(run => run.path)
    await connection.run(
      `COPY (SELECT ${finishedColumns(table)} FROM ${parquetSource(runs)} WHERE ${condition} ${orderSql(layout)}) ` +
        `TO ${quoteText(join(into, path))} (FORMAT parquet, COMPRESSION zstd, ${this.#rowGroups}, ` +
        `KV_METADATA {${IMPORT_MARK}: 'import 1'})`,
    )
    return path
  }
}

const mostFields = ({ columns }: Pick<TableDefinition, 'columns'>): number =>
  Math.max(1, ...columns.map(({ type }) => fieldCount(type)))

/** How many threads have room in memory for rows of the table: 1 or more. */
export const mostThreads = (table: Pick<TableDefinition, 'columns'>): number =>
  Math.max(1, Math.floor(MAX_FIELDS_OF_THREADS / mostFields(table)))

/** The number of values in a row of this type, if each array has one element. */
function fieldCount(type: Type): number {
  if (type.kind === 'ARRAY') return fieldCount(type.element)
  return type.kind === 'STRUCT' ? type.fields.reduce((count, field) => count + fieldCount(field.type), 0) : 1
}

/** Orders partitions: NULL first, then by time. */
function byPartition(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  return compareText(a, b)
}
