import { expect } from 'chai'
import { createTableStatement } from '../../../authoring/data/ddl-text.js'
import { tableResource } from '../../../authoring/data/table-resource.js'

const statement = (resource: object, name = 'shop.orders'): string =>
  createTableStatement(name, tableResource(resource))
const column = (field: object): string => /\(\n {2}([\s\S]*)\n\)/.exec(statement({ schema: { fields: [field] } }))![1]!
const after = (resource: object): string => {
  const fields = [
    { name: 'at', type: 'TIMESTAMP' },
    { name: 'day', type: 'DATE' },
    { name: 'local', type: 'DATETIME' },
    { name: 'n', type: 'INTEGER' },
  ]
  return statement({ schema: { fields }, ...resource })
    .split('\n)')[1]!
    .trim()
}

describe('CREATE TABLE', () => {
  it('has the type of the elements of a range', () => {
    expect(column({ name: 'r', type: 'RANGE', rangeElementType: { type: 'DATE' } })).to.equal('r RANGE<DATE>')
  })

  it('has all properties of a table resource', () => {
    const fields = [
      { name: 'id', type: 'INTEGER', mode: 'REQUIRED', description: 'An id.' },
      { name: 'placed', type: 'TIMESTAMP' },
      {
        name: 'lines',
        type: 'RECORD',
        mode: 'REPEATED',
        fields: [
          { name: 'price', type: 'NUMERIC', precision: '10', scale: '2', mode: 'REQUIRED' },
          { name: 'tags', type: 'STRING', mode: 'REPEATED', description: 'As given.' },
          { name: 'deep', type: 'STRUCT', fields: [{ name: 'x', type: 'BOOLEAN' }] },
        ],
      },
    ]
    const text = statement(
      {
        description: 'What was ordered.',
        schema: { fields },
        timePartitioning: { type: 'DAY', field: 'placed', expirationMs: '7776000000' },
        requirePartitionFilter: true,
        clustering: { fields: ['id', 'placed'] },
      },
      'a-project.shop.orders',
    )
    expect(text).to.equal(
      [
        'CREATE TABLE IF NOT EXISTS `a-project.shop.orders` (',
        '  id INT64 NOT NULL OPTIONS(description="An id."),',
        '  placed TIMESTAMP,',
        '  lines ARRAY<STRUCT<',
        '    price NUMERIC(10, 2) NOT NULL,',
        '    tags ARRAY<STRING> OPTIONS(description="As given."),',
        '    deep STRUCT<',
        '      x BOOL',
        '    >',
        '  >>',
        ')',
        'PARTITION BY TIMESTAMP_TRUNC(placed, DAY)',
        'CLUSTER BY id, placed',
        'OPTIONS(description="What was ordered.", partition_expiration_days=90, require_partition_filter=TRUE);',
        '',
      ].join('\n'),
    )
  })

  it('names the columns that lose their policy tags, nested ones too', () => {
    const policyTags = { names: ['projects/p/locations/eu/taxonomies/1/policyTags/2'] }
    const fields = [
      { name: 'id', type: 'INTEGER', policyTags: {} },
      { name: 'who', type: 'RECORD', fields: [{ name: 'tax\nnumber', type: 'STRING', policyTags }] },
    ]
    expect(statement({ schema: { fields } }).split('\n').slice(0, 2)).to.deep.equal([
      `-- SQL sets no policy tags; to be set by hand: "who.tax\\nnumber": ["${policyTags.names[0]}"]`,
      'CREATE TABLE IF NOT EXISTS `shop.orders` (',
    ])
  })

  const COLUMNS: readonly (readonly [field: object, expected: string])[] = [
    [{ name: 'a', type: 'FLOAT' }, 'a FLOAT64'],
    [{ name: 'a', type: 'STRING', maxLength: '20' }, 'a STRING(20)'],
    [{ name: 'a', type: 'BIGNUMERIC', precision: 40 }, 'a BIGNUMERIC(40)'],
    [{ name: 'select', type: 'JSON' }, '`select` JSON'],
    [{ name: '1st — one', type: 'DATE' }, '`1st — one` DATE'],
    [{ name: 'a', type: 'STRING', collation: 'und:ci' }, 'a STRING COLLATE "und:ci"'],
    [{ name: 'a', type: 'STRING', mode: 'REPEATED', collation: 'und:ci' }, 'a ARRAY<STRING COLLATE "und:ci">'],
    [
      { name: 'a', type: 'TIMESTAMP', mode: 'required', defaultValueExpression: 'CURRENT_TIMESTAMP()' },
      'a TIMESTAMP DEFAULT CURRENT_TIMESTAMP() NOT NULL',
    ],
    [
      { name: 'a', type: 'NUMERIC', roundingMode: 'ROUND_HALF_EVEN', description: "It's \\ a\nb\u0001" },
      'a NUMERIC OPTIONS(description="It\'s \\\\ a\\nb\\u0001", rounding_mode="ROUND_HALF_EVEN")',
    ],
  ]
  for (const [field, expected] of COLUMNS) {
    it(`writes the column ${expected}`, () => {
      expect(column(field)).to.equal(expected)
    })
  }

  const LAYOUTS: readonly (readonly [resource: object, expected: string])[] = [
    [{}, ';'],
    [{ timePartitioning: { type: 'DAY', field: 'day' } }, 'PARTITION BY day;'],
    [{ timePartitioning: { type: 'MONTH', field: 'day' } }, 'PARTITION BY DATE_TRUNC(day, MONTH);'],
    [{ timePartitioning: { type: 'HOUR', field: 'local' } }, 'PARTITION BY DATETIME_TRUNC(local, HOUR);'],
    [{ timePartitioning: { type: 'DAY' } }, 'PARTITION BY _PARTITIONDATE;'],
    [{ timePartitioning: { type: 'HOUR' } }, 'PARTITION BY TIMESTAMP_TRUNC(_PARTITIONTIME, HOUR);'],
    [
      { timePartitioning: { type: 'DAY', field: 'at', requirePartitionFilter: true } },
      'PARTITION BY TIMESTAMP_TRUNC(`at`, DAY)\nOPTIONS(require_partition_filter=TRUE);',
    ],
    [
      { rangePartitioning: { field: 'n', range: { start: '0', end: '100', interval: '10' } } },
      'PARTITION BY RANGE_BUCKET(n, GENERATE_ARRAY(0, 100, 10));',
    ],
  ]
  for (const [resource, expected] of LAYOUTS) {
    it(`writes the layout ${JSON.stringify(expected)}`, () => {
      expect(after(resource)).to.equal(expected)
    })
  }
})
