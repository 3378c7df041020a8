/** The text of a type can be read back. */
import { expect } from 'chai'
import { parseTypeName } from '../../../googlesql/types/parse-type-name.js'
import { arrayOf, INT64, STRING, structOf, typeName } from '../../../googlesql/types/types.js'

describe('the text of a type', () => {
  it('quotes field names that are not identifiers', () => {
    const fields = ['a b', 'größe', 'a-b', '1st', 'a', 'array', ''].map(name => ({ name, type: INT64 }))
    const type = arrayOf(structOf([...fields, { name: 'x>', type: structOf([{ name: 'y', type: STRING }]) }]))
    const text =
      'ARRAY<STRUCT<`a b` INT64, `größe` INT64, `a-b` INT64, `1st` INT64, a INT64, array INT64, INT64, `x>` STRUCT<y STRING>>>'
    expect(typeName(type)).to.equal(text)
    expect(parseTypeName(text)).to.deep.equal(type)
  })
})
