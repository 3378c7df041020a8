/** Subqueries deep within each other are computed before the query, and DuckDB plans them in linear time. */
import { expect } from 'chai'
import { INT64 } from '../../../googlesql/types/types.js'
import { openSqlSession, type SqlSession } from '../sql-session.js'

const TABLE = {
  name: 't',
  columns: ['x', 'y'].map(name => ({ name, type: INT64, isRequired: false })),
}

/** `count` times around `start`. */
function nested(count: number, start: string, around: (inner: string, level: number) => string): string {
  let sql = start
  for (let level = 1; level <= count; level++) sql = around(sql, level)
  return sql
}

const FORMS: Readonly<Record<string, (levels: number) => string>> = {
  comparison: levels => nested(levels, 'SELECT 0', inner => `SELECT MAX(y) FROM t WHERE y >= (${inner})`),
  'COUNT of groups': levels =>
    nested(
      levels,
      'SELECT 0',
      inner => `SELECT MAX(c) FROM (SELECT COUNT(*) AS c FROM t WHERE y > (${inner}) GROUP BY x)`,
    ),
  'UNION ALL': levels =>
    nested(
      levels,
      'SELECT 0',
      inner => `SELECT SUM(y) FROM (SELECT y FROM t WHERE y > (${inner}) UNION ALL SELECT x FROM t)`,
    ),
  IN: levels => nested(levels, 'SELECT 2', (inner, i) => `SELECT y FROM t WHERE y IN (${inner}) OR x = ${i}`),
  'a common table expression': levels =>
    `WITH a AS (SELECT * FROM t WHERE y > 0) ${nested(levels, 'SELECT 0', inner => `SELECT MAX(y) FROM a WHERE y >= (${inner})`)}`,
  'one level that reads the row around it': levels =>
    `SELECT SUM(x) FROM t AS o WHERE y >= (${nested(levels - 1, 'SELECT 0', (inner, i) => `SELECT MAX(y) FROM t WHERE y >= (${inner})${i === levels - 1 ? ' AND t.x = o.x' : ''}`)})`,
}

describe('subqueries within each other', function () {
  this.timeout(60_000)
  let session: SqlSession
  before(async () => {
    session = await openSqlSession(
      [TABLE],
      ['CREATE TABLE t AS SELECT * FROM (VALUES (1, 2), (3, 4), (5, NULL)) v(x, y)'],
    )
  })
  after(() => session.close())

  for (const [name, write] of Object.entries(FORMS)) {
    it(`have the rows that few levels have: ${name}`, async () => {
      const rows = await session.query(write(4))
      expect(session.translated(write(4))).not.to.contain('MATERIALIZED')
      expect(session.translated(write(16))).to.contain('MATERIALIZED')
      const deep = await session.query(write(16))
      expect(deep).to.deep.equal(rows)
    })
  }
})
