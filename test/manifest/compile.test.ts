/** Compiled manifests: defaults are filled in, and no argument appears in the text of a query. */
import { expect } from 'chai'
import { NO_FUNCTIONS } from '../../googlesql/stored-functions.js'
import { tableCatalogue } from '../../googlesql/tables.js'
import { STRING, TIMESTAMP } from '../../googlesql/types/types.js'
import { type Definitions, hashDefinitions } from '../../runner/manifest/definitions.js'
import { loadSources } from '../../runner/manifest/load.js'
import type { Endpoint } from '../../runner/model/endpoint.js'
import { checkByTranslation } from './check-by-translation.js'

const columns = [
  { name: 'id', type: STRING },
  { name: 'placed_at', type: TIMESTAMP },
]
const MANIFEST = `id: 0B7D7F0E-6F7A-4C55-9A0D-3F4A0F6F1C11
name: shop.orders
parameters:
  shop: { type: string, required: true }
  since: { type: timestamp }
  ids: { type: array<string> }
  size: { type: string, default: small }
settings:
  cache: { ttl_seconds: 900, warm_seconds: 300 }
  max_bytes_billed: 2 GiB
  max_result_bytes: 8 MB
  now_granularity: minute
lookups:
  sizes: { by: size, rows: { small: { word: a }, big: { word: b } }, default: reject }
sql: |
  SELECT id, '{{sizes.word}}' AS word FROM \`shop.orders\`
  WHERE id = @shop AND placed_at < @now AND id NOT IN UNNEST(@ids)
  {{#if given.since}}AND placed_at > @since{{/if}}
`

async function load(
  text = MANIFEST,
  extra = columns,
  partials: { file: string; text: string }[] = [],
  definitions = '',
): Promise<Endpoint> {
  const tables = tableCatalogue([
    { name: 'shop.orders', columns: extra },
    { name: 'shop.other', columns: extra },
  ])
  const loaded = await loadSources([{ file: 'x.yaml', text }], partials, {
    tables,
    checkSql: checkByTranslation(tables),
    definitions,
  })
  // Some names of parameters only get a warning, and are served.
  expect(loaded.diagnostics.filter(({ rule }) => rule !== 'parameter/object-member')).to.deep.equal([])
  return loaded.endpoints[0]!
}

describe('a compiled endpoint', () => {
  const NOW = 1_700_000_000_123_456n

  it('binds the parameters that its text reads; absent arguments are typed NULLs and empty arrays', async () => {
    const { render } = await load()
    const query = render({ shop: "x' OR TRUE --", size: 'small' }, NOW)
    expect(query.sql)
      .to.match(/^SELECT id, 'a' AS word/)
      .and.not.include('OR TRUE')
      .and.not.include('@since')
    expect(query.parameters).to.deep.equal({
      shop: { type: 'STRING', value: "x' OR TRUE --" },
      ids: { type: 'ARRAY<STRING>', value: [] },
      now: { type: 'TIMESTAMP', value: '2023-11-14T22:13:00Z' },
    })
  })

  it('chooses its text by the given arguments', async () => {
    const { render } = await load()
    const query = render({ shop: 'x', size: 'big', since: '2026-01-31T00:00:00Z', ids: ['1'] }, NOW)
    expect(query.sql).to.include("'b'").and.include('@since')
    expect(query.parameters['since']).to.deep.equal({ type: 'TIMESTAMP', value: '2026-01-31T00:00:00Z' })
    expect(query.parameters['ids']).to.deep.equal({ type: 'ARRAY<STRING>', value: ['1'] })
  })

  it('does not treat the inherited members of objects as arguments', async () => {
    const { render } = await load(MANIFEST.replaceAll('since', 'toString'))
    expect(render({ shop: 'x', size: 'small' }, NOW).sql).to.not.include('@toString')
  })

  it('truncates @now, also before 1970', async () => {
    const { render } = await load()
    expect(render({ shop: 'x' }, -1n).parameters['now']!.value).to.equal('1969-12-31T23:59:00Z')
  })

  it('has its settings converted to units, and as authored with the defaults', async () => {
    const endpoint = await load()
    expect(endpoint.id).to.equal('0b7d7f0e-6f7a-4c55-9a0d-3f4a0f6f1c11')
    expect(endpoint.cache).to.deep.equal({
      ttlMs: 900_000,
      warmMs: 300_000,
      staleIfErrorMs: 0,
      staleWhileRevalidateMs: 0,
      untilDataChanges: false,
      settledMs: 600_000,
    })
    expect(endpoint.maxBytesBilled).to.equal(2_147_483_648)
    expect(endpoint.maxResultBytes).to.equal(8_000_000)
    expect(endpoint.timeoutMs).to.equal(30_000)
    expect(endpoint.settings).to.deep.equal({
      max_rows: 1000,
      cache: { ttl_seconds: 900, warm_seconds: 300 },
      sandbox: 'disabled',
      timeout_seconds: 30,
      max_bytes_billed: '2 GiB',
      max_result_bytes: '8 MB',
      labels: {},
      timestamps: 'iso8601',
      unknown_arguments: 'ignore',
      now_granularity: 'minute',
    })
    expect(endpoint.columns).to.deep.equal([
      { name: 'id', type: 'STRING', description: '', required: false, json: null, unit: null },
      { name: 'word', type: 'STRING', description: '', required: true, json: null, unit: null },
    ])
  })

  it('lists the rows of a lookup table that rejects other arguments', async () => {
    const size = (await load()).parameters.find(parameter => parameter.name === 'size')!
    expect(size.rows).to.deep.equal(['small', 'big'])
    expect(size.default).to.equal('small')
  })
})

describe('the revision', () => {
  const included = `${MANIFEST.split('sql: |')[0]}sql: |\n  {{> where word=sizes.word}}\n`
  const partial = (text: string) => [{ file: 'partials/where.sql', text }]
  const where = (word: string) =>
    `SELECT id, '{{${word}}}' AS word FROM \`shop.orders\` WHERE id = @shop AND id NOT IN UNNEST(@ids) AND placed_at > @since\n`

  it('is the same for the same manifest, with other white space or comments', async () => {
    const { revision } = await load()
    expect((await load(`# a comment\n${MANIFEST}\n`)).revision).to.equal(revision)
  })

  it('changes with the manifest, its partials, and the tables and functions of all, and not with other partials', async () => {
    const { revision } = await load()
    expect((await load(MANIFEST.replace('word: b', 'word: c'))).revision).to.not.equal(revision)
    const definitions = { tables: [{ name: 'shop.orders', columns }], functions: NO_FUNCTIONS, mistakes: [] }
    const others = [
      { ...definitions, tables: [{ name: 'shop.orders', columns: [...columns, { name: 'extra', type: STRING }] }] },
      {
        ...definitions,
        functions: { folder: null, functions: [{ name: 'shop.net', file: 'shop.net.sql', text: '' }] },
      },
    ]
    const of = async (one: Definitions) => (await load(MANIFEST, columns, [], hashDefinitions(one))).revision
    const same = await of(definitions)
    expect(await of({ ...definitions })).to.equal(same)
    for (const one of others) expect(await of(one)).to.not.equal(same)
    const before = await load(included, columns, partial(where('word')))
    expect((await load(included, columns, partial(where('word')))).revision).to.equal(before.revision)
    expect((await load(included, columns, partial(`-- more\n${where('word')}`))).revision).to.not.equal(before.revision)
    expect((await load(MANIFEST, columns, partial('never included'))).revision).to.equal(revision)
  })
})
