import { expect } from 'chai'
import { tableDifferences } from '../../../authoring/data/difference.js'
import { isWholeResource, tableResource } from '../../../authoring/data/table-resource.js'

const FIELDS = [
  { name: 'id', type: 'INTEGER', mode: 'REQUIRED' },
  { name: 'price', type: 'NUMERIC', precision: '10', scale: '2' },
  {
    name: 'lines',
    type: 'RECORD',
    mode: 'REPEATED',
    fields: [
      { name: 'n', type: 'FLOAT' },
      { name: 'ok', type: 'BOOL' },
    ],
  },
]
const [ID, PRICE, LINES] = FIELDS as [object, object, object]

function messages(ours: object, theirs: object, tellsLayout = true): readonly string[] {
  const [file, warehouse] = [ours, theirs].map(one => tableResource({ schema: { fields: FIELDS }, ...one }))
  return tableDifferences(file!, warehouse!, tellsLayout).map(({ message }) => message)
}
const fields = (...all: readonly object[]): object => ({ schema: { fields: all } })

describe('the differences of two tables', () => {
  const CASES: readonly (readonly [says: string, ours: object, theirs: object, expected: readonly string[]])[] = [
    ['none of a table with itself', {}, {}, []],
    [
      'none of types and modes in other words, and of descriptions',
      {},
      fields(
        { name: 'id', type: 'INT64', mode: 'required', description: 'An id.' },
        { name: 'PRICE', type: 'NUMERIC', mode: 'NULLABLE', precision: 10, scale: 2 },
        {
          ...LINES,
          type: 'STRUCT',
          fields: [
            { name: 'n', type: 'FLOAT64' },
            { name: 'ok', type: 'BOOLEAN' },
          ],
        },
      ),
      [],
    ],
    ['a column that is not there', {}, fields(ID, LINES), ['price is not in the warehouse']],
    ['a column more', fields(ID, LINES), {}, ['price (NUMERIC(10, 2), NULLABLE) is only in the warehouse']],
    [
      'another type and mode',
      {},
      fields({ name: 'id', type: 'STRING' }, { name: 'price', type: 'NUMERIC' }, LINES),
      [
        'id: the type is INT64 here and STRING in the warehouse',
        'id: the mode is REQUIRED here and NULLABLE in the warehouse',
        'price: the type is NUMERIC(10, 2) here and NUMERIC in the warehouse',
      ],
    ],
    [
      'fields inside',
      {},
      fields(ID, PRICE, {
        ...LINES,
        fields: [
          { name: 'n', type: 'STRING' },
          { name: 'more', type: 'DATE' },
        ],
      }),
      [
        'lines.n: the type is FLOAT64 here and STRING in the warehouse',
        'lines.ok is not in the warehouse',
        'lines.more (DATE, NULLABLE) is only in the warehouse',
      ],
    ],
    [
      'another order',
      {},
      fields(PRICE, ID, LINES),
      ['the columns are in another order: id stands here where the warehouse has price'],
    ],
    [
      'partitions and clusters',
      { timePartitioning: { type: 'DAY', field: 'at', expirationMs: '1000' }, clustering: { fields: ['id', 'price'] } },
      { timePartitioning: { type: 'HOUR' }, requirePartitionFilter: true, clustering: { fields: ['price', 'id'] } },
      [
        'the partitioning is by DAY of at here and by HOUR of arrival in the warehouse',
        'the expiration of partitions is 1000 ms here and never in the warehouse',
        'the filter on partitions is optional here and required in the warehouse',
        'the clustering is by id, price here and by price, id in the warehouse',
      ],
    ],
    [
      'partitions by ranges',
      { rangePartitioning: { field: 'id', range: { start: '0', end: '9', interval: '3' } } },
      {},
      ['the partitioning is by id from 0 to 9 in steps of 3 here and none in the warehouse'],
    ],
  ]
  for (const [says, ours, theirs, expected] of CASES) {
    it(`are ${says}`, () => {
      expect(messages(ours, theirs)).to.deep.equal(expected)
    })
  }

  it('leave the layout out for a file that is only a list of fields', () => {
    expect(messages({}, { clustering: { fields: ['id'] } }, false)).to.deep.equal([])
  })

  it('are of partitions and clusters only where the file is a whole table resource', () => {
    expect([FIELDS, { schema: { fields: FIELDS } }].map(isWholeResource)).to.deep.equal([false, true])
    expect(tableResource(FIELDS)).to.have.all.keys('schema')
    const resource = { schema: { fields: FIELDS }, clustering: { fields: ['a'] }, numRows: '3' }
    expect(tableResource(resource)).to.have.all.keys('schema', 'clustering')
  })
})
