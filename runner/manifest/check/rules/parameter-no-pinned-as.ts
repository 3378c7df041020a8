/**
 * Warns of a pattern parameter without `pinned_as`: its pin would be read as a regular expression, so a token that pins it
 * may not call the endpoint. Where another parameter is the tenant, tokens pin that one, and there is no warning.
 */
import { splitType } from '../../../model/typed-value.js'
import { tenantParameter } from '../../tenant.js'
import type { ManifestFacts, Rule } from '../rule.js'

export const parameterNoPinnedAs: Rule<ManifestFacts> = {
  id: 'parameter/no-pinned-as',
  severity: 'warning',
  check: ({ manifest, source }, report) => {
    for (const [name, { type, format, pinned_as: pinnedAs }] of Object.entries(manifest.parameters ?? {})) {
      if (format === undefined || pinnedAs !== undefined || splitType(type).scalar !== 'string') continue
      if ((tenantParameter(manifest) ?? name) !== name) continue
      report(
        source.valueAt(['parameters', name, 'format']),
        `a token that pins parameter "${name}" may not call this endpoint, since its pin would be a regular expression; add pinned_as`,
      )
    }
  },
}
