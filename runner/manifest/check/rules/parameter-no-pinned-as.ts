/**
 * Without `pinned_as` a pin would be a regular expression, so no token that pins the parameter may call. Where another
 * parameter is the tenant, that is the one which tokens pin.
 */
import { splitType } from '../../../model/typed-value.js'
import type { ManifestFacts, Rule } from '../rule.js'

export const parameterNoPinnedAs: Rule<ManifestFacts> = {
  id: 'parameter/no-pinned-as',
  severity: 'warning',
  check: ({ manifest, source }, report) => {
    for (const [name, { type, format, pinned_as: pinnedAs }] of Object.entries(manifest.parameters ?? {})) {
      if (format === undefined || pinnedAs !== undefined || splitType(type).scalar !== 'string') continue
      if ((manifest.tenant ?? name) !== name) continue
      report(
        source.valueAt(['parameters', name, 'format']),
        `a token that pins parameter "${name}" may not call this endpoint, since its pin would be a regular expression; add pinned_as`,
      )
    }
  },
}
