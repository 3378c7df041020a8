/** BigQuery refuses two result columns with the same name, compared without case. */
import type { ManifestFacts, Rule } from '../rule.js'

export const columnsDuplicateName: Rule<ManifestFacts> = {
  id: 'columns/duplicate-name',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    const seen = new Map<string, number>()
    manifest.columns?.forEach((column, index) => {
      const first = seen.get(column.name.toLowerCase())
      if (first === undefined) seen.set(column.name.toLowerCase(), index)
      else
        report(
          source.valueAt(['columns', index, 'name']),
          `the column "${column.name}" is already in line ${source.valueAt(['columns', first, 'name']).line}`,
        )
    })
  },
}
