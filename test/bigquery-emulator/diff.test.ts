/** `sluice diff --engine bigquery`: the warehouse is asked what each variant of both sides reads. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { command, type Finished, scratch } from '../cli/command.js'
import { describeOverEmulator, PROJECT } from './emulator.js'

const FIELDS = [
  { name: 'product', type: 'STRING' },
  { name: 'country', type: 'STRING' },
  { name: 'sold', type: 'TIMESTAMP' },
]
const MANIFEST = `id: 5b1c1d52-8a0e-4a58-9b0c-0123456789ab
name: shop.sales
description: Sales.
parameters:
  country: { type: string, description: Only from here. }
sql: |
  SELECT product, COUNT(*) AS orders
  FROM \`shop.orders\`
  WHERE sold < @now {{#if given.country}}AND country = @country{{/if}}
  GROUP BY product
`

describeOverEmulator('sluice diff over an emulator', emulator => {
  const folder = scratch()
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(folder.path(name)), { recursive: true })
    writeFileSync(folder.path(name), text)
  }
  const diff = (...more: readonly string[]): Promise<Finished> =>
    command(
      [
        'diff',
        folder.path('before'),
        folder.path('after'),
        '--engine',
        'bigquery',
        '--tables',
        folder.path('tables'),
        ...more,
      ],
      { BIGQUERY_EMULATOR_HOST: emulator().host, GOOGLE_CLOUD_PROJECT: PROJECT },
    )

  before(async () => {
    const rows = Array.from({ length: 50 }, (_, i) => ({
      product: `p${i}`,
      country: 'DE',
      sold: '2026-01-01T00:00:00Z',
    }))
    for (const table of ['orders', 'returns'])
      await emulator().addTable({ dataset: 'shop', table, fields: FIELDS, rows })
    // Only one of the tables has a schema here; the warehouse knows both.
    write('tables/shop.orders.json', JSON.stringify(FIELDS))
    write('before/shop.sales.yaml', MANIFEST)
  })
  after(() => folder.remove())

  it('finds no change between equal folders', async () => {
    write('after/shop.sales.yaml', MANIFEST.replace('SELECT product', '-- By product.\n  SELECT product'))
    const { code, out, err } = await diff()
    expect({ code, out, err }).to.deep.equal({ code: 0, out: 'no changes\n', err: '' })
  })

  it('tells what changes, also over a table that only the warehouse knows', async () => {
    write('after/shop.sales.yaml', MANIFEST.replace('shop.orders', 'shop.returns').replace('AS orders', 'AS returns'))
    const { code, out, err } = await diff('--format', 'json')
    expect({ code, err }).to.deep.equal({ code: 1, err: '' })
    const { changes, diagnostics } = JSON.parse(out) as {
      changes: readonly { kind: string; detail: string; lines?: readonly string[] }[]
      diagnostics: readonly unknown[]
    }
    expect(diagnostics).to.deep.equal([])
    expect(changes.map(({ detail }) => detail)).to.include('the column orders was renamed to returns')
    // Nothing here shows that a count over such a table is never NULL.
    expect(changes.map(({ kind }) => kind)).to.not.include('column/widened')
    const { lines } = changes.find(({ kind }) => kind === 'sql/changed')!
    expect(lines).to.include.members(['- FROM `shop.orders`', '+ FROM `shop.returns`'])
  })

  it('tells what the warehouse refuses', async () => {
    write('after/shop.sales.yaml', MANIFEST.replace('shop.orders', 'shop.absent'))
    const { code, out, err } = await diff()
    expect({ code, out }).to.deep.equal({
      code: 1,
      out: 'no changes; 1 error: manifests with errors are not compared\n',
    })
    const file = folder.path('after/shop.sales.yaml')
    expect(err).to.match(RegExp(`^${file}:\\d+:\\d+: .*shop\\.absent.* \\[sql/error\\]\n$`))
  })

  it('has a refusal of several lines in one line', async () => {
    write('after/shop.sales.yaml', MANIFEST.replace('SELECT product', 'SELECT prodct'))
    const { code, err } = await diff()
    expect(code).to.equal(1)
    expect(err).to.match(/^\S+shop\.sales\.yaml:\d+:\d+: .*prodct.* \[sql\/error\]\n$/)
  })
})
