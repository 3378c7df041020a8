/** Holds a table's schema file against the table in the warehouse. */

import type { Diagnostic } from '../../model/diagnostic.js'
import type { TableResource } from '../../model/table-resource.js'
import { diagnosticAt } from '../report.js'
import { tableDifferences } from './difference.js'
import type { LoadedTable } from './load.js'

/** A table of the warehouse. `isView`: it has no partitions and clusters of its own. */
export interface WarehouseTable {
  readonly isView: boolean
  readonly resource: TableResource
}

/** Every difference, at its place in the file; null stands for a table that the warehouse does not have. */
export function compareTable(file: LoadedTable, warehouse: WarehouseTable | null): readonly Diagnostic[] {
  if (warehouse === null) {
    return [diagnosticAt(file.placeOf([]), 'table/missing', `the warehouse has no table ${file.name}`)]
  }
  const tellsLayout = file.tellsLayout && !warehouse.isView
  return tableDifferences(file.resource, warehouse.resource, { tellsLayout }).map(({ column, message }) =>
    diagnosticAt(file.placeOf(column), 'table/differs', message),
  )
}

/** The warehouse has a table whose schema file, which would be this one, is not there. */
export function missingSchema(file: string, table: string): Diagnostic {
  return diagnosticAt({ file, line: 1, column: 1 }, 'table/missing', `the table ${table} has no schema file`)
}
