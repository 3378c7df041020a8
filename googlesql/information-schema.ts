/** The views INFORMATION_SCHEMA.TABLES and COLUMNS of a dataset, with the columns whose values are known here. */
import type { InformationSchemaView, TableDefinition } from './table-definition.js'
import { INT64, STRING, type StructField } from './types/types.js'

const texts = (names: string): readonly StructField[] => names.split(' ').map(name => ({ name, type: STRING }))

const COLUMNS: Readonly<Record<InformationSchemaView, readonly StructField[]>> = {
  TABLES: texts('table_catalog table_schema table_name table_type is_insertable_into is_typed'),
  COLUMNS: [
    ...texts('table_catalog table_schema table_name column_name'),
    { name: 'ordinal_position', type: INT64 },
    ...texts('is_nullable data_type is_generated is_hidden is_system_defined is_partitioning_column'),
  ],
}

const NAME = /^(?:(.+)\.)?INFORMATION_SCHEMA\.(\w+)$/i

/** The dataset and the view that a name means, in upper case; null for a name of anything else. */
export function informationSchemaName(name: string): { readonly dataset: string | null; readonly view: string } | null {
  const [, dataset = null, view] = NAME.exec(name) ?? []
  return view === undefined ? null : { dataset, view: view.toUpperCase() }
}

/** The view of a dataset; undefined for a view that is not known here. */
export function informationSchemaTable(dataset: string, view: string): TableDefinition | undefined {
  if (!Object.hasOwn(COLUMNS, view)) return undefined
  const known = view as InformationSchemaView
  return {
    name: `${dataset}.INFORMATION_SCHEMA.${known}`,
    columns: COLUMNS[known],
    informationSchema: { dataset, view: known },
  }
}
