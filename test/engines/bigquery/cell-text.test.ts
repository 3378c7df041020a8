/** REST cells, as BigQuery's reference writes them, become the text of results. */
import { expect } from 'chai'
import { compileCellText } from '../../../runner/engines/bigquery/cell-text.js'
import type { RestField } from '../../../runner/engines/bigquery/rest.js'
import { resultColumns } from '../../../runner/engines/bigquery/result-columns.js'

type Field = Omit<RestField, 'name'>

interface Case {
  readonly field: Field
  readonly v: unknown
  readonly json: string
  /** Where CSV writes something else. */
  readonly csv?: string | null
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

const CASES: readonly Case[] = [
  { field: INTEGER, v: '-12', json: '-12' },
  { field: INTEGER, v: '9007199254740991', json: '9007199254740991' },
  { field: INTEGER, v: '9007199254740993', json: '"9007199254740993"', csv: '9007199254740993' },
  { field: INTEGER, v: '-9223372036854775808', json: '"-9223372036854775808"', csv: '-9223372036854775808' },
  { field: INTEGER, v: null, json: 'null', csv: null },
  { field: { type: 'FLOAT' }, v: '1.5E10', json: '15000000000' },
  { field: { type: 'FLOAT64' }, v: 'NaN', json: '"NaN"', csv: 'NaN' },
  { field: { type: 'FLOAT' }, v: 'Infinity', json: '"Infinity"', csv: 'Infinity' },
  { field: { type: 'FLOAT' }, v: '-inf', json: '"-Infinity"', csv: '-Infinity' },
  { field: { type: 'NUMERIC' }, v: '12345678901234567890.123456789', json: '"12345678901234567890.123456789"' },
  { field: { type: 'BIGNUMERIC' }, v: '1.50', json: '"1.5"' },
  { field: { type: 'BOOLEAN' }, v: 'true', json: 'true' },
  { field: { type: 'BOOL' }, v: 'False', json: 'false' },
  { field: STRING, v: 'a "quote"\u0000\n', json: '"a \\"quote\\"\\u0000\\n"', csv: 'a "quote"\u0000\n' },
  { field: STRING, v: '', json: '""', csv: '' },
  { field: { type: 'BYTES' }, v: '/wA=', json: '"/wA="', csv: '/wA=' },
  { field: { type: 'DATE' }, v: '0001-01-01', json: '"0001-01-01"', csv: '0001-01-01' },
  { field: { type: 'TIME' }, v: '12:00:00.500000', json: '"12:00:00.500"', csv: '12:00:00.500' },
  { field: { type: 'DATETIME' }, v: '9999-12-31T23:59:59.999999', json: '"9999-12-31T23:59:59.999999"' },
  { field: { type: 'DATETIME' }, v: '2020-01-01T00:00:00.000000', json: '"2020-01-01T00:00:00"' },
  { field: { type: 'TIMESTAMP' }, v: '1700000000123456', json: '"2023-11-14T22:13:20.123456Z"' },
  { field: { type: 'TIMESTAMP' }, v: '-62135596800000000', json: '"0001-01-01T00:00:00Z"' },
  { field: { type: 'TIMESTAMP' }, v: '253402300799999999', json: '"9999-12-31T23:59:59.999999Z"' },
  { field: { type: 'TIMESTAMP' }, v: '1.700000000123456E9', json: '"2023-11-14T22:13:20.123456Z"' },
  { field: { type: 'TIMESTAMP' }, v: '-0.000001', json: '"1969-12-31T23:59:59.999999Z"' },
  { field: { type: 'INTERVAL' }, v: '1-2 -3 4:5:6.789000', json: '"1-2 -3 4:5:6.789"' },
  { field: { type: 'JSON' }, v: '{"b": 1, "a":[true, null]}', json: '{"a":[true,null],"b":1}' },
  { field: { type: 'JSON' }, v: 'null', json: 'null', csv: 'null' },
  { field: { type: 'JSON' }, v: null, json: 'null', csv: null },
  { field: { ...INTEGER, mode: 'REPEATED' }, v: [{ v: '1' }, { v: '2' }], json: '[1,2]' },
  { field: { ...INTEGER, mode: 'REPEATED' }, v: [], json: '[]' },
  { field: { ...INTEGER, mode: 'REPEATED' }, v: null, json: '[]' },
  { field: PAIR, v: { f: [{ v: '1' }, { v: null }] }, json: '{"a":1,"b\\"":null}' },
  { field: PAIR, v: null, json: 'null', csv: null },
  {
    field: { ...PAIR, mode: 'REPEATED' },
    v: [{ v: { f: [{ v: '1' }, { v: 'x' }] } }, { v: { f: [{ v: null }, { v: 'y' }] } }],
    json: '[{"a":1,"b\\"":"x"},{"a":null,"b\\"":"y"}]',
  },
]

const compile = (field: Field, format: 'json' | 'csv'): ReturnType<typeof compileCellText> =>
  compileCellText(resultColumns({ fields: [{ name: 'c', ...field }] })[0]!, { format, timestamps: 'iso8601' })

describe('a cell of BigQuery', () => {
  for (const { field, v, json, csv } of CASES) {
    const name = `${field.mode ?? ''} ${field.type} ${JSON.stringify(v)}`.trim()
    it(`${name} is ${json}`, () => {
      expect(compile(field, 'json')(v)).to.equal(json)
      const plain = csv === undefined ? json.replace(/^"(.*)"$/, '$1') : csv
      expect(compile(field, 'csv')(v)).to.equal(plain)
    })
  }

  for (const type of ['RANGE', 'GEOGRAPHY']) {
    it(`of type ${type} is refused by its name, however deep it lies`, () => {
      const fields = [{ name: 'outer', type: 'RECORD', fields: [{ name: 'inner', type }] }]
      expect(() => resultColumns({ fields })).to.throw(`Column outer.inner is of type ${type}`)
    })
  }

  for (const [field, v] of [
    [INTEGER, 12],
    [INTEGER, { f: [] }],
    [{ ...INTEGER, mode: 'REPEATED' }, '1'],
    [PAIR, { f: [{ v: '1' }] }],
    [{ type: 'TIMESTAMP' }, 'yesterday'],
    [{ type: 'JSON' }, '{'],
  ] as const) {
    it(`of type ${field.type} that holds ${JSON.stringify(v)} is no result`, () => {
      expect(() => compile(field, 'json')(v)).to.throw('BigQuery gave another form')
    })
  }
})
