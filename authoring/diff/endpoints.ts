/** Conducts the comparison: two folders of endpoints → all changes, endpoint by endpoint. */

import { tenantColumns, tenantParameter } from '../../runner/manifest/tenant.js'
import { compareText } from '../../runner/model/diagnostic.js'
import type { ContractColumn } from '../../runner/model/endpoint.js'
import type { Manifest } from '../../runner/model/manifest.js'
import { type Change, changeOf, IMPACT_RANK, type Report } from './change-rules.js'
import { diffColumns, withDeclaredPromises } from './columns.js'
import { diffLookups } from './lookups.js'
import { pairBy } from './pair-by.js'
import { diffParameters } from './parameters.js'
import type { ComparedEndpoint, Side } from './read-sides.js'
import { diffReads } from './reads.js'
import { diffSettings } from './settings.js'
import { diffTests } from './tests.js'
import { diffVariants } from './variants.js'

/**
 * All changes, sorted by the names of endpoints, breaking ones first within an endpoint. Two endpoints are the same if they
 * have the same id, or else the same name. An endpoint whose manifest is broken on either side is left out.
 * @param usdPerTib what BigQuery's on-demand queries cost
 */
export function diffEndpoints(base: Side, head: Side, usdPerTib: number): readonly Change[] {
  const pairs = pairBy(base.endpoints, head.endpoints, [({ endpoint }) => endpoint.id, ({ endpoint }) => endpoint.name])
  const paired = new Set(pairs.values())
  const changes: Change[] = []
  for (const before of base.endpoints) {
    const after = pairs.get(before)
    if (after !== undefined) changes.push(...diffEndpoint(before, after, usdPerTib))
    else if (!mayBeBroken(before, head.broken)) {
      changes.push(changeOf(before.endpoint.name, 'endpoint/removed', 'the endpoint is gone'))
    }
  }
  for (const after of head.endpoints) {
    if (paired.has(after) || mayBeBroken(after, base.broken)) continue
    changes.push(changeOf(after.endpoint.name, 'endpoint/added', 'the endpoint is new'))
  }
  // The order within an endpoint is that of the comparison, breaking changes first.
  return changes.sort((a, b) => compareText(a.endpoint, b.endpoint) || IMPACT_RANK[a.impact] - IMPACT_RANK[b.impact])
}

/** Whether a broken manifest of the other side may be this endpoint's: it is the same file, or it claims the endpoint's id or name. */
function mayBeBroken({ endpoint, file }: ComparedEndpoint, broken: Side['broken']): boolean {
  const identity = [endpoint.id, endpoint.name]
  return broken.some(manifest => manifest.file === file || manifest.claims.some(claim => identity.includes(claim)))
}

function diffEndpoint(base: ComparedEndpoint, head: ComparedEndpoint, usdPerTib: number): readonly Change[] {
  const changes: Change[] = []
  const [before, after] = [base.endpoint, head.endpoint]
  const report: Report = (kind, detail, lines) => void changes.push(changeOf(after.name, kind, detail, lines))
  if (before.name !== after.name) report('endpoint/renamed', `the endpoint ${before.name} was renamed to ${after.name}`)
  if (before.id !== after.id) report('endpoint/id-changed', `the id is ${after.id}; it was ${before.id}`)
  if (before.description !== after.description) report('endpoint/described', 'the description changed')
  diffTenant(base.manifest, head.manifest, report)
  diffParameters(base.manifest, head.manifest, report)
  diffLookups(base.manifest, head.manifest, report)
  const areResolved = [...base.variants, ...head.variants].every(({ isResolved }) => isResolved)
  const columnsOf = (side: ComparedEndpoint): readonly ContractColumn[] =>
    areResolved ? side.endpoint.columns : withDeclaredPromises(side.endpoint.columns, side.manifest)
  diffColumns(columnsOf(base), columnsOf(head), report)
  diffSettings(before, after, report)
  diffVariants(base, head, report)
  diffReads(base, head, usdPerTib, report)
  diffTests(base.tests, head.tests, report)
  return changes
}

function diffTenant(base: Manifest, head: Manifest, report: Report): void {
  const [before, after] = [tenantParameter(base), tenantParameter(head)]
  if (before === null && after !== null) report('tenant/added', `the tenant is ${after}: tokens must pin it`)
  else if (after === null && before !== null) report('tenant/removed', `there is no tenant; it was ${before}`)
  else if (before !== after) report('tenant/changed', `the tenant is ${after}; it was ${before}`)
  if (before === null || after === null) return
  const [old, now] = [tenantTables(base), tenantTables(head)]
  for (const table of new Set([...old.keys(), ...now.keys()])) {
    const [was = `its column ${before}`, is = `its column ${after}`] = [old.get(table), now.get(table)]
    if (was !== is) report('tenant/tables', `the tenant of a row of ${table} is named by ${is}; it was ${was}`)
  }
}

/** What names the tenant of a row, for each table that `tenant_free` or the columns of `tenant` list. */
const tenantTables = (manifest: Manifest): ReadonlyMap<string, string> =>
  new Map([
    ...(manifest.tenant_free ?? []).map((table): [string, string] => [table, 'nothing']),
    ...Object.entries(tenantColumns(manifest)).map(([table, path]): [string, string] => [table, `its column ${path}`]),
  ])
