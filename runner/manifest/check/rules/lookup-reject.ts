/** With `default: reject` the parameter must be required, and no row may be named `reject`. */
import type { ManifestFacts, Rule } from '../rule.js'

export const lookupReject: Rule<ManifestFacts> = {
  id: 'lookup/reject',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    for (const [table, lookup] of Object.entries(manifest.lookups ?? {})) {
      if (Object.hasOwn(lookup.rows, 'reject')) {
        report(
          source.keyAt(['lookups', table, 'rows', 'reject']),
          'a row cannot be named "reject": as a default that word refuses all other arguments',
        )
      }
      if (lookup.default !== 'reject' || !Object.hasOwn(manifest.parameters ?? {}, lookup.by)) continue
      const { required, default: fallback } = manifest.parameters![lookup.by]!
      const place = source.valueAt(['lookups', table, 'default'])
      if (!required && fallback === undefined) {
        report(
          place,
          `lookup table "${table}" rejects arguments that are not a row, so parameter "${lookup.by}" must be required or have a default`,
        )
      } else if (fallback !== undefined && !Object.hasOwn(lookup.rows, String(fallback))) {
        report(
          place,
          `the default of parameter "${lookup.by}", "${fallback}", is not a row of lookup table "${table}", which rejects it`,
        )
      }
    }
  },
}
