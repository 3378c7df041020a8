import { expect } from 'chai'
import { arrayOf, INT64, STRING, structOf, TIMESTAMP } from '../../googlesql/types/types.js'
import { openSqlSession, type SqlSession } from './sql-session.js'

const T =
  "WITH t AS (SELECT 1 AS k, 'a' AS s, 1.5 AS f UNION ALL SELECT 2, 'b', CAST('nan' AS FLOAT64) UNION ALL SELECT 3, NULL, NULL) "

/** Queries, each with the rows that it must give. */
const CASES: readonly (readonly [says: string, sql: string, rows: unknown[][]])[] = [
  // Order
  ['puts NULLs first when ascending', `${T} SELECT s FROM t ORDER BY s`, [[null], ['a'], ['b']]],
  ['puts NULLs last when descending', `${T} SELECT s FROM t ORDER BY s DESC`, [['b'], ['a'], [null]]],
  ['lets the query say where NULLs go', `${T} SELECT s FROM t ORDER BY s DESC NULLS FIRST`, [[null], ['b'], ['a']]],
  ['sorts NaN before all numbers', `${T} SELECT k FROM t ORDER BY f`, [['3'], ['2'], ['1']]],
  ['sorts NaN after all numbers when descending', `${T} SELECT k FROM t ORDER BY f DESC`, [['1'], ['2'], ['3']]],
  ['orders by what is not selected', `${T} SELECT s FROM t ORDER BY -k`, [[null], ['b'], ['a']]],
  ['orders by an alias that hides a column', `${T} SELECT -k AS k FROM t ORDER BY k`, [['-3'], ['-2'], ['-1']]],
  ['orders by an aggregate', `${T} SELECT s FROM t GROUP BY s ORDER BY MAX(k) DESC LIMIT 1`, [[null]]],
  [
    'keeps the outer order over an inner one',
    'SELECT x FROM (SELECT x FROM UNNEST([3, 1, 2]) x ORDER BY x LIMIT 2) ORDER BY x DESC',
    [['2'], ['1']],
  ],

  // NaN and zero
  ['finds NaN equal to nothing', `${T} SELECT k FROM t WHERE f = f`, [['1']]],
  ['finds NaN unequal to itself', `${T} SELECT k FROM t WHERE f != f`, [['2']]],
  ['finds NaN neither less nor greater', `${T} SELECT k FROM t WHERE f > 1 OR f <= 1`, [['1']]],
  [
    'compares NULL with NaN to NULL',
    `${T} SELECT ((SELECT f FROM t WHERE k = 3) = (SELECT f FROM t WHERE k = 2)) IS NULL`,
    [[true]],
  ],
  [
    'groups NaN together and both zeros',
    "SELECT COUNT(*) AS n FROM UNNEST([0.0, -0.0, CAST('nan' AS FLOAT64), CAST('-nan' AS FLOAT64)]) f GROUP BY f",
    [['2'], ['2']],
  ],
  ['has no NaN in a list', "SELECT CAST('nan' AS FLOAT64) IN (1, CAST('nan' AS FLOAT64))", [[false]]],
  ['has no NaN in a subquery', "SELECT CAST('nan' AS FLOAT64) IN (SELECT CAST('nan' AS FLOAT64))", [[false]]],

  // NULL in lists and subqueries
  [
    'answers NOT IN with NULL where a NULL may match',
    'SELECT 1 NOT IN (SELECT CAST(NULL AS INT64)), 1 NOT IN (2, NULL)',
    [[null, null]],
  ],
  [
    'answers NOT IN over nothing with TRUE',
    'SELECT 1 NOT IN (SELECT 1 FROM UNNEST(CAST([] AS ARRAY<INT64>))), NULL NOT IN (SELECT 1 LIMIT 0)',
    [[true, true]],
  ],
  [
    'answers IN UNNEST of NULL with FALSE',
    'SELECT 1 IN UNNEST(CAST(NULL AS ARRAY<INT64>)), NULL IN UNNEST([1]), 1 IN UNNEST([2, NULL]), 2 IN UNNEST([2, NULL])',
    [[false, null, null, true]],
  ],

  // Structs
  [
    'compares structs by position',
    'SELECT STRUCT(1 AS a, 2 AS b) = STRUCT(1 AS x, 2 AS y), (1, NULL) = (1, 2), (1, NULL) = (2, 2)',
    [[true, null, false]],
  ],
  [
    'finds structs in a list and a subquery',
    'SELECT (1, 2) IN ((1, 2), (3, 4)), (1, 2) IN (SELECT (3, 4)), (1, NULL) IN (SELECT (1, 2))',
    [[true, false, null]],
  ],
  [
    'tells two fields of one name apart',
    'SELECT s FROM (SELECT STRUCT(1 AS a, 2 AS a) AS s)',
    [[{ a: '1', a_2: '2' }]],
  ],
  [
    'unites structs whose fields have other names',
    'SELECT STRUCT(1 AS a) AS s UNION ALL SELECT STRUCT(2 AS b) ORDER BY s.a',
    [[{ a: '1' }], [{ a: '2' }]],
  ],

  // Grouping
  [
    'groups by a column that an alias hides',
    `${T} SELECT 'x' AS s, COUNT(*) AS n FROM t GROUP BY t.s ORDER BY n`,
    [
      ['x', '1'],
      ['x', '1'],
      ['x', '1'],
    ],
  ],
  [
    'gives one row of no rows without keys',
    'SELECT COUNT(*), SUM(x) FROM UNNEST(CAST([] AS ARRAY<INT64>)) x',
    [['0', null]],
  ],
  [
    'gives no row of no rows with a constant key',
    'SELECT 1 AS one, COUNT(*) FROM UNNEST(CAST([] AS ARRAY<INT64>)) x GROUP BY one',
    [],
  ],
  [
    'rolls up',
    "SELECT s, SUM(k) AS n, GROUPING(s) AS g FROM (SELECT 'a' AS s, 1 AS k UNION ALL SELECT NULL, 2) GROUP BY ROLLUP(s) ORDER BY g, s",
    [
      [null, '2', '0'],
      ['a', '1', '0'],
      [null, '3', '1'],
    ],
  ],
  ['filters groups', `${T} SELECT k > 1 AS big, COUNT(*) AS n FROM t GROUP BY big HAVING n > 1`, [[true, '2']]],
  [
    'counts distinct rows with a subquery per group',
    `${T} SELECT k, (SELECT COUNT(*) FROM t AS u WHERE u.k < t.k) AS n FROM t GROUP BY k ORDER BY k`,
    [
      ['1', '0'],
      ['2', '1'],
      ['3', '2'],
    ],
  ],
  [
    'takes rows with the extreme only',
    'SELECT ANY_VALUE(s HAVING MAX k), SUM(k HAVING MIN k) FROM (SELECT 1 AS k, "a" AS s UNION ALL SELECT 2, "b" UNION ALL SELECT 1, "c")',
    [['b', '2']],
  ],

  // Sets, common table expressions
  [
    'keeps distinct rows of sets',
    'SELECT x FROM (SELECT 1 AS x UNION DISTINCT SELECT 1 UNION DISTINCT SELECT 2 UNION DISTINCT SELECT 4) INTERSECT DISTINCT SELECT x FROM UNNEST([1, 2, 2, 3]) x ORDER BY x',
    [['1'], ['2']],
  ],
  ['takes away', 'SELECT x FROM UNNEST([1, 1, 2]) x EXCEPT DISTINCT SELECT 1', [['2']]],
  [
    'recurs',
    'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 4) SELECT SUM(n), COUNT(*) FROM r',
    [['10', '4']],
  ],
  [
    'computes a random value once for all its readers',
    'WITH r AS (SELECT RAND() AS x) SELECT (SELECT x FROM r) = (SELECT x FROM r), a = b FROM (SELECT x AS a, x AS b FROM r)',
    [[true, true]],
  ],

  // Subqueries
  ['gives NULL for a scalar subquery without rows', 'SELECT (SELECT 1 FROM UNNEST([1]) LIMIT 0)', [[null]]],
  [
    'keeps the order of an ARRAY subquery',
    'SELECT ARRAY(SELECT x FROM UNNEST([2, 3, 1]) x ORDER BY x DESC), ARRAY(SELECT x FROM UNNEST([2, 3, 1]) x ORDER BY x LIMIT 2), ARRAY(SELECT 1 LIMIT 0)',
    [[['3', '2', '1'], ['1', '2'], []]],
  ],
  [
    'aggregates a column of the outer query in its own query',
    'SELECT x, ARRAY(SELECT x), (SELECT SUM(x) FROM UNNEST([1, 2])) FROM UNNEST([5, 6]) x ORDER BY x',
    [
      ['5', ['5'], '10'],
      ['6', ['6'], '12'],
    ],
  ],

  [
    'asks subqueries of one side in the condition of an outer join',
    'SELECT a, b FROM UNNEST([1, 2]) a LEFT JOIN UNNEST([1, 2]) b ON a = b AND b IN (SELECT 2) AND EXISTS(SELECT 1 FROM UNNEST([a, 7]) x WHERE x = a) ORDER BY a',
    [
      ['1', null],
      ['2', '2'],
    ],
  ],

  // Arithmetic
  [
    'divides as FLOAT64 and rounds casts away from zero',
    'SELECT 7 / 2, CAST(2.5 AS INT64), CAST(-2.5 AS INT64)',
    [[3.5, '3', '-3']],
  ],
  ['adds infinities', "SELECT x + 1 + x FROM (SELECT CAST('inf' AS FLOAT64) AS x)", [['Infinity']]],
  [
    'shifts bits without a sign',
    'SELECT 1 << 63, -1 >> 63, 1 << 64, -1 >> 0, 5 & 4 | 2 ^ 1, ~5',
    [['-9223372036854775808', '1', '0', '-1', '7', '-6']],
  ],
  [
    'multiplies and divides NUMERIC exactly',
    "SELECT NUMERIC '12345678901234567890.5' * 3, NUMERIC '1' / 3, NUMERIC '0.000000001' * NUMERIC '0.5'",
    [['37037036703703703671.500000000', '0.333333333', '0.000000001']],
  ],
  [
    'calculates with dates',
    "SELECT DATE '2024-01-31' + 1, DATE '2024-03-01' - DATE '2024-02-01' = INTERVAL 29 DAY, DATE '2024-01-31' + INTERVAL 1 MONTH, INTERVAL 1 MONTH / 12 = INTERVAL 60 HOUR",
    [['2024-02-01', true, '2024-02-29 00:00:00', true]],
  ],

  // CASE, SAFE, LET
  [
    'computes only the branch that is taken',
    'SELECT CASE WHEN x = 0 THEN 0 ELSE 1 / x END FROM UNNEST([0, 2]) x ORDER BY x',
    [[0], [0.5]],
  ],
  [
    'computes the operand of CASE once',
    "SELECT CASE LOWER(s) WHEN 'a' THEN 1 WHEN 'b' THEN 2 END FROM UNNEST(['A', 'B', 'c']) s WITH OFFSET o ORDER BY o",
    [['1'], ['2'], [null]],
  ],
  [
    'makes an error of a SAFE function NULL',
    "SELECT SAFE.SUBSTR('abc', 1, -1), SAFE_CAST('x' AS INT64), SAFE.SUM(x) FROM UNNEST([9223372036854775807, 1]) x",
    [[null, null, null]],
  ],

  // Windows
  [
    'frames rows and ranges',
    'SELECT x, SUM(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), COUNT(*) OVER (ORDER BY x DESC RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM UNNEST([1, 2, 4]) x ORDER BY x',
    [
      ['1', '1', '2'],
      ['2', '3', '2'],
      ['4', '6', '1'],
    ],
  ],
  [
    'frames at the limits of INT64',
    'SELECT COUNT(*) OVER (ORDER BY x RANGE BETWEEN 5 PRECEDING AND 5 FOLLOWING) FROM UNNEST([9223372036854775807, -9223372036854775808]) x',
    [['1'], ['1']],
  ],
  [
    'puts NaN first in a window',
    "SELECT f, ROW_NUMBER() OVER (ORDER BY f) AS n FROM UNNEST([1.0, CAST('nan' AS FLOAT64), NULL]) f ORDER BY n",
    [
      [null, '1'],
      ['NaN', '2'],
      [1, '3'],
    ],
  ],
  ['filters by a window', 'SELECT x FROM UNNEST([1, 2, 3]) x QUALIFY ROW_NUMBER() OVER (ORDER BY x DESC) = 1', [['3']]],

  // Text
  [
    'keeps every character of a literal',
    String.raw`SELECT 'it\'s "q" \\ \x00 \n é', LENGTH('a\x00b')`,
    [['it\'s "q" \\ \0 \n é', '3']],
  ],
  [
    'matches LIKE with its escapes',
    String.raw`SELECT 'a%c' LIKE r'a\%c', 'abc' LIKE r'a\%c', 'abc' LIKE 'a_c', 'a\nc' LIKE 'a%'`,
    [[true, false, true, true]],
  ],
  [
    'quantifies LIKE',
    "SELECT 'abc' LIKE ANY ('x%', 'a%'), 'abc' LIKE ALL ('a%', NULL), 'abc' LIKE ANY UNNEST(CAST([] AS ARRAY<STRING>))",
    [[true, null, false]],
  ],
  [
    'matches bytes',
    String.raw`SELECT b'a\xffc' LIKE b'a_c', b'ab' LIKE b'%b%', b'ab' & b'\xff\x0f', b'\x01' << 1`,
    [[true, true, 'a\\x02', '\\x02']],
  ],
  [
    'reads members of JSON',
    `SELECT JSON '{"a": [1, {"b": 2}], "0": 3}'.a[1].b, JSON '[7]'['0'], JSON '{"0": 3}'['0'], JSON '[7]'[0]`,
    [['2', null, '3', '7']],
  ],
]

const ERRORS: readonly (readonly [says: string, sql: string, message: RegExp])[] = [
  [
    'fails on several rows of a scalar subquery',
    'SELECT (SELECT x FROM UNNEST([1, 2]) x)',
    /More than one row|more than one element/,
  ],
  ['fails on a division by zero', 'SELECT 1 / x FROM UNNEST([0]) x', /division by zero: 1 \/ 0/],
  ['fails on an overflow of INT64', 'SELECT x + 1 FROM UNNEST([9223372036854775807]) x', /[Oo]verflow/],
  ['fails on an overflow of FLOAT64', 'SELECT x * 10 FROM UNNEST([1e308]) x', /double overflow: 1e\+308 \* 10/],
  [
    'fails on an overflow inside a longer sum',
    'SELECT x * 10 + 1 - x FROM UNNEST([1e308]) x',
    /double overflow: 1e\+308 \* 10/,
  ],
  ['fails on an index out of bounds', 'SELECT [1][OFFSET(x)] FROM UNNEST([1]) x', /Array index 1 is out of bounds/],
  [
    'fails on a negative frame',
    'SELECT SUM(x) OVER (ORDER BY x ROWS BETWEEN @n PRECEDING AND CURRENT ROW) FROM UNNEST([1]) x',
    /must be non-negative, but was -1/,
  ],
  ['fails on a NULL limit', 'SELECT x FROM UNNEST([1]) x LIMIT @none', /non-null count/],
  ['fails on dates beyond the calendar', "SELECT DATE '9999-12-31' + x FROM UNNEST([1]) x", /out of allowed range/],
  ['refuses a function without a form by its name', 'SELECT KEYS.NEW_KEYSET("x")', /KEYS\.NEW_KEYSET/],
]

const EDGE = {
  name: 'logs.edge',
  columns: [
    { name: 'id', type: STRING },
    { name: 'timestamp', type: TIMESTAMP },
    {
      name: 'metadata',
      type: arrayOf(
        structOf([
          { name: 'status', type: INT64 },
          { name: 'host', type: STRING },
        ]),
      ),
    },
  ],
}

describe('generated SQL', () => {
  let session: SqlSession
  before(async () => {
    session = await openSqlSession(
      [EDGE],
      [
        'CREATE TABLE "logs.edge" (id VARCHAR, "timestamp" TIMESTAMPTZ, metadata STRUCT("status" BIGINT, "host" VARCHAR)[])',
        `INSERT INTO "logs.edge" VALUES ('x', '2026-01-31 12:00:00+00', [{status: 200, host: 'h'}]), ('y', '2026-01-31 13:00:00+00', [])`,
      ],
    )
  })
  after(() => session.close())

  for (const [says, sql, rows] of CASES) {
    it(says, async () => {
      expect(await session.query(sql)).to.deep.equal(rows)
    })
  }

  for (const [says, sql, message] of ERRORS) {
    it(says, async () => {
      let failure = 'no error'
      try {
        await session.query(
          sql,
          { n: INT64, none: INT64 },
          sql.includes('@n ') ? ([-1] as never[]) : sql.includes('@none') ? ([null] as never[]) : [],
        )
      } catch (error) {
        failure = (error as Error).message
      }
      expect(failure).to.match(message)
    })
  }

  it('writes a filter, a projection, an order and a limit over a table as one SELECT', () => {
    const sql = session.translated(
      "SELECT id, timestamp AS seen FROM `logs.edge` WHERE timestamp > '2026-01-31' AND id != 'z' ORDER BY timestamp DESC LIMIT 10",
    )
    expect(sql.split('\n')).to.deep.equal([
      'SELECT t1."id" AS "id", t1."timestamp" AS "seen"',
      'FROM "logs.edge" AS t1',
      `WHERE (t1."timestamp" > '2026-01-31 00:00:00+00'::TIMESTAMPTZ) AND (t1."id" <> 'z')`,
      'ORDER BY "seen" DESC NULLS LAST',
      'LIMIT 10',
    ])
  })

  it('inlines a common table expression that is used once', () => {
    const sql = session.translated(
      'WITH a AS (SELECT id, metadata FROM `logs.edge`), b AS (SELECT id FROM a) SELECT id FROM b',
    )
    expect(sql.split('\n')).to.deep.equal(['SELECT t1."id" AS "id"', 'FROM "logs.edge" AS t1'])
  })

  it('computes only the quantiles that are read, also through a common table expression', async () => {
    const quantiles = 'WITH t AS (SELECT APPROX_QUANTILES(x, 4) AS q FROM UNNEST([1, 2, 3, 4, 5]) x)'
    const some = `${quantiles}, u AS (SELECT q AS r FROM t) SELECT r[OFFSET(3)], r[OFFSET(1)] FROM u`
    expect(session.translated(some)).to.match(/quantile_disc\(x_1, \[[^,\]]*,[^,\]]*\]\)/)
    expect(await session.query(some)).to.deep.equal([['4', '2']])
    const all = `${quantiles} SELECT q[OFFSET(1)], ARRAY_LENGTH(q), q FROM t`
    expect(await session.query(all)).to.deep.equal([['2', '5', ['1', '2', '3', '4', '5']]])
    expect(await session.query(`${quantiles} SELECT q[OFFSET(0)] FROM t`)).to.deep.equal([['1']])
    expect(await session.query(`${quantiles} SELECT q[OFFSET(4)], q[SAFE_OFFSET(9)] FROM t`)).to.deep.equal([
      ['5', null],
    ])
    const none = quantiles.replace('[1, 2, 3, 4, 5]', 'CAST([] AS ARRAY<FLOAT64>)')
    expect(await session.query(`${none} SELECT q[OFFSET(3)], q[SAFE_ORDINAL(1)] FROM t`)).to.deep.equal([[null, null]])
  })

  it('does not let windows stream, since DuckDB would number rows twice', () => {
    const sql = session.translated('SELECT ROW_NUMBER() OVER () AS n, LAG(id) OVER (ORDER BY 1) AS l FROM `logs.edge`')
    expect(sql)
      .to.contain('row_number() OVER (PARTITION BY true)')
      .and.not.to.match(/OVER \(\)/)
  })

  it('never joins an array laterally', () => {
    const sql = session.translated(
      'SELECT m.status, COUNT(*) AS n FROM `logs.edge` AS t LEFT JOIN UNNEST(metadata) AS m WHERE t.timestamp > "2026-01-01" GROUP BY 1',
    )
    expect(sql).to.not.match(/JOIN|LATERAL/)
  })

  it('numbers parameters, in the order that it returns', async () => {
    const { translate } = await import('../../googlesql-duckdb/translate.js')
    const { tableCatalogue } = await import('../../googlesql/tables.js')
    const { sql, parameters } = translate('SELECT @b + @a + @b AS x, @b AS y', tableCatalogue([]), {
      a: INT64,
      b: INT64,
      c: INT64,
    })
    expect(parameters).to.deep.equal(['b', 'a'])
    expect(sql).to.equal('SELECT (($1::BIGINT + $2::BIGINT) + $1::BIGINT) AS "x", $1::BIGINT AS "y"')
  })

  it('leaves out a parameter that only an unread column needs', async () => {
    const { translate } = await import('../../googlesql-duckdb/translate.js')
    const { tableCatalogue } = await import('../../googlesql/tables.js')
    const { parameters } = translate('SELECT x FROM (SELECT 1 AS x, @a AS y)', tableCatalogue([]), { a: INT64 })
    expect(parameters).to.deep.equal([])
  })

  it('keeps output names apart from generated names', async () => {
    expect(await session.query('SELECT x AS x_1, -x AS c2, x AS t1 FROM UNNEST([1, 2]) x ORDER BY -x')).to.deep.equal([
      ['2', '-2', '2'],
      ['1', '-1', '1'],
    ])
  })
})
