/** Compiled queries: BigQuery SQL with its translation. */
import type { StructField, TableCatalogue, Type } from '../../../../googlesql/index.js'
import type {
  FalliblePlaces,
  GenerateOptions,
  ParameterTime,
  PartitionRead,
  ShardRead,
} from '../../../../googlesql-duckdb/index.js'
import type { CheckedColumn, ResultColumn } from '../../../model/query.js'
import { checkedColumn, type FactualColumn } from '../../checked-column.js'

/** A translation of BigQuery SQL into DuckDB SQL. */
export interface Translation {
  /** One SELECT, with its parameters as $1, $2, … */
  readonly sql: string
  readonly columns: readonly FactualColumn[]
  /** The names of $1, $2, … */
  readonly parameters: readonly string[]
  /** The parameters that are computed from other parameters, see analysis/parameter-times.ts. */
  readonly times: readonly ParameterTime[]
  /** The names of the tables that the query reads, as the catalogue spells them. */
  readonly tables: readonly string[]
  /**
   * SQL that gives the same rows and is faster over large files. If it fails, `sql` is run instead. Null if there is no such
   * SQL.
   */
  readonly quickSql: string | null
  /** Whether the SQL runs JavaScript. */
  readonly runsJavaScript: boolean
  /** The places where the SQL reads wildcard tables. */
  readonly shardReads: readonly ShardRead[]
  /** The places where the SQL reads partitioned tables; absent unless requested. */
  readonly partitionReads?: readonly PartitionRead[]
  /** The places where the query may fail; absent unless requested. */
  readonly fallible?: FalliblePlaces
}
/** @throws SqlError */
export type Translate = (
  source: string,
  tables: TableCatalogue,
  parameterTypes: Readonly<Record<string, Type>>,
  options?: GenerateOptions,
) => Translation

/** A text with its translation, and the facts that every run of it needs. */
export class CompiledQuery {
  translation: Translation
  /** The revision of the table catalogue: a table discovered later may change the meaning of the text. */
  revision: number
  columns: readonly StructField[] = []
  resultColumns: readonly ResultColumn[] = []
  checkedColumns: readonly CheckedColumn[] = []

  constructor(translation: Translation, revision: number) {
    this.translation = translation
    this.revision = revision
    this.renew(translation, revision)
  }

  renew(translation: Translation, revision: number): this {
    this.translation = translation
    this.revision = revision
    this.columns = translation.columns.map(({ name, type }) => ({ name, type }))
    this.checkedColumns = translation.columns.map(checkedColumn)
    this.resultColumns = this.checkedColumns.map(({ name, type }) => ({ name, type }))
    return this
  }
}
