import { expect } from 'chai'
import { comparedText } from '../../../authoring/compare/report.js'
import type { Difference } from '../../../authoring/compare/results.js'

describe('the text of a compared call', () => {
  const CASES: readonly (readonly [Difference, string])[] = [
    [{ kind: 'cut', duckdb: 'cut at max_rows', bigquery: 'not cut' }, 'rows: duckdb cut at max_rows, bigquery not cut'],
    [
      { kind: 'order', row: 3, duckdb: '[3]', bigquery: '[4]' },
      'the same rows in another order, from row 3 on: duckdb [3], bigquery [4]',
    ],
  ]
  for (const [difference, text] of CASES) {
    it(`says of one that differs: ${text}`, () => {
      const compared = { endpoint: 'shop.orders', arguments: { shop: 'a' }, rows: 4, differences: [difference] }
      expect(comparedText(compared)).to.equal(`different  shop.orders shop=a\n  ${text}\n`)
    })
  }
})
