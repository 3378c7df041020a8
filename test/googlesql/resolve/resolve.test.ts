import { expect } from 'chai'
import { visitScan } from '../../../googlesql/plan/walk.js'
import { resolveQuery } from '../../../googlesql/resolve/resolve.js'
import { SqlError } from '../../../googlesql/sql-error.js'
import { tableCatalogue } from '../../../googlesql/tables.js'
import { arrayOf, INT64, STRING, structOf, TIMESTAMP, typeName } from '../../../googlesql/types/types.js'

const RECORD = structOf([
  { name: 'path', type: STRING },
  { name: 'status', type: INT64 },
])
const TABLES = tableCatalogue([
  {
    name: 'logs.edge',
    columns: [
      { name: 'id', type: STRING },
      { name: 'timestamp', type: TIMESTAMP },
      { name: 'status', type: INT64 },
      { name: 'metadata', type: arrayOf(RECORD) },
    ],
  },
  {
    name: 'logs.auth',
    columns: [
      { name: 'id', type: STRING },
      { name: 'level', type: STRING },
    ],
  },
])
const PARAMETERS = { project: STRING, now: TIMESTAMP, ids: arrayOf(STRING) }

const columns = (sql: string): string =>
  resolveQuery(sql, TABLES, PARAMETERS)
    .columns.map(column => `${column.name} ${typeName(column.type)}`)
    .join(', ')

function refusal(sql: string): string {
  try {
    resolveQuery(sql, TABLES, PARAMETERS)
  } catch (thrown) {
    if (thrown instanceof SqlError) return thrown.message
    throw thrown
  }
  return 'accepted'
}

describe('resolving a query gives the columns that BigQuery would', () => {
  const CASES: readonly (readonly [what: string, sql: string, columns: string])[] = [
    ['columns without a name are numbered', "SELECT 1, 'a' AS b, 2.5", 'f0_ INT64, b STRING, f1_ FLOAT64'],
    ['columns of one name are numbered', 'SELECT 1 AS a, 2 AS A, 3 AS a', 'a INT64, A_1 INT64, a_2 INT64'],
    ['a path gives its last name', 'SELECT t.metadata[0].path FROM `logs.edge` t', 'path STRING'],
    ['a table without an alias is known by its last name', 'SELECT edge.id FROM logs.edge', 'id STRING'],
    [
      '* keeps the table order',
      'SELECT * EXCEPT (metadata) FROM logs.edge',
      'id STRING, timestamp TIMESTAMP, status INT64',
    ],
    ['* REPLACE keeps the place', 'SELECT * REPLACE (1 AS id) FROM logs.auth', 'id INT64, level STRING'],
    ['a correlated array path expands', 'SELECT m.path FROM logs.edge e, e.metadata m', 'path STRING'],
    [
      'the fields of an unnested struct are names of their own',
      'SELECT path FROM logs.edge, UNNEST(metadata)',
      'path STRING',
    ],
    ['WITH OFFSET is a column', 'SELECT * FROM UNNEST([10, 20]) AS x WITH OFFSET', 'x INT64, offset INT64'],
    [
      'a range variable beats a column of its name',
      'SELECT id FROM logs.auth AS id',
      'id STRUCT<id STRING, level STRING>',
    ],
    ['a row can be taken as a value', 'SELECT auth FROM logs.auth', 'auth STRUCT<id STRING, level STRING>'],
    [
      'USING merges the two columns and puts them first',
      'SELECT * FROM logs.auth a JOIN logs.edge e USING (id)',
      'id STRING, level STRING, timestamp TIMESTAMP, status INT64, metadata ARRAY<STRUCT<path STRING, status INT64>>',
    ],
    [
      'set operations take the common supertype',
      'SELECT 1 AS a UNION ALL SELECT 2.5 UNION ALL SELECT NULL',
      'a FLOAT64',
    ],
    [
      'GROUP BY takes an alias before a column',
      'SELECT UPPER(id) AS id, COUNT(*) AS n FROM logs.auth GROUP BY id',
      'id STRING, n INT64',
    ],
    [
      'a key may be repeated inside a longer expression',
      'SELECT status + 1, COUNT(*) FROM logs.edge GROUP BY status',
      'f0_ INT64, f1_ INT64',
    ],
    [
      'aggregates may stand inside windows',
      'SELECT SUM(COUNT(*)) OVER () AS n FROM logs.edge GROUP BY status',
      'n INT64',
    ],
    [
      'a subquery of a grouped query sees the keys',
      'SELECT (SELECT e.status) FROM logs.edge e GROUP BY e.status',
      'f0_ INT64',
    ],
    [
      'SELECT AS STRUCT makes a value',
      'SELECT ARRAY(SELECT AS STRUCT id, level FROM logs.auth) AS a',
      'a ARRAY<STRUCT<id STRING, level STRING>>',
    ],
    [
      'PIVOT names its columns',
      "SELECT * FROM logs.auth PIVOT(COUNT(*) AS n FOR level IN ('a', 'b' AS bee))",
      'id STRING, n_a INT64, n_bee INT64',
    ],
    [
      'UNPIVOT gives the value, then the name',
      'SELECT * FROM logs.auth UNPIVOT(v FOR k IN (id, level))',
      'v STRING, k STRING',
    ],
    ['parameters have the types they are given', 'SELECT @project AS p, @ids AS i', 'p STRING, i ARRAY<STRING>'],
  ]
  for (const [what, sql, expected] of CASES) it(what, () => expect(columns(sql)).to.equal(expected))
})

describe('resolving refuses, in the words of BigQuery and at the right place', () => {
  const CASES: readonly (readonly [what: string, sql: string, message: string])[] = [
    [
      'an unknown name, with the nearest one',
      'SELECT\n  stauts FROM logs.edge',
      'Unrecognized name: stauts; Did you mean status? at [2:3]',
    ],
    ['an unknown table', 'SELECT 1 FROM logs.egde', 'Table not found: logs.egde; Did you mean logs.edge? at [1:15]'],
    [
      'an unknown field',
      'SELECT metadata[0].pth FROM logs.edge',
      'Field name pth does not exist in STRUCT<path STRING, status INT64>; Did you mean path? at [1:20]',
    ],
    [
      'a field of an array',
      'SELECT metadata.path FROM logs.edge',
      'Cannot access field path on a value with type ARRAY<STRUCT<path STRING, status INT64>> at [1:17]',
    ],
    ['an unknown function', 'SELECT UPPR(id) FROM logs.edge', 'Function not found: UPPR; Did you mean upper? at [1:8]'],
    [
      'an ungrouped column',
      'SELECT id, COUNT(*) FROM logs.edge GROUP BY status',
      'SELECT list expression references column id which is neither grouped nor aggregated at [1:8]',
    ],
    ['an ambiguous name', 'SELECT id FROM logs.edge, logs.auth', 'Column name id is ambiguous at [1:8]'],
    [
      'an aggregate in WHERE',
      'SELECT 1 FROM logs.edge WHERE COUNT(*) > 1',
      'Aggregate function COUNT not allowed in WHERE clause at [1:31]',
    ],
    ['an unknown parameter', 'SELECT @prject', "Query parameter 'prject' not found at [1:8]"],
    [
      'a condition that is not BOOL',
      'SELECT 1 FROM logs.edge WHERE status',
      'WHERE clause should return type BOOL, but returns INT64 at [1:31]',
    ],
    [
      'two columns of one name, and one of the name that the second would get',
      'SELECT 1 AS a, 2 AS A, 3 AS a_1',
      'Duplicate column names in the result are not supported. Found duplicate(s): A at [1:1]',
    ],
    [
      'set operations of different width',
      'SELECT 1 UNION ALL SELECT 1, 2',
      'Queries in UNION ALL have mismatched column count; query 1 has 1 column, query 2 has 2 columns at [1:20]',
    ],
    ['an order of arrays', 'SELECT [1] < [2]', 'Less than is not defined for arguments of type ARRAY<INT64> at [1:8]'],
    [
      'an integer that is too large',
      'SELECT 9223372036854775808',
      'Invalid integer literal: 9223372036854775808 at [1:8]',
    ],
    [
      'a numbering function with a frame',
      'SELECT ROW_NUMBER() OVER (ORDER BY id ROWS 1 PRECEDING) FROM logs.auth',
      'Window framing clause is not allowed for analytic function row_number at [1:39]',
    ],
  ]
  for (const [what, sql, expected] of CASES) it(what, () => expect(refusal(sql)).to.equal(expected))

  it('a query that is nested too deeply, instead of running out of stack', () => {
    const sum = Array.from({ length: 2_000 }, (_, i) => i).join(' + ')
    expect(refusal(`SELECT ${'('.repeat(120)}1${')'.repeat(120)} + ${sum}`)).to.match(/nested/)
    expect(refusal(`SELECT ${Array.from({ length: 400 }, (_, i) => i).join(' + ')}`)).to.equal('accepted')
  })
})

describe('resolving marks a column as an outer reference in a subquery alone', () => {
  const OUTER_REFERENCES = 'SELECT b.level FROM logs.auth b WHERE b.level = '
  const CASES: readonly (readonly [where: string, sql: string, marks: readonly boolean[]])[] = [
    ['before grouping', 'SELECT id IN (SELECT level FROM logs.auth) FROM logs.edge', [false]],
    ['the operand of IN', 'SELECT id IN (SELECT level FROM logs.auth) FROM logs.edge GROUP BY id', [false, false]],
    ['the query of IN', `SELECT 'a' IN (${OUTER_REFERENCES}e.id) FROM logs.edge e GROUP BY id`, [false, true]],
    ['both', `SELECT id IN (${OUTER_REFERENCES}e.id) FROM logs.edge e GROUP BY id`, [false, false, true]],
    [
      'the operand of an IN in a subquery',
      'SELECT (SELECT e.id IN (SELECT level FROM logs.auth)) FROM logs.edge e GROUP BY id',
      [false, true],
    ],
    [
      'an operand of IN that is a subquery',
      `SELECT (${OUTER_REFERENCES}e.id) IN (SELECT level FROM logs.auth) FROM logs.edge e GROUP BY id`,
      [false, true],
    ],
  ]
  for (const [where, sql, expected] of CASES) {
    it(where, () => {
      const marks: boolean[] = []
      visitScan(resolveQuery(sql, TABLES, PARAMETERS).scan, expr => {
        if (expr.kind === 'column' && expr.column.name === 'id') marks.push(expr.isCorrelated)
      })
      expect(marks.toSorted()).to.deep.equal(expected)
    })
  }
})
