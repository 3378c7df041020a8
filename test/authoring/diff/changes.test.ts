/** Each rule of CHANGE_RULES has an edit and its opposite. All edits are compared in one run, an endpoint each. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { CHANGE_RULES, type Change } from '../../../authoring/diff/change-rules.js'
import { diffSettings } from '../../../authoring/diff/settings.js'
import type { Endpoint } from '../../../runner/model/endpoint.js'
import { command, scratch } from '../../cli/command.js'
import { itInAll, sampleOf } from '../../sample-size.js'

const MANIFEST = `id: NUMBER-4a4e-8a4e-000000000000
name: NAME
description: Orders by product.
# tenant
parameters:
  shop: { type: string, required: true }
  country: { type: string, pattern: "[A-Z]{2}", max_length: 9, description: Where. }
  size: { type: string, enum: [a, b, c] }
  tags: { type: array<string>, max_element_length: 9 }
  like: { type: string, format: re2, pinned_as: '^{pin}$' }
  more: { type: json, schema: { required: [a] } }
  top: { type: int64, minimum: 1, maximum: 100, default: 10 }
  unit: { type: string, required: true }
  tier: { type: string }
settings: { max_rows: 50, cache: disabled }
lookups:
  unit:
    by: unit
    rows: { day: { part: DAY }, month: { part: MONTH } }
    default: reject
  tier:
    by: tier
    rows: { low: { least: 1 }, mid: { least: 5 } }
    default: low
columns:
  - { name: product, type: STRING, description: What. }
  - { name: orders, type: INT64 }
  - { name: price, type: NUMERIC, unit: EUR }
  - { name: stock, type: INT64 }
  - { name: parts, type: ARRAY<STRUCT> }
  - { name: last, type: TIMESTAMP }
sql: |
  SELECT product, COUNT(*) AS orders, SUM(price) AS price, MAX(stock) AS stock, [STRUCT(1 AS a)] AS parts, MAX(sold) AS last
  FROM \`shop.orders\`
  WHERE stock > {{tier.least}} AND product != 'x'
    AND shop = @shop AND size = @size AND size NOT IN UNNEST(@tags) AND REGEXP_CONTAINS(product, @like) AND @more IS NULL
    AND sold < TIMESTAMP_TRUNC(@now, {{unit.part}})
    {{#if given.country}}AND country = @country{{/if}}
  GROUP BY product
  LIMIT @top
`
const TESTS = `tables:
  shop.orders:
    - { product: kettle, stock: 5 }
tests:
  - name: one product
    arguments: { shop: a, unit: day }
    expect: { contains: [{ product: kettle, orders: 2 }] }
`
const FIELDS = ['product', 'country', 'shop', 'size'].map(name => ({ name, type: 'STRING' }))
const SCHEMA = JSON.stringify([
  ...FIELDS,
  { name: 'price', type: 'NUMERIC' },
  { name: 'stock', type: 'INTEGER' },
  { name: 'sold', type: 'TIMESTAMP' },
])

type Edit = readonly [from: string, to: string]

interface Case {
  readonly says: string
  readonly from?: string
  readonly to?: string
  readonly base?: Edit
  readonly sql?: Edit
  readonly test?: Edit
  readonly changes: readonly string[]
  readonly back: readonly string[]
}

const CASES = parse(readFileSync('test/cases/diff/changes.yaml', 'utf8')) as readonly Case[]

const DIRECTIONS = sampleOf(['changes', 'back'] as const)

const nameOf = (index: number): string => `case.n${index}`

function edited(text: string, edits: readonly (Edit | undefined)[]): string {
  return edits.reduce((all, edit) => {
    if (edit === undefined) return all
    expect(all, edit[0]).to.contain(edit[0])
    return all.replace(edit[0], () => edit[1])
  }, text)
}

describe('the changes between two folders of endpoints', () => {
  const folder = scratch()
  const found = { changes: [] as readonly Change[], back: [] as readonly Change[] }

  before(async function () {
    this.timeout(60_000)
    for (const side of ['base', 'head']) {
      mkdirSync(folder.path(side, 'schemas/tables'), { recursive: true })
      mkdirSync(folder.path(side, 'endpoints/moved'), { recursive: true })
      const timePartitioning = { type: 'DAY', field: 'sold' }
      const partitioned = JSON.stringify({ schema: { fields: JSON.parse(SCHEMA) }, timePartitioning })
      writeFileSync(folder.path(side, 'schemas/tables/shop.days.json'), partitioned)
      for (const table of ['orders', 'sales'])
        writeFileSync(folder.path(side, `schemas/tables/shop.${table}.json`), SCHEMA)
    }
    for (const [index, { base, from, to, sql, test }] of CASES.entries()) {
      const write = (side: string, file: string, text: string): void => {
        const named = text.replaceAll('NAME', nameOf(index)).replaceAll('NUMBER', String(10_000_000 + index) + '-0000')
        writeFileSync(folder.path(side, 'endpoints', file), named)
      }
      const unescaped = (text: string): string => text.replaceAll('\\n', '\n')
      const edit: Edit | undefined = from === undefined ? undefined : [unescaped(from), unescaped(to ?? '')]
      write('base', `${nameOf(index)}.yaml`, edited(MANIFEST, [base]))
      write('base', `${nameOf(index)}.test.yaml`, TESTS)
      // A moved file is not a change.
      write('head', `moved/${nameOf(index)}.yaml`, edited(MANIFEST, [base, edit, sql]))
      write('head', `moved/${nameOf(index)}.test.yaml`, edited(TESTS, [test]))
    }
    const compare = async (base: string, head: string): Promise<readonly Change[]> => {
      const flags = ['--format', 'json', '--engine-memory', '256', '--allow-breaking']
      const { code, out, err } = await command(['diff', folder.path(base), folder.path(head), ...flags])
      expect(err).to.equal('')
      const { changes, diagnostics } = JSON.parse(out)
      expect(diagnostics).to.deep.equal([])
      expect(code).to.equal(0)
      return changes
    }
    found.changes = await compare('base', 'head')
    if (DIRECTIONS.includes('back')) found.back = await compare('head', 'base')
  })
  after(() => folder.remove())

  for (const [index, one] of CASES.entries()) {
    for (const direction of DIRECTIONS) {
      it(`${one.says}${direction === 'back' ? ', and back' : ''}`, () => {
        const own = found[direction].filter(({ endpoint }) => endpoint.replace(/\.new$/, '') === nameOf(index))
        const expected = one[direction].map(text => text.replaceAll('NAME', nameOf(index)))
        // A case that gives only the kind leaves the sentence open.
        const shown = own.map(({ kind, detail }, i) => (expected[i] === kind ? kind : `${kind}: ${detail}`))
        expect(shown).to.deep.equal(expected)
        for (const { kind, impact, breaking } of own) {
          expect(impact).to.equal(CHANGE_RULES[kind].impact)
          expect(breaking).to.equal(impact === 'breaking')
        }
      })
    }
  }

  itInAll('have a case for each rule', () => {
    // Endpoints that come and go are in revisions.test.ts, and this setting has no manifest here.
    const elsewhere = ['endpoint/added', 'endpoint/removed', 'setting/arguments-rejected', 'setting/arguments-ignored']
    const covered = new Set<string>([...found.changes, ...found.back].map(({ kind }) => kind))
    expect(Object.keys(CHANGE_RULES).filter(kind => !covered.has(kind) && !elsewhere.includes(kind))).to.deep.equal([])
  })

  it('say when unknown arguments are refused', () => {
    const kinds: string[] = []
    const endpoint = (settings: object): Endpoint => ({ settings, columns: [] }) as unknown as Endpoint
    const report = (kind: string): void => void kinds.push(kind)
    diffSettings(endpoint({}), endpoint({ unknown_arguments: 'reject' }), report)
    diffSettings(endpoint({ unknown_arguments: 'reject' }), endpoint({ unknown_arguments: 'ignore' }), report)
    expect(kinds).to.deep.equal(['setting/arguments-rejected', 'setting/arguments-ignored'])
  })
})
