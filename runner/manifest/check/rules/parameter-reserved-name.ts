/** A parameter may not be named `now`: `@now` is always the time of the query. */
import type { ManifestFacts, Rule } from '../rule.js'

export const parameterReservedName: Rule<ManifestFacts> = {
  id: 'parameter/reserved-name',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    for (const name of Object.keys(manifest.parameters ?? {})) {
      if (name.toLowerCase() !== 'now') continue
      report(source.keyAt(['parameters', name]), `the name "${name}" is reserved: @now is always the time of the query`)
    }
  },
}
