/** Narrows a scan to the columns that are wanted of it. */
import type { Column, Scan } from './nodes.js'

/** Leaves out what was needed only on the way. */
export function project(scan: Scan, columns: readonly Column[]): Scan {
  const isSame =
    scan.columns.length === columns.length && scan.columns.every((column, i) => column.id === columns[i]!.id)
  return isSame ? scan : { kind: 'project', input: scan, computed: [], columns }
}
