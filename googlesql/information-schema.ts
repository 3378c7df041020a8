/**
 * The views of a dataset's INFORMATION_SCHEMA, with the columns whose values are known here. PARTITIONS has all its columns, since
 * queries often read its counts of rows and bytes; values that are not known here are NULL.
 */
import type { InformationSchemaView, TableDefinition } from './table-definition.js'
import { INT64, STRING, type StructField, TIMESTAMP } from './types/types.js'

const numbers = (names: string): readonly StructField[] => names.split(' ').map(name => ({ name, type: INT64 }))
const texts = (names: string): readonly StructField[] => names.split(' ').map(name => ({ name, type: STRING }))

/** The first columns of every view. */
const TABLE = 'table_catalog table_schema table_name'

const COLUMNS: Readonly<Record<InformationSchemaView, readonly StructField[]>> = {
  TABLES: [
    ...texts(
      `${TABLE} table_type is_insertable_into is_fine_grained_mutations_enabled is_typed is_change_history_enabled`,
    ),
    ...texts('base_table_catalog base_table_schema base_table_name'),
    { name: 'snapshot_time_ms', type: TIMESTAMP },
    ...texts('replica_source_catalog replica_source_schema replica_source_name replication_status replication_error'),
    ...texts('default_collation_name'),
  ],
  COLUMNS: [
    ...texts(`${TABLE} column_name`),
    { name: 'ordinal_position', type: INT64 },
    ...texts('is_nullable data_type is_generated generation_expression is_stored is_hidden is_updatable'),
    ...texts('is_system_defined is_partitioning_column'),
    { name: 'clustering_ordinal_position', type: INT64 },
  ],
  COLUMN_FIELD_PATHS: texts(`${TABLE} column_name field_path data_type`),
  PARTITIONS: [
    ...texts(`${TABLE} partition_id`),
    ...numbers('total_rows total_logical_bytes total_billable_bytes'),
    { name: 'last_modified_time', type: TIMESTAMP },
    ...texts('storage_tier'),
  ],
}

/** The columns of a view. */
export const informationSchemaColumns = (view: InformationSchemaView): readonly StructField[] => COLUMNS[view]

const NAME = /^(?:(.+)\.)?INFORMATION_SCHEMA\.(\w+)$/i

/** The dataset and the view (in upper case) that a name means; null for a name that does not mean a view. */
export function informationSchemaName(name: string): { readonly dataset: string | null; readonly view: string } | null {
  const [, dataset = null, view] = NAME.exec(name) ?? []
  return view === undefined ? null : { dataset, view: view.toUpperCase() }
}

/**
 * Whether this is the name of a view whose rows are computed here. Any other view, such as JOBS_BY_PROJECT, is an
 * ordinary table, with a schema and rows.
 */
export function isComputedView(name: string): boolean {
  const parts = informationSchemaName(name)
  return parts !== null && Object.hasOwn(COLUMNS, parts.view)
}

/** The view of a dataset; undefined for a view that is not known here. */
export function informationSchemaTable(dataset: string, view: string): TableDefinition | undefined {
  if (!Object.hasOwn(COLUMNS, view)) return undefined
  const viewName = view as InformationSchemaView
  return {
    name: `${dataset}.INFORMATION_SCHEMA.${viewName}`,
    columns: COLUMNS[viewName],
    informationSchema: { dataset, view: viewName },
  }
}
