import { expect } from 'chai'
import { type JsonPath, parseJsonPath } from '../../../../../googlesql/values/json-path.js'
import { documentText, parseDocument } from '../../../../../googlesql-duckdb/runtime/scalar-functions/json/document.js'
import { insertItems, setValue } from '../../../../../googlesql-duckdb/runtime/scalar-functions/json/edit.js'
import { ScalarFunctionError } from '../../../../../googlesql-duckdb/runtime/scalar-functions/scalar-function.js'

const node = (text: string) => parseDocument(text)!
const path = (text: string): JsonPath => parseJsonPath(text, 'standard', false) as JsonPath
const set = (document: string, at: string): string => documentText(setValue(node(document), path(at), node('1'), true))

describe('a path that extends arrays of a JSON value', () => {
  it('extends them with nulls', () => {
    expect(set('{}', '$.a[1][2]')).to.equal('{"a":[null,[null,null,1]]}')
    expect(set('[0]', '$[2]')).to.equal('[0,null,1]')
  })

  it('changes nothing where a value is of another kind, however long the arrays behind it would get', () => {
    for (const at of ['$[0]', '$.a.b', `$.a.b${'[999999]'.repeat(400)}`, '$[2000000]']) {
      expect(set('{"a":[]}', at), at).to.equal('{"a":[]}')
    }
  })

  it('is refused before any array is made when they get too long together', () => {
    for (const at of [`$.a${'[999999]'.repeat(400)}`, '$[500000].b[500000]', '$[1000000]', '$[0][1000000]']) {
      expect(() => set('null', at), at).to.throw(ScalarFunctionError, 'Exceeded maximum array size of 1000000')
    }
    expect(() => insertItems(node('[]'), path('$[1000000]'), node('1'), false)).to.throw(ScalarFunctionError)
  })

  it('is refused where a short text would make a long array, which takes long to write', () => {
    const refusal = 'Resources exceeded during query execution: an index adds more than 200000 items to an array'
    expect(() => set('null', '$[200001]')).to.throw(ScalarFunctionError, refusal)
    expect(() => insertItems(node('[]'), path('$[200001]'), node('1'), false)).to.throw(ScalarFunctionError, refusal)
    expect(set('null', '$[200000]').length).to.equal(1_000_003)
    const long = node(`[${'0,'.repeat(299_999)}0]`)
    expect(insertItems(long, path('$[250000]'), node('1'), false)).to.have.nested.property('items.length', 300_001)
  })

  it('counts only what is added', () => {
    const long = `[${'0,'.repeat(599_999)}0]`
    expect(set(`{"a":${long}}`, '$.a[700000][99999]').length).to.be.above(long.length)
  })
})
