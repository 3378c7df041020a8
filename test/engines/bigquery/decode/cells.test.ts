/** Cells in the form that BigQuery's REST reference describes become the text of results. */
import { expect } from 'chai'
import type { SchemaField } from '../../../../googlesql/index.js'
import { ResultEncoder } from '../../../../runner/engines/bigquery/decode/encode-result.js'
import { resultColumns } from '../../../../runner/engines/bigquery/decode/result-columns.js'

type Field = Omit<SchemaField, 'name'>

interface Case {
  readonly field: Field
  readonly v: unknown
  readonly json: string
}

const INTEGER: Field = { type: 'INTEGER' }
const STRING: Field = { type: 'STRING' }
const PAIR: Field = {
  type: 'RECORD',
  fields: [
    { name: 'a', ...INTEGER },
    { name: 'b"', ...STRING },
  ],
}

const MOST_BIGNUMERIC = '578960446186580977117854925043439539266.34992332820282019728792003956564819967'

const CASES: readonly Case[] = [
  { field: INTEGER, v: '-12', json: '-12' },
  { field: INTEGER, v: '9007199254740991', json: '9007199254740991' },
  { field: INTEGER, v: '9007199254740993', json: '"9007199254740993"' },
  { field: INTEGER, v: '-9223372036854775808', json: '"-9223372036854775808"' },
  { field: INTEGER, v: null, json: 'null' },
  { field: { type: 'FLOAT' }, v: '1.5E10', json: '15000000000' },
  { field: { type: 'FLOAT64' }, v: 'NaN', json: '"NaN"' },
  { field: { type: 'FLOAT' }, v: 'Infinity', json: '"Infinity"' },
  { field: { type: 'FLOAT' }, v: '-inf', json: '"-Infinity"' },
  { field: { type: 'NUMERIC' }, v: '12345678901234567890.123456789', json: '"12345678901234567890.123456789"' },
  { field: { type: 'BIGNUMERIC' }, v: '1.50', json: '"1.5"' },
  { field: { type: 'BOOLEAN' }, v: 'true', json: 'true' },
  { field: { type: 'BOOL' }, v: 'False', json: 'false' },
  { field: STRING, v: 'a "quote"\u0000\n', json: '"a \\"quote\\"\\u0000\\n"' },
  { field: STRING, v: '', json: '""' },
  { field: { type: 'BYTES' }, v: '/wA=', json: '"/wA="' },
  { field: { type: 'DATE' }, v: '0001-01-01', json: '"0001-01-01"' },
  { field: { type: 'TIME' }, v: '12:00:00.500000', json: '"12:00:00.500"' },
  { field: { type: 'DATETIME' }, v: '9999-12-31T23:59:59.999999', json: '"9999-12-31T23:59:59.999999"' },
  { field: { type: 'DATETIME' }, v: '2020-01-01T00:00:00.000000', json: '"2020-01-01T00:00:00"' },
  { field: { type: 'TIMESTAMP' }, v: '1700000000123456', json: '"2023-11-14T22:13:20.123456Z"' },
  { field: { type: 'TIMESTAMP' }, v: '-62135596800000000', json: '"0001-01-01T00:00:00Z"' },
  { field: { type: 'TIMESTAMP' }, v: '253402300799999999', json: '"9999-12-31T23:59:59.999999Z"' },
  { field: { type: 'NUMERIC' }, v: '-0', json: '"0"' },
  { field: { type: 'BIGNUMERIC' }, v: MOST_BIGNUMERIC, json: `"${MOST_BIGNUMERIC}"` },
  { field: { type: 'DATE' }, v: '2024-02-29', json: '"2024-02-29"' },
  { field: { type: 'INTERVAL' }, v: '1-2 -3 4:5:6.789000', json: '"1-2 -3 4:5:6.789"' },
  {
    field: { type: 'RANGE', rangeElementType: { type: 'DATE' } },
    v: '[2024-02-29, UNBOUNDED)',
    json: '"[2024-02-29, UNBOUNDED)"',
  },
  {
    field: { type: 'RANGE', rangeElementType: { type: 'DATETIME' } },
    v: '[UNBOUNDED, 2020-01-01T00:00:00.500000)',
    json: '"[UNBOUNDED, 2020-01-01T00:00:00.500)"',
  },
  {
    field: { type: 'RANGE', rangeElementType: { type: 'TIMESTAMP' } },
    v: '[0, 1700000000123456)',
    json: '"[1970-01-01T00:00:00Z, 2023-11-14T22:13:20.123456Z)"',
  },
  { field: { type: 'JSON' }, v: '{"b": 1, "a":[true, null]}', json: '{"a":[true,null],"b":1}' },
  { field: { type: 'JSON' }, v: 'null', json: 'null' },
  { field: { type: 'JSON' }, v: null, json: 'null' },
  { field: { ...INTEGER, mode: 'REPEATED' }, v: [{ v: '1' }, { v: '2' }], json: '[1,2]' },
  { field: { ...INTEGER, mode: 'REPEATED' }, v: [], json: '[]' },
  { field: PAIR, v: { f: [{ v: '1' }, { v: null }] }, json: '{"a":1,"b\\"":null}' },
  { field: PAIR, v: null, json: 'null' },
  {
    field: { ...PAIR, mode: 'REPEATED' },
    v: [{ v: { f: [{ v: '1' }, { v: 'x' }] } }, { v: { f: [{ v: null }, { v: 'y' }] } }],
    json: '[{"a":1,"b\\"":"x"},{"a":null,"b\\"":"y"}]',
  },
]

describe('a cell of BigQuery', () => {
  for (const { field, v, json } of CASES) {
    const name = `${field.mode ?? ''} ${field.type} ${JSON.stringify(v)}`.trim()
    it(`${name} is ${json}`, () => expect(encode(field, v)).to.equal(`{"result":[{"c":${json}}]}`))
  }

  it('of a column whose contract asks for texts is one, whatever its size', () => {
    const contract = [{ required: false, json: 'string' as const }]
    for (const [type, v] of [
      ['INTEGER', '12'],
      ['INTEGER', '-9007199254740993'],
      ['NUMERIC', '1.5'],
    ] as const) {
      const encoder = new ResultEncoder({ timestamps: 'iso8601', maxRows: 10, maxBytes: 1_000, contract })
      encoder.add({ fields: [{ name: 'c', type }] }, [{ f: [{ v }] }])
      expect(Buffer.from(encoder.finish().body).toString()).to.equal(`{"result":[{"c":"${v}"}]}`)
    }
  })

  for (const type of ['RANGE', 'GEOGRAPHY']) {
    it(`of type ${type} is refused by name, at any depth`, () => {
      const fields = [{ name: 'outer', type: 'RECORD', fields: [{ name: 'inner', type }] }]
      expect(() => resultColumns({ fields })).to.throw(`Column outer.inner is of type ${type}`)
    })
  }

  const WRONG: Readonly<Record<string, readonly unknown[]>> = {
    INTEGER: [12, true, { f: [] }, [], '', 'abc', '1.0', '01', '-0', '+1', ' 1', '1e3', '9223372036854775808'].concat([
      '-9223372036854775809',
      '9'.repeat(400),
    ]),
    FLOAT: ['garbage', '', '1e999', '0x10', '1.', '.5', '1_0', 'Infinit', ' 1', 1.5],
    NUMERIC: ['1e3', '', '.5', '00.5', 'NaN', '1.0000000001', '1'.repeat(30)],
    BIGNUMERIC: ['1'.repeat(40), `0.${'0'.repeat(38)}1`, MOST_BIGNUMERIC.replace(/7$/, '8')],
    BOOLEAN: ['maybe', '', '1', 'yes', true],
    STRING: [1, true, { f: [] }, []],
    BYTES: ['a', 'a===', '====', 'YQ', 'YR==', 'YWJ=', 'YQ==YQ==', '_-==', 'YWJj\n', 1],
    DATE: ['2023-02-29', '1900-02-29', '0000-01-01', '10000-01-01', '2020-13-01', '2020-00-01', '2020-04-31'].concat([
      '2020-1-1',
      '2020-01-01T00:00:00',
      '',
    ]),
    TIME: ['24:00:00', '12:60:00', '12:00:60', '1:2:3', '12:00:00.', '12:00:00.1234567', '12:00'],
    DATETIME: [
      '2020-01-01',
      '2020-02-30T00:00:00',
      '2020-01-01T25:00:00',
      '2020-01-01_00:00:00',
      '2020-01-01T00:00:00Z',
    ],
    TIMESTAMP: ['yesterday', '1.7E9', '1.5', '-0', '', '253402300800000000', '-62135596800000001'].concat([
      '2020-01-01T00:00:00Z',
      '9'.repeat(19),
    ]),
    INTERVAL: [
      '1-12 0 0:0:0',
      '1 0 0:0:0',
      '0-0 0 0:60:0',
      '0-0 0 0:0:0.1234567',
      '10001-0 0 0:0:0',
      '0-0 01 0:0:0',
      '',
    ],
    JSON: ['{', '', 'nul', "{'a':1}", '1 2', '[1,]'],
  }
  for (const [type, values] of Object.entries(WRONG)) {
    for (const v of values) {
      it(`of type ${type} that holds ${JSON.stringify(v).slice(0, 60)} is refused`, () => {
        expect(() => encode({ type }, v)).to.throw(/^row 1, column c, .* expected, BigQuery gave another form$/)
        expect(() => encode({ type, mode: 'REPEATED' }, [{ v }])).to.throw('row 1, column c, ')
      })
    }
  }

  const REPEATED: Field = { ...INTEGER, mode: 'REPEATED' }
  for (const [name, field, v] of [
    ['an array that is a text', REPEATED, '1'],
    ['an array that is NULL', REPEATED, null],
    ['an array with a NULL', REPEATED, [{ v: null }]],
    ['an array of values that are not cells', REPEATED, ['1']],
    ['a required value that is NULL', { ...INTEGER, mode: 'REQUIRED' }, null],
    ['a required record that is NULL', { ...PAIR, mode: 'REQUIRED' }, null],
    ['a record with too few values', PAIR, { f: [{ v: '1' }] }],
    ['a record with too many values', PAIR, { f: [{ v: '1' }, { v: 'x' }, { v: 'y' }] }],
    ['a record that is a text', PAIR, '1'],
    ['a record that is a list', PAIR, [{ v: '1' }, { v: 'x' }]],
    ['a record without values', PAIR, {}],
  ] as const) {
    it(`that is ${name} is refused`, () => expect(() => encode(field, v)).to.throw('row 1, column c'))
  }

  it('is named with its row and its fields where it is wrong, without its value', () => {
    const field = { ...PAIR, mode: 'REPEATED' }
    const wrong = [{ v: { f: [{ v: 'secret' }, { v: 'x' }] } }]
    expect(() => encode(field, wrong))
      .to.throw('row 1, column c.a, INT64 expected, BigQuery gave another form')
      .with.property('message')
      .that.does.not.match(/secret/)
  })

  it('of a schema without names or types, or with an unknown mode, is refused', () => {
    for (const field of [{ type: 'STRING' }, { name: 'a' }, { name: 'a', type: 'STRING', mode: 'MAYBE' }]) {
      expect(() => resultColumns({ fields: [field as SchemaField] })).to.throw('a schema expected')
    }
  })
})

function encode(field: Field, v: unknown): string {
  const encoder = new ResultEncoder({ timestamps: 'iso8601', maxRows: 10, maxBytes: 1_000_000 })
  encoder.add({ fields: [{ name: 'c', ...field }] }, [{ f: [{ v }] }])
  return Buffer.from(encoder.finish().body).toString()
}
