/** The type of a declared column must be a GoogleSQL type. */
import { parseColumnType } from '../../column-type.js'
import type { ManifestFacts, Rule } from '../rule.js'

export const columnsUnknownType: Rule<ManifestFacts> = {
  id: 'columns/unknown-type',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    manifest.columns?.forEach((column, index) => {
      if (parseColumnType(column.type) !== null) return
      report(
        source.valueAt(['columns', index, 'type']),
        `"${column.type}" is no type of GoogleSQL; expected for example INT64, TIMESTAMP or ARRAY<STRUCT>`,
      )
    })
  },
}
