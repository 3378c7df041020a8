import { expect } from 'chai'
import { type OutputFacts, resolveQuery, tableCatalogue } from '../../../googlesql/index.js'
import { arrayOf, INT64, STRING, structOf, TIMESTAMP } from '../../../googlesql/types/types.js'

const RECORD = structOf([
  { name: 'a', type: STRING },
  { name: 'b', type: STRING },
])
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
  {
    name: 'logs.nested',
    required: ['r', 'r.a', 'o.a', 'o.i', 'o.i.a', 'l[]', 'l[].a', 'l[].m[]', 'l[].m[].a', 't[]'],
    columns: [
      { name: 'r', type: RECORD },
      { name: 'o', type: structOf([...RECORD.fields, { name: 'i', type: RECORD }]) },
      { name: 'l', type: arrayOf(structOf([...RECORD.fields, { name: 'm', type: arrayOf(RECORD) }])) },
      { name: 't', type: arrayOf(STRING) },
      // Without modes nothing is known.
      { name: 'u', type: arrayOf(RECORD) },
    ],
  },
])

/** ` !` for what is never NULL, ` small` for small integers, and in braces what is known of fields, by position. */
const textOf = ({ isNeverNull, isSmallInteger, fields }: OutputFacts): string =>
  (isNeverNull ? ' !' : '') +
  (isSmallInteger ? ' small' : '') +
  (fields ? ` {${fields.map(field => textOf(field).trim() || '?').join(', ')}}` : '')

/** Each column with its facts. */
function factsOf(sql: string): string {
  const { columns } = resolveQuery(sql, TABLES, { p: STRING })
  return columns.map(column => column.name + textOf(column)).join(', ')
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
  { sql: 'SELECT x, o FROM UNNEST([1, 2]) AS x WITH OFFSET AS o', is: 'x ! small, o ! small' },
  { sql: 'SELECT x FROM UNNEST([1, NULL]) AS x', is: 'x small' },
  { sql: 'SELECT x FROM UNNEST(GENERATE_ARRAY(1, 3)) AS x', is: 'x !' },
  { sql: 'SELECT (SELECT MAX(id) FROM logs.t) AS a, EXISTS (SELECT 1) AS b, ARRAY(SELECT 1) AS c', is: 'a, b !, c !' },
  // Fields of STRUCTs, and elements of ARRAYs.
  { sql: 'SELECT STRUCT(1 AS x, n AS y, STRUCT(id AS i) AS z) AS a FROM logs.t', is: 'a ! {! small, ?, ! {!}}' },
  { sql: 'SELECT [STRUCT(id, s)] AS a, [STRUCT(s AS x)] AS b FROM logs.t', is: 'a ! {!, ?}, b !' },
  {
    sql: 'SELECT s, ARRAY_AGG(STRUCT(id, n, LENGTH(id) AS l)) AS a, ARRAY_AGG(STRUCT(id) LIMIT 1) AS b FROM logs.t GROUP BY s',
    is: 's, a ! {!, ?, ! small}, b ! {!}',
  },
  { sql: 'SELECT ARRAY(SELECT AS STRUCT id, COUNT(*) AS c FROM logs.t GROUP BY id) AS a', is: 'a ! {!, ! small}' },
  {
    sql: 'SELECT ARRAY(SELECT AS STRUCT t.id, x FROM UNNEST([1, 2]) AS x) AS a FROM logs.t AS t',
    is: 'a ! {!, ! small}',
  },
  { sql: 'SELECT ARRAY(SELECT AS STRUCT t.s, x FROM UNNEST([n]) AS x) AS a FROM logs.t AS t', is: 'a !' },
  {
    sql: 'SELECT IF(n > 1, STRUCT(id AS x, s AS y), STRUCT(s, id)) AS a, CASE WHEN n > 1 THEN STRUCT(id AS x) END AS b FROM logs.t',
    is: 'a !, b {!}',
  },
  { sql: 'SELECT IF(n > 1, STRUCT(id AS x, s AS y), STRUCT(id, id)) AS a FROM logs.t', is: 'a ! {!, ?}' },
  {
    sql: 'SELECT ANY_VALUE(STRUCT(id)) AS a, ARRAY_CONCAT([STRUCT(id)], [STRUCT(id)]) AS b FROM logs.t GROUP BY id',
    is: 'a ! {!}, b ! {!}',
  },
  {
    sql: 'SELECT e.x AS a, e.y AS b FROM UNNEST([STRUCT(1 AS x, CAST(NULL AS STRING) AS y), STRUCT(2, "b")]) AS e',
    is: 'a ! small, b',
  },
  { sql: 'SELECT e.x AS a FROM logs.t LEFT JOIN UNNEST([STRUCT(1 AS x)]) AS e', is: 'a small' },
  {
    sql: 'SELECT a[OFFSET(0)].x AS b, a[SAFE_OFFSET(0)].x AS c FROM (SELECT [STRUCT(id AS x)] AS a FROM logs.t)',
    is: 'b !, c',
  },
  { sql: 'SELECT STRUCT(CAST(NULL AS ARRAY<INT64>) AS x, JSON "null" AS y) AS a', is: 'a ! {!, ?}' },
  { sql: 'SELECT * FROM (SELECT STRUCT(id AS x) AS a FROM logs.t UNION ALL SELECT STRUCT(s) FROM logs.t)', is: 'a !' },
  {
    sql: 'SELECT a.v FROM logs.t LEFT JOIN (SELECT id, STRUCT(id AS x) AS v FROM logs.t) AS a USING (id)',
    is: 'v {!}',
  },
  // REQUIRED fields of a table's records, and elements of REPEATED ones.
  { sql: 'SELECT * FROM logs.nested', is: 'r ! {!, ?}, o {!, ?, ! {!, ?}}, l ! {!, ?, ! {!, ?}}, t !, u !' },
  { sql: 'SELECT r.a, r.b, o.a AS c, o.i AS d, o.i.a AS e FROM logs.nested', is: 'a !, b, c, d {!, ?}, e' },
  {
    sql: 'SELECT x.a, x.b, y.a AS c, z, u.a AS d FROM logs.nested AS n, n.l AS x, x.m AS y, n.t AS z, n.u AS u',
    is: 'a !, b, c !, z !, d',
  },
  { sql: 'SELECT x.a, z FROM logs.nested AS n LEFT JOIN n.l AS x LEFT JOIN n.t AS z', is: 'a, z' },
  { sql: 'SELECT l[OFFSET(0)].a, t[OFFSET(0)] AS b, t[SAFE_OFFSET(0)] AS c FROM logs.nested', is: 'a, b, c' },
  {
    sql: 'SELECT b.r, b.r.a FROM logs.t LEFT JOIN logs.nested AS b ON b.r.a = id',
    is: 'r {!, ?}, a',
  },
  { sql: 'SELECT ANY_VALUE(r) AS a, ANY_VALUE(o) AS b FROM logs.nested', is: 'a {!, ?}, b {!, ?, ! {!, ?}}' },
  { sql: 'SELECT r FROM logs.nested UNION ALL SELECT STRUCT(s, id) FROM logs.t', is: 'r !' },
  // Subqueries that give a row, whatever the tables hold.
  { sql: 'SELECT (SELECT COUNT(*) FROM logs.t) AS a, (SELECT MAX(id) FROM logs.t) AS b', is: 'a ! small, b' },
  { sql: 'SELECT (SELECT COUNT(*) FROM logs.t HAVING COUNT(*) > 1) AS a', is: 'a small' },
  { sql: 'SELECT (SELECT COUNT(*) FROM logs.t LIMIT 0) AS a, (SELECT n FROM logs.t) AS b', is: 'a small, b' },
  {
    sql: 'SELECT (SELECT t.id) AS a, (SELECT t.s) AS b, (SELECT COUNT(*) + 1 FROM UNNEST([t.n])) AS c FROM logs.t AS t',
    is: 'a !, b, c !',
  },
  {
    sql: 'SELECT (SELECT 1 FROM UNNEST([1]) WHERE t.n > 1) AS a, (SELECT COUNT(*) FROM logs.t GROUP BY id) AS b FROM logs.t AS t',
    is: 'a small, b small',
  },
  { sql: 'SELECT (SELECT COUNTIF(u.id = t.id) FROM logs.t AS u GROUP BY ()) AS a FROM logs.t AS t', is: 'a small' },
  // Intervals.
  {
    sql: 'SELECT TIMESTAMP_ADD(time_of, INTERVAL 1 DAY) AS a, time_of - INTERVAL 5 MINUTE AS b, INTERVAL n DAY AS c FROM logs.t',
    is: 'a !, b !, c',
  },
  {
    sql: 'SELECT DATE_ADD(DATE(time_of), INTERVAL n DAY) AS a, MAKE_INTERVAL(day => 1) AS b FROM logs.t',
    is: 'a, b !',
  },
  { sql: 'SELECT @p AS a, STRUCT(1 AS x) = STRUCT(2 AS x) AS b, CAST(NULL AS ARRAY<INT64>) AS c', is: 'a, b, c !' },
]

describe('facts of result columns', () => {
  for (const { sql, is } of CASES) it(`${sql}: ${is}`, () => expect(factsOf(sql)).to.equal(is))
})
