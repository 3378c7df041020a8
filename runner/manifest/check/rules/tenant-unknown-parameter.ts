/** `tenant` must be a declared parameter. */
import { didYouMean } from '../../report.js'
import { tenantParameter } from '../../tenant.js'
import type { ManifestFacts, Rule } from '../rule.js'

export const tenantUnknownParameter: Rule<ManifestFacts> = {
  id: 'tenant/unknown-parameter',
  severity: 'error',
  check: ({ manifest, source }, report) => {
    const { parameters = {} } = manifest
    const tenant = tenantParameter(manifest)
    if (tenant === null || Object.hasOwn(parameters, tenant)) return
    const more = didYouMean(tenant, Object.keys(parameters), '; declare it under "parameters"')
    const path = typeof manifest.tenant === 'string' ? ['tenant'] : ['tenant', 'parameter']
    report(source.valueAt(path), `"tenant" names "${tenant}", which is not a parameter`, more)
  },
}
