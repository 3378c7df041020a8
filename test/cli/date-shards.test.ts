/** Date-sharded tables with one schema, from validation to a query. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { command, scratch } from './command.js'

const SCHEMA = {
  clustering: { fields: ['name'] },
  schema: {
    fields: [
      { name: 'name', type: 'STRING', mode: 'REQUIRED' },
      { name: 'at', type: 'TIMESTAMP' },
    ],
  },
}
const MANIFEST = `id: 5b6f0d3c-7a51-4d0e-9d1f-0c5a8f2e4b18
name: ga.days
parameters:
  from: { type: date, required: true }
sql: |
  SELECT _TABLE_SUFFIX AS day, COUNT(*) AS events
  FROM \`ga.events_*\`
  WHERE PARSE_DATE('%Y%m%d', _TABLE_SUFFIX) >= @from
  GROUP BY day
  ORDER BY day
`
const TESTS = `tables:
  ga.events_20260101: [{ name: a }]
  ga.events_20260102: [{ name: a }, { name: b }]
tests:
  - name: from the second day
    arguments: { from: 2026-01-02 }
    expect: { rows: [{ day: "20260102", events: 2 }] }
  - name: another day alone
    tables: { ga.events_20260102: [], ga.events_20260301: [{ name: c }] }
    arguments: { from: 2026-01-01 }
    expect: { rows: [{ day: "20260101", events: 1 }, { day: "20260301", events: 1 }] }
`

describe('date-sharded tables on the command line', () => {
  const folder = scratch()
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(folder.path(name)), { recursive: true })
    writeFileSync(folder.path(name), text)
  }
  const flags = (): string[] => ['--tables', folder.path('tables'), '--data', folder.path('data')]
  const authored = (): string[] => ['--endpoints', folder.path('endpoints'), '--tables', folder.path('tables')]

  before(() => {
    write('tables/ga.events_*.json', JSON.stringify(SCHEMA))
    write('endpoints/ga.days.yaml', MANIFEST)
    write('endpoints/ga.days.test.yaml', TESTS)
    mkdirSync(folder.path('data'))
  })
  after(() => folder.remove())

  it('are validated without a shard', async () => {
    const { code, out, err } = await command(['validate', ...authored()])
    expect(code, out + err).to.equal(0)
  })

  it('are what tests say they are', async () => {
    const { code, out } = await command(['test', ...authored()])
    expect(code, out).to.equal(0)
    expect(out).to.contain('2 passed')
  })

  it('have no rows under the name of all', async () => {
    write('endpoints/ga.days.test.yaml', TESTS.replace('ga.events_20260101', 'ga.events_*'))
    const { code, out, err } = await command(['test', ...authored()])
    expect(code).to.equal(1)
    expect(out + err).to.contain('"ga.events_*" is a wildcard table: name its shards, such as "ga.events_20260131"')
  })

  it('are imported shard by shard', async () => {
    const rows = '{"name": "b", "at": "2026-01-01T10:00:00Z"}\n{"name": "a"}\n'
    const imported = await command(
      ['import', 'ga.events_20260101', '-', '--input-format', 'ndjson', ...flags()],
      {},
      rows,
    )
    expect(imported.out).to.equal('imported 2 rows into ga.events_20260101, in 1 file\n')
    const sql = 'SELECT name, _TABLE_SUFFIX AS day FROM `ga.events_*` ORDER BY name'
    const { out } = await command(['query', sql, '--format', 'csv', ...flags()])
    expect(out).to.equal('name,day\r\na,20260101\r\nb,20260101\r\n')
    const all = await command(['import', 'ga.events_*', '-', ...flags()], {}, rows)
    expect(all.code).to.equal(2)
    expect(all.err).to.contain('ga.events_* is a wildcard table: name the shard of these rows')
  })

  it('have DDL shard by shard', async () => {
    const { out } = await command(['tables', 'ddl', 'ga.events_20260101', '--tables', folder.path('tables')])
    expect(out).to.match(/^CREATE TABLE IF NOT EXISTS `ga.events_20260101`/)
    const { code } = await command(['tables', 'ddl', 'ga.events_*', '--tables', folder.path('tables')])
    expect(code).to.equal(2)
  })
})
