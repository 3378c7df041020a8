/** Compares a table's schema file with the table in the warehouse. */

import { diagnosticAt } from '../../runner/manifest/report.js'
import type { LoadedTable } from '../../runner/manifest/tables/load.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import { tableDifferences } from './difference.js'
import { isWholeResource, type TableResource, tableResource } from './table-resource.js'

/** A table of the warehouse. A view (`isView`) has no partitions or clusters. */
export interface WarehouseTable {
  readonly isView: boolean
  readonly resource: TableResource
}

/**
 * A diagnostic for each difference, placed in the file. `warehouse` is null where the table does not exist there; `shard` is the
 * table that stands for a wildcard table.
 */
export function compareTable(
  file: LoadedTable,
  warehouse: WarehouseTable | null,
  shard: string | null = null,
): readonly Diagnostic[] {
  if (warehouse === null) {
    return [diagnosticAt(file.placeOf([]), 'table/missing', `the warehouse has no table ${file.name}`)]
  }
  const tellsLayout = isWholeResource(file.declared) && !warehouse.isView
  return tableDifferences(tableResource(file.declared), warehouse.resource, { tellsLayout }).map(
    ({ column, message }) =>
      diagnosticAt(file.placeOf(column), 'table/differs', shard === null ? message : `${message}, in ${shard}`),
  )
}

/** The diagnostic for a wildcard table whose dataset the warehouse does not have. */
export function missingDataset(file: LoadedTable, dataset: string): Diagnostic {
  const message = `the warehouse has no dataset ${dataset}; correct the name of this file, or make the dataset`
  return diagnosticAt(file.placeOf([]), 'table/missing', message)
}

/** The diagnostic for a table of the warehouse that has no schema file; `file` is the path it would have. */
export function missingSchema(file: string, table: string): Diagnostic {
  return diagnosticAt({ file, line: 1, column: 1 }, 'table/missing', `the table ${table} has no schema file`)
}
