/** `by` must be a declared parameter. */
import { didYouMean } from '../../report.js'
import type { ManifestFacts, Rule } from '../rule.js'

export const lookupUnknownParameter: Rule<ManifestFacts> = {
  id: 'lookup/unknown-parameter',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    const names = Object.keys(manifest.parameters ?? {})
    for (const [table, { by }] of Object.entries(manifest.lookups ?? {})) {
      if (names.includes(by)) continue
      report(
        source.valueAt(['lookups', table, 'by']),
        `"by" of lookup table "${table}" names "${by}", which is not a parameter`,
        didYouMean(by, names, '; declare it under "parameters"'),
      )
    }
  },
}
