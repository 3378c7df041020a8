/** The result of an inference. */
import type { SchemaField } from '../../../../googlesql/index.js'
import type { BadRow } from '../import/rows.js'

/** A column of the inferred table, or a field of a record. */
export interface InferredColumn {
  /** `lines.sku`: the names of the records around it, too. */
  readonly path: string
  readonly field: SchemaField
  /** How many times its record occurs, and how many times there it is NULL or left out. */
  readonly rows: number
  readonly nulls: number
  /** The first value; null where every value is null. */
  readonly example: string | null
}

/** Something that the author should look at. */
export interface Doubt {
  readonly path: string
  readonly message: string
}

/** What is printed about the columns: one entry for each column, and after a RECORD one for each of its fields. */
export interface Inference {
  readonly columns: InferredColumn[]
  readonly doubts: Doubt[]
}

/** What was inferred from the files of a table. */
export interface InferredTable extends Readonly<Inference> {
  readonly rows: number
  readonly fields: readonly SchemaField[]
  /** Rows that cannot be read. Where there are any, the other members cannot be relied upon. */
  readonly badRows: readonly BadRow[]
}
