/** The parameter that picks the row must be a string: rows are found by the text of the argument. */
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
        `parameter "${by}" is of type ${type}; only a string can pick the row of a lookup table`,
      )
    }
  },
}
