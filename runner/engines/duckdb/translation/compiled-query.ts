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
  /** Those of them that are computed from another, see analysis/parameter-times.ts. */
  readonly times: readonly ParameterTime[]
  /** The tables that it reads, as the catalogue spells them. */
  readonly tables: readonly string[]
  /** SQL that gives the same rows faster over large files. Where it fails, `sql` is run instead. Null for none. */
  readonly quickSql: string | null
  /** Whether the SQL runs JavaScript. */
  readonly runsJavaScript: boolean
  /** Where the SQL reads wildcard tables. */
  readonly shardReads: readonly ShardRead[]
  /** Where the SQL reads partitioned tables; absent unless asked for. */
  readonly partitionReads?: readonly PartitionRead[]
  /** Where the query may fail; absent unless asked for. */
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
