/** A server checks only those variants of a manifest that no other variant implies. */
import { expect } from 'chai'
import { tableCatalogue } from '../../../googlesql/tables.js'
import { INT64, STRING, TIMESTAMP } from '../../../googlesql/types/types.js'
import { type Loaded, loadSources } from '../../../runner/manifest/load.js'
import { checkByTranslation } from '../check-by-translation.js'

const columns = [
  { name: 'id', type: STRING },
  { name: 'shop', type: STRING },
  { name: 'amount', type: INT64 },
  { name: 'at', type: TIMESTAMP },
]
const tables = tableCatalogue([{ name: 'shop.orders', columns }])

const manifest = (condition: string): string => `id: 0000000d-0000-4000-8000-000000000000
name: orders
parameters:
  shop: { type: string, required: true }
  interval: { type: string, required: true }
  id: { type: string }
  least: { type: int64 }
lookups:
  interval:
    by: interval
    rows:
      hour: { bucket: MINUTE, size: 60, unit: MINUTE }
      day: { bucket: HOUR, size: 1, unit: DAY }
      week: { bucket: DAY, size: 7, unit: DAY }
    default: day
columns:
  - { name: bucket, type: TIMESTAMP }
  - { name: amount, type: INT64 }
sql: |
  SELECT TIMESTAMP_TRUNC(o.at, {{interval.bucket}}) AS bucket, SUM(amount) AS amount
  FROM \`shop.orders\` AS o
  WHERE shop = @shop
    AND o.at > TIMESTAMP_SUB(@now, INTERVAL {{interval.size}} {{interval.unit}})
    {{#if given.id}}
    AND id = @id
    {{/if}}
    {{#if given.least}}
    AND ${condition}
    {{/if}}
  GROUP BY bucket
`

async function load(
  text: string,
  checksImplied: boolean,
): Promise<{ readonly loaded: Loaded; readonly asked: number }> {
  let asked = 0
  const check = checkByTranslation(tables)
  const checkSql: typeof check = (...args) => {
    asked += 1
    return check(...args)
  }
  const loaded = await loadSources([{ file: 'orders.yaml', text }], [], { tables, checkSql, checksImplied })
  return { loaded, asked }
}

describe('the variants of a manifest', () => {
  it('are all checked by validate, and as few as possible by a server, with the same outcome', async () => {
    const text = manifest('amount >= @least')
    const [validated, served] = [await load(text, true), await load(text, false)]
    expect([validated.asked, served.asked]).to.deep.equal([12, 1])
    expect(served.loaded.diagnostics).to.deep.equal([])
    expect(JSON.stringify(served.loaded)).to.equal(JSON.stringify(validated.loaded))
  })

  it('still give the query for their own arguments', async () => {
    const { loaded } = await load(manifest('amount >= @least'), false)
    const { render } = loaded.endpoints[0]!
    const hourly = render({ shop: 'a', interval: 'hour' }, 0n)
    expect(hourly.sql).to.include('INTERVAL 60 MINUTE').and.not.include('@id').and.not.include('@least')
    expect(Object.keys(hourly.parameters)).to.have.members(['shop', 'now'])
    const weekly = render({ shop: 'a', interval: 'week', id: 'b', least: '1' }, 0n)
    expect(weekly.sql).to.include('INTERVAL 7 DAY').and.include('@id').and.include('@least')
  })

  it('have the same diagnostics for an optional condition as with validate', async () => {
    for (const condition of ['amuont >= @least', 'amount >= ', 'shop >= @least', '(SELECT 1) > @least AND amount']) {
      const [validated, served] = [await load(manifest(condition), true), await load(manifest(condition), false)]
      expect(validated.loaded.diagnostics, condition).to.not.deep.equal([])
      expect(served.loaded.diagnostics, condition).to.deep.equal(validated.loaded.diagnostics)
    }
  })

  it('on which other rules may depend are checked', async () => {
    const within = 'amount IN (SELECT x.amount FROM `shop.orders` AS x WHERE x.amount > @least)'
    const { loaded, asked } = await load(manifest(within), false)
    expect(loaded.diagnostics).to.deep.equal([])
    expect(asked).to.equal(2)
  })
})
