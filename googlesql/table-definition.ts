/** The properties of a table that the translation of a query needs. */
import type { StructField } from './types/types.js'

export interface TableDefinition {
  /** The table's name as the catalogue spells it: `logs.edge`. */
  readonly name: string
  readonly columns: readonly StructField[]
  /**
   * The paths of values that are never NULL: columns and fields of mode REQUIRED (`id`, `ship.city`), the elements of REPEATED
   * columns (`items[]`), and REQUIRED fields of these elements (`items[].sku`). A REQUIRED field of a NULL record is NULL all
   * the same. @default none
   */
  readonly required?: readonly string[]
  /** The parameters of types, NUMERIC(10, 2) and STRING(20), by the path of the column or field as in `required`. @default none */
  readonly limits?: Readonly<Record<string, TypeLimits>>
  readonly textForm?: TextForm
  /** Further columns of the table, which no query can read. */
  readonly unreadable?: readonly UnreadableColumn[]
  /**
   * The column whose value determines the partition of a row: with a filter on it, an engine need not read every partition.
   */
  readonly partitionedBy?: string
  /** The time span whose rows one partition holds; set with `partitionedBy` where it is known. */
  readonly partitionUnit?: PartitionUnit
  /** The columns by which the table is clustered, the most important one first. @default none */
  readonly clusteredBy?: readonly string[]
  /** Columns that a query can name and that are not in `*`: `_TABLE_SUFFIX`, `_PARTITIONTIME`. @default none */
  readonly pseudoColumns?: readonly StructField[]
  /** Set for a view of a dataset's INFORMATION_SCHEMA: its rows are the tables that the engine knows. */
  readonly informationSchema?: { readonly dataset: string; readonly view: InformationSchemaView }
  /** Set for a wildcard table, such as `logs.events_*`. */
  readonly wildcard?: Wildcard
}

/** How the table's text files are written: the `externalDataConfiguration` of its resource. */
export interface TextForm {
  /**
   * Whether keys and columns of text files that the table does not have are ignored; otherwise they are an error.
   * @default false
   */
  readonly ignoresUnknown?: boolean
  /** JSON: the member of one document whose value is the list of the rows. @default a row a line, or a list of rows */
  readonly rows?: string
  /** CSV: the ASCII character between cells. @default a comma; a tab in files that end in `.tsv` */
  readonly delimiter?: string
  /** CSV: the ASCII character around a cell; '' for none. @default " */
  readonly quote?: string
  /**
   * CSV: the number of the line with the header. The lines above it are skipped. 0: there is no header, and the cells are
   * in the order of the table's columns. @default 1
   */
  readonly skipLeadingRows?: number
  /** CSV. @default UTF-8 */
  readonly encoding?: TextEncoding
  /** CSV: the cells without quotes that are NULL. @default the empty cell alone */
  readonly nullMarkers?: readonly string[]
  /** CSV: whether cells that are missing at the end of a row are NULL; otherwise they are an error. @default false */
  readonly allowsJaggedRows?: boolean
  /** CSV: whether numbers are written like 1.234,50. @default false */
  readonly decimalComma?: boolean
}

/** The encodings of text files, as BigQuery names them; BigQuery itself does not have Windows-1252. */
export const TEXT_ENCODINGS = ['UTF-8', 'ISO-8859-1', 'UTF-16LE', 'UTF-16BE', 'Windows-1252'] as const
export type TextEncoding = (typeof TEXT_ENCODINGS)[number]

/** The parameters of NUMERIC(10, 2) and STRING(20); null for a parameter that the type does not have. */
export interface TypeLimits {
  readonly precision: number | null
  readonly scale: number | null
  readonly maxLength: number | null
}

export type PartitionUnit = 'HOUR' | 'DAY' | 'MONTH' | 'YEAR'

export type InformationSchemaView = 'TABLES' | 'COLUMNS' | 'COLUMN_FIELD_PATHS' | 'PARTITIONS'

/** The tables that a wildcard table stands for: its shards. */
export interface Wildcard {
  /** The beginning of the names of all shards; `_TABLE_SUFFIX` is the rest. */
  readonly prefix: string
  /** The shards; null where an engine must find out which tables there are. */
  readonly shards: readonly Shard[] | null
}

export interface Shard {
  /** The name by which an engine knows the table. */
  readonly table: string
  readonly suffix: string
}

export interface UnreadableColumn {
  readonly name: string
  /** The reason and the remedy; completes the message `Column x of table t cannot be read: `. */
  readonly reason: string
}
