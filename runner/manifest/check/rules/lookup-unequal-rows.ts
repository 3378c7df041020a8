/** All rows must have the same fields, since the template reads them from any row. */
import { quotedList } from '../../report.js'
import type { ManifestFacts, Rule } from '../rule.js'

export const lookupUnequalRows: Rule<ManifestFacts> = {
  id: 'lookup/unequal-rows',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    for (const [table, { rows }] of Object.entries(manifest.lookups ?? {})) {
      const [first, ...others] = Object.entries(rows)
      if (first === undefined) continue
      const fields = new Set(Object.keys(first[1]))
      for (const [row, values] of others) {
        const missing = [...fields].filter(field => !Object.hasOwn(values, field))
        const added = Object.keys(values).filter(field => !fields.has(field))
        if (missing.length + added.length === 0) continue
        const differences = [
          ...(missing.length > 0 ? [`lacks ${quotedList(missing)}`] : []),
          ...(added.length > 0 ? [`also has ${quotedList(added)}`] : []),
        ]
        report(
          source.keyAt(['lookups', table, 'rows', row]),
          `row "${row}" of lookup table "${table}" ${differences.join(' and ')}; every row must have the fields of row "${first[0]}"`,
        )
      }
    }
  },
}
