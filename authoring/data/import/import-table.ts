/** Imports files into a table: rows are checked, sorted and partitioned, and become visible all at once. */
import { createWriteStream, existsSync, mkdirSync, type WriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { SchemaField, TableDefinition } from '../../../googlesql/index.js'
import { SetupError, UsageError } from '../../../runner/model/errors.js'
import { QueryFault } from '../../../runner/model/query-fault.js'
import { SETTING, systemReason, writeFailure } from '../../../runner/platform/write-failure.js'
import { byteChunks, type ImportSource, sourcesOf } from './formats/source-file.js'
import type { ImportLayout } from './layout.js'
import { ParquetWriter, TooManyPartitionsError } from './parquet-writer.js'
import { rowSchema } from './row-schema.js'
import { type BadRow, RowGatherer } from './rows.js'
import { importId, openTableFolder, type TableFolder, tableFailure } from './table-folder.js'

export interface ImportOptions {
  readonly dataDir: string
  readonly table: TableDefinition
  readonly schema: readonly SchemaField[]
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
  readonly memoryLimitMb: number
  readonly threads: number
  readonly nowMs: number
  /** Eight hexadecimal digits. */
  readonly unique: string
}

export interface ImportReport {
  /** False if bad rows stopped the import, which then has changed nothing. */
  readonly isCommitted: boolean
  readonly rows: number
  readonly files: number
  /** The number of imports and files that were replaced. */
  readonly replaced: number
  /** The first bad rows. */
  readonly badRows: readonly BadRow[]
  readonly badRowCount: number
}

/** The size at which buffered rows are passed to DuckDB. */
const PIECE_BYTES = 30 << 20

/**
 * @throws QueryFault for a file that cannot be read at all, SetupError when the table's folder cannot be written or another
 *   import of the table is running, UsageError when the file for bad rows already exists.
 */
export async function importFiles(options: ImportOptions): Promise<ImportReport> {
  const sources = sourcesOf(options.files, options.inputFormat)
  if (options.skipFile !== null && existsSync(options.skipFile)) {
    throw new UsageError([`--skip-bad: ${options.skipFile} is there already`])
  }
  const folder = await openTableFolder(options.dataDir, options.table.name, options.nowMs)
  try {
    return await importInto(folder, sources, options)
  } finally {
    folder.close()
  }
}

async function importInto(
  folder: TableFolder,
  sources: readonly ImportSource[],
  options: ImportOptions,
): Promise<ImportReport> {
  // Imported lazily, since other commands do not need DuckDB in this process.
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const { keepByteOrderMark } = await import('../../../googlesql-duckdb/runtime/keep-byte-order-mark.js')
  keepByteOrderMark()
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(options.threads),
    memory_limit: `${options.memoryLimitMb}MB`,
    temp_directory: join(folder.work, 'spill'),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  })
  const skipped = skipSink(options)
  try {
    const connection = await instance.connect()
    await connection.run("SET GLOBAL TimeZone = 'UTC'")
    const pieces = join(folder.work, 'pieces')
    const result = join(folder.work, 'result')
    mkdirSync(pieces)
    mkdirSync(result)
    const { table, layout } = options
    const writer = new ParquetWriter({ connection, folder: pieces, table, layout })
    const reading = await instance.connect()
    const chunks = (source: ImportSource) => chunksOf(source, options.standardInput, reading, folder.work)
    const rows = await gather({ sources, chunks, writer, skipped, options })
    await skipped.close()
    const report = { rows, badRows: skipped.rows, badRowCount: skipped.count() }
    if (options.skipFile === null && report.badRowCount > 0) {
      return { ...report, rows: 0, isCommitted: false, files: 0, replaced: 0 }
    }
    const files = rows === 0 ? [] : await writer.finish(result)
    const id = importId(options.nowMs, options.unique)
    const entry = rows === 0 ? null : { id, rows, partition: layout.partition, files }
    const isNeeded = entry !== null || options.replaces
    const replaced = isNeeded ? folder.commit(entry, result, { replaces: options.replaces, nowMs: options.nowMs }) : 0
    return { ...report, isCommitted: true, files: files.length, replaced }
  } catch (error) {
    throw worded(error, folder, options)
  } finally {
    await skipped.close()
    instance.closeSync()
  }
}

/** Replaces DuckDB's messages, which must not be shown. */
function worded(error: unknown, { path, work }: TableFolder, { table }: ImportOptions): unknown {
  if (error instanceof QueryFault || error instanceof SetupError || error instanceof UsageError) return error
  if (error instanceof TooManyPartitionsError) return new QueryFault(`${table.name}: ${error.message}`)
  const text = error instanceof Error ? error.message : String(error)
  if (/^Out of Memory|failed to (?:offload|pin)/im.test(text)) {
    return new SetupError('the import needs more memory or more room on the disk than there is', { cause: error })
  }
  if (typeof (error as NodeJS.ErrnoException).syscall === 'string') return tableFailure(path, error)
  const reason = text.includes(work) ? systemReason(text) : null
  return reason === null ? error : tableFailure(path, error, reason)
}

interface SkipSink {
  readonly rows: readonly BadRow[]
  readonly count: () => number
  readonly isFull: () => boolean
  readonly bad: (row: BadRow) => void
  readonly aside: (bytes: Buffer) => void
  /** Resolves once the bad rows written so far need no more buffering. */
  readonly drained: () => Promise<void>
  readonly close: () => Promise<void>
}

function skipSink({ skipFile, maxBadRows }: ImportOptions): SkipSink {
  const rows: BadRow[] = []
  let count = 0
  let file: WriteStream | null = null
  let failure: Error | null = null
  const fail = (): void => {
    if (failure) throw writeFailure({ what: 'bad rows into', path: skipFile!, setting: SETTING.skipBad }, failure)
  }
  return {
    rows,
    count: () => count,
    isFull: () => skipFile === null && count >= maxBadRows,
    bad: row => {
      count++
      if (rows.length < maxBadRows) rows.push(row)
    },
    aside: bytes => {
      if (skipFile === null) return
      if (file === null) {
        file = createWriteStream(skipFile, { flags: 'wx' })
        file.on('error', error => {
          failure = error
        })
      }
      // The bytes are copied, since the buffer will be reused.
      file.write(Buffer.from(bytes))
    },
    drained: async () => {
      fail()
      if (file?.writableNeedDrain)
        await new Promise<void>(resolve => void file!.once('drain', resolve).once('close', resolve))
      fail()
    },
    close: async () => {
      const open = file
      file = null
      // A file that could not be opened is already closed, and closing it again would wait for ever.
      if (open && !open.closed) await new Promise<void>(resolve => void open.once('close', resolve).end())
      fail()
    },
  }
}

interface Gathering {
  readonly sources: readonly ImportSource[]
  readonly chunks: (source: ImportSource) => AsyncIterable<Buffer>
  readonly writer: ParquetWriter
  readonly skipped: SkipSink
  readonly options: ImportOptions
}

/** Reads all sources; while DuckDB stores one buffer, the next is filled. @returns the number of good rows */
async function gather({ sources, chunks, writer, skipped, options }: Gathering): Promise<number> {
  const { schema, ignoresUnknown } = options
  const gatherer = new RowGatherer({ record: rowSchema(schema), ignoresUnknown, sink: skipped })
  let rows = 0
  let inFlight: Promise<void> = Promise.resolve()
  const flush = async (): Promise<void> => {
    await inFlight
    const isWanted = options.skipFile !== null || skipped.count() === 0
    const piece = gatherer.buffer.take()
    rows += piece.rows.length
    if (isWanted) inFlight = writer.add(piece)
    // The next `await` reports the failure; until then Node must not treat it as an unhandled rejection.
    inFlight.catch(() => undefined)
  }
  for (const source of sources) {
    const stream = gatherer.begin(source.name, source.format)
    for await (const chunk of chunks(source)) {
      stream.push(chunk)
      await skipped.drained()
      if (skipped.isFull()) return 0
      if (gatherer.buffer.bytes >= PIECE_BYTES) await flush()
    }
    stream.end()
  }
  await flush()
  await inFlight
  return rows
}

async function* chunksOf(
  source: ImportSource,
  standardInput: () => Readable,
  reading: DuckDBConnection,
  work: string,
): AsyncGenerator<Buffer> {
  if (source.format === 'parquet') {
    const spool = join(work, 'input.parquet')
    // A reader of Parquet needs the end of the file first, so a stream is first written to a file.
    if (source.path === null) await pipeline(standardInput(), createWriteStream(spool))
    const { parquetLines } = await import('./formats/parquet-lines.js')
    yield* parquetLines(reading, source.path ?? spool, source.name)
    if (source.path === null) await rm(spool, { force: true })
    return
  }
  yield* byteChunks(source, standardInput)
}
