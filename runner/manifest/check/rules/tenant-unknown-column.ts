/** The paths in `columns` of `tenant` must lead to columns of their tables. */
import { findColumnPath } from '../../../../googlesql/index.js'
import { didYouMean, quotedList } from '../../report.js'
import { tenantColumns } from '../../tenant.js'
import type { Rule, SqlFacts } from '../rule.js'

export const tenantUnknownColumn: Rule<SqlFacts> = {
  id: 'tenant/unknown-column',
  severity: 'error',
  check: ({ manifest, source, tables }, report) => {
    for (const [name, path] of Object.entries(tenantColumns(manifest))) {
      const table = tables.find(name)
      if (!table) continue
      const found = findColumnPath([...table.columns, ...(table.pseudoColumns ?? [])], path)
      if ('rest' in found) continue
      const place = source.valueAt(['tenant', 'columns', name])
      const fields = quotedList(found.among)
      if (found.name === '') report(place, `"${path}" of ${name} is a record; name a field of it: ${fields}`)
      else {
        const more = didYouMean(found.name, found.among, fields === '' ? '' : `; expected one of ${fields}`)
        report(place, `${name} has no column "${path}": there is no "${found.name}"`, more)
      }
    }
  },
}
