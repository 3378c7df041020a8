/** The mode REQUIRED of fields within records reaches all that callers get: documents, clients, Arrow and Parquet. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromIPC } from 'apache-arrow'
import { expect } from 'chai'
import { commandBytes, scratch } from './command.js'

const sku = { name: 'sku', type: 'STRING', mode: 'REQUIRED' }
const city = { name: 'city', type: 'STRING', mode: 'REQUIRED' }
const SCHEMA = [
  { name: 'id', type: 'STRING', mode: 'REQUIRED' },
  { name: 'ship', type: 'RECORD', fields: [city, { name: 'note', type: 'STRING' }] },
  { name: 'lines', type: 'RECORD', mode: 'REPEATED', fields: [sku] },
]
const MANIFEST = `id: 1d3c1a52-6a55-4f6e-9a5c-1b5a7c9d0e11
name: shop.orders
description: All orders.
settings: { cache: { ttl_seconds: 60 } }
sql: |
  SELECT id, ship, ship.city, lines FROM shop.orders ORDER BY id
`
const ROWS = [
  { id: '1', ship: null, lines: [] },
  { id: '2', ship: { city: 'Rome', note: null }, lines: [{ sku: 'x' }] },
]

describe('REQUIRED fields of records, for callers', function () {
  this.timeout(60_000)
  const folder = scratch()
  const print = async (...argv: readonly string[]): Promise<Buffer> => {
    const folders = ['endpoints', 'tables', 'data'].flatMap(name => [`--${name}`, folder.path(name)])
    const { code, out, err } = await commandBytes([...argv, ...folders])
    expect([code, err.trim()]).to.deep.equal([0, ''])
    return out
  }
  const call = (format: string): Promise<Buffer> => print('call', 'shop.orders', '--format', format)

  before(() => {
    for (const name of ['tables', 'endpoints', 'data/shop']) mkdirSync(folder.path(name), { recursive: true })
    writeFileSync(folder.path('tables', 'shop.orders.json'), JSON.stringify(SCHEMA))
    writeFileSync(folder.path('endpoints', 'shop.orders.yaml'), MANIFEST)
    writeFileSync(folder.path('data/shop/orders.ndjson'), ROWS.map(row => `${JSON.stringify(row)}\n`).join(''))
  })
  after(() => folder.remove())

  it('are in the document', async () => {
    const { properties } = JSON.parse(String(await print('openapi'))).components.schemas['shop.orders.row']
    const text = { type: 'string' }
    const nullable = { type: ['string', 'null'] }
    expect(properties.id).to.include(text)
    expect(properties.ship.type).to.deep.equal(['object', 'null'])
    expect(properties.ship.properties).to.deep.equal({ city: text, note: nullable })
    expect(properties.city.type).to.deep.equal(nullable.type)
    expect(properties.lines.items.properties).to.deep.equal({ sku: text })
  })

  it('are in the client', async () => {
    const client = String(await print('client', '--lang', 'ts'))
    const types = client.replaceAll(/\/\*\*.*?\*\/\n/g, '').replaceAll(/\s+/g, ' ')
    expect(types).to.include(
      'row: { id: string ship: { city: string note: string | null } | null city: string | null lines: { sku: string }[] }',
    )
  })

  it('are in Arrow', async () => {
    const table = tableFromIPC(await call('arrow'))
    const [id, ship, city_, lines] = table.schema.fields
    expect([id, ship, city_, lines].map(field => field!.nullable)).to.deep.equal([false, true, true, false])
    expect(ship!.type.children.map((field: { nullable: boolean }) => field.nullable)).to.deep.equal([false, true])
    expect(lines!.type.children[0].type.children[0].nullable).to.equal(false)
    expect(table.toArray().map(row => JSON.parse(JSON.stringify(row)))).to.deep.equal([
      { id: '1', ship: null, city: null, lines: [] },
      { id: '2', ship: { city: 'Rome', note: null }, city: 'Rome', lines: [{ sku: 'x' }] },
    ])
  })

  it('are in Parquet', async () => {
    const instance = await DuckDBInstance.create()
    const connection = await instance.connect()
    writeFileSync(folder.path('orders.parquet'), await call('parquet'))
    const asked = (sql: string) => connection.runAndReadAll(sql, { path: folder.path('orders.parquet') })
    const schema = await asked('SELECT name, repetition_type FROM parquet_schema($path)')
    expect(Object.fromEntries(schema.getRowsJson())).to.include({ note: 'OPTIONAL', sku: 'REQUIRED', ship: 'OPTIONAL' })
    const rows = await asked(
      'SELECT ship IS NULL, ship.city, city, [one.sku FOR one IN lines]::VARCHAR FROM read_parquet($path)',
    )
    expect(rows.getRowsJson()).to.deep.equal([
      [true, null, null, '[]'],
      [false, 'Rome', 'Rome', '[x]'],
    ])
    instance.closeSync()
  })
})
