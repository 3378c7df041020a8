/** Warns of a query that does not read the tenant: every tenant gets the same rows. */
import { tenantParameter } from '../../tenant.js'
import type { DistinctSql, Rule, TemplateFacts } from '../rule.js'

export const tenantUnread: Rule<TemplateFacts> = {
  id: 'tenant/unread',
  severity: 'warning',
  check: ({ manifest, source, expansion, texts }, report) => {
    const { lookups = {} } = manifest
    const tenant = tenantParameter(manifest)
    if (tenant === null || Object.values(lookups).some(({ by }) => by === tenant)) return
    const reads = ({ argumentNames }: DistinctSql): boolean =>
      argumentNames === null || argumentNames.some(({ name }) => name === tenant)
    // Another rule reports a parameter that nothing reads at all.
    if (!expansion.used.given.has(tenant) && !texts.some(reads)) return
    // A call with a token that pins the tenant always has this argument.
    const unread = texts.find(text => !reads(text) && !text.absent.has(tenant))
    if (unread === undefined) return
    const where = unread.variant.label === '' ? '' : ` (in the variant ${unread.variant.label})`
    report(source.valueAt(['tenant']), `the SQL does not read @${tenant}${where}, so every tenant gets the same rows`, {
      unused: tenant,
    })
  },
}
