/** A pattern is applied to callers' text: it must compile, and its time must be linear or bounded. */
import { findPatternDanger } from '../pattern-danger.js'
import type { ManifestFacts, Rule } from '../rule.js'

export const parameterUnsafePattern: Rule<ManifestFacts> = {
  id: 'parameter/unsafe-pattern',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    for (const [name, { pattern, max_length }] of Object.entries(manifest.parameters ?? {})) {
      const danger = pattern === undefined ? null : findPatternDanger(pattern, max_length)
      if (danger !== null)
        report(source.valueAt(['parameters', name, 'pattern']), `the pattern of parameter "${name}" ${danger}`)
    }
  },
}
