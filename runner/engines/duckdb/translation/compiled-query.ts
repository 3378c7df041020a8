/** Compiled queries: BigQuery SQL with its translation. */
import { type StructField, type TableCatalogue, type Type, typeName } from '../../../../googlesql/index.js'
import type { GenerateOptions, ParameterTime } from '../../../../googlesql-duckdb/index.js'
import type { ResultColumn } from '../../../model/query.js'

/** A translation of BigQuery SQL into DuckDB SQL. */
export interface Translation {
  /** One SELECT, with its parameters as $1, $2, … */
  readonly sql: string
  readonly columns: readonly StructField[]
  /** The names of $1, $2, … */
  readonly parameters: readonly string[]
  /** Those of them that are computed from another, see analysis/parameter-times.ts. */
  readonly times: readonly ParameterTime[]
  /** The tables that it reads, as the catalogue spells them. */
  readonly tables: readonly string[]
  /** SQL that gives the same rows faster over large files. Where it fails, `sql` is run instead. Null for none. */
  readonly quickSql: string | null
}
/** @throws SqlError */
export type Translate = (
  source: string,
  tables: TableCatalogue,
  parameterTypes: Readonly<Record<string, Type>>,
  options?: GenerateOptions,
) => Translation

/** A text with its translation, and the facts that every run of it needs. */
export class CompiledText {
  translation: Translation
  /** The revision of the table catalogue: a table discovered later may change the meaning of the text. */
  revision: number
  columns: readonly StructField[] = []
  resultColumns: readonly ResultColumn[] = []

  constructor(translation: Translation, revision: number) {
    this.translation = translation
    this.revision = revision
    this.renew(translation, revision)
  }

  renew(translation: Translation, revision: number): this {
    this.translation = translation
    this.revision = revision
    this.columns = translation.columns.map(({ name, type }) => ({ name, type }))
    this.resultColumns = translation.columns.map(({ name, type }) => ({ name, type: typeName(type) }))
    return this
  }
}
