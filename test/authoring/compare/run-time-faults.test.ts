/** A call that fails at run time on one engine alone, over a fake of BigQuery. */
import { writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { command, scratch } from '../../cli/command.js'
import { type FakeBigQuery, openFakeBigQuery } from '../../engines/bigquery/fake-bigquery.js'
import { PROJECT } from '../../engines/bigquery/fake-messages.js'

describe('sluice compare of a call that one engine refuses at run time', () => {
  const folder = scratch()
  let fake: FakeBigQuery
  before(async () => {
    fake = await openFakeBigQuery(Date.now)
    fake.plan = () => ({ fields: [{ name: 'x', type: 'FLOAT' }], rows: [{ f: [{ v: '1.0' }] }] })
    writeFileSync(
      folder.path('share.yaml'),
      `id: 0b7d7f0e-6f7a-4c55-9a0d-3f4a0f6f1c31
name: share
parameters:
  d: { type: float64, required: true, examples: [0, 1] }
sql: |
  SELECT 1 / @d AS x
`,
    )
  })
  after(async () => {
    folder.remove()
    await fake.close()
  })
  const compare = (...argv: readonly string[]) =>
    command(['compare', ...argv, '--engine-memory', '256'], {
      BIGQUERY_EMULATOR_HOST: fake.url,
      GOOGLE_CLOUD_PROJECT: PROJECT,
      SLUICE_TOKEN: 'unrestricted-token-of-32-letters',
      SLUICE_ENDPOINTS: folder.path(''),
      SLUICE_DATA: folder.path(''),
    })

  it('is a difference, and further calls are made', async () => {
    const { code, out } = await compare('--all')
    expect(out.split('\n').slice(0, 3)).to.deep.equal([
      'different  share d=0',
      '  failed: duckdb ARGUMENT_INVALID (division by zero: 1 / 0), bigquery 1 row',
      'same       share d=1: 1 row',
    ])
    expect(code).to.equal(1)
  })

  it('ends the command where the call itself is wrong', async () => {
    const { code, out, err } = await compare('share', 'd=x')
    expect({ code, out }).to.deep.equal({ code: 1, out: '' })
    expect(err).to.include('d: ')
  })
})
