/** A failure at run time for which the query or its data is to blame. */

export interface FaultOptions extends ErrorOptions {
  readonly offset?: number | null
  readonly unplaced?: string
  readonly kind?: string | null
}

/**
 * The cause of a RunnerError QUERY_FAILED where the query itself or its data is at fault. A failure that BigQuery
 * knows too is worded as BigQuery words it, on either engine. `message` is for authors only: it may quote values, so it is never sent
 * to callers of endpoints.
 */
export class QueryFault extends Error {
  override readonly name = 'QueryFault'
  /** The offset of the failure in the text of the query, from 0; null where it is not known. */
  readonly offset: number | null
  /** The message without a place in the query. */
  readonly unplaced: string
  /**
   * The kind of failure of an expression: that of its message which does not depend on values. Where it is set, `Engine.runTolerant` may
   * find the place of that expression. Null for any other failure.
   */
  readonly kind: string | null

  constructor(message: string, { offset = null, unplaced = message, kind = null, ...options }: FaultOptions = {}) {
    super(message, options)
    this.offset = offset
    this.unplaced = unplaced
    this.kind = kind
  }
}
