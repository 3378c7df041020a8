/** What was wrong with a query that failed while it ran. */

/**
 * The cause of a RunnerError QUERY_FAILED where the query itself or its data is at fault. `message` is in BigQuery's
 * words and for authors: it may hold values, so callers of endpoints are never sent it.
 */
export class QueryFault extends Error {
  override readonly name = 'QueryFault'
}
