import { mkdirSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { command, scratch } from '../../cli/command.js'
import { itInAll } from '../../sample-size.js'

const manifest = (cache: string, sql: string): string => `id: 0b7f5a0e-5c0d-4f43-9d4b-5d9b3c8f6a13
name: tests.daily
settings: { cache: ${cache} }
parameters: { shop: { type: string } }
sql: |
  SELECT DATE(sold) AS day, COUNT(*) AS orders
  FROM shop.orders
  {{#if given.shop}}WHERE shop = @shop{{/if}}
  GROUP BY day
  ORDER BY ${sql}
`
const SCHEMA = JSON.stringify([
  { name: 'sold', type: 'TIMESTAMP' },
  { name: 'shop', type: 'STRING' },
])
const CACHED = '{ ttl_seconds: 60 }'

describe('the end of kept buckets', () => {
  const folder = scratch()
  after(() => folder.remove())

  async function told(before: readonly [string, string], after: readonly [string, string]) {
    for (const [side, parts] of Object.entries({ before, after })) {
      mkdirSync(folder.path(side, 'endpoints'), { recursive: true })
      mkdirSync(folder.path(side, 'schemas/tables'), { recursive: true })
      writeFileSync(folder.path(side, 'schemas/tables/shop.orders.json'), SCHEMA)
      writeFileSync(folder.path(side, 'endpoints/daily.yaml'), manifest(...parts))
    }
    const flags = ['--format', 'json', '--engine-memory', '256']
    const { out, err } = await command(['diff', folder.path('before'), folder.path('after'), ...flags])
    expect(err).to.equal('')
    const { changes } = JSON.parse(out) as { changes: readonly { kind: string; detail: string }[] }
    return changes.filter(({ kind }) => kind.startsWith('reads/')).map(({ detail }) => detail)
  }

  it('is something to look at, with its reason and the variants', async () => {
    const reason = 'the result is not ordered by its bucket first'
    expect(await told([CACHED, 'day'], [CACHED, 'MAX(shop), day'])).to.deep.equal([
      `a refresh reads all rows, and not only what is new, in every variant: ${reason}`,
    ])
    const some = '{{#if given.shop}}MAX(shop), {{/if}}day'
    expect(await told([CACHED, 'day'], [CACHED, some])).to.deep.equal([
      `a refresh reads all rows, and not only what is new, in 1 of 2 variants (shop given): ${reason}`,
    ])
  })

  itInAll(
    'is nothing more than a change of the settings where these say so, and nothing where none were kept',
    async () => {
      expect(await told([CACHED, 'day'], ['{ ttl_seconds: 60, refresh: whole }', 'MAX(shop), day'])).to.deep.equal([])
      expect(await told([CACHED, 'MAX(shop)'], [CACHED, 'MAX(shop), day'])).to.deep.equal([])
      expect(await told(['disabled', 'day'], [CACHED, 'MAX(shop), day'])).to.deep.equal([])
    },
  )
})
