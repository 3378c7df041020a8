import { expect } from 'chai'
import { resolveQuery } from '../../../googlesql/resolve/resolve.js'
import { SqlError } from '../../../googlesql/sql-error.js'
import { tableCatalogue } from '../../../googlesql/tables.js'
import { arrayOf, INT64, STRING } from '../../../googlesql/types/types.js'

const TABLES = tableCatalogue([
  {
    name: 'd.t',
    columns: [
      { name: 'id', type: INT64 },
      { name: 'word', type: STRING },
      { name: 'list', type: arrayOf(INT64) },
    ],
    unreadable: [{ name: 'Shape', reason: 'it has no type; leave it out' }],
  },
  { name: 'd.u', columns: [{ name: 'id', type: INT64 }] },
])
const REASON = 'Column Shape of table d.t cannot be read: it has no type; leave it out'

const names = (sql: string): readonly string[] => resolveQuery(sql, TABLES, {}).columns.map(({ name }) => name)

function refusal(sql: string): string {
  try {
    return names(sql).join(', ')
  } catch (thrown) {
    if (thrown instanceof SqlError) return thrown.message
    throw thrown
  }
}

describe('a column of a type that cannot be read', () => {
  const readers: readonly (readonly [sql: string, place: string])[] = [
    ['SELECT * FROM d.t', '[1:8]'],
    ['SELECT t.* FROM d.t', '[1:8]'],
    ['SELECT t.* FROM d.u JOIN d.t USING (id)', '[1:8]'],
    ['SELECT * FROM d.u JOIN d.t USING (id)', '[1:8]'],
    ['SELECT * EXCEPT (id) FROM d.t', '[1:8]'],
    ['SELECT shape FROM d.t', '[1:8]'],
    ['SELECT id FROM d.t WHERE t.shape IS NULL', '[1:28]'],
    ['SELECT t FROM d.t', '[1:8]'],
    ['SELECT id FROM (SELECT * FROM d.t)', '[1:24]'],
    ['WITH w AS (SELECT * FROM d.t) SELECT id FROM w', '[1:19]'],
    ['SELECT id FROM d.u WHERE EXISTS (SELECT 1 FROM d.t WHERE shape = u.id)', '[1:58]'],
    ['SELECT 1 FROM d.t AS a JOIN d.t AS b USING (shape)', '[1:45]'],
    ['SELECT * FROM d.t PIVOT (COUNT(*) FOR id IN (1))', '[1:19]'],
    ['SELECT id FROM d.t GROUP BY id, shape', '[1:33]'],
    ['SELECT id FROM d.t ORDER BY shape', '[1:29]'],
    ['SELECT 1 FROM d.t, UNNEST(shape)', '[1:27]'],
    ['FROM d.t', '[1:1]'],
    ['FROM d.t |> WHERE id = 1', '[1:1]'],
    ['FROM d.t |> DISTINCT', '[1:1]'],
    ['FROM d.t |> RENAME shape AS form', '[1:1]'],
    ['SELECT id FROM (FROM d.t)', '[1:1]'],
  ]
  for (const [sql, place] of readers) {
    it(`is named, with the reason, in the error of a query that reads it: ${sql}`, () => {
      expect(refusal(sql)).to.equal(`${REASON} at ${place}`)
    })
  }

  const others: readonly (readonly [sql: string, names: string])[] = [
    ['SELECT id FROM d.t', 'id'],
    ['SELECT COUNT(*) AS n FROM d.t', 'n'],
    ['SELECT * EXCEPT (shape) FROM d.t', 'id, word, list'],
    ['SELECT t.* EXCEPT (Shape, list) FROM d.t', 'id, word'],
    ["SELECT * EXCEPT (list) REPLACE ('x' AS shape) FROM d.t", 'id, word, shape'],
    ['SELECT u.* FROM d.u JOIN d.t USING (id)', 'id'],
    ['FROM d.t |> DROP shape', 'id, word, list'],
    ['FROM d.t |> SET shape = 1 |> DROP list', 'id, word, Shape'],
    ['FROM d.t |> SELECT word', 'word'],
  ]
  for (const [sql, expected] of others) {
    it(`does not affect a query that does not read it: ${sql}`, () => {
      expect(refusal(sql)).to.equal(expected)
    })
  }

  it('is not confused with a name in another query', () => {
    expect(refusal('SELECT shape FROM d.u')).to.match(/^Unrecognized name: shape/)
  })
})
