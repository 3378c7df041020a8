import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'chai'
import { itInAll } from '../sample-size.js'
import { command, scratch } from './command.js'

describe('the tables of the embedded engine', () => {
  const folder = scratch()
  const flags = ['--tables', folder.path('tables'), '--data', folder.path('data'), '--engine-memory', '256']
  const list = (...more: readonly string[]) => command(['tables', 'list', ...flags, ...more])
  const describeIt = (table: string, ...more: readonly string[]) =>
    command(['tables', 'describe', table, ...flags, ...more])

  before(async () => {
    for (const name of ['tables', 'data/shop', 'data/raw']) mkdirSync(folder.path(name), { recursive: true })
    writeFileSync(
      folder.path('tables', 'shop.orders.json'),
      JSON.stringify([
        { name: 'id', type: 'INTEGER', mode: 'REQUIRED', description: 'Number of the order.' },
        { name: 'ordered_at', type: 'TIMESTAMP' },
        {
          name: 'lines',
          type: 'RECORD',
          mode: 'REPEATED',
          fields: [{ name: 'sku', type: 'STRING', mode: 'REQUIRED' }],
        },
      ]),
    )
    writeFileSync(folder.path('tables', 'shop.empty.json'), '[{"name":"a","type":"STRING"}]')
    writeFileSync(
      folder.path('data', 'shop', 'orders.ndjson'),
      '{"id":1,"ordered_at":"2026-01-05T09:30:00Z","lines":[]}\n{"id":2,"ordered_at":"2026-01-07T00:00:00Z","lines":[{"sku":"x"}]}\n',
    )
    const instance = await DuckDBInstance.create()
    const odd = folder.path('data', 'raw', 'odd.parquet')
    await (await instance.connect()).run(
      `COPY (SELECT 7::UBIGINT AS n, MAP {'k': 1} AS m, TIMESTAMP_NS '2026-01-05 00:00:00.000001' AS t, ` +
        `1.5::DECIMAL(38, 20) AS d, [[1]] AS nested) TO '${odd}' (FORMAT parquet)`,
    )
    instance.closeSync()
  })
  after(() => folder.remove())

  it('are listed with rows, files, size and time, and what cannot be read is named', async () => {
    const { code, out, err } = await list()
    expect(code).to.equal(0)
    expect(out.replace(/\d{3} B {2}t /, '999 B  t ')).to.equal(
      `table        columns  rows  files   size  time        from                        to
-----------  -------  ----  -----  -----  ----------  --------------------------  --------------------------
raw.odd            4     1      1  999 B  t           2026-01-05T00:00:00.000001  2026-01-05T00:00:00.000001
shop.empty         1     0      0    0 B
shop.orders        3     2      1  123 B  ordered_at  2026-01-05T09:30:00Z        2026-01-07T00:00:00Z
3 tables
`,
    )
    expect(err).to.match(/^raw\.odd\.nested cannot be read: its type INTEGER\[\]\[\] has no equivalent in GoogleSQL; /)
  })

  it('are listed for tools', async () => {
    const { out } = await list('--format', 'json')
    const [odd, , orders] = JSON.parse(out)
    expect(odd.unreadable).to.have.length(1)
    expect(odd).to.deep.include({ table: 'raw.odd', schema: null, rows: 1, problem: null })
    expect(orders).to.deep.include({ table: 'shop.orders', rows: 2, files: 1, bytes: 123, columns: 3, unreadable: [] })
    expect(orders.time).to.deep.equal({
      column: 'ordered_at',
      first: '2026-01-05T09:30:00Z',
      last: '2026-01-07T00:00:00Z',
    })
  })

  it('are described by columns with a value of each, also within records', async () => {
    const { code, out, err } = await describeIt('shop.orders')
    expect([code, err]).to.deep.equal([0, ''])
    expect(out.replaceAll(/\S*\/(data|tables)\//g, '$1/')).to.equal(
      `shop.orders: 2 rows, 123 B
schema: tables/shop.orders.json
ordered_at: from 2026-01-05T09:30:00Z to 2026-01-07T00:00:00Z
data/shop/orders.ndjson

column      type             example               description
----------  ---------------  --------------------  --------------------
id          INT64 REQUIRED   1                     Number of the order.
ordered_at  TIMESTAMP        2026-01-05T09:30:00Z
lines       ARRAY<STRUCT>    []
lines.sku   STRING REQUIRED  x
`,
    )
  })

  itInAll('are described where GoogleSQL lacks one of their types, with the values that it has', async () => {
    const { out, err } = await describeIt('raw.odd', '--format', 'json')
    const { columns } = JSON.parse(out)
    expect(columns.map(({ name, type, example }: Record<string, unknown>) => [name, type, example])).to.deep.equal([
      ['n', 'NUMERIC', '7'],
      ['m', 'ARRAY<STRUCT>', [{ key: 'k', value: 1 }]],
      ['m.key', 'STRING', 'k'],
      ['m.value', 'INT64', 1],
      ['t', 'DATETIME', '2026-01-05T00:00:00.000001'],
      ['d', 'BIGNUMERIC', '1.5'],
    ])
    expect(err).to.equal('')
    const query = await command(['query', 'SELECT nested FROM `raw.odd`', ...flags])
    expect(query.err).to.include('nested').and.to.include('no equivalent in GoogleSQL')
  })

  it('that no query can read are named by validate', async () => {
    const { code, out } = await command(['validate', ...flags, '--endpoints', folder.path('none'), '--format', 'json'])
    expect(code).to.equal(1)
    const [told] = JSON.parse(out).filter(({ rule }: { readonly rule: string }) => rule === 'table/unreadable')
    expect(told).to.include({ severity: 'warning', line: 1 })
    expect(told.file).to.match(/raw\/odd\.parquet$/)
    expect(told.message).to.include('column nested of raw.odd cannot be read')
  })

  it('whose Parquet file does not fit its schema are named by validate', async () => {
    const [schema, file] = [folder.path('tables', 'raw.unfit.json'), folder.path('data', 'raw', 'unfit.parquet')]
    writeFileSync(schema, '[{"name": "n", "type": "DATE"}]')
    copyFileSync(folder.path('data', 'raw', 'odd.parquet'), file)
    const { out } = await command(['validate', ...flags, '--endpoints', folder.path('none'), '--format', 'json'])
    const told = JSON.parse(out).find(({ message }: { readonly message: string }) => message.startsWith('raw.unfit'))
    expect(told).to.include({ severity: 'warning', rule: 'table/unreadable' })
    expect(told.file).to.match(/raw\/unfit\.parquet$/)
    expect(told.message).to.match(/^raw\.unfit cannot be read: raw\.unfit\.n is DATE by its schema, but the file has /)
    rmSync(schema)
    rmSync(file)
  })

  it('that are not there are a usage error with the likely name', async () => {
    const { code, err } = await describeIt('shop.order')
    expect(code).to.equal(2)
    expect(err).to.equal('sluice: there is no table shop.order; did you mean "shop.orders"?\n')
  })

  itInAll('whose rows or files cannot be read are named, and the others are shown', async () => {
    writeFileSync(folder.path('data', 'shop', 'empty.ndjson'), '{"a":\n')
    writeFileSync(folder.path('data', 'raw', 'bare.csv.gz'), gzipSync('a\n1\n'))
    const { code, out, err } = await list()
    expect(code).to.equal(1)
    expect(out)
      .to.match(/^raw\.bare +0 +\? +1 /m)
      .and.to.match(/^shop\.empty +1 +\? +1 /m)
      .and.to.match(/^shop\.orders +3 +2 /m)
    expect(err)
      .to.match(
        /^raw\.bare cannot be read: there is a data file for it, but no table schema raw\.bare\.json; `sluice tables infer raw\.bare \S+bare\.csv\.gz` writes one$/m,
      )
      .and.to.match(/^shop\.empty cannot be read: \S+empty\.ndjson:1:6: /m)
  })

  itInAll('that have a value which no type holds are named with its column', async () => {
    const instance = await DuckDBInstance.create()
    await (await instance.connect()).run(
      "COPY (SELECT 1 AS id, TIMESTAMP_NS '2026-01-01 00:00:00.123456789' AS at, 'x' AS name) " +
        `TO '${folder.path('data', 'raw', 'fine.parquet')}' (FORMAT parquet)`,
    )
    instance.closeSync()
    const { code, out, err } = await describeIt('raw.fine')
    expect(code).to.equal(1)
    expect(out)
      .to.match(/^raw\.fine: rows unknown, /)
      .and.to.match(/^name +STRING/m)
    expect(err).to.match(/^raw\.fine cannot be read: raw\.fine\.at has a value that is not DATETIME/)
  })

  itInAll('that have such a value in a column without a time are listed and described with it', async () => {
    writeFileSync(folder.path('tables', 'raw.large.json'), '[{"name":"n","type":"INTEGER"}]')
    const path = folder.path('data', 'raw', 'large.parquet')
    const instance = await DuckDBInstance.create()
    await (await instance.connect()).run(`COPY (SELECT 18446744073709551615::UBIGINT AS n) TO '${path}'`)
    instance.closeSync()
    const told = [await describeIt('raw.large'), await list()]
    for (const file of [path, folder.path('tables', 'raw.large.json')]) rmSync(file)
    for (const { code, err } of told) {
      expect(code).to.equal(1)
      expect(err).to.match(
        /^raw\.large cannot be read: raw\.large\.n has a value that is not INT64: 18446744073709551615/m,
      )
    }
  })

  it('need their folder', async () => {
    const { code, err } = await command(['tables', 'list', '--data', folder.path('nowhere')])
    expect(code).to.equal(3)
    expect(err).to.include('is not there: make it')
  })
})
