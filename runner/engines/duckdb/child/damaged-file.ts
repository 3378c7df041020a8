/** Finds the Parquet file that DuckDB could not decode: DuckDB's error does not name it. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { QueryFault } from '../../../model/query-fault.js'
import type { OpenFile } from '../tables/open-files.js'
import { parquetSource } from '../tables/parquet-source.js'
import { decoderFault } from './failure.js'

/** The faults of the damaged files that were found: an open file never changes. */
const faults = new WeakMap<OpenFile, QueryFault>()

/** The error; if a damaged file is its cause, an error that names the file. Reads the files one by one to find the damaged one. */
export async function nameDamagedFile(error: unknown, connection: DuckDBConnection, files: readonly OpenFile[]) {
  if (decoderFault(error) === null) return error
  for (const file of files.some(file => faults.has(file)) ? [] : files) {
    // EXPLAIN ANALYZE drops the rows.
    const sql = `EXPLAIN ANALYZE SELECT * FROM ${parquetSource([file.path])}`
    const reason = await connection.run(sql).then(() => null, decoderFault)
    if (reason === null) continue
    faults.set(file, new QueryFault(`${file.name}: it cannot be decoded as Parquet: ${reason}`, { cause: error }))
    break
  }
  return files.map(file => faults.get(file)).find(fault => fault !== undefined) ?? error
}
