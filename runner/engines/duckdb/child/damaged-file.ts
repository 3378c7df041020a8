/** Finds the Parquet file that DuckDB could not decode: its decoders do not know which file they read. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { QueryFault } from '../../../model/query-fault.js'
import type { OpenFile } from '../tables/open-files.js'
import { parquetSource } from '../tables/parquet-source.js'
import { decoderFault } from './failure.js'

/** The damaged files that were found. A file stays open in one state, so that later queries need not look again. */
const damaged = new WeakMap<OpenFile, QueryFault>()

/** The error, or one that names the file in its place. Reads the files one by one, for a damaged one that it has not met. */
export async function namingFile(error: unknown, connection: DuckDBConnection, files: readonly OpenFile[]) {
  if (decoderFault(error) === null) return error
  for (const file of files.some(known => damaged.has(known)) ? [] : files) {
    // EXPLAIN ANALYZE drops the rows.
    const sql = `EXPLAIN ANALYZE SELECT * FROM ${parquetSource([file.path])}`
    const reason = await connection.run(sql).then(() => null, decoderFault)
    if (reason === null) continue
    damaged.set(file, new QueryFault(`${file.name}: it cannot be decoded as Parquet: ${reason}`, { cause: error }))
    break
  }
  return files.map(file => damaged.get(file)).find(fault => fault !== undefined) ?? error
}
