import { expect } from 'chai'
import { fitsColumnType, parseColumnType } from '../../runner/manifest/column-type.js'

describe('a type of "columns"', () => {
  it('may be a range, alone and nested', () => {
    expect(parseColumnType('range<date>')).to.deep.equal({ kind: 'scalar', name: 'RANGE<DATE>' })
    const written = parseColumnType('ARRAY<STRUCT<r RANGE<TIMESTAMP>, RANGE<DATETIME>>>')!
    expect(fitsColumnType(written, parseColumnType('ARRAY<STRUCT<R RANGE<TIMESTAMP>, RANGE<DATETIME>>>')!)).to.equal(
      true,
    )
    expect(fitsColumnType(written, parseColumnType('ARRAY<STRUCT<R RANGE<DATE>, RANGE<DATETIME>>>')!)).to.equal(false)
  })

  it('may be a STRUCT with any fields, alone and nested, which is another than one without fields', () => {
    const open = { kind: 'struct', fields: null } as const
    expect(parseColumnType('struct')).to.deep.equal(open)
    expect(parseColumnType('ARRAY<STRUCT>')).to.deep.equal({ kind: 'array', element: open })
    expect(parseColumnType('STRUCT<a STRUCT, `b` INT64>')).to.deep.equal({
      kind: 'struct',
      fields: [
        { name: 'a', type: open },
        { name: 'b', type: { kind: 'scalar', name: 'INT64' } },
      ],
    })
    expect(parseColumnType('STRUCT<>')).to.deep.equal({ kind: 'struct', fields: [] })
    const declared = parseColumnType('ARRAY<STRUCT>')!
    expect(fitsColumnType(declared, parseColumnType('ARRAY<STRUCT<a INT64>>')!)).to.equal(true)
    expect(fitsColumnType(parseColumnType('STRUCT<>')!, parseColumnType('STRUCT<a INT64>')!)).to.equal(false)
  })

  for (const text of [
    'ARRAY<ARRAY<INT64>>',
    'STRUCT<',
    'ARRAY',
    'RANGE',
    'RANGE<INT64>',
    'RANGE<DATE',
    'RANGE<RANGE<DATE>>',
  ]) {
    it(`is not ${text}`, () => expect(parseColumnType(text)).to.equal(null))
  }
})
