/** A query that does not read the tenant gives every tenant the same rows. */
import type { DistinctSql, Rule, TemplateFacts } from '../rule.js'

export const tenantUnread: Rule<TemplateFacts> = {
  id: 'tenant/unread',
  severity: 'warning',
  check: ({ manifest, source, expansion, texts }, report) => {
    const { tenant, lookups = {} } = manifest
    if (tenant === undefined || Object.values(lookups).some(({ by }) => by === tenant)) return
    const reads = ({ argumentNames }: DistinctSql): boolean =>
      argumentNames === null || argumentNames.some(({ name }) => name === tenant)
    // A parameter that nothing reads at all has been told of.
    if (!expansion.used.given.has(tenant) && !texts.some(reads)) return
    // The call of a token that pins the tenant always gives it.
    const isAbsent = ({ variant }: DistinctSql): boolean => variant.label.split(', ').includes(`${tenant} absent`)
    const unread = texts.find(text => !reads(text) && !isAbsent(text))
    if (unread === undefined) return
    const where = unread.variant.label === '' ? '' : ` (in the variant ${unread.variant.label})`
    report(source.valueAt(['tenant']), `the SQL does not read @${tenant}${where}, so every tenant gets the same rows`)
  },
}
