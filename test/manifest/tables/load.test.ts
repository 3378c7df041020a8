import { expect } from 'chai'
import { readTableSchema } from '../../../runner/manifest/tables/load.js'

const read = (name: string, schema: unknown = [{ name: 'a', type: 'STRING' }]) =>
  readTableSchema({ file: `schemas/tables/${name}.json`, text: JSON.stringify(schema, null, 2) })

describe('the name of a table schema', () => {
  for (const name of [
    'shop.orders',
    'a-project.shop.orders',
    'example.com:a-project.shop.orders',
    'shop.orders_20260131',
    'shop.größe 1-x',
  ]) {
    it(`may be ${name}`, () => {
      expect(read(name).table?.name).to.equal(name)
    })
  }

  for (const name of [
    'orders',
    'a.b.shop.orders',
    'Project.shop.orders',
    'shop.',
    '.orders',
    'shop.or/ders',
    'shop..orders',
  ]) {
    it(`may not be ${name}`, () => {
      const { table, diagnostics } = read(name)
      expect(table).to.equal(null)
      expect(diagnostics.map(({ rule }) => rule)).to.deep.equal(['table/file-name'])
    })
  }
})

describe('a table schema', () => {
  const fields = [
    { name: 'a', type: 'STRING' },
    { name: 'b', type: 'RECORD', fields: [{ name: 'c', type: 'DATE' }] },
  ]

  it('knows where each column is described', () => {
    const { table } = read('shop.orders', { schema: { fields } })
    const lineOf = (...column: readonly string[]): number => table!.placeOf(column).line
    expect([lineOf(), lineOf('a'), lineOf('b'), lineOf('b', 'c'), lineOf('b', 'none'), lineOf('none')]).to.deep.equal([
      3, 4, 8, 12, 11, 3,
    ])
  })

  it('has its mistakes at their places after a byte order mark, too', () => {
    const source = { file: 'schemas/tables/shop.orders.json', text: '\ufeff[\n{"name" "a"}]' }
    expect(readTableSchema(source).diagnostics).to.deep.include.members([
      {
        file: source.file,
        line: 2,
        column: 9,
        rule: 'table/syntax',
        severity: 'error',
        message: 'a colon is missing before this',
      },
    ])
  })
})
