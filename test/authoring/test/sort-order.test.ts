/** The order that `ordered_by` expects of rows: BigQuery's. */
import { expect } from 'chai'
import { firstUnsorted } from '../../../authoring/test/sort-order.js'

const sorted: readonly (readonly [type: string, values: readonly unknown[]])[] = [
  ['INT64', [null, '-9223372036854775808', -1, 0, 9, 10, '9007199254740993']],
  ['NUMERIC', [null, '-0.5', '-0.25', '0', '0.1', '0.11', '9', '10']],
  ['FLOAT64', [null, 'NaN', '-Infinity', -1.5, 0, 2, 10, 'Infinity']],
  ['BOOL', [null, false, true]],
  ['STRING', [null, '', 'A', 'a', 'b', 'é', '\ue000', '😀']],
  ['TIMESTAMP', [null, '2026-01-31T12:00:00Z', '2026-01-31T12:00:00.500Z', '2026-01-31T12:00:01Z']],
  ['DATE', [null, '0999-12-31', '2026-01-31']],
]

describe('the order of rows', () => {
  for (const [type, values] of sorted) {
    it(`of ${type}`, () => {
      const columns = [{ name: 'v', type }]
      const rows = values.map(v => ({ v }))
      const backwards = rows.toReversed()
      expect(firstUnsorted(rows, columns, [{ column: 'v', isDescending: false }])).to.equal(-1)
      expect(firstUnsorted(backwards, columns, [{ column: 'v', isDescending: true }])).to.equal(-1)
      expect(firstUnsorted(backwards, columns, [{ column: 'v', isDescending: false }])).to.equal(1)
    })
  }

  it('goes on to the next key among equals', () => {
    const columns = [
      { name: 'a', type: 'INT64' },
      { name: 'b', type: 'STRING' },
    ]
    const keys = [
      { column: 'a', isDescending: true },
      { column: 'b', isDescending: false },
    ]
    expect(
      firstUnsorted(
        [
          { a: 2, b: 'x' },
          { a: 1, b: 'a' },
          { a: 1, b: 'b' },
        ],
        columns,
        keys,
      ),
    ).to.equal(-1)
    expect(
      firstUnsorted(
        [
          { a: 2, b: 'x' },
          { a: 1, b: 'b' },
          { a: 1, b: 'a' },
        ],
        columns,
        keys,
      ),
    ).to.equal(2)
  })
})
