import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { itInAll } from '../sample-size.js'
import { command, type Finished, scratch } from './command.js'

// biome-ignore lint/suspicious/noExplicitAny: a document is JSON, and each test asserts what it reads
type Json = any

const QUERY = '/api/endpoints/query'
const openapi = (...argv: readonly string[]): Promise<Finished> =>
  command(['openapi', '--data', 'no-such-folder', '--engine-memory', '256', ...argv])
const documentOf = async (...argv: readonly string[]): Promise<Json> => JSON.parse((await openapi(...argv)).out)

describe('sluice openapi', () => {
  let document: Json

  it('prints the document of every endpoint, without data and without a server', async () => {
    const { code, out, err } = await openapi()
    expect([code, err]).to.deep.equal([0, ''])
    document = JSON.parse(out)
    expect(document.openapi).to.equal('3.1.1')
    expect(document.servers).to.deep.equal([{ url: 'http://127.0.0.1:8080' }])
    expect(Object.keys(document.paths)).to.deep.equal(
      ['functions.invocation-stats', 'logs.all', 'usage.api-counts'].map(name => `${QUERY}/${name}`),
    )
  })

  it('has the complete rows of the compiled query, also where columns leave fields open', () => {
    const { components } = document
    const { metadata, timestamp } = components.schemas['logs.all.row'].properties
    expect(metadata['x-sluice-type']).to.match(/^ARRAY<STRUCT<.*request ARRAY<STRUCT</)
    expect(metadata.items.properties.request.items.properties.method).to.deep.equal({ type: ['string', 'null'] })
    expect(timestamp.format).to.equal('date-time')
  })

  it('has the rows of lookup tables: the only values where others are refused, else examples', () => {
    const { paths } = document
    const intervalOf = (name: string): Json =>
      paths[`${QUERY}/${name}`].get.parameters.find((one: Json) => one.name === 'interval')
    expect(intervalOf('usage.api-counts').schema.enum).to.deep.equal(['hourly', 'daily', 'minutely'])
    const { schema, description } = intervalOf('functions.invocation-stats')
    expect(schema).not.to.have.property('enum')
    expect(schema.examples).to.include.members(['5min', '7day'])
    expect(description).to.match(/Any other value counts as 1day\.$/)
  })

  itInAll('is for a token of these patterns and pins', async () => {
    const { paths } = await documentOf('--allow', 'logs.*', 'usage.*', '--pin', 'project=abc')
    expect(Object.keys(paths)).to.deep.equal([`${QUERY}/logs.all`, `${QUERY}/usage.api-counts`])
    const { get } = paths[`${QUERY}/logs.all`]
    expect(get['x-sluice-pinned']).to.deep.equal(['project'])
    expect(get.parameters.map((one: Json) => one.name)).not.to.include('project')
  })

  it('warns of patterns and pins that mean nothing here', async () => {
    const { code, err } = await openapi('--allow', 'log.*', '--pin', 'projct=abc')
    expect(code).to.equal(0)
    expect(err).to.match(/no endpoint is named "log\.\*"/)
    expect(err).to.match(/no endpoint declares "projct".*did you mean "project"/)
  })

  it('is OpenAPI 3.0 with --version 3.0, at the address of --url', async () => {
    const older = await documentOf('--version', '3.0', '--url', 'https://data.example.com')
    expect([older.openapi, older.servers[0].url]).to.deep.equal(['3.0.3', 'https://data.example.com'])
    expect(JSON.stringify(older)).not.to.include('"null"')
  })

  it('refuses other versions and addresses', async () => {
    expect((await openapi('--version', '2.0')).code).to.equal(2)
    const { code, err } = await openapi('--url', 'data.example.com')
    expect(code).to.equal(2)
    expect(err).to.match(/--public-url must be an http/)
  })

  it('leaves --version of the program as it is', async () => {
    expect((await command(['--version'])).out).to.match(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('sluice openapi --examples', () => {
  const folder = scratch()
  const endpoints = folder.path('endpoints')
  const example = folder.path('endpoints', 'deep', 'shop.counts.example.json')
  const MANIFEST = `id: 0b7d7f0e-6f7a-4c55-9a0d-3f4a0f6f1c11
name: shop.counts
parameters:
  least: { type: int64, required: true, description: The first number., examples: [9, 2] }
sql: |
  SELECT n, @now AS moment, NUMERIC '0.10' AS exact, JSON '[12345678901234567890]' AS document FROM UNNEST([1, 2, 3]) AS n WHERE n >= @least ORDER BY n
`
  const write = (...argv: readonly string[]): Promise<Finished> =>
    command(['openapi', '--examples', '--now', '2026-01-31T12:00:00Z', ...settings, ...argv])
  const settings = ['--endpoints', endpoints, '--data', folder.path('data'), '--engine-memory', '256']

  before(() => {
    mkdirSync(folder.path('endpoints', 'deep'), { recursive: true })
    mkdirSync(folder.path('data'))
    writeFileSync(folder.path('endpoints', 'deep', 'any.yaml'), MANIFEST)
  })
  after(() => folder.remove())

  it('writes two rows beside the manifest, of the first call of examples that has them, and shows them', async () => {
    const { code, out, err } = await write()
    expect([code, err]).to.deep.equal([0, 'shop.counts: an example is written\n'])
    const text = readFileSync(example, 'utf8')
    expect(JSON.parse(text).result).to.deep.equal([
      { n: 2, moment: '2026-01-31T12:00:00Z', exact: '0.1', document: [12345678901234567890n].map(Number) },
      { n: 3, moment: '2026-01-31T12:00:00Z', exact: '0.1', document: [12345678901234567890n].map(Number) },
    ])
    for (const written of [text, out]) expect(written).to.match(/\s12345678901234567890\s/)
    const { content } = JSON.parse(out).paths[`${QUERY}/shop.counts`].get.responses['200']
    expect(content['application/json'].example).to.deep.equal(JSON.parse(text))
  })

  it('takes pins for arguments', async () => {
    expect((await write('--pin', 'least=3')).code).to.equal(0)
    expect(JSON.parse(readFileSync(example, 'utf8')).result.map((row: Json) => row.n)).to.deep.equal([3])
  })

  it('says where no call gives rows, and leaves the file as it is', async () => {
    const { code, err } = await write('--pin', 'least=4')
    expect(code).to.equal(1)
    expect(err).to.match(/^shop\.counts: no example: no call .* gives rows/)
    expect(JSON.parse(readFileSync(example, 'utf8')).result).to.have.length(1)
  })

  it('goes on after an endpoint that fails, and says why it does', async () => {
    const failing = MANIFEST.replace('c11', 'c12')
      .replace('shop.counts', 'shop.broken')
      .replace('SELECT n', 'SELECT 1 / (n - n)')
    writeFileSync(folder.path('endpoints', 'broken.yaml'), failing)
    const { code, err } = await write()
    rmSync(folder.path('endpoints', 'broken.yaml'))
    expect([code, ...err.split('\n')]).to.deep.equal([
      1,
      'shop.broken: no example: division by zero: 1 / 0',
      'shop.counts: an example is written',
      '',
    ])
    expect((await write('--pin', 'least=3')).code).to.equal(0)
  })

  it('gives files that validate compares with the contract', async () => {
    expect((await command(['validate', ...settings])).out).to.match(/no problems/)
    writeFileSync(example, readFileSync(example, 'utf8').replace('"n": 3', '"n": "3"'))
    const { code, err } = await command(['validate', ...settings])
    expect(code).to.equal(1)
    expect(err).to.match(/shop\.counts\.example\.json:4:12: found the text "3", but .* \[example\/contract\]/)
  })
})
