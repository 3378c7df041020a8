/** The result of an inference. */
import type { SchemaField, TextForm } from '../../../googlesql/index.js'
import type { BadRow } from '../../../runner/engines/duckdb/tables/rows/row-stream.js'

/** A column of the inferred table, or a field of a record. */
export interface InferredColumn {
  /** The name with the names of the enclosing records: `lines.sku`. */
  readonly path: string
  readonly field: SchemaField
  /** In how many occurrences of its record the column is NULL or missing; null where they are not counted. */
  readonly nulls: number | null
  /** The first value; null where every value is null. */
  readonly example: string | null
}

/** An uncertain choice that the author should check. */
export interface Doubt {
  readonly path: string
  readonly message: string
}

/**
 * The printed facts about the columns: `columns` has an entry for each column, and after a RECORD an entry for each of its
 * fields.
 */
export interface Inference {
  readonly columns: InferredColumn[]
  readonly doubts: Doubt[]
}

/** The result of an inference from the files of a table. */
export interface InferredTable extends Readonly<Inference> {
  readonly rows: number
  readonly fields: readonly SchemaField[]
  /** How the text files are written. */
  readonly textForm: TextForm
  /** The rows that cannot be read. If there are such rows, the other members are not reliable. */
  readonly badRows: readonly BadRow[]
}
