import { expect } from 'chai'
import { ANY_STRUCT, parseOpenTypeName } from '../../googlesql/index.js'
import { fitsType } from '../../runner/manifest/check/rules/columns.js'

describe('a type of "columns"', () => {
  it('may be a range, alone and nested', () => {
    expect(parseOpenTypeName('range<date>')).to.deep.equal({ kind: 'RANGE<DATE>' })
    const written = parseOpenTypeName('ARRAY<STRUCT<r RANGE<TIMESTAMP>, RANGE<DATETIME>>>')!
    expect(fitsType(written, parseOpenTypeName('ARRAY<STRUCT<R RANGE<TIMESTAMP>, RANGE<DATETIME>>>')!)).to.equal(true)
    expect(fitsType(written, parseOpenTypeName('ARRAY<STRUCT<R RANGE<DATE>, RANGE<DATETIME>>>')!)).to.equal(false)
  })

  it('may be a STRUCT with any fields, alone and nested, which is another than one without fields', () => {
    expect(parseOpenTypeName('struct')).to.equal(ANY_STRUCT)
    expect(parseOpenTypeName('ARRAY<STRUCT>')).to.deep.equal({ kind: 'ARRAY', element: ANY_STRUCT })
    const [a, b] = (parseOpenTypeName('STRUCT<a STRUCT, `b` INT64>') as typeof ANY_STRUCT).fields
    expect([a!.type, b!.name, b!.type]).to.deep.equal([ANY_STRUCT, 'b', { kind: 'INT64' }])
    expect(parseOpenTypeName('STRUCT<>')).not.to.equal(ANY_STRUCT)
    const declared = parseOpenTypeName('ARRAY<STRUCT>')!
    expect(fitsType(declared, parseOpenTypeName('ARRAY<STRUCT<a INT64>>')!)).to.equal(true)
    expect(fitsType(parseOpenTypeName('STRUCT<>')!, parseOpenTypeName('STRUCT<a INT64>')!)).to.equal(false)
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
    it(`is not ${text}`, () => expect(parseOpenTypeName(text)).to.equal(undefined))
  }
})
