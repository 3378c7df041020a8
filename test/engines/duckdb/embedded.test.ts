import { expect } from 'chai'
import { openEmbeddedEngine } from '../../../runner/index.js'

describe('the embedded engine as a library', () => {
  it('accepts rows without a value, and values that JSON cannot express', async () => {
    const engine = await openEmbeddedEngine({
      tables: {
        one: { schema: [{ name: 'v', type: 'STRING' }], rows: [{}] },
        odd: {
          schema: [
            { name: 'f', type: 'FLOAT' },
            { name: 'n', type: 'INTEGER' },
            { name: 'b', type: 'BYTES' },
          ],
          rows: [{ f: Number.NaN, n: 2n ** 60n, b: Buffer.from('abc') }],
        },
      },
    })
    try {
      // In a table with one STRING column, `{}` is a row with NULL, not the text of an object.
      expect((await engine.query('SELECT v FROM one')).rows).to.deep.equal([[null]])
      expect((await engine.query('SELECT * FROM odd')).rows).to.deep.equal([['NaN', '1152921504606846976', 'YWJj']])
    } finally {
      await engine.close()
    }
  })

  it('says in INFORMATION_SCHEMA that a REQUIRED column is not nullable', async () => {
    const schema = [
      { name: 'id', type: 'INTEGER', mode: 'REQUIRED' },
      { name: 'note', type: 'STRING' },
    ]
    const engine = await openEmbeddedEngine({ tables: { 'shop.orders': { schema, rows: [{ id: 1 }] } } })
    try {
      const { rows } = await engine.query('SELECT column_name, is_nullable FROM shop.INFORMATION_SCHEMA.COLUMNS')
      expect(rows).to.deep.equal([
        ['id', 'NO'],
        ['note', 'YES'],
      ])
    } finally {
      await engine.close()
    }
  })

  it('finds a table whose name differs only in case, and has the columns of the one that it is', async () => {
    const engine = await openEmbeddedEngine({
      tables: { 'Sales.Orders': { schema: [{ name: 'id', type: 'INTEGER' }], rows: [{ id: 1 }] } },
    })
    try {
      const { rows } = await engine.query('SELECT orders.id FROM `sales.orders` JOIN sales.Orders AS o USING (id)')
      expect(rows).to.deep.equal([[1]])
    } finally {
      await engine.close()
    }
  })
})
