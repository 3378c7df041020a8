/** How the engine affects the validation of a manifest. */
import { expect } from 'chai'
import { tableCatalogue } from '../../googlesql/tables.js'
import { type LoadOptions, loadSources } from '../../runner/manifest/load.js'
import { checkByTranslation } from './check-by-translation.js'

const none = tableCatalogue([])
const text = `id: 00000001-0000-4000-8000-000000000000
name: n
settings:
  cache: { until: data_changes, ttl_seconds: 60 }
sql: |
  SELECT 1 AS n
`
const load = (options: Partial<LoadOptions>) =>
  loadSources([{ file: 'n.yaml', text }], [], { tables: none, checkSql: checkByTranslation(none), ...options })

describe('a manifest on an engine', () => {
  it('may keep results until data changes', async () => {
    const { endpoints, diagnostics } = await load({})
    expect(diagnostics).to.deep.equal([])
    expect(endpoints[0]?.cache).to.deep.equal({
      ttlMs: 60_000,
      warmMs: null,
      staleIfErrorMs: 0,
      staleWhileRevalidateMs: 0,
      untilDataChanges: true,
      settledMs: 600_000,
    })
  })

  it('has another revision on another engine, so that they share no results', async () => {
    const revisions = await Promise.all(
      ['["duckdb"]', '["bigquery","p"]', '["bigquery","q"]'].map(async engineIdentity => {
        const { endpoints } = await load({ engineIdentity })
        return endpoints[0]?.revision
      }),
    )
    expect(new Set(revisions).size).to.equal(3)
    expect(revisions).to.not.include(undefined)
  })
})
