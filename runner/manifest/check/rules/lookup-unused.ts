/** Refuses a lookup table that the template never reads. */
import type { Rule, TemplateFacts } from '../rule.js'

export const lookupUnused: Rule<TemplateFacts> = {
  id: 'lookup/unused',
  severity: 'error',
  check: ({ manifest, source, expansion }, report) => {
    for (const [table, lookup] of Object.entries(manifest.lookups ?? {})) {
      if (expansion.used.lookups.has(table)) continue
      const field = Object.keys(Object.values(lookup.rows)[0] ?? {})[0] ?? 'field'
      report(
        source.keyAt(['lookups', table]),
        `lookup table "${table}" is never read; write {{${table}.${field}}} in the SQL, or delete it`,
        { unused: table },
      )
    }
  },
}
