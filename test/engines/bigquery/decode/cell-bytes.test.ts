/** Rows encoded directly as bytes are the same as rows put together from the texts of their cells. */
import { expect } from 'chai'
import { resultEncoder } from '../../../../runner/engines/bigquery/decode/encode-result.js'
import { resultColumns } from '../../../../runner/engines/bigquery/decode/result-columns.js'
import type { RestCell, RestField, RestRow } from '../../../../runner/engines/bigquery/rest/messages.js'
import { objectWriter } from '../../../../runner/result/body.js'
import { compileCell } from './plain-cells.js'

const TIMESTAMPS = ['iso8601', 'unix_micros'] as const

const TEXTS = ['', 'a', 'São Paulo', '"', '\\', '\u0000', '\u001f', '\u007f', '\u0080', '߿', 'ࠀ', '\u2028']
  .concat(['日本', '😀', '\ud800', '\udc00x', '\n', '\ufeff', '\uffff'])
  .flatMap(text => [text, `plain ${text}`, `${text}${'x'.repeat(38)}`, 'x'.repeat(39) + text, text.repeat(300)])

const SCALARS: Readonly<Record<string, readonly string[]>> = {
  STRING: TEXTS,
  INTEGER: ['0', '-12', '999999999999999', '9007199254740991', '9007199254740993', '-9223372036854775808'],
  FLOAT: ['0.1', '-0.0', '1.5E10', 'NaN', '-inf'],
  NUMERIC: ['1.50', '-0.0', '12345678901234567890'],
  BOOLEAN: ['true', 'false', 'True', 'False'],
  BYTES: ['', '/wA=', 'AAAA'.repeat(50)],
  DATE: ['0001-01-01', '9999-12-31'],
  TIME: ['12:00:00.500000'],
  DATETIME: ['2020-01-01T00:00:00.000000', '2020-01-01 00:00:00.000001'],
  TIMESTAMP: ['0', '-1', '86400000000', '1700000000123456', '9007199254740991', '9007199254740992'].concat([
    '-9007199254740991',
    '-9007199254740993',
    '-62135596800000000',
    '253402300799999999',
  ]),
  INTERVAL: ['1-2 -3 4:5:6.789000'],
  JSON: ['{"b": 1, "a":["é", null]}', '"x"', `[${'1,'.repeat(100)}1]`],
}

/** Draws a number from 0 to below `count`; the same seed always gives the same numbers. */
type Draw = (count: number) => number

function picker(seed: number): Draw {
  let state = seed
  return count => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
}

function fieldsOf(pick: Draw, depth: number): readonly RestField[] {
  return Array.from({ length: pick(6) + (depth === 0 ? 1 : 0) }, (_, i) => {
    const name = `${['a', 'naïve', 'q"', '日本', 'a_longer_name'][pick(5)]}${i}`
    const mode = pick(3) === 0 ? 'REPEATED' : 'NULLABLE'
    if (depth < 3 && pick(3) === 0) return { name, type: 'RECORD', mode, fields: fieldsOf(pick, depth + 1) }
    const kinds = Object.keys(SCALARS)
    return { name, mode, type: pick(2) === 0 ? 'STRING' : kinds[pick(kinds.length)]! }
  })
}

function cellOf(field: RestField, pick: Draw): RestCell {
  if (field.mode === 'REPEATED') {
    return { v: Array.from({ length: pick(4) }, () => cellOf({ ...field, mode: 'REQUIRED' }, pick)) }
  }
  if (field.mode !== 'REQUIRED' && pick(6) === 0) return { v: null }
  if (field.fields) return { v: { f: field.fields.map(one => cellOf(one, pick)) } }
  const values = SCALARS[field.type]!
  return { v: values[pick(values.length)] }
}

type Timestamps = (typeof TIMESTAMPS)[number]

function encoded(fields: readonly RestField[], rows: readonly RestRow[], timestamps: Timestamps): Buffer {
  const encoder = resultEncoder({ timestamps, maxRows: 1_000, maxBytes: 1e9 })
  const half = rows.length >> 1
  encoder.add({ fields }, textOf(rows.slice(0, half)))
  encoder.add({ fields }, textOf(rows.slice(half)))
  return Buffer.from(encoder.finish().body)
}

const textOf = (rows: readonly RestRow[]): Buffer => Buffer.from(JSON.stringify(rows))

function plain(fields: readonly RestField[], rows: readonly RestRow[], timestamps: Timestamps): Buffer {
  const columns = resultColumns({ fields })
  const cells = columns.map(column => compileCell(column, timestamps))
  const write = objectWriter(columns.map(column => column.name))
  const texts = rows.map(({ f }) => write(cells.map((cell, i) => cell(f[i]!.v))))
  return Buffer.from(`{"result":[${texts.join()}]}`, 'utf8')
}

describe('rows of BigQuery as bytes', () => {
  for (const timestamps of TIMESTAMPS) {
    it(`with ${timestamps} are the same as from the texts of their cells, for 60 schemas`, () => {
      for (let seed = 1; seed <= 60; seed++) {
        const pick = picker(seed)
        const fields = fieldsOf(pick, 0)
        const rows = Array.from({ length: 1 + pick(12) }, () => ({ f: fields.map(field => cellOf(field, pick)) }))
        expect(encoded(fields, rows, timestamps).toString('latin1'), `seed ${seed}`).to.equal(
          plain(fields, rows, timestamps).toString('latin1'),
        )
      }
    })
  }

  it('keep every text as JSON.stringify writes it', () => {
    const rows = TEXTS.map(text => ({ f: [{ v: text }] }))
    const body = encoded([{ name: 's', type: 'STRING' }], rows, 'iso8601')
    expect(body.toString()).to.equal(JSON.stringify({ result: TEXTS.map(s => ({ s })) }))
  })

  it('are complete where one row is larger than the buffer', () => {
    const texts = ['x', 'ü'.repeat(300_000), '"'.repeat(300_000), 'y'.repeat(300_000)]
    const rows = texts.map(text => ({ f: [{ v: text }] }))
    const body = encoded([{ name: 's', type: 'STRING' }], rows, 'iso8601')
    expect(body.equals(Buffer.from(JSON.stringify({ result: texts.map(s => ({ s })) })))).to.equal(true)
  })

  it('are counted; rows beyond the limit are validated and left out', () => {
    const fields = [{ name: 'n', type: 'INTEGER' }]
    const rows = ['1', '2', '3'].map(v => ({ f: [{ v }] }))
    const encoder = resultEncoder({ timestamps: 'iso8601', maxRows: 1, maxBytes: 1_000 })
    expect(encoder.add({ fields }, textOf(rows))).to.equal(3)
    const { rowCount, isTruncated, body } = encoder.finish()
    expect([rowCount, isTruncated]).to.deep.equal([1, true])
    expect(Buffer.from(body).toString()).to.equal('{"result":[{"n":1}]}')
    const other = resultEncoder({ timestamps: 'iso8601', maxRows: 1, maxBytes: 1_000 })
    expect(() => other.add({ fields }, textOf([...rows, { f: [{ v: 'x' }] }]))).to.throw('row 4, column n, INT64')
  })
})
