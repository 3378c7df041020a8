/** A failure at run time for which the query or its data is to blame. */

/**
 * The cause of a RunnerError QUERY_FAILED where the query itself or its data is at fault. `message` is BigQuery's text, for
 * authors only: it may quote values, so it is never sent to callers of endpoints.
 */
export class QueryFault extends Error {
  override readonly name = 'QueryFault'
  /** Where in the text of the query it is, from 0; null where that is not known. */
  readonly offset: number | null
  /** Whether an expression of the query failed, whose place `Engine.locate` may find. */
  readonly isOfExpression: boolean

  constructor(
    message: string,
    options: ErrorOptions & { readonly offset?: number | null; readonly isOfExpression?: boolean } = {},
  ) {
    super(message, options)
    this.offset = options.offset ?? null
    this.isOfExpression = options.isOfExpression ?? false
  }
}
