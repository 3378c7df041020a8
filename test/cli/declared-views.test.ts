/** Views of INFORMATION_SCHEMA that have a table schema and rows, such as the list of BigQuery's jobs. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { command, scratch } from './command.js'

const VIEW = 'region-us.INFORMATION_SCHEMA.JOBS_BY_PROJECT'
const SCHEMA = JSON.stringify([
  { name: 'user_email', type: 'STRING' },
  { name: 'total_slot_ms', type: 'INTEGER' },
])
const MANIFEST = `id: 3b6f0d3c-7a51-4d0e-9d1f-0c5a8f2e4b17
name: cost.slots
sql: |
  SELECT user_email, SUM(total_slot_ms) AS slot_ms FROM \`region-us\`.INFORMATION_SCHEMA.JOBS_BY_PROJECT GROUP BY user_email
`
const TESTS = `tables:
  ${VIEW}:
    - { user_email: ann, total_slot_ms: 1 }
    - { user_email: ann, total_slot_ms: 2 }
tests:
  - name: slots
    expect: { rows: [{ user_email: ann, slot_ms: 3 }] }
`

describe('a view of INFORMATION_SCHEMA with a table schema', () => {
  const folder = scratch()
  const flags = (...names: readonly string[]): readonly string[] =>
    names.flatMap(name => [`--${name}`, folder.path(name)]).concat('--engine-memory', '256')
  function write(name: string, text: string): void {
    mkdirSync(dirname(folder.path(name)), { recursive: true })
    writeFileSync(folder.path(name), text)
  }
  const answer = async (from: string, ...more: readonly string[]): Promise<string> => {
    const sql = `SELECT user_email, total_slot_ms AS n FROM ${from}`
    const { out, err } = await command(['query', sql, '--format', 'csv', ...more, ...flags('tables', 'data')])
    return out.trim() + err
  }

  before(() => {
    write(`tables/${VIEW}.json`, SCHEMA)
    write('data/region-us.INFORMATION_SCHEMA/JOBS_BY_PROJECT.ndjson', '{"user_email":"bob","total_slot_ms":5}\n')
    write('endpoints/cost.slots.yaml', MANIFEST)
    write('endpoints/cost.slots.test.yaml', TESTS)
  })
  after(() => folder.remove())

  it('has the rows of the data folder, however the query writes its name', async () => {
    const rows = 'user_email,n\r\nbob,5'
    expect(await answer('`region-us`.INFORMATION_SCHEMA.JOBS_BY_PROJECT')).to.equal(rows)
    expect(await answer('`region-us`.information_schema.jobs_by_project')).to.equal(rows)
    expect(await answer('`p.region-us.INFORMATION_SCHEMA.JOBS_BY_PROJECT`', '--project', 'p')).to.equal(rows)
  })

  it('is counted by a dry run', async () => {
    const { out } = await command([...['query', `SELECT 1 FROM \`${VIEW}\``, '--dry-run', ...flags('tables', 'data')]])
    expect(out).to.match(/^region-us\.INFORMATION_SCHEMA\.JOBS_BY_PROJECT: 1 file, 39 B\n/)
  })

  it('has the rows that a test gives, and those tests need no data', async () => {
    const { code, out, err } = await command(['test', ...flags('endpoints', 'tables')])
    expect([code, err]).to.deep.equal([0, ''])
    expect(out).to.match(/^1 passed, 0 failed/)
  })

  it('is not printed by tables ddl, since BigQuery has it already', async () => {
    expect((await command(['tables', 'ddl', ...flags('tables').slice(0, 2)])).out).to.equal('')
  })

  it('makes no dataset of its region, and other views say how they get rows', async () => {
    const computed =
      /Table not found: region-us\.INFORMATION_SCHEMA\.TABLES; INFORMATION_SCHEMA has TABLES, .* of a dataset with tables\b(?!; any)/
    expect(await answer('`region-us`.INFORMATION_SCHEMA.TABLES')).to.match(computed)
    expect(await answer('`region-us`.INFORMATION_SCHEMA.JOBS')).to.include(
      'any other view needs a table schema, region-us.INFORMATION_SCHEMA.JOBS.json',
    )
  })

  it('cannot be one whose rows are the tables that there are', async () => {
    write('tables/shop.INFORMATION_SCHEMA.TABLES.json', SCHEMA)
    const { code, err } = await command(['validate', ...flags('endpoints', 'tables')])
    expect(code).to.equal(1)
    expect(err).to.include('the rows of this view are the tables that there are, so it has no schema; delete the file')
    rmSync(folder.path('tables/shop.INFORMATION_SCHEMA.TABLES.json'))
  })
})
