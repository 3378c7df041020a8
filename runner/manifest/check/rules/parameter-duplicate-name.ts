/** Two parameters may not differ in case alone: BigQuery's query parameters are case-insensitive. */
import type { ManifestFacts, Rule } from '../rule.js'

export const parameterDuplicateName: Rule<ManifestFacts> = {
  id: 'parameter/duplicate-name',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    const seen = new Map<string, string>()
    for (const name of Object.keys(manifest.parameters ?? {})) {
      const first = seen.get(name.toLowerCase())
      if (first === undefined) seen.set(name.toLowerCase(), name)
      else
        report(
          source.keyAt(['parameters', name]),
          `"${name}" and "${first}" (line ${source.keyAt(['parameters', first]).line}) differ only in case; BigQuery treats them as one`,
        )
    }
  },
}
