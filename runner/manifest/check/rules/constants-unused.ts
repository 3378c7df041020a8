/** Warns of a constant that the template never reads. */
import type { Rule, TemplateFacts } from '../rule.js'

export const constantsUnused: Rule<TemplateFacts> = {
  id: 'constants/unused',
  severity: 'warning',
  check: ({ manifest, source, expansion }, report) => {
    for (const name of Object.keys(manifest.constants ?? {})) {
      if (!expansion.used.constants.has(name))
        report(source.keyAt(['constants', name]), `the constant "${name}" is never read`, { unused: name })
    }
  },
}
