/** Rows are found by the argument's own text, so its parameter is a string. */
import type { ManifestFacts, Rule } from '../rule.js'

export const lookupByType: Rule<ManifestFacts> = {
  id: 'lookup/by-type',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    for (const [table, { by }] of Object.entries(manifest.lookups ?? {})) {
      const type = Object.hasOwn(manifest.parameters ?? {}, by) ? manifest.parameters![by]!.type : 'string'
      if (type === 'string') continue
      report(
        source.valueAt(['lookups', table, 'by']),
        `parameter "${by}" is of type ${type}; a lookup table is picked from by a string`,
      )
    }
  },
}
