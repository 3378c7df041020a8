/** The tables in `tenant_free`, and in `columns` of `tenant`, must exist. */
import { didYouMean } from '../../report.js'
import type { FilePlace } from '../../source.js'
import { tenantColumns } from '../../tenant.js'
import type { Rule, SqlFacts } from '../rule.js'

export const tenantUnknownTable: Rule<SqlFacts> = {
  id: 'tenant/unknown-table',
  severity: 'error',
  check: ({ manifest, source, tables }, report) => {
    const check = (table: string, place: () => FilePlace): void => {
      if (tables.find(table)) return
      const otherwise = '; a table is known by its schema or its data here'
      report(place(), `there is no table "${table}"`, didYouMean(table, tables.names(), otherwise))
    }
    for (const [i, table] of (manifest.tenant_free ?? []).entries()) {
      check(table, () => source.valueAt(['tenant_free', i]))
    }
    for (const table of Object.keys(tenantColumns(manifest))) {
      check(table, () => source.keyAt(['tenant', 'columns', table]))
    }
  },
}
