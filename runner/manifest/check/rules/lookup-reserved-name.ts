/** A lookup table may not have a name that means something else in a template. */
import type { ManifestFacts, Rule } from '../rule.js'

const RESERVED: ReadonlySet<string> = new Set(['given', 'constants', 'this', 'if', 'unless', 'each', 'else'])

export const lookupReservedName: Rule<ManifestFacts> = {
  id: 'lookup/reserved-name',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    for (const table of Object.keys(manifest.lookups ?? {})) {
      if (RESERVED.has(table))
        report(
          source.keyAt(['lookups', table]),
          `the name "${table}" means something else in templates; choose another`,
        )
    }
  },
}
