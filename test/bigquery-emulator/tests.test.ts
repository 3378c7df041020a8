/** `sluice test --engine bigquery`: the same files, over tables in a dataset that is gone afterwards, whatever happens. */
import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { command, type Finished, scratch } from '../cli/command.js'
import { until } from '../until.js'
import { describeOverEmulator, PROJECT } from './emulator.js'

const MANIFEST = `id: 3b6f0d3c-7a51-4d0e-9d1f-0c5a8f2e4b17
name: shop.sales
parameters:
  country: { type: string }
  top: { type: int64, default: 10, minimum: 1, maximum: 100 }
settings: { max_rows: 3 }
sql: |
  WITH sold AS (SELECT product, price, tag FROM shop.orders, orders.tags AS tag WHERE sold <= @now {{#if given.country}}AND country = @country{{/if}})
  SELECT product, COUNT(*) AS orders, SUM(price) AS revenue, (SELECT COUNT(*) FROM \`shop.returns\`) AS returned
  FROM sold
  GROUP BY product
  ORDER BY revenue DESC, product
  LIMIT @top
`
const ORDERS = [
  { name: 'product', type: 'STRING', mode: 'REQUIRED' },
  { name: 'country', type: 'STRING' },
  { name: 'sold', type: 'TIMESTAMP' },
  { name: 'price', type: 'NUMERIC' },
  { name: 'tags', type: 'STRING', mode: 'REPEATED' },
]
const TESTS = `now: 2026-02-01T00:00:00Z
tables:
  shop.orders:
    - { product: kettle, country: DE, sold: 2026-01-05T10:00:00Z, price: 39.90, tags: [a] }
    - { product: teapot, country: FR, sold: 2026-01-06T10:00:00.123456Z, price: 24.5, tags: [a, b] }
    - { product: teapot, country: DE, sold: 2026-03-01T00:00:00Z, price: 24.5, tags: [a] }
tests:
  - name: everything until now
    expect:
      rows:
        - { product: teapot, orders: 2, revenue: "49", returned: 0 }
        - { product: kettle, orders: 1, revenue: "39.9", returned: 0 }
  - name: one country later
    now: 2026-04-01T00:00:00Z
    arguments: { country: DE }
    tables: { shop.returns: [{ product: kettle }] }
    expect: { count: 2, contains: [{ product: teapot, returned: 1 }], same_as: { arguments: { country: DE, top: 100 } } }
  - name: no rows at all
    tables: { shop.orders: [] }
    expect: { rows: [], columns: [product, orders, revenue, returned] }
  - name: cut by max_rows, from a file
    tables: { shop.orders: { file: fixtures/four.ndjson } }
    expect: { count: 3, truncated: true }
  - name: refused
    arguments: { top: 0 }
    expect: { problem: { status: 400, code: ARGUMENT_INVALID, parameters: [top] } }
`

describeOverEmulator('sluice test over an emulator', emulator => {
  const folder = scratch()
  let environment: Readonly<Record<string, string>>
  const flags = ['--engine', 'bigquery', '--endpoints', folder.path('endpoints'), '--tables', folder.path('tables')]
  const test = (...more: readonly string[]): Promise<Finished> =>
    command(['test', ...more, ...flags, '--engine-memory', '256'], environment)
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(folder.path(name)), { recursive: true })
    writeFileSync(folder.path(name), text)
  }
  async function datasets(): Promise<readonly string[]> {
    const answer = await fetch(`${emulator().host}/projects/${PROJECT}/datasets`)
    const { datasets: found = [] } = (await answer.json()) as {
      datasets?: readonly { datasetReference: { datasetId: string } }[]
    }
    return found.map(one => one.datasetReference.datasetId)
  }

  before(async () => {
    environment = { BIGQUERY_EMULATOR_HOST: emulator().host, GOOGLE_CLOUD_PROJECT: PROJECT }
  })
  beforeEach(() => {
    write('endpoints/shop.sales.yaml', MANIFEST)
    write('endpoints/shop.sales.test.yaml', TESTS)
    // A column is left out, and the others stand in another order.
    const rows = [1, 2, 3, 4].map(n => `{"tags":["a"],"price":1,"product":"p${n}","sold":"2026-01-01T00:00:00Z"}\n`)
    write('endpoints/fixtures/four.ndjson', rows.join(''))
    write('tables/shop.orders.json', JSON.stringify(ORDERS))
    write('tables/shop.returns.json', JSON.stringify([{ name: 'product', type: 'STRING' }]))
  })
  afterEach(async () => {
    for (const name of ['endpoints/shop.days.yaml', 'endpoints/shop.days.test.yaml', 'tables/shop.visits_*.json']) {
      rmSync(folder.path(name), { force: true })
    }
    expect(await datasets()).to.deep.equal([])
  })
  after(() => folder.remove())

  it('runs the same files as the embedded engine', async () => {
    const here = await command(['test', ...flags.slice(2), '--engine-memory', '256'])
    expect(here.out).to.match(/^5 passed, 0 failed/)
    const { code, out, err } = await test()
    expect(err).to.equal('')
    expect(out).to.match(/^5 passed, 0 failed/)
    expect(code).to.equal(0)
  })

  it('makes the shards of wildcard tables', async () => {
    write(
      'endpoints/shop.days.yaml',
      `id: 3b6f0d3c-7a51-4d0e-9d1f-0c5a8f2e4b18
name: shop.days
parameters: { from: { type: string, required: true } }
sql: |
  SELECT _TABLE_SUFFIX AS day, COUNT(*) AS n, (SELECT COUNT(*) FROM shop.visits_20260102) AS second
  FROM \`shop.visits_*\` WHERE _TABLE_SUFFIX >= @from GROUP BY day ORDER BY day
`,
    )
    write(
      'endpoints/shop.days.test.yaml',
      `tables:
  shop.visits_20260101: [{ page: a }]
  shop.visits_20260102: [{ page: a }, { page: b }]
tests:
  - { name: both, arguments: { from: "2026" }, expect: { rows: [{ day: "20260101", n: 1, second: 2 }, { day: "20260102", n: 2, second: 2 }] } }
  - { name: one, arguments: { from: "20260102" }, expect: { rows: [{ day: "20260102", n: 2, second: 2 }] } }
  - name: another day
    tables: { shop.visits_20260102: [], shop.visits_20260301: [{ page: c }] }
    arguments: { from: "20260102" }
    expect: { rows: [{ day: "20260301", n: 1, second: 0 }] }
  - name: no shard
    tables: { shop.visits_20260101: [], shop.visits_20260102: [] }
    arguments: { from: "2026" }
    expect: { rows: [] }
`,
    )
    write('tables/shop.visits_*.json', JSON.stringify([{ name: 'page', type: 'STRING' }]))
    const { code, out, err } = await test(folder.path('endpoints/shop.days.yaml'))
    expect(err).to.equal('')
    expect(out).to.match(/^4 passed, 0 failed/)
    expect(code).to.equal(0)
  })

  it('shows what differs, and the command that repeats it there', async () => {
    write('endpoints/shop.sales.test.yaml', TESTS.replace('revenue: "49"', 'revenue: "50"'))
    const { code, out } = await test()
    expect(code).to.equal(1)
    expect(out).to.contain('+ teapot   2       "49"').and.contain('--engine bigquery')
    expect(out).to.match(/4 passed, 1 failed/)
  })

  it('ends with 3 where a dataset cannot be made', async () => {
    const { code, out, err } = await command(['test', ...flags], {
      ...environment,
      BIGQUERY_EMULATOR_HOST: '127.0.0.1:1',
    })
    expect({ code, out }).to.deep.equal({ code: 3, out: '' })
    expect(err).to.match(/^sluice: BigQuery cannot be used by project test-project: /)
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`removes the dataset at ${signal}`, async () => {
      const many = Array.from(
        { length: 400 },
        (_, i) =>
          `  - { name: n${i}, tables: { shop.orders: [{ product: p${i}, tags: [a] }] }, expect: { count: 0 } }\n`,
      )
      write('endpoints/shop.sales.test.yaml', `tests:\n${many.join('')}`)
      const child = spawn(process.execPath, ['dist/cli/main.js', 'test', ...flags], {
        env: { PATH: process.env['PATH'], ...environment },
        stdio: 'ignore',
      })
      const ended = new Promise(resolve => child.once('exit', resolve))
      await until(async () => (await datasets()).length === 1, 'a dataset')
      child.kill(signal)
      expect(await ended).to.equal(signal === 'SIGINT' ? 130 : 143)
    })
  }
})
