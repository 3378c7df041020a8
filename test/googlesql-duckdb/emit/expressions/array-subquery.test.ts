import { expect } from 'chai'
import { openSqlSession, type SqlSession } from '../../sql-session.js'

/** The elements: the table holds every array of up to three of them, and the NULL array. */
const VALUES = ['NULL', '1', '2', '-3']
const TABLE = `
  CREATE TABLE t AS
  SELECT row_number() OVER () AS k, xs, list_transform(xs, lambda v: CAST(v AS DOUBLE) / 4) AS fs,
    list_transform(xs, lambda v: CAST(v AS VARCHAR)) AS ss, list_transform(xs, lambda v: v > 0) AS bs,
    list_transform(xs, lambda v: CASE WHEN v <> 2 OR v IS NULL THEN {key: CAST(v AS VARCHAR), value: v * 10} END) AS rs,
    (row_number() OVER ()) % 4 AS n
  FROM (
    SELECT CAST(NULL AS BIGINT[]) AS xs UNION ALL SELECT [] UNION ALL SELECT [a] FROM v
    UNION ALL SELECT [a, b] FROM v, w UNION ALL SELECT [a, b, c] FROM v, w, u)`

const int = { kind: 'INT64' } as const
const text = { kind: 'STRING' } as const
const list = <T>(element: T) => ({ kind: 'ARRAY', element }) as const
const record = {
  kind: 'STRUCT',
  fields: [
    { name: 'key', type: text },
    { name: 'value', type: int },
  ],
} as const
const COLUMNS = [
  { name: 'k', type: int },
  { name: 'xs', type: list(int) },
  { name: 'fs', type: list({ kind: 'FLOAT64' } as const) },
  { name: 'ss', type: list(text) },
  { name: 'bs', type: list({ kind: 'BOOL' } as const) },
  { name: 'rs', type: list(record) },
  { name: 'n', type: int },
]

const QUERIES: readonly string[] = [
  '(SELECT COUNT(*) FROM UNNEST(xs))',
  '(SELECT COUNT(*) FROM UNNEST(xs) x WHERE x > 0)',
  '(SELECT COUNT(x) FROM UNNEST(xs) x)',
  '(SELECT COUNT(DISTINCT x) FROM UNNEST(xs) x WHERE x < 2)',
  '(SELECT COUNTIF(x > n) FROM UNNEST(xs) x)',
  '(SELECT SUM(x) FROM UNNEST(xs) x)',
  '(SELECT SUM(x * n) FROM UNNEST(xs) x WHERE x IS NOT NULL)',
  '(SELECT SUM(x) FROM UNNEST(fs) x)',
  '(SELECT AVG(x) FROM UNNEST(xs) x)',
  '(SELECT AVG(x) FROM UNNEST(fs) x)',
  '(SELECT MIN(x) FROM UNNEST(xs) x)',
  '(SELECT MAX(x) FROM UNNEST(xs) x)',
  '(SELECT MIN(x) FROM UNNEST(fs) x)',
  "(SELECT MIN(IF(x = 0.25, CAST('nan' AS FLOAT64), x)) FROM UNNEST(fs) x)",
  "(SELECT MAX(IF(x = 0.25, CAST('nan' AS FLOAT64), x)) FROM UNNEST(fs) x)",
  '(SELECT MAX(s) FROM UNNEST(ss) s)',
  '(SELECT ANY_VALUE(x) FROM UNNEST(xs) x WHERE x = 2)',
  '(SELECT LOGICAL_AND(b) FROM UNNEST(bs) b)',
  '(SELECT LOGICAL_OR(b) FROM UNNEST(bs) b)',
  '(SELECT STRING_AGG(s) FROM UNNEST(ss) s)',
  "(SELECT STRING_AGG(s, '; ') FROM UNNEST(ss) s WHERE s != '2')",
  'TO_JSON_STRING((SELECT ARRAY_AGG(x) FROM UNNEST(xs) x))',
  'TO_JSON_STRING((SELECT ARRAY_AGG(x IGNORE NULLS) FROM UNNEST(xs) x))',
  '(SELECT IFNULL(SUM(x), 0) + COUNT(*) * n FROM UNNEST(xs) x)',
  '(SELECT MAX(x) - MIN(x) FROM UNNEST(xs) x WHERE x + n != 0)',
  'EXISTS(SELECT 1 FROM UNNEST(xs) x WHERE x = n)',
  'NOT EXISTS(SELECT * FROM UNNEST(rs) r WHERE r.value > 5)',
  "(SELECT r.value FROM UNNEST(rs) r WHERE r.key = '1' LIMIT 1)",
  '(SELECT r.value FROM UNNEST(rs) r WITH OFFSET o WHERE r.key IS NOT NULL ORDER BY o LIMIT 1)',
  '(SELECT x FROM UNNEST(xs) x WITH OFFSET o ORDER BY o DESC LIMIT 1)',
  '(SELECT o FROM UNNEST(xs) x WITH OFFSET o WHERE x = 2 ORDER BY o DESC LIMIT 1)',
  '(SELECT SUM(o) FROM UNNEST(xs) x WITH OFFSET o WHERE x > 0)',
  'TO_JSON_STRING(ARRAY(SELECT x + 1 FROM UNNEST(xs) x WHERE x > 0))',
  'TO_JSON_STRING(ARRAY(SELECT x FROM UNNEST(xs) x WITH OFFSET o ORDER BY o DESC))',
  'TO_JSON_STRING(ARRAY(SELECT x FROM UNNEST(xs) x ORDER BY x))',
  'TO_JSON_STRING(ARRAY(SELECT x FROM UNNEST(xs) x ORDER BY x DESC))',
  'TO_JSON_STRING(ARRAY(SELECT s FROM UNNEST(ss) s WHERE s IS NOT NULL ORDER BY s))',
  'TO_JSON_STRING(ARRAY(SELECT x FROM UNNEST(xs) x WITH OFFSET o ORDER BY o LIMIT 2))',
  'TO_JSON_STRING(ARRAY(SELECT x * 2 FROM UNNEST(xs) x ORDER BY x * 2 LIMIT 2))',
  'TO_JSON_STRING(ARRAY(SELECT r.key FROM UNNEST(rs) r WHERE r.value > 0 ORDER BY r.key DESC))',
  'n IN (SELECT x FROM UNNEST(xs) x)',
  'n NOT IN (SELECT x FROM UNNEST(xs) x WHERE x IS NOT NULL)',
]

/** The same subquery over a set operation, which cannot be translated to a list function. */
const inGeneral = (query: string): string =>
  query.replace(/FROM UNNEST\((\w+)\)( \w+)?( WITH OFFSET o)?/, (_, array, name, offset) => {
    const alias = name ?? ' e'
    const source = offset
      ? `SELECT${alias}, o FROM UNNEST(${array})${alias} WITH OFFSET o`
      : `SELECT${alias} FROM UNNEST(${array})${alias}`
    return `FROM (${source} UNION ALL SELECT * FROM (${source}) WHERE k < 0)`
  })

describe('array subqueries', () => {
  let session: SqlSession
  before(async () => {
    const values = (name: string, column: string): string =>
      `CREATE TABLE ${name} AS SELECT unnest([${VALUES.join(', ')}]::BIGINT[]) AS ${column}`
    session = await openSqlSession(
      [{ name: 't', columns: COLUMNS }],
      [values('v', 'a'), values('w', 'b'), values('u', 'c'), TABLE],
    )
  })
  after(() => session.close())

  for (const query of QUERIES) {
    it(`${query} is not translated to a join, and gives the same rows as the join`, async () => {
      const sql = `SELECT k, ${query} AS value FROM t ORDER BY k`
      const plan = await session.rows(`EXPLAIN ${session.translated(sql)}`)
      expect(JSON.stringify(plan)).not.to.contain('DELIM_JOIN')
      const general = `SELECT k, ${inGeneral(query)} AS value FROM t ORDER BY k`
      expect(JSON.stringify(await session.rows(`EXPLAIN ${session.translated(general)}`))).to.contain('DELIM_JOIN')
      expect(await session.query(sql)).to.deep.equal(await session.query(general))
    })
  }

  it('computes an array once, not for each element', async () => {
    const array = "UNNEST(SPLIT(ARRAY_TO_STRING(ss, ','), ',')) s WITH OFFSET o"
    for (const sql of [
      `SELECT ARRAY(SELECT CONCAT(s, o) FROM ${array} WHERE s > '1') FROM t`,
      `SELECT s, o FROM t LEFT JOIN ${array} ON s > '1' AND o > 0`,
    ]) {
      expect(session.translated(sql).split('string_split').length, sql).to.equal(2)
    }
    const count = "(SELECT COUNT(*) FROM UNNEST(ss) s WITH OFFSET o WHERE s = '2' AND o > 0)"
    expect(
      await session.query(`SELECT COUNT(s), SUM(o) FROM t LEFT JOIN ${array} ON s = '2' AND o > 0 WHERE ${count} > 0`),
    ).to.deep.equal(
      await session.query(`SELECT COUNT(s), SUM(o) FROM t, ${array} WHERE s = '2' AND o > 0 AND ${count} > 0`),
    )
  })
})
