/** A type of BigQuery's that results have no form for. */

/** Names the column or field and its type; for authors, in the cause of a failed query. */
export class UnsupportedTypeError extends Error {
  override readonly name = 'UnsupportedTypeError'

  constructor(path: string, type: string) {
    super(`Column ${path} is of type ${type}, which results cannot hold; convert it to another type in the query`)
  }
}
