/** Imports files into a table: rows are checked, sorted and partitioned, and become visible all at once. */
import { createWriteStream, existsSync, mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { TableDefinition } from '../../../googlesql/index.js'
import { quoteText } from '../../../googlesql-duckdb/index.js'
import { keyColumns } from '../../../runner/engines/duckdb/tables/folder-keys.js'
import { type BadRow, RowStream } from '../../../runner/engines/duckdb/tables/rows/row-stream.js'
import { rowFormat } from '../../../runner/engines/duckdb/tables/rows/stage-rows.js'
import { SetupError, UsageError } from '../../../runner/model/errors.js'
import { QueryFault } from '../../../runner/model/query-fault.js'
import { systemReason } from '../../../runner/platform/write-failure.js'
import { byteChunks, type ImportSource, sourcesOf } from './formats/source-file.js'
import { GatheredRows } from './gathered-rows.js'
import type { ImportLayout } from './layout.js'
import { PartitionWriter } from './partition-writer.js'
import { importId, openTableFolder, type TableFolder, tableFailure } from './table-folder.js'

export interface ImportOptions {
  readonly dataDir: string
  readonly table: TableDefinition
  readonly layout: ImportLayout
  /** Paths; `-` is standard input. */
  readonly files: readonly string[]
  /** The format of standard input and of files whose names do not show it: `ndjson`, `csv.gz`, … */
  readonly inputFormat: string | null
  readonly standardInput: () => Readable
  /** Whether the rows replace those of the table; otherwise they are added. */
  readonly replaces: boolean
  readonly ignoresUnknown: boolean
  /** The file for bad rows; the other rows are imported. Null if one bad row stops the import. */
  readonly skipFile: string | null
  /** The number of reported bad rows after which reading stops. */
  readonly maxBadRows: number
  readonly nowMs: number
  /** Eight hexadecimal digits. */
  readonly idSuffix: string
}

export type ImportReport = Awaited<ReturnType<typeof importFiles>>

/** The size at which buffered rows are passed to DuckDB. */
const PIECE_BYTES = 30 << 20

/**
 * Opens DuckDB for one import after another. After an import that spilled to disk no other can follow, since DuckDB cannot change the
 * folder for that any more. The caller closes it.
 */
export async function openDuckdb(threads: number, memoryLimitMb: number): Promise<DuckDBInstance> {
  // Imported lazily, since other commands do not need DuckDB in this process.
  const duckdb = await import('@duckdb/node-api')
  const { keepByteOrderMark } = await import('../../../googlesql-duckdb/runtime/keep-byte-order-mark.js')
  keepByteOrderMark()
  const instance = await duckdb.DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: `${memoryLimitMb}MB`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  })
  await (await instance.connect()).run("SET GLOBAL TimeZone = 'UTC'")
  return instance
}

/**
 * @throws QueryFault for a file that cannot be read at all, SetupError when the table's folder cannot be written or another
 *   import of the table is running, UsageError when the file for bad rows already exists.
 */
export async function importFiles(duckdb: DuckDBInstance, options: ImportOptions) {
  const sources = sourcesOf(options.files, options.inputFormat)
  if (options.skipFile !== null && existsSync(options.skipFile)) {
    throw new UsageError([`--skip-bad: ${options.skipFile} is there already`])
  }
  const [connection, reader] = [await duckdb.connect(), await duckdb.connect()]
  const folder = await openTableFolder(connection, options.dataDir, options.table.name, options.nowMs)
  const rows = new GatheredRows(options.skipFile, options.maxBadRows)
  try {
    await connection.run(`SET temp_directory = ${quoteText(join(folder.work, 'spill'))}`)
    return await new TableImport(folder, rows, options).run(sources, connection, reader)
  } catch (error) {
    throw replaceMessage(error, folder)
  } finally {
    rows.close()
    await folder.close()
    for (const each of [connection, reader]) each.closeSync()
  }
}

class TableImport {
  readonly #folder: TableFolder
  readonly #gathered: GatheredRows
  readonly #options: ImportOptions

  constructor(folder: TableFolder, gathered: GatheredRows, options: ImportOptions) {
    this.#folder = folder
    this.#gathered = gathered
    this.#options = options
  }

  /** `badRows` are the first bad rows; `replaced` is the number of imports and files that were replaced. */
  async run(sources: readonly ImportSource[], connection: DuckDBConnection, reader: DuckDBConnection) {
    const { table, layout, skipFile, replaces, nowMs, idSuffix } = this.#options
    const [pieces, result] = [join(this.#folder.work, 'pieces'), join(this.#folder.work, 'result')]
    mkdirSync(pieces)
    mkdirSync(result)
    const writer = new PartitionWriter({ connection, folder: pieces, table, layout })
    const rows = await this.#gather(sources, reader, writer)
    const { badRowCount } = this.#gathered
    const report = { badRows: this.#gathered.badRows as readonly BadRow[], badRowCount }
    // Nothing has changed.
    if (skipFile === null && badRowCount > 0) return { ...report, rows: 0, isCommitted: false, files: 0, replaced: 0 }
    const files = rows === 0 ? [] : await writer.finish(result)
    const entry = rows === 0 ? null : { id: importId(nowMs, idSuffix), rows, partition: layout.partition, files }
    const isNeeded = entry !== null || replaces
    const replaced = isNeeded ? this.#folder.commit(entry, result, replaces) : 0
    return { ...report, rows, isCommitted: true, files: files.length, replaced }
  }

  /** Reads all sources; while DuckDB stores one buffer, the next is filled. @returns the number of good rows */
  async #gather(sources: readonly ImportSource[], reader: DuckDBConnection, writer: PartitionWriter): Promise<number> {
    const gathered = this.#gathered
    const { table, ignoresUnknown, skipFile } = this.#options
    let rows = 0
    let inFlight: Promise<void> = Promise.resolve()
    const flush = async (): Promise<void> => {
      await inFlight
      const piece = gathered.take()
      rows += piece.rows.length
      if (skipFile !== null || gathered.badRowCount === 0) inFlight = writer.add(piece)
      // The next `await` reports the failure; until then Node must not treat it as an unhandled rejection.
      inFlight.catch(() => undefined)
    }
    for (const source of sources) {
      const rowsFormat = source.format === 'parquet' ? 'ndjson' : source.format
      const ignoreFlag = ignoresUnknown ? null : '--ignore-unknown'
      const format = rowFormat(rowsFormat, table, ignoreFlag, keyColumns(source.name, source.keys, table))
      const stream = new RowStream(source.name, format, gathered)
      for await (const chunk of this.#chunksOf(source, reader)) {
        stream.push(chunk)
        if (gathered.isFull) return 0
        if (gathered.bytes >= PIECE_BYTES) await flush()
      }
      stream.end()
    }
    await flush()
    await inFlight
    return rows
  }

  async *#chunksOf(source: ImportSource, reader: DuckDBConnection): AsyncGenerator<Buffer> {
    const { standardInput } = this.#options
    if (source.format !== 'parquet') return yield* byteChunks(source, standardInput)
    const spool = join(this.#folder.work, 'input.parquet')
    // A reader of Parquet needs the end of the file first, so a stream is first written to a file.
    if (source.path === null) await pipeline(standardInput(), createWriteStream(spool))
    const { parquetLines } = await import('./formats/parquet-lines.js')
    yield* parquetLines(reader, source.path ?? spool, source.name, this.#options.table)
    if (source.path === null) await rm(spool, { force: true })
  }
}

/** Replaces DuckDB's messages, which must not be shown. */
function replaceMessage(error: unknown, { path, work }: TableFolder): unknown {
  if (error instanceof QueryFault || error instanceof SetupError || error instanceof UsageError) return error
  const text = error instanceof Error ? error.message : String(error)
  if (/^Out of Memory|failed to (?:offload|pin)/im.test(text)) {
    return new SetupError('the import needs more memory or more room on the disk than there is', { cause: error })
  }
  if (typeof (error as NodeJS.ErrnoException).syscall === 'string') return tableFailure(path, error)
  const reason = text.includes(work) ? systemReason(text) : null
  return reason === null ? error : tableFailure(path, error, reason)
}
