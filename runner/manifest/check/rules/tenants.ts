/** Rules about `tenant`. The proof that a query reads rows of one tenant alone is in tenant-proof.ts. */

import { findColumnPath } from '../../../../googlesql/index.js'
import { didYouMean } from '../../../model/suggest.js'
import { quotedList } from '../../report.js'
import type { FilePlace } from '../../source.js'
import { tenantColumns, tenantParameter } from '../../tenant.js'
import {
  type DistinctSql,
  lookupsOf,
  type ManifestFacts,
  type Rule,
  type SqlFacts,
  type TemplateFacts,
} from '../rule.js'

export const tenantRules: readonly Rule<ManifestFacts>[] = [
  {
    id: 'tenant/unknown-parameter',
    says: '`tenant` does not name a parameter.',
    check: ({ manifest, source }, report) => {
      const { parameters = {} } = manifest
      const tenant = tenantParameter(manifest)
      if (tenant === null || Object.hasOwn(parameters, tenant)) return
      const more = didYouMean(tenant, Object.keys(parameters), '; declare it under "parameters"')
      const path = typeof manifest.tenant === 'string' ? ['tenant'] : ['tenant', 'parameter']
      report(source.valueAt(path), `"tenant" names "${tenant}", which is not a parameter`, more)
    },
  },
]

export const tenantTableRules: readonly Rule<SqlFacts>[] = [
  {
    id: 'tenant/unknown-table',
    says: 'A table in `tenant_free`, or in `columns` of `tenant`, does not exist.',
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
  },
  {
    id: 'tenant/unknown-column',
    says: 'A path in `columns` of `tenant` does not lead to a column of its table.',
    check: ({ manifest, source, tables }, report) => {
      for (const [name, path] of Object.entries(tenantColumns(manifest))) {
        const table = tables.find(name)
        if (!table) continue
        const column = findColumnPath([...table.columns, ...(table.pseudoColumns ?? [])], path)
        if ('rest' in column) continue
        const place = source.valueAt(['tenant', 'columns', name])
        const fields = quotedList(column.among)
        if (column.name === '') report(place, `"${path}" of ${name} is a record; name a field of it: ${fields}`)
        else {
          const more = didYouMean(column.name, column.among, fields === '' ? '' : `; expected one of ${fields}`)
          report(place, `${name} has no column "${path}": there is no "${column.name}"`, more)
        }
      }
    },
  },
]

export const tenantUseRules: readonly Rule<TemplateFacts>[] = [
  {
    id: 'tenant/unread',
    severity: 'warning',
    says: 'A variant of the SQL does not read the tenant parameter, so every tenant gets the same rows.',
    check: ({ manifest, source, expansion, texts }, report) => {
      const tenant = tenantParameter(manifest)
      if (tenant === null || lookupsOf(manifest).some(([, { by }]) => by === tenant)) return
      const reads = ({ argumentNames }: DistinctSql): boolean =>
        argumentNames === null || argumentNames.some(({ name }) => name === tenant)
      // Another rule reports a parameter that nothing reads at all.
      if (!expansion.used.given.has(tenant) && !texts.some(reads)) return
      // A call with a token that pins the tenant always has this argument.
      const unread = texts.find(text => !reads(text) && !text.absent.has(tenant))
      if (unread === undefined) return
      const where = unread.variant.label === '' ? '' : ` (in the variant ${unread.variant.label})`
      const message = `the SQL does not read @${tenant}${where}, so every tenant gets the same rows`
      report(source.valueAt(['tenant']), message, { unused: tenant })
    },
  },
]
