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

  for (const text of ['RANGE', 'RANGE<INT64>', 'RANGE<DATE', 'RANGE<RANGE<DATE>>']) {
    it(`is not ${text}`, () => expect(parseColumnType(text)).to.equal(null))
  }
})
