import { expect } from 'chai'
import type { TableDefinition } from '../../../../googlesql/tables.js'
import { arrayOf, INT64, STRING, structOf } from '../../../../googlesql/types/types.js'
import { openSqlSession, type SqlSession } from '../../sql-session.js'

/** A file may hold NULL where BigQuery has an empty array: here in a column and in a nested field, and also a NULL record. */
const TABLE: TableDefinition = {
  name: 't',
  columns: [
    { name: 'k', type: INT64 },
    {
      name: 'xs',
      type: arrayOf(
        structOf([
          { name: 'v', type: INT64 },
          { name: 'ys', type: arrayOf(STRING) },
        ]),
      ),
    },
    { name: 'r', type: structOf([{ name: 'zs', type: arrayOf(INT64) }]) },
  ],
}
const SET_UP = [
  'CREATE TABLE t (k BIGINT, xs STRUCT(v BIGINT, ys VARCHAR[])[], r STRUCT(zs BIGINT[]))',
  `INSERT INTO t VALUES
     (1, [{v: 10, ys: ['a', 'b']}, {v: 20, ys: NULL}], {zs: [7]}), (2, NULL, {zs: NULL}), (3, [], NULL), (4, [{v: 40, ys: []}], {zs: []})`,
]

/** With `isRaw`, the SQL reads the arrays from the file without replacing NULL by an empty array. */
const CASES: readonly (readonly [says: string, isRaw: boolean, sql: string, rows: unknown[][]])[] = [
  [
    'unnests',
    true,
    'SELECT k, x.v FROM t, UNNEST(xs) x ORDER BY 1, 2',
    [
      ['1', '10'],
      ['1', '20'],
      ['4', '40'],
    ],
  ],
  [
    'unnests what is unnested',
    true,
    'SELECT k, y FROM t, UNNEST(xs) x, UNNEST(x.ys) y ORDER BY 1, 2',
    [
      ['1', 'a'],
      ['1', 'b'],
    ],
  ],
  [
    'pads in a left join',
    true,
    'SELECT k, x.v, y FROM t LEFT JOIN UNNEST(xs) x LEFT JOIN UNNEST(x.ys) y ORDER BY 1, 2, 3',
    [
      ['1', '10', 'a'],
      ['1', '10', 'b'],
      ['1', '20', null],
      ['2', null, null],
      ['3', null, null],
      ['4', '40', null],
    ],
  ],
  [
    'counts and looks up in subqueries',
    true,
    "SELECT k, (SELECT COUNT(*) FROM UNNEST(xs)), EXISTS(SELECT 1 FROM UNNEST(xs) x WHERE 'a' IN UNNEST([CAST(v AS STRING), 'a'])) FROM t ORDER BY 1",
    [
      ['1', '2', true],
      ['2', '0', false],
      ['3', '0', false],
      ['4', '1', true],
    ],
  ],
  [
    'accesses safely',
    true,
    'SELECT k, xs[SAFE_OFFSET(1)].v FROM t ORDER BY 1',
    [
      ['1', '20'],
      ['2', null],
      ['3', null],
      ['4', null],
    ],
  ],
  [
    'looks for a value',
    true,
    'SELECT k, 7 IN UNNEST(r.zs), NULL IN UNNEST(r.zs) FROM t WHERE k <= 3 ORDER BY 1',
    [
      ['1', true, null],
      ['2', false, false],
      ['3', false, false],
    ],
  ],
  [
    'measures the array',
    false,
    'SELECT k, ARRAY_LENGTH(xs) FROM t ORDER BY 1',
    [
      ['1', '2'],
      ['2', '0'],
      ['3', '0'],
      ['4', '1'],
    ],
  ],
  ['knows no NULL array', false, 'SELECT k FROM t WHERE xs IS NULL', []],
  [
    'measures an array within a record',
    false,
    'SELECT k, ARRAY_LENGTH(x.ys) FROM t, UNNEST(xs) x ORDER BY 1, 2',
    [
      ['1', '0'],
      ['1', '2'],
      ['4', '0'],
    ],
  ],
  [
    'keeps a NULL record',
    false,
    'SELECT k, ARRAY_LENGTH(r.zs) FROM t ORDER BY 1',
    [
      ['1', '1'],
      ['2', '0'],
      ['3', null],
      ['4', '0'],
    ],
  ],
  [
    'keeps the NULLs of an outer join',
    false,
    'SELECT a, ARRAY_LENGTH(xs) FROM UNNEST([2, 9]) a LEFT JOIN t ON k = a ORDER BY 1',
    [
      ['2', '0'],
      ['9', null],
    ],
  ],
  [
    'follows copies through subqueries, common table expressions and unions',
    false,
    'WITH w AS (SELECT k, xs AS c FROM t UNION ALL SELECT 5, []) SELECT k, ARRAY_LENGTH(d) FROM (SELECT k, c AS d FROM w) WHERE k IN (2, 5) ORDER BY 1',
    [
      ['2', '0'],
      ['5', '0'],
    ],
  ],
  [
    'writes records whole',
    false,
    'SELECT TO_JSON_STRING(xs) FROM t ORDER BY k',
    [['[{"v":10,"ys":["a","b"]},{"v":20,"ys":[]}]'], ['[]'], ['[]'], ['[{"v":40,"ys":[]}]']],
  ],
  [
    'follows an element to the arrays in it',
    false,
    'SELECT ARRAY_LENGTH(xs[SAFE_OFFSET(1)].ys) FROM t WHERE k = 1',
    [['0']],
  ],
  ['tells of a scalar subquery', false, 'SELECT ARRAY_LENGTH((SELECT ANY_VALUE(xs) FROM t WHERE k = 2))', [['0']]],
]

describe('stored arrays', () => {
  let session: SqlSession
  before(async () => {
    session = await openSqlSession([TABLE], SET_UP)
  })
  after(() => session.close())

  for (const [says, isRaw, sql, rows] of CASES) {
    it(says, async () => {
      expect(await session.query(sql)).to.deep.equal(rows)
      expect(session.translated(sql).includes('REPLACE (')).to.equal(!isRaw)
    })
  }

  it('fails beyond the end of an array that the file has as NULL', async () => {
    const error = await session.query('SELECT xs[OFFSET(0)].v FROM t WHERE k = 2').catch(String)
    expect(error).to.contain('out of bounds')
  })
})
