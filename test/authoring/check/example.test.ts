/** `<name>.example.json` beside manifests: read by the loader, checked against the contract by `validate`. */
import { expect } from 'chai'
import { checkExample } from '../../../authoring/check/example.js'
import { tableCatalogue } from '../../../googlesql/index.js'
import { type FaultlessManifest, type Loaded, type LoadOptions, loadSources } from '../../../runner/manifest/load.js'
import { LoadCache } from '../../../runner/manifest/load-cache.js'
import { checkByTranslation } from '../../manifest/check-by-translation.js'

const MANIFEST = `id: 0b7d7f0e-6f7a-4c55-9a0d-3f4a0f6f1c11
name: shop.counts
columns:
  - { name: day, type: DATE }
  - { name: n, type: INT64, required: true, json: number }
  - { name: parts, type: ARRAY<STRUCT<k STRING>> }
settings: { max_rows: 2 }
sql: |
  SELECT NULLIF(DATE '2026-01-01', DATE '2025-01-01') AS day, 1 AS n, [STRUCT('a' AS k)] AS parts
`
const tables = tableCatalogue([])
const FILE = 'endpoints/shop/shop.counts.example.json'
const GOOD = '{"result":[{"day":"2026-01-01","n":1,"parts":[{"k":"a"}]}]}'

const load = (text: string, more: Partial<LoadOptions> = {}, file = FILE): Promise<Loaded> =>
  loadSources([{ file: 'endpoints/shop/any.yaml', text: MANIFEST }], [], {
    tables,
    checkSql: checkByTranslation(tables),
    examples: [{ file, text }],
    ...more,
  })

const exampleOf = ({ endpoints }: Loaded): unknown => endpoints[0]?.example

describe('an example of a result', () => {
  it('is read for the endpoint of its name, beside its manifest', async () => {
    expect(exampleOf(await load(GOOD))).to.deep.equal([{ day: '2026-01-01', n: 1, parts: [{ k: 'a' }] }])
    expect(exampleOf(await load(GOOD, {}, 'endpoints/shop.counts.example.json'))).to.equal(null)
  })

  it('that is not an example is left out by a server, and stops none', async () => {
    for (const text of ['{', '[]', 'null', '{"result":1}']) {
      const loaded = await load(text)
      expect([exampleOf(loaded), loaded.diagnostics], text).to.deep.equal([null, []])
    }
  })

  it('changes no revision, and is read again when it alone changes', async () => {
    const cache = new LoadCache<FaultlessManifest>()
    const [first, second, third] = [
      await load(GOOD, { cache }),
      await load(GOOD, { cache }),
      await load('{"result":[]}', { cache }),
    ]
    expect(second.endpoints[0]).to.equal(first.endpoints[0])
    expect(exampleOf(third)).to.deep.equal([])
    expect(third.endpoints[0]!.revision).to.equal(first.endpoints[0]!.revision)
  })

  const mistakes: readonly (readonly [what: string, text: string, ...expected: string[]])[] = [
    ['nothing where it is right', GOOD],
    [
      'a value of another type',
      '{\n  "result": [\n    { "day": "2026-1-1", "n": "1", "parts": [] }\n  ]\n}',
      '3:14 found the text "2026-1-1", but the column "day" is DATE',
      '3:31 found the text "1", but the column "n" is INT64, never NULL, a number in JSON',
    ],
    [
      'NULL where there is none',
      '{"result":[{"day":null,"n":null,"parts":[]}]}',
      '1:28 found nothing, but the column "n" is INT64, never NULL, a number in JSON',
    ],
    [
      'a field of another type',
      '{"result":[{"day":null,"n":1,"parts":[{"k":1}]}]}',
      '1:44 found the number 1 inside the column "parts", which must be ARRAY<STRUCT<k STRING>>',
    ],
    [
      'a column too many and one too few',
      '{"result":[{"dya":null,"n":1,"parts":[]}]}',
      '1:12 the column "day" is missing',
      '1:13 the query has no column "dya"; did you mean "day"?',
    ],
    [
      'more rows than there can be',
      `{"result":[${Array(3).fill('{"day":null,"n":1,"parts":[]}').join()}]}`,
      '1:11 these are more rows than max_rows, which is 2',
    ],
    ['no rows', '[]', '1:1 expected {"result":[row,…]} with an object for each row, as HTTP gives it'],
    ['text that is not JSON', '{"result":\n  oops}', '2:3 this is not valid JSON'],
    ['text that ends too early', '{"result":[', '1:11 this is not valid JSON: this "[" is not closed'],
  ]
  for (const [what, text, ...expected] of mistakes) {
    it(`is told by validate: ${what}`, async () => {
      const { diagnostics } = await load(text, { checkExample })
      const told = diagnostics.map(({ line, column, message }) => `${line}:${column} ${message}`)
      expect(told).to.have.length(expected.length)
      for (const [i, start] of expected.entries()) expect(told[i]!.startsWith(start), told[i]).to.equal(true)
      for (const { file, rule } of diagnostics) expect([file, rule]).to.deep.equal([FILE, 'example/contract'])
    })
  }

  it('without an endpoint of its name is a warning', async () => {
    const file = 'endpoints/shop/shop.count.example.json'
    const { diagnostics } = await load(GOOD, { checkExample }, file)
    expect(diagnostics).to.deep.equal([
      {
        file,
        line: 1,
        column: 1,
        rule: 'example/no-endpoint',
        severity: 'warning',
        message: 'no manifest in this folder has the name "shop.count"; did you mean "shop.counts"?',
        data: { meant: 'shop.counts' },
      },
    ])
  })
})
