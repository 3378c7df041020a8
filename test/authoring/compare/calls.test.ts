import { expect } from 'chai'
import { planCalls } from '../../../authoring/compare/calls.js'
import { tableCatalogue } from '../../../googlesql/tables.js'
import type { LoadedEndpoint } from '../../../runner/manifest/load.js'
import { loadSources } from '../../../runner/manifest/load.js'

async function endpoint(parameters: string, lookups = '', sql = 'SELECT 1 AS one'): Promise<LoadedEndpoint> {
  const text = `id: 0b7d7f0e-6f7a-4c55-9a0d-3f4a0f6f1c11
name: an.endpoint
description: One.
parameters:
${parameters}
${lookups}sql: |
  ${sql}
`
  const checkSql = () => ({ ok: true as const, columns: [{ name: 'one', type: 'INT64' }] })
  const { loadedEndpoints, diagnostics } = await loadSources([{ file: 'one.yaml', text }], [], {
    tables: tableCatalogue([]),
    checkSql,
  })
  expect(diagnostics.filter(({ severity }) => severity === 'error')).to.deep.equal([])
  return loadedEndpoints[0]!
}

const LOOKUP = `lookups:
  interval:
    by: interval
    rows:
      1hr: { unit: HOUR }
      1day: { unit: DAY }
    default: 1day
`

describe('the calls that compare makes', () => {
  it('cover all rows of lookup tables, each optional parameter given and absent, and each further example once', async () => {
    const loaded = await endpoint(
      `  project: { type: string, required: true, examples: [abc, xyz] }
  interval: { type: string, required: true, examples: [1day] }
  since: { type: timestamp, examples: ['2026-01-31T12:00:00Z'] }`,
      LOOKUP,
      "SELECT @project AS one, @since AS since, '{{interval.unit}}' AS unit",
    )
    const since = '2026-01-31T12:00:00Z'
    expect(planCalls(loaded, {})).to.deep.equal({
      calls: [
        { project: 'abc', interval: '1hr' },
        { project: 'abc', interval: '1hr', since },
        { project: 'abc', interval: '1day' },
        { project: 'abc', interval: '1day', since },
        { project: 'xyz', interval: '1hr', since },
      ],
      missing: [],
      neverGiven: [],
    })
  })

  it('use the arguments given on the command line, and no other values for them', async () => {
    const loaded = await endpoint(
      `  project: { type: string, required: true }
  interval: { type: string, required: true, examples: [1day] }
  limit: { type: int64, examples: [1, 2] }`,
      LOOKUP,
      "SELECT @project AS one, @limit AS l, '{{interval.unit}}' AS unit",
    )
    expect(planCalls(loaded, { project: 'mine', interval: '1hr', limit: '9' }).calls).to.deep.equal([
      { project: 'mine', interval: '1hr', limit: '9' },
    ])
  })

  it('use the values of an enum where there are no examples, and all elements of a list at once', async () => {
    const loaded = await endpoint(
      `  sort: { type: string, required: true, enum: [up, down] }
  ids: { type: array<int64>, examples: [1, 2] }`,
      '',
      'SELECT @sort AS one, @ids AS ids',
    )
    expect(planCalls(loaded, {}).calls).to.deep.equal([
      { sort: 'up' },
      { sort: 'up', ids: ['1', '2'] },
      { sort: 'down', ids: ['1', '2'] },
    ])
  })

  it('are empty without a value for a required parameter, and omit an optional one without a value', async () => {
    const sql = 'SELECT @project AS one, @limit AS l'
    const required = await endpoint(
      `  project: { type: string, required: true }
  limit: { type: int64, examples: [1] }`,
      '',
      sql,
    )
    expect(planCalls(required, {})).to.deep.equal({ calls: [], missing: ['project'], neverGiven: [] })
    const optional = await endpoint(
      `  project: { type: string, required: true, examples: [abc] }
  limit: { type: int64 }`,
      '',
      sql,
    )
    expect(planCalls(optional, {})).to.deep.equal({ calls: [{ project: 'abc' }], missing: [], neverGiven: ['limit'] })
  })
})
