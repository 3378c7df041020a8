/** Every text that a pinned call can run must be proven to read rows of one tenant alone. */
import {
  orMistake,
  resolveQuery,
  SqlError,
  type TenantParameter,
  type TenantScan,
  unboundedScans,
} from '../../../../googlesql/index.js'
import { diagnosticLine } from '../../../model/diagnostic.js'
import { readTypes } from '../../../model/parameter-types.js'
import { argumentTypes } from '../../bigquery-type.js'
import { diagnosticAt } from '../../report.js'
import { tenantColumnOf, tenantParameter } from '../../tenant.js'
import type { DistinctSql, Rule, SqlFacts } from '../rule.js'
import { VariantFailures } from '../variant-failures.js'

interface DeclaredTenant extends TenantParameter {
  readonly isRe2: boolean
  readonly isList: boolean
}

export const tenantProofRules: readonly Rule<SqlFacts>[] = [
  {
    id: 'tenant/not-bounded',
    says: 'It is not proven that the query reads rows of one tenant alone: see [tokens](../tokens.md#the-proof).',
    check: ({ manifest, checked, tables }, report) => {
      const name = tenantParameter(manifest)
      const declared = name === null ? undefined : manifest.parameters?.[name]
      if (name === null || declared === undefined) return
      const parameter: DeclaredTenant = {
        name,
        isPattern: declared.pinned_as !== undefined,
        isRe2: declared.format === 're2',
        isList: declared.type.startsWith('array'),
      }
      const columnOf = tenantColumnOf(manifest, name, tables)
      const types = readTypes(argumentTypes(manifest))
      // A call with a token that pins the tenant always has its argument.
      const texts = checked.map(({ text }) => text).filter(({ absent }) => !absent.has(name))
      const failures = new VariantFailures()
      const addFailure = (text: DistinctSql, at: number, message: string): void => {
        const place = text.placeAt(at)
        const diagnostic = diagnosticAt(place, 'tenant/not-bounded', message + place.inclusion)
        failures.add(text, diagnostic, diagnosticLine(diagnostic))
      }
      for (const text of [...texts].sort((a, b) => a.sql.length - b.sql.length)) {
        const scans = orMistake(() => unboundedScans(resolveQuery(text.sql, tables, types), parameter, columnOf))
        if (scans instanceof SqlError) {
          addFailure(text, scans.offset, unresolvedMessage(scans, name))
          continue
        }
        for (const scan of scans) addFailure(text, scan.at, messageOf(scan, parameter))
      }
      const variants = texts.reduce((sum, { share }) => sum + share, 0)
      for (const diagnostic of failures.diagnostics(variants)) report(diagnostic, diagnostic.message)
    },
  },
]

function messageOf({ table, column, parts }: TenantScan, parameter: DeclaredTenant): string {
  const { name, isPattern, isRe2 } = parameter
  if (column === '') {
    return (
      `${table} has a shard with a column of its own in tenant: { columns: … }, so that ${table} needs one, too: ` +
      `tenant: { parameter: ${name}, columns: { ${table}: … } }`
    )
  }
  if (parts === null) {
    return (
      `${table} has no column "${column}", by which its rows could be limited to @${name}: give it this column, ` +
      `name the one that it has in tenant: { parameter: ${name}, columns: { ${table}: … } }, ` +
      'or list it in tenant_free, if its rows belong to no tenant'
    )
  }
  const firstStep = isRe2 && !isPattern ? `add pinned_as to ${name}, which says what its pins become, and ` : ''
  return (
    `${table} is not proven to be limited to @${name}: ${firstStep}write ${conditionOn(parts, parameter)} as an operand of AND in ` +
    'the WHERE beside it, before its rows are grouped, cut or compared with others (in ON for the optional side of an outer ' +
    'join), or list it in tenant_free, if its rows belong to no tenant'
  )
}

/** The condition on the column; in a repeated record, on one of its elements. */
function conditionOn(parts: readonly string[], { name, isRe2, isList }: DeclaredTenant): string {
  const [column = '', ...inner] = parts
  const lists: string[] = []
  let value = column
  for (const part of inner) {
    const element = `element${lists.length === 0 ? '' : lists.length + 1}`
    lists.push(`UNNEST(${value}) AS ${element}`)
    value = part === '' ? element : `${element}.${part}`
  }
  const condition = isRe2
    ? `REGEXP_CONTAINS(${value}, @${name})`
    : `${value} ${isList ? `IN UNNEST(@${name})` : `= @${name}`}`
  return lists.length === 0 ? condition : `EXISTS (SELECT 1 FROM ${lists.join(', ')} WHERE ${condition})`
}

const unresolvedMessage = ({ reason }: SqlError, name: string): string =>
  `the query is not proven to be limited to @${name}, because it is not understood here: ${reason}. ` +
  'A table that only BigQuery knows needs its schema here, and a function its file'
