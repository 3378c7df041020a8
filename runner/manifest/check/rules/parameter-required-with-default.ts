/** A required parameter may not have a default, which could never be used. */
import type { ManifestFacts, Rule } from '../rule.js'

export const parameterRequiredWithDefault: Rule<ManifestFacts> = {
  id: 'parameter/required-with-default',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    for (const [name, parameter] of Object.entries(manifest.parameters ?? {})) {
      if (!parameter.required || parameter.default === undefined) continue
      report(
        source.keyAt(['parameters', name, 'default']),
        `parameter "${name}" is required, so its default is never used; delete one of the two`,
      )
    }
  },
}
