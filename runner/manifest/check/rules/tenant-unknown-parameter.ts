/** `tenant` must be a declared parameter. */
import { didYouMean } from '../../report.js'
import type { ManifestFacts, Rule } from '../rule.js'

export const tenantUnknownParameter: Rule<ManifestFacts> = {
  id: 'tenant/unknown-parameter',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    const { tenant, parameters = {} } = manifest
    if (tenant === undefined || Object.hasOwn(parameters, tenant)) return
    const hint = didYouMean(tenant, Object.keys(parameters)) || '; declare it under "parameters"'
    report(source.valueAt(['tenant']), `"tenant" names "${tenant}", which is not a parameter${hint}`)
  },
}
