/** Constraints must be possible to satisfy, and the parameter's default and examples must satisfy them. */
import { type ConstraintMistake, constraintMistakes } from '../../constraints.js'
import type { ManifestFacts, Rule } from '../rule.js'

export const parameterBadConstraint: Rule<ManifestFacts> = {
  id: 'parameter/bad-constraint',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    for (const [name, parameter] of Object.entries(manifest.parameters ?? {})) {
      const tell = ({ path, message }: ConstraintMistake): void => {
        report(source.valueAt(['parameters', name, ...path]), `parameter "${name}": ${message}`)
      }
      constraintMistakes(parameter).forEach(tell)
    }
  },
}
