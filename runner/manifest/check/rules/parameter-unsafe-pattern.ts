/** A pattern is applied to callers' text: RE2 must compile it, and its program must not be large. */
import { re2Problem } from '../../../model/re2.js'
import type { ManifestFacts, Rule } from '../rule.js'

export const parameterUnsafePattern: Rule<ManifestFacts> = {
  id: 'parameter/unsafe-pattern',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    for (const [name, { pattern }] of Object.entries(manifest.parameters ?? {})) {
      const problem = pattern === undefined ? null : re2Problem(pattern)
      if (problem !== null)
        report(source.valueAt(['parameters', name, 'pattern']), `the pattern of parameter "${name}" ${problem}`)
    }
  },
}
