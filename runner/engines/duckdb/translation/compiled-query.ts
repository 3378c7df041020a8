/** Texts of queries as DuckDB runs them. */
import { type StructField, type TableCatalogue, type Type, typeName } from '../../../../googlesql/index.js'
import type { GenerateOptions, ParameterTime } from '../../../../googlesql-duckdb/index.js'
import type { ResultColumn } from '../../../model/query.js'

/** BigQuery SQL as DuckDB's. */
export interface Translation {
  /** One SELECT, with its parameters as $1, $2, … */
  readonly sql: string
  readonly columns: readonly StructField[]
  /** The names of $1, $2, … */
  readonly parameters: readonly string[]
  /** Those of them that are computed from another, see analysis/parameter-times.ts. */
  readonly times: readonly ParameterTime[]
  /** The tables it reads, as the catalogue spells them. */
  readonly tables: readonly string[]
  /** A quicker way to the same rows over large files; it fails where `sql` does not, and then `sql` counts. Null for none. */
  readonly quickSql: string | null
}
/** @throws SqlError */
export type Translate = (
  source: string,
  tables: TableCatalogue,
  parameterTypes: Readonly<Record<string, Type>>,
  options?: GenerateOptions,
) => Translation

/** A translation that lives as long as the text that it was made of, and what every run of it needs. */
export class CompiledText {
  translation: Translation
  /** Of the tables' catalogue: a table that has been found since may change what the text means. */
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
