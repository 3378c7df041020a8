/** `--dry-run` of `call` and `query`: what would be read, on both engines, without running anything. */
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import { sizeText } from '../../authoring/terminal/size-text.js'
import { openFakeBigQuery } from '../engines/bigquery/fake-bigquery.js'
import { itInAll } from '../sample-size.js'
import { command, type Finished, scratch } from './command.js'

const EVENTS = `id: 6b6f0d3c-7a51-4d0e-9d1f-0c5a8f2e4b20
name: shop.events
parameters:
  since: { type: date, required: true }
sql: |
  SELECT e.id, s.name FROM \`shop.events\` AS e JOIN \`shop.stock\` AS s USING (id) WHERE DATE(e.made) >= @since
`
const EVENTS_TABLE = {
  timePartitioning: { type: 'DAY', field: 'made' },
  schema: {
    fields: [
      { name: 'id', type: 'INTEGER' },
      { name: 'made', type: 'TIMESTAMP' },
    ],
  },
}
const STOCK_TABLE = [
  { name: 'id', type: 'INTEGER' },
  { name: 'name', type: 'STRING' },
]

describe('--dry-run', () => {
  const folder = scratch()
  const write = (name: string, contents: string): void => {
    mkdirSync(dirname(folder.path(name)), { recursive: true })
    writeFileSync(folder.path(name), contents)
  }
  const flags = ['--tables', folder.path('tables'), '--engine-memory', '256']
  const local = [...flags, '--data', folder.path('data')]
  const call = (...argv: readonly string[]): Promise<Finished> =>
    command(['call', 'shop.events', ...argv, '--dry-run', '--endpoints', folder.path('endpoints'), ...local])
  const query = (...argv: readonly string[]): Promise<Finished> => command(['query', ...argv, '--dry-run', ...local])

  before(async () => {
    write('endpoints/shop.events.yaml', EVENTS)
    write('tables/shop.events.json', JSON.stringify(EVENTS_TABLE))
    write('tables/shop.stock.json', JSON.stringify(STOCK_TABLE))
    write('tables/ga.hits_*.json', JSON.stringify(STOCK_TABLE))
    // Neither is a row that a query could read: only a query that runs would say so.
    write('data/shop/stock.ndjson', '{broken\n')
    for (const day of [1, 2, 3]) write(`data/ga/hits_2026010${day}.parquet`, 'no Parquet')
    const rows = [1, 2, 3].map(id => `${JSON.stringify({ id, made: `2026-01-0${id}T12:00:00Z` })}\n`)
    const { code, err } = await command(
      [
        'import',
        'shop.events',
        '-',
        '--input-format',
        'ndjson',
        '--tables',
        folder.path('tables'),
        '--data',
        folder.path('data'),
      ],
      {},
      rows.join(''),
    )
    expect(code, err).to.equal(0)
  })
  after(() => folder.remove())

  it('tells the partitions, files and bytes that a call would open, and opens none', async () => {
    const json = JSON.parse((await call('since=2026-01-02', '--format', 'json')).out) as {
      bytes: number
      tables: readonly { bytes: number }[]
    }
    const [events, stock] = json.tables
    expect(json).to.deep.equal({
      engine: 'duckdb',
      tables: [
        { table: 'shop.events', files: 2, bytes: events!.bytes, parts: { kind: 'partitions', read: 2, of: 3 } },
        { table: 'shop.stock', files: 1, bytes: statSync(folder.path('data/shop/stock.ndjson')).size, parts: null },
      ],
      files: 3,
      bytes: events!.bytes + stock!.bytes,
    })
    expect(await call('since=2026-01-02')).to.deep.equal({
      code: 0,
      out: [
        `shop.events: 2 of 3 partitions, 2 files, ${sizeText(events!.bytes)}\n`,
        `shop.stock: 1 file, ${sizeText(stock!.bytes)}\n`,
        `total: 3 files, ${sizeText(json.bytes)}\n`,
      ].join(''),
      err: '',
    })
    const all = await call('since=2026-01-01')
    expect(all.out).to.contain('shop.events: 3 of 3 partitions, 3 files')
    const none = await call('since=2027-01-01')
    expect(none.out).to.contain('shop.events: 0 of 3 partitions, 0 files, 0 B\n')
  })

  itInAll('checks the arguments as a call does', async () => {
    expect(await call('since=soon')).to.include({ code: 1, out: '' })
    expect((await call('sinse=2026-01-01')).err).to.contain('did you mean "since"?')
  })

  itInAll('tells the shards, and counts a file once that two places read', async () => {
    const bound = 'SELECT id FROM `ga.hits_*` WHERE _TABLE_SUFFIX > @day'
    expect(await query(bound, '-p', 'day=20260101')).to.deep.equal({
      code: 0,
      out: 'ga.hits_*: 2 of 3 shards, 2 files, 20 B\ntotal: 2 files, 20 B\n',
      err: '',
    })
    const twice = await query(`${bound} UNION ALL SELECT id FROM ga.hits_20260103`, '-p', 'day=20260101')
    expect(twice.out).to.contain('ga.hits_20260103: 1 file, 10 B\ntotal: 2 files, 20 B\n')
    const either = await query(
      `${bound} UNION ALL SELECT id FROM \`ga.hits_*\` WHERE _TABLE_SUFFIX = '20260101'`,
      '-p',
      'day=20260102',
    )
    expect(either.out).to.contain('ga.hits_*: 2 of 3 shards')
  })

  itInAll('reads a partition that one of two reads of its table needs', async () => {
    const [first, last] = ["made < '2026-01-01T20:00:00Z'", "made >= '2026-01-03'"]
    const { out } = await query(
      `SELECT id FROM shop.events WHERE ${first} UNION ALL SELECT id FROM shop.events WHERE ${last}`,
    )
    expect(out).to.contain('shop.events: 2 of 3 partitions, 2 files')
    expect((await query('SELECT id FROM shop.events WHERE id = 1')).out).to.contain('3 of 3 partitions')
  })

  it('of a query minds no mistake in the schema of another table', async () => {
    write('tables/shop.broken.json', '[{ "name": "a", "type": "INTEGR" }]')
    const { code, out } = await query('SELECT 1 AS a')
    expect([code, out]).to.deep.equal([0, 'no table is read\n'])
    rmSync(folder.path('tables/shop.broken.json'))
  })

  it('tells of a query without tables, and refuses mistakes and what it cannot print', async () => {
    expect((await query('SELECT 1 AS n')).out).to.equal('no table is read\n')
    const mistake = await query('SELECT foo FROM shop.stock')
    expect([mistake.code, mistake.out]).to.deep.equal([1, ''])
    expect(mistake.err).to.contain('Unrecognized name: foo at [1:8]')
    expect(await query('SELECT 1', '--format', 'csv')).to.deep.equal({
      code: 2,
      out: '',
      err: 'sluice: --dry-run needs --format text or json, found csv\n',
    })
    expect(await query('SELECT 1', '--explain')).to.include({
      code: 2,
      err: 'sluice: --dry-run or --explain, not both\n',
    })
  })

  it('knows no size of a table in a database file', async () => {
    const path = folder.path('shop.duckdb')
    const instance = await DuckDBInstance.create(path)
    const connection = await instance.connect()
    await connection.run('CREATE SCHEMA db; CREATE TABLE db.items AS SELECT 1 AS id')
    connection.closeSync()
    instance.closeSync()
    const { out, err } = await command(['query', 'SELECT id FROM db.items', '--dry-run', '--database', path, ...flags])
    expect(out, err).to.equal('db.items: in the database file\ntotal: 0 files, 0 B\n')
  })

  it('tells bytes and price on BigQuery, and starts no job', async () => {
    const fake = await openFakeBigQuery(Date.now)
    try {
      fake.plan = () => ({ fields: [{ name: 'id', type: 'INTEGER' }], bytesProcessed: 1_400_000_000, tables: 2 })
      const warehouse = ['--dry-run', '--engine', 'bigquery', '--project', 'p', '--tables', folder.path('tables')]
      const ask = (...argv: readonly string[]) => command([...argv, ...warehouse], { BIGQUERY_EMULATOR_HOST: fake.url })
      const endpoints = ['--endpoints', folder.path('endpoints')]
      expect(await ask('call', 'shop.events', 'since=2026-01-02', ...endpoints)).to.deep.equal({
        code: 0,
        out: '2 tables, 1.4 GB, 0.0080 USD\n',
        err: '',
      })
      const asked = fake.exchanges.at(-1)
      expect(JSON.stringify(asked)).to.contain('2026-01-02')
      const { out } = await ask('query', 'SELECT id FROM d.t', '--price-per-tib', '0', '--format', 'json')
      expect(JSON.parse(out)).to.deep.equal({ engine: 'bigquery', bytes: 1_400_000_000, tables: 2, usd: 0 })
      expect(fake.jobs.all).to.have.length(0)
      fake.plan = sql =>
        sql === 'SELECT 1' ? {} : { failure: { status: 400, reason: 'invalidQuery', message: 'no such table' } }
      expect(await ask('query', 'SELECT id FROM d.gone')).to.include({ code: 1, out: '' })
    } finally {
      await fake.close()
    }
  })
})
