/** Subqueries deep within each other are computed before the query, and DuckDB plans them in linear time. */
import { expect } from 'chai'
import { INT64 } from '../../../googlesql/types/types.js'
import { openSqlSession, type SqlSession } from '../sql-session.js'
import { showsPass } from './shows-pass.js'

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

const WRITERS: Readonly<Record<string, (levels: number) => string>> = {
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

describe('the pass hoist-subqueries', () => {
  showsPass(
    'hoist-subqueries',
    'subqueries of more than four levels',
    'SELECT x FROM t WHERE x > (SELECT MAX(x) FROM t WHERE x > (SELECT MAX(x) FROM t WHERE x > (SELECT MAX(x) FROM t WHERE x > (SELECT MAX(x) FROM t WHERE x > (SELECT 1)))))',
    `
      project [x.35]
        project [x.3, x.35 = x.3]
          filter $gt(x.3, scalar {project [.34] <- project [max.33, .34 = max.33] <- aggregate [max.33 = MAX(x.8)] <- filter $gt(x.8, scalar {project [.32] <- project [max.31, .32 = max.31] <- aggregate [max.31 = MAX(x.13)] <- filter $gt(x.13, scalar {project [.30] <- project [max.29, .30 = max.29] <- aggregate [max.29 = MAX(x.18)] <- filter $gt(x.18, scalar {project [.28] <- project [max.27, .28 = max.27] <- aggregate [max.27 = MAX(x.23)] <- filter $gt(x.23, scalar {project [.26 = 1] <- one row}::FLOAT64) <- table t [x.23]}) <- table t [x.18]}) <- table t [x.13]}) <- table t [x.8]})
            table t [x.3]
    `,
    `
      with 1 [.26], 2 [.28], 3 [.30], 4 [.32]
        project [.26 = 1]
          one row
        project [.28]
          project [max.27, .28 = max.27]
            aggregate [max.27 = MAX(x.23)]
              filter $gt(x.23, scalar {cte 1 [.36]}::FLOAT64)
                table t [x.23]
        project [.30]
          project [max.29, .30 = max.29]
            aggregate [max.29 = MAX(x.18)]
              filter $gt(x.18, scalar {cte 2 [.37]})
                table t [x.18]
        project [.32]
          project [max.31, .32 = max.31]
            aggregate [max.31 = MAX(x.13)]
              filter $gt(x.13, scalar {cte 3 [.38]})
                table t [x.13]
        project [x.35]
          project [x.3, x.35 = x.3]
            filter $gt(x.3, scalar {project [.34] <- project [max.33, .34 = max.33] <- aggregate [max.33 = MAX(x.8)] <- filter $gt(x.8, scalar {cte 4 [.39]}) <- table t [x.8]})
              table t [x.3]
    `,
  )

  showsPass(
    'hoist-subqueries',
    'but not those of few levels',
    'SELECT x FROM t WHERE x > (SELECT MAX(x) FROM t)',
    `
      project [x.13]
        project [x.3, x.13 = x.3]
          filter $gt(x.3, scalar {project [.12] <- project [max.11, .12 = max.11] <- aggregate [max.11 = MAX(x.8)] <- table t [x.8]})
            table t [x.3]
    `,
    'the same',
  )
})

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

  for (const [name, write] of Object.entries(WRITERS)) {
    it(`have the rows that few levels have: ${name}`, async () => {
      const rows = await session.query(write(4))
      expect(session.translated(write(4))).not.to.contain('MATERIALIZED')
      expect(session.translated(write(16))).to.contain('MATERIALIZED')
      const deep = await session.query(write(16))
      expect(deep).to.deep.equal(rows)
    })
  }
})
