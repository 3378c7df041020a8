import { expect } from 'chai'
import { resolveQuery, tableCatalogue } from '../../../googlesql/index.js'
import { INT64, STRING, TIMESTAMP } from '../../../googlesql/types/types.js'

const TABLES = tableCatalogue([
  {
    name: 'logs.t',
    required: ['id', 'time_of'],
    columns: [
      { name: 'id', type: STRING },
      { name: 'time_of', type: TIMESTAMP },
      { name: 'n', type: INT64 },
      { name: 's', type: STRING },
    ],
  },
])

/** Each column as `name`, with ` !` if it is never NULL and ` small` if it is a small integer. */
function factsOf(sql: string): string {
  const { columns } = resolveQuery(sql, TABLES, { p: STRING })
  return columns
    .map(({ name, isNeverNull, isSmallInteger }) => name + (isNeverNull ? ' !' : '') + (isSmallInteger ? ' small' : ''))
    .join(', ')
}

const CASES: { readonly sql: string; readonly is: string }[] = [
  { sql: 'SELECT * FROM logs.t', is: 'id !, time_of !, n, s' },
  { sql: 'SELECT 1 AS a, NULL AS b, 9007199254740992 AS c, "x" AS d', is: 'a ! small, b small, c !, d !' },
  {
    sql: 'SELECT COUNT(*) AS a, COUNTIF(n > 1) AS b, SUM(n) AS c, MAX(id) AS d FROM logs.t',
    is: 'a ! small, b ! small, c, d',
  },
  { sql: 'SELECT s, COUNT(n) AS a, MAX(id) AS b, MAX(s) AS c FROM logs.t GROUP BY s', is: 's, a ! small, b !, c' },
  { sql: 'SELECT id, time_of, MAX(time_of) AS m FROM logs.t GROUP BY ROLLUP (id, time_of)', is: 'id, time_of, m' },
  {
    sql: 'SELECT TIMESTAMP_TRUNC(time_of, DAY) AS d, DATE(time_of) AS e, UPPER(s) AS f FROM logs.t',
    is: 'd !, e !, f',
  },
  {
    sql: 'SELECT LENGTH(id) AS a, LENGTH(s) AS b, EXTRACT(YEAR FROM time_of) AS c, SIGN(n) AS d FROM logs.t',
    is: 'a ! small, b small, c ! small, d small',
  },
  {
    sql: 'SELECT ROW_NUMBER() OVER (ORDER BY time_of) AS r, COUNT(*) OVER () AS c, MAX(id) OVER () AS m FROM logs.t',
    is: 'r ! small, c ! small, m',
  },
  {
    sql: 'SELECT COALESCE(s, id) AS a, IFNULL(s, "") AS b, COALESCE(s, s) AS c, NULLIF(id, "") AS d FROM logs.t',
    is: 'a !, b !, c, d',
  },
  {
    sql: 'SELECT CASE WHEN n > 1 THEN id END AS a, CASE WHEN n > 1 THEN id ELSE "" END AS b, IF(n > 1, 1, 2) AS c FROM logs.t',
    is: 'a, b !, c ! small',
  },
  {
    sql: 'SELECT SAFE_CAST(id AS INT64) AS a, CAST(id AS INT64) AS b, SAFE.SUBSTR(id, -1) AS c, SAFE_DIVIDE(1, 2) AS d FROM logs.t',
    is: 'a, b !, c, d',
  },
  { sql: 'SELECT a.id AS x, b.id AS y FROM logs.t AS a LEFT JOIN logs.t AS b ON a.id = b.id', is: 'x !, y' },
  { sql: 'SELECT a.id AS x, b.id AS y FROM logs.t AS a RIGHT JOIN logs.t AS b ON a.id = b.id', is: 'x, y !' },
  { sql: 'SELECT a.id AS x, b.id AS y FROM logs.t AS a FULL JOIN logs.t AS b ON a.id = b.id', is: 'x, y' },
  { sql: 'SELECT a.s AS x, b.s AS y FROM logs.t AS a JOIN logs.t AS b ON a.s = b.s', is: 'x !, y !' },
  { sql: 'SELECT n, s FROM logs.t WHERE n > 1 AND s IS NOT NULL', is: 'n, s' },
  { sql: 'SELECT n, s FROM logs.t WHERE n > 1 OR s = "a"', is: 'n, s' },
  { sql: 'WITH a AS (SELECT id, COUNT(*) AS c FROM logs.t GROUP BY id) SELECT * FROM a', is: 'id !, c ! small' },
  { sql: 'SELECT id AS x FROM logs.t UNION ALL SELECT s FROM logs.t', is: 'x' },
  { sql: 'SELECT id AS x FROM logs.t EXCEPT DISTINCT SELECT s FROM logs.t', is: 'x !' },
  { sql: 'SELECT x, o FROM UNNEST([1, 2]) AS x WITH OFFSET AS o', is: 'x !, o ! small' },
  { sql: 'SELECT x FROM UNNEST([1, NULL]) AS x', is: 'x' },
  { sql: 'SELECT x FROM UNNEST(GENERATE_ARRAY(1, 3)) AS x', is: 'x !' },
  { sql: 'SELECT (SELECT MAX(id) FROM logs.t) AS a, EXISTS (SELECT 1) AS b, ARRAY(SELECT 1) AS c', is: 'a, b !, c !' },
  { sql: 'SELECT @p AS a, STRUCT(1 AS x) = STRUCT(2 AS x) AS b, CAST(NULL AS ARRAY<INT64>) AS c', is: 'a, b, c !' },
]

describe('facts of result columns', () => {
  for (const { sql, is } of CASES) it(`${sql}: ${is}`, () => expect(factsOf(sql)).to.equal(is))
})
