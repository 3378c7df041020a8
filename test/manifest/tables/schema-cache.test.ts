import { expect } from 'chai'
import { readTableSchema } from '../../../runner/manifest/tables/load.js'
import { createSchemaCache } from '../../../runner/manifest/tables/schema-cache.js'

const file = 'schemas/tables/shop.orders.json'

describe('the cache of table schemas', () => {
  it('reads a file again only when its text has changed', () => {
    const texts: string[] = []
    const read = createSchemaCache(source => {
      texts.push(source.text)
      return readTableSchema(source)
    })
    const [first, second] = ['[{"name": "id", "type": "STRING"}]', '[{"name": "id", "type": "INTEGER"}]']
    const before = read({ file, text: first })
    expect(read({ file, text: first })).to.equal(before)
    expect(read({ file, text: second }).table?.columns[0]?.type.kind).to.equal('INT64')
    expect(read({ file: 'schemas/tables/shop.items.json', text: second }).table?.name).to.equal('shop.items')
    expect(texts).to.deep.equal([first, second, second])
  })

  it('keeps the mistakes of a schema too', () => {
    const read = createSchemaCache()
    const wrong = { file, text: '[{"name": "id", "type": "STRNG"}]' }
    expect(read(wrong).diagnostics).to.have.length(1)
    expect(read(wrong).diagnostics).to.equal(read(wrong).diagnostics)
  })
})
