/** A parameter named `format` takes the name by which callers choose the format in the address. */
import type { ManifestFacts, Rule } from '../rule.js'

export const parameterHidesFormat: Rule<ManifestFacts> = {
  id: 'parameter/hides-format',
  severity: 'warning',
  check: ({ manifest, source }, report) => {
    if (!Object.hasOwn(manifest.parameters ?? {}, 'format')) return
    report(
      source.keyAt(['parameters', 'format']),
      'the parameter "format" takes the name that chooses the format of the result, so only Accept chooses it; choose another name',
    )
  },
}
