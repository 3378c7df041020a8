/** Every text that a pinned call can run must be proven to read rows of one tenant alone. */
import {
  orMistake,
  parseTypeName,
  resolveQuery,
  SqlError,
  type TenantParameter,
  type TenantScan,
  type Type,
  unboundedScans,
} from '../../../../googlesql/index.js'
import type { Manifest } from '../../../model/manifest.js'
import { bigqueryType } from '../../bigquery-type.js'
import { tenantColumnOf, tenantParameter } from '../../tenant.js'
import { hasMoreConditions } from '../../variants/implied-variants.js'
import type { DistinctSql, Rule, SqlFacts } from '../rule.js'

export const tenantNotBounded: Rule<SqlFacts> = {
  id: 'tenant/not-bounded',
  severity: 'error',
  check: ({ manifest, checked, tables }, report) => {
    const name = tenantParameter(manifest)
    const declared = name === null ? undefined : manifest.parameters?.[name]
    if (name === null || declared === undefined) return
    const parameter: TenantParameter = { name, isPattern: declared.pinned_as !== undefined }
    const columnOf = tenantColumnOf(manifest, name, tables)
    const types = parameterTypes(manifest)
    // A call with a token that pins the tenant always has its argument.
    const texts = checked.map(({ text }) => text).filter(({ absent }) => !absent.has(name))
    const failures = new Map<string, { text: DistinctSql; at: number; message: string; texts: number }>()
    const fail = (text: DistinctSql, at: number, message: string): void => {
      const { file, line, column } = text.placeAt(at)
      const key = `${file}:${line}:${column} ${message}`
      const known = failures.get(key)
      if (known) known.texts += 1
      else failures.set(key, { text, at, message, texts: 1 })
    }
    const proven: DistinctSql[] = []
    // What is proven of a text is so of every text that only has more conditions: the shortest come first.
    for (const text of [...texts].sort((a, b) => a.sql.length - b.sql.length)) {
      if (hasMoreConditions(text, proven)) continue
      const scans = orMistake(() => unboundedScans(resolveQuery(text.sql, tables, types), parameter, columnOf))
      if (scans instanceof SqlError) {
        fail(text, scans.offset, unresolved(scans, name))
        continue
      }
      if (scans.length === 0) proven.push(text)
      for (const scan of scans) fail(text, scan.at, messageOf(scan, parameter))
    }
    for (const { text, at, message, texts: count } of failures.values()) {
      const when = count === texts.length ? '' : ` (when ${text.variant.label})`
      report(text.placeAt(at), `${message}${text.inclusionAt(at)}${when}`)
    }
  },
}

function parameterTypes({ parameters = {} }: Manifest): Readonly<Record<string, Type>> {
  const types = Object.entries(parameters).map(([name, { type }]) => [name, bigqueryType(type)] as const)
  const all = [...types, ['now', 'TIMESTAMP'] as const]
  return Object.fromEntries(all.map(([name, type]) => [name, parseTypeName(type)!]))
}

function messageOf({ table, column, hasColumn }: TenantScan, { name, isPattern }: TenantParameter): string {
  if (!hasColumn) {
    const missing = column === '' ? 'no tenant column under its own name' : `no column "${column}"`
    return (
      `${table} has ${missing}, by which its rows could be limited to @${name}: give it this column, ` +
      `name the one that it has in tenant: { parameter: ${name}, columns: { ${table}: … } }, ` +
      'or list it in tenant_free, if its rows belong to no tenant'
    )
  }
  const condition = isPattern ? `REGEXP_CONTAINS(${column}, @${name})` : `${column} = @${name}`
  return (
    `${table} is not proven to be limited to @${name}: write ${condition} as an operand of AND in the WHERE beside it, ` +
    'before its rows are grouped, cut or compared with others (in ON for the optional side of an outer join), ' +
    'or list it in tenant_free, if its rows belong to no tenant'
  )
}

const unresolved = ({ reason }: SqlError, name: string): string =>
  `the query is not proven to be limited to @${name}, because it is not understood here: ${reason}. ` +
  'What only BigQuery knows needs its definition here: a table its schema, a function its file'
