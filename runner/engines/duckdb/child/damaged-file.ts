/** Finds the Parquet file that DuckDB could not decode: its decoders do not know which file they read. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { QueryFault } from '../../../model/query-fault.js'
import type { OpenFile } from '../tables/open-files.js'
import { parquetSource } from '../tables/parquet-source.js'
import { failureOf, UNNAMED_FILE } from './failure.js'

/** The damaged files that were found. A file stays open in one state, so that later queries need not look again. */
const found = new WeakMap<OpenFile, QueryFault>()

/** The error, or one that names the file in its place. Reads the files one by one, for a damaged one that it has not met. */
export async function namingFile(error: unknown, connection: DuckDBConnection, files: readonly OpenFile[]) {
  if (!messageOf(error).startsWith(UNNAMED_FILE)) return error
  for (const file of files.some(known => found.has(known)) ? [] : files) {
    // EXPLAIN ANALYZE drops the rows.
    const sql = `EXPLAIN ANALYZE SELECT * FROM ${parquetSource([file.path])}`
    const reason = await connection.run(sql).then(() => null, reasonOf)
    if (reason === null) continue
    found.set(file, new QueryFault(`${file.name}: it cannot be decoded as Parquet: ${reason}`, { cause: error }))
    break
  }
  return files.map(file => found.get(file)).find(fault => fault !== undefined) ?? error
}

/** Why a file cannot be decoded; null for another error, such as that of a query that was interrupted. */
const reasonOf = (error: unknown): string | null =>
  /^.*? cannot be decoded(?: as Parquet)?: (.*)/.exec(messageOf(error))?.[1] ?? null

function messageOf(error: unknown): string {
  const failure = failureOf(error)
  return failure.kind === 'query' ? failure.message : ''
}
