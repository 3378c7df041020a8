/** The chunks of a streamed result. A stream that has failed never looks like one that has ended. */
import { type DuckDBDataChunk, type DuckDBResult, ResultReturnType } from '@duckdb/node-api'

/** Thrown where a query has failed, or was interrupted, after some of its rows had been fetched. */
export class CutResultError extends Error {
  override readonly name = 'CutResultError'
  constructor() {
    super('DuckDB did not give all rows of a result, and no reason')
  }
}

/**
 * The chunks that have rows. DuckDB computes the next chunk while the consumer handles the current one, so a consumer that
 * stops early waits for one more chunk. @throws CutResultError when the query has failed: the rows until then are not the
 * result.
 */
export async function* chunksOf(result: DuckDBResult): AsyncGenerator<DuckDBDataChunk> {
  const fetchNext = (): Promise<DuckDBDataChunk | null> => {
    const chunk = result.fetchChunk()
    // The rejection is reported when this chunk is awaited; until then Node must not treat it as unhandled.
    chunk.catch(() => null)
    return chunk
  }
  let next = fetchNext()
  try {
    for (;;) {
      const chunk = await next
      if (chunk === null || chunk.rowCount === 0) {
        // The binding gives an empty chunk both at the end and after a failure, and does not expose `duckdb_result_error`. But
        // only a result that has an error has no return type (`duckdb_result_return_type`).
        if (result.returnType === ResultReturnType.INVALID) throw new CutResultError()
        return
      }
      next = fetchNext()
      yield chunk
    }
  } finally {
    await next.catch(() => null)
  }
}
