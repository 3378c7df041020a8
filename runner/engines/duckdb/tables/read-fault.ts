/** Finds out why the files of a table cannot be read. */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { TableDefinition } from '../../../../googlesql/data.js'
import { quotePath } from '../../../../googlesql-duckdb/data.js'
import { QueryFault } from '../../../model/query-fault.js'
import { ColumnTypeError } from './adapt-column.js'
import type { DataFile } from './data-folder.js'
import { fileFault } from './file-fault.js'
import { rowReader } from './load-table.js'
import type { OpenFiles } from './open-files.js'

export interface FailedRead {
  readonly connection: DuckDBConnection
  readonly table: TableDefinition
  readonly files: readonly DataFile[]
  /** See NamedFile. */
  readonly isGiven: boolean
}

/** The error for the query that needed a load which has failed: it names the file and the place in it. */
export async function readFault(openFiles: OpenFiles, read: FailedRead, error: unknown): Promise<unknown> {
  if (error instanceof QueryFault) return error
  if (error instanceof ColumnTypeError) return new QueryFault(error.message)
  for (const file of read.files) {
    const reason = await reasonOf(openFiles, read, file)
    if (reason !== null) return new QueryFault(`${file.path}: ${reason}`, { cause: error })
  }
  return error
}

const FORMAT_NAMES = { parquet: 'Parquet', ndjson: 'NDJSON', csv: 'CSV' } as const

/** Reads the file again to find its error. Returns the message; null if reading succeeds. */
async function reasonOf(
  openFiles: OpenFiles,
  { connection, table, isGiven }: FailedRead,
  file: DataFile,
): Promise<string | null> {
  if (file.size === 0n && file.format !== 'parquet') return null
  try {
    if (file.format === 'parquet') {
      const open = openFiles.open({ path: file.path, stamp: null, isGiven })
      const count = `SELECT count(*) FROM read_parquet(${quotePath(open.path)})`
      await connection.run(count).finally(() => openFiles.close([open]))
    } else {
      await openFiles.withCopy(file, isGiven, async copy => {
        const reader = await rowReader(connection, table, copy, file.path)
        await connection.run(`SELECT count(COLUMNS(*)) FROM (${reader.selectNumbered})`)
      })
    }
    return null
  } catch (error) {
    return fileFault(error, FORMAT_NAMES[file.format])
  }
}
