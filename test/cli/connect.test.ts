/** `sluice connect`: finds tool, endpoint and arguments, and prints or writes what the tool needs. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { CONNECT_TOOLS } from '../../authoring/connect/tools.js'
import { sampleOf } from '../sample-size.js'
import { command, type Finished, scratch } from './command.js'

const SALES = `id: 6b1b5a52-0c1c-4a06-9f55-3d2fa1a7c0ba
name: shop.sales
parameters:
  shop: { type: string, required: true, examples: [north] }
  size: { type: string, required: true, enum: [small, big] }
  least: { type: int64, required: true }
  level: { type: string, required: true }
  since: { type: timestamp, role: start }
  until: { type: timestamp, role: end }
lookups:
  level: { by: level, rows: { low: { n: 1 }, high: { n: 2 } }, default: reject }
columns:
  - { name: moment, type: TIMESTAMP, required: true }
  - { name: n, type: INT64, required: true, json: number, unit: ms }
sql: |
  SELECT COALESCE(@since, @until, @now) AS moment, LENGTH(@shop) + @least + {{level.n}} AS n FROM UNNEST([1]) WHERE @size != ''
`
const STOCK = `id: 6b1b5a52-0c1c-4a06-9f55-3d2fa1a7c0bb
name: shop.stock
sql: |
  SELECT 1 AS n
`
const ARGUMENTS = ['shop=north', 'size=big', 'least=1', 'level=low']

describe('connect', function () {
  this.timeout(120_000)
  const folder = scratch()
  const connect = (...words: readonly string[]): Promise<Finished> =>
    command(['connect', ...words, '--endpoints', folder.path('endpoints'), '--data', folder.path('data')])
  before(() => {
    for (const name of ['endpoints', 'data']) mkdirSync(folder.path(name), { recursive: true })
    writeFileSync(folder.path('endpoints', 'shop.sales.yaml'), SALES)
    writeFileSync(folder.path('endpoints', 'shop.stock.yaml'), STOCK)
  })
  after(() => folder.remove())

  for (const { name } of sampleOf(CONNECT_TOOLS)) {
    it(`prints the text for ${name}, without a server and without a token`, async () => {
      const words = [name, 'shop.sales', ...ARGUMENTS, '--url', 'https://data.example.com/']
      const finished = await command(
        ['connect', ...words, '--endpoints', folder.path('endpoints'), '--data', folder.path('data')],
        { SLUICE_TOKEN: 'secret-token-of-the-environment-32' },
      )
      expect([finished.code, finished.err]).to.deep.equal([0, ''])
      expect(finished.out).to.include('https://data.example.com').and.include('SLUICE_TOKEN')
      expect(finished.out).not.to.include('secret-token').and.not.include('example.com//')
    })
  }

  it('takes the endpoint by its id, and the address of the settings', async () => {
    const { out } = await connect(
      'curl',
      '6B1B5A52-0c1c-4a06-9f55-3d2fa1a7c0bb',
      '--public-url',
      'https://sluice.example',
    )
    expect(out).to.include("'https://sluice.example/api/endpoints/query/shop.stock'")
    expect((await connect('curl', 'shop.stock')).out).to.include("'http://127.0.0.1:8080/api/")
  })

  it('has examples for required arguments that are not given, and says so', async () => {
    const { code, out, err } = await connect('curl', 'shop.sales', 'shop=south')
    expect(code).to.equal(0)
    expect(out).to.include('?shop=south&size=small&least=1&level=low')
    expect(err.trim().split('\n')).to.deep.equal(
      [
        ['size', 'small'],
        ['least', '1'],
        ['level', 'low'],
      ].map(([name, value]) => `sluice: ${name} is required; the text has ${value}, which you replace with your own`),
    )
  })

  it('needs no endpoint for mcp, and takes one that is there without asking for its arguments', async () => {
    const { code, out, err } = await connect('mcp', '--url', 'https://data.example.com/')
    expect([code, err]).to.deep.equal([0, ''])
    expect(JSON.parse(out).mcpServers.sluice.url).to.equal('https://data.example.com/mcp')
    expect(await connect('mcp', 'shop.sales', '--url', 'https://data.example.com/')).to.include({ code, out, err })
    expect((await connect('mcp', 'shop.slaes')).err).to.include('there is no endpoint "shop.slaes"')
  })

  const REFUSED: readonly (readonly [says: string, words: readonly string[], code: number, err: string])[] = [
    [
      'an unknown tool',
      ['grafanna', 'shop.sales'],
      2,
      'unknown tool "grafanna"; did you mean "grafana"?; there are curl',
    ],
    ['an unknown endpoint', ['curl', 'shop.slaes'], 1, 'there is no endpoint "shop.slaes"; did you mean "shop.sales"?'],
    ['an unknown argument', ['curl', 'shop.sales', 'shpo=x'], 2, 'has no parameter "shpo"; did you mean "shop"?'],
    ['an argument of an endpoint without parameters', ['curl', 'shop.stock', 'a=x'], 2, 'it has no parameters'],
    ['an argument without a value', ['curl', 'shop.sales', 'shop'], 2, 'an argument must be name=value, found "shop"'],
    ['an argument of another type', ['curl', 'shop.sales', 'shop=south', 'least=abc'], 2, 'shop.sales: least must be'],
    ['no endpoint', ['curl'], 2, 'connect curl needs the name of an endpoint'],
    ['an address with a password', ['curl', 'shop.stock', '--url', 'http://a:b@c'], 2, '--url must be an http'],
    ['--all for another tool', ['curl', '--all'], 2, '--all is for grafana'],
    ['--all with an endpoint', ['grafana', 'shop.stock', '--all'], 2, '--all takes no endpoint, found "shop.stock"'],
    ['--out without --all', ['grafana', 'shop.stock', '--out', 'x'], 2, '--out needs --all'],
  ]
  for (const [says, words, code, err] of sampleOf(REFUSED)) {
    it(`refuses ${says}`, async () => {
      const finished = await connect(...words)
      expect([finished.code, finished.out]).to.deep.equal([code, ''])
      expect(finished.err).to.include(err)
    })
  }

  it('writes a folder that provisions Grafana', async () => {
    const out = folder.path('provisioning')
    const finished = await connect('grafana', '--all', '--out', out, '--url', 'https://data.example.com')
    expect([finished.code, finished.out, finished.err]).to.deep.equal([
      0,
      '',
      `wrote ${out}: a data source and 2 dashboards\n`,
    ])
    const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter(
      path => /\.\w+$/.test(path) && !/sluice$/.test(path),
    )
    expect(files.sort()).to.deep.equal([
      'dashboards/sluice.yaml',
      'dashboards/sluice/shop.sales.json',
      'dashboards/sluice/shop.stock.json',
      'datasources/sluice.yaml',
    ])
    const { panels } = JSON.parse(
      readFileSync(folder.path('provisioning', 'dashboards/sluice/shop.sales.json'), 'utf8'),
    )
    expect(panels[0].type).to.equal('timeseries')
    expect(
      panels[0].targets[0].url_options.params.slice(-2).map((one: { readonly key: string }) => one.key),
    ).to.deep.equal(['since', 'until'])
    const taken = folder.path('taken')
    writeFileSync(taken, '')
    const refused = await connect('grafana', '--all', '--out', taken)
    expect(refused.code).to.equal(3)
    expect(refused.err).to.include(`cannot write ${taken}`)
  })

  it('goes on beside a broken manifest, and names its mistakes where it is asked for', async () => {
    const file = folder.path('endpoints', 'broken.yaml')
    writeFileSync(file, STOCK.replace('c0bb', 'c0bc').replace('shop.stock', 'shop.broken').replace('1 AS n', 'm'))
    try {
      expect((await connect('curl', 'shop.stock')).code).to.equal(0)
      const { code, err } = await connect('curl', 'shop.broken')
      expect(code).to.equal(1)
      expect(err).to.include('broken.yaml:4:10: Unrecognized name: m')
    } finally {
      writeFileSync(file, STOCK.replace('c0bb', 'c0bc').replace('shop.stock', 'shop.broken'))
    }
  })
})
