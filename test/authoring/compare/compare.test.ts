import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect } from 'chai'
import { describeOverEmulator, PROJECT } from '../../bigquery-emulator/emulator.js'
import { command, type Finished, scratch } from '../../cli/command.js'

const FIELDS = [
  { name: 'id', type: 'INTEGER' },
  { name: 'shop', type: 'STRING' },
  { name: 'placed', type: 'TIMESTAMP' },
  { name: 'lines', type: 'RECORD', mode: 'REPEATED', fields: [{ name: 'price', type: 'FLOAT' }] },
]
const order = (id: number, shop: string, placed: string, ...prices: readonly number[]): object => ({
  id,
  shop,
  placed,
  lines: prices.map(price => ({ price })),
})
const COMMON = [
  order(1, 'a', '2026-01-31T12:00:00.123456Z', 0.5, 1.25),
  order(2, 'a', '2026-01-31T13:00:00Z', 3),
  order(3, 'b', '2026-01-30T12:00:00Z'),
]

const manifest = (uuid: string, name: string, sql: string): string => `id: 0b7d7f0e-6f7a-4c55-9a0d-3f4a0f6f1c${uuid}
name: ${name}
description: Orders of a shop.
parameters:
  shop: { type: string, required: true, examples: [a, b] }
  period: { type: string, required: true }
  min_id: { type: int64, examples: [2] }
lookups:
  period:
    by: period
    rows:
      1day: { days: 1 }
      2day: { days: 2 }
    default: 1day
sql: |
  ${sql}
`
const WHERE =
  'WHERE shop = @shop AND placed > TIMESTAMP_SUB(@now, INTERVAL {{period.days}} DAY){{#if given.min_id}} AND id >= @min_id{{/if}}'

describeOverEmulator('sluice compare', emulator => {
  const folder = scratch()
  const compare = (argv: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Finished> =>
    command(
      [
        ...['compare', ...argv, '--now', '2026-01-31T14:00:00Z', '--engine-memory', '256', '--engine-threads', '1'],
        ...['--tables', folder.path('tables'), '--data', folder.path('data')],
      ],
      {
        BIGQUERY_EMULATOR_HOST: emulator().host,
        GOOGLE_CLOUD_PROJECT: PROJECT,
        SLUICE_TOKEN: 'unrestricted-token-of-32-letters',
        SLUICE_ENDPOINTS: folder.path('endpoints'),
        ...environment,
      },
    )

  before(async () => {
    for (const name of ['endpoints', 'tables', 'data/shop']) mkdirSync(folder.path(name), { recursive: true })
    writeFileSync(folder.path('tables/shop.orders.json'), JSON.stringify(FIELDS))
    writeFileSync(folder.path('tables/shop.changed.json'), JSON.stringify(FIELDS))
    const ndjson = (rows: readonly object[]): string => rows.map(row => `${JSON.stringify(row)}\n`).join('')
    writeFileSync(folder.path('data/shop/orders.ndjson'), ndjson(COMMON))
    const changed = [order(1, 'a', '2026-01-31T12:00:00.123457Z', 0.5, 1.5), ...COMMON.slice(1)]
    writeFileSync(folder.path('data/shop/changed.ndjson'), ndjson(changed))
    writeFileSync(
      folder.path('endpoints/orders.same.yaml'),
      manifest('11', 'orders.same', `SELECT id, placed, lines FROM \`shop.orders\` ${WHERE} ORDER BY id`),
    )
    writeFileSync(
      folder.path('endpoints/orders.changed.yaml'),
      manifest('12', 'orders.changed', `SELECT id, placed, lines FROM \`shop.changed\` ${WHERE} ORDER BY id`),
    )
    await emulator().addTable({ dataset: 'shop', table: 'orders', fields: FIELDS, rows: COMMON })
    await emulator().addTable({ dataset: 'shop', table: 'changed', fields: FIELDS, rows: COMMON })
  })
  after(() => folder.remove())

  it('reports that a call gives the same result on both engines', async () => {
    expect(await compare(['orders.same', 'shop=a', 'period=1day'])).to.deep.equal({
      code: 0,
      out: [
        'same       orders.same shop=a period=1day: 2 rows',
        '1 call at 2026-01-31T14:00:00Z: no differences',
        '',
      ].join('\n'),
      err: '',
    })
  })

  it('shows the first differing rows with both values, and exits with 1', async () => {
    const { code, out } = await compare(['orders.changed', 'shop=a', 'period=2day'])
    expect(code).to.equal(1)
    expect(out.split('\n')).to.deep.equal([
      'different  orders.changed shop=a period=2day',
      '  row 1, placed: duckdb "2026-01-31T12:00:00.123457Z", bigquery "2026-01-31T12:00:00.123456Z"',
      '  row 1, lines[1].price: duckdb 1.5, bigquery 1.25',
      '1 call at 2026-01-31T14:00:00Z: 1 different',
      '',
    ])
  })

  it('makes every call of every endpoint, and prints JSON', async () => {
    const { code, out, err } = await compare(['--all', '--format', 'json'])
    expect({ code, err }).to.deep.equal({ code: 1, err: '' })
    const { now, calls, problems } = JSON.parse(out)
    expect({ now, problems }).to.deep.equal({ now: '2026-01-31T14:00:00Z', problems: [] })
    const made = (calls as readonly { endpoint: string; arguments: object; rows: number; differences: object[] }[]).map(
      one => `${one.endpoint} ${Object.values(one.arguments).join(' ')}: ${one.rows} rows, ${one.differences.length}`,
    )
    expect(made).to.deep.equal([
      'orders.changed a 1day: 2 rows, 2',
      'orders.changed a 1day 2: 1 rows, 0',
      'orders.changed a 2day: 2 rows, 2',
      'orders.changed a 2day 2: 1 rows, 0',
      'orders.changed b 1day 2: 0 rows, 0',
      'orders.same a 1day: 2 rows, 0',
      'orders.same a 1day 2: 1 rows, 0',
      'orders.same a 2day: 2 rows, 0',
      'orders.same a 2day 2: 1 rows, 0',
      'orders.same b 1day 2: 0 rows, 0',
    ])
  })

  it('makes the calls of one endpoint with the given arguments, and reports where it stops', async () => {
    const { code, out, err } = await compare(['orders.same', '--all', 'shop=b', 'min_id=3', '--max-calls', '1'])
    expect(code).to.equal(1)
    expect(out).to.include('same       orders.same shop=b period=1day min_id=3: 0 rows\n1 call at')
    expect(err).to.equal('orders.same: 1 of 2 calls; --max-calls sets how many\n')
  })

  it('reads the tables of --dataset and of --project on both', async () => {
    const endpoints = folder.path('short')
    mkdirSync(endpoints, { recursive: true })
    const from = (uuid: string, name: string, table: string): void =>
      writeFileSync(
        `${endpoints}/${name}.yaml`,
        `id: 0b7d7f0e-6f7a-4c55-9a0d-3f4a0f6f1c${uuid}\nname: ${name}\nsql: |\n  SELECT id FROM ${table} ORDER BY id\n`,
      )
    from('21', 'of.dataset', 'orders')
    from('22', 'of.project', `\`${PROJECT}.shop.orders\``)
    // The emulator knows default datasets only in jobs.insert, with which batch queries are sent.
    const environment = { SLUICE_ENDPOINTS: endpoints, SLUICE_PRIORITY: 'batch' }
    const { code, out, err } = await compare(['--all', '--dataset', 'shop'], environment)
    expect({ code, err }, out).to.deep.equal({ code: 0, err: '' })
    expect(out).to.match(/^same {7}of\.dataset: 3 rows\nsame {7}of\.project: 3 rows\n2 calls/)
  })

  it('exits with 3 when BigQuery cannot be reached', async () => {
    const { code, err } = await compare(['orders.same', 'shop=a', 'period=1day'], {
      BIGQUERY_EMULATOR_HOST: await unusedAddress(),
    })
    expect(code).to.equal(3)
    expect(err).to.match(/^sluice: .*BigQuery|^sluice: bigquery cannot be reached: /)
  })

  const WRONG: readonly (readonly [argv: readonly string[], code: number, message: RegExp])[] = [
    [[], 2, /compare takes the name of an endpoint, or --all/],
    [['orders.none', '--all'], 2, /there is no endpoint orders\.none/],
    [['orders.same', '--rows', '0'], 2, /--rows must be a whole number from 1/],
    [['orders.same', 'shop=a', 'shop=b', 'period=1day'], 1, /shop: /],
    [['orders.none', 'a=b'], 1, /^sluice: .*endpoint/i],
  ]
  for (const [argv, code, message] of WRONG) {
    it(`refuses "${argv.join(' ')}"`, async () => {
      const finished = await compare(argv)
      expect(finished.err).to.match(message)
      expect(finished.code).to.equal(code)
    })
  }
})

/** An address at which no server listens. */
async function unusedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return `http://127.0.0.1:${port}`
}
