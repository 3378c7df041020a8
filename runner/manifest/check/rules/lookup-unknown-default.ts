/** `default` must be the name of a row, or `reject`. */
import { didYouMean, quotedList } from '../../report.js'
import type { ManifestFacts, Rule } from '../rule.js'

export const lookupUnknownDefault: Rule<ManifestFacts> = {
  id: 'lookup/unknown-default',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    for (const [table, lookup] of Object.entries(manifest.lookups ?? {})) {
      if (lookup.default === 'reject' || Object.hasOwn(lookup.rows, lookup.default)) continue
      const rows = Object.keys(lookup.rows)
      report(
        source.valueAt(['lookups', table, 'default']),
        `lookup table "${table}" has no row "${lookup.default}"`,
        didYouMean(lookup.default, [...rows, 'reject'], `; expected reject or one of ${quotedList(rows)}`),
      )
    }
  },
}
