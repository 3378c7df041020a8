import { expect } from 'chai'
import { openSqlSession, type SqlSession } from '../../sql-session.js'

/** Rows whose array of structs has several elements, has no elements, is NULL, or contains a NULL. */
const T = `WITH t AS (
  SELECT 1 AS k, [STRUCT(10 AS v, 'a' AS s), STRUCT(20, 'b'), STRUCT(30, 'a')] AS xs
  UNION ALL SELECT 2, [] UNION ALL SELECT 3, NULL UNION ALL SELECT 4, [STRUCT(40 AS v, 'a' AS s), NULL]) `

const CASES: readonly (readonly [says: string, sql: string, rows: unknown[][]])[] = [
  [
    'gives a row per element, none for NULL',
    `${T} SELECT k, x.v FROM t, UNNEST(xs) x ORDER BY 1, 2`,
    [
      ['1', '10'],
      ['1', '20'],
      ['1', '30'],
      ['4', null],
      ['4', '40'],
    ],
  ],
  ['takes the array by its path', `${T} SELECT k, x.v FROM t, t.xs AS x WHERE x.s = 'b'`, [['1', '20']]],
  [
    'counts offsets from zero',
    `${T} SELECT k, o, x.v FROM t CROSS JOIN UNNEST(xs) x WITH OFFSET o WHERE k != 4 ORDER BY k, o DESC`,
    [
      ['1', '2', '30'],
      ['1', '1', '20'],
      ['1', '0', '10'],
    ],
  ],
  [
    'keeps rows without elements in a left join',
    `${T} SELECT k, x.v, o FROM t LEFT JOIN UNNEST(xs) x WITH OFFSET o ORDER BY k, o`,
    [
      ['1', '10', '0'],
      ['1', '20', '1'],
      ['1', '30', '2'],
      ['2', null, null],
      ['3', null, null],
      ['4', '40', '0'],
      ['4', null, '1'],
    ],
  ],
  [
    'pads once where no element meets the condition',
    `${T} SELECT k, x.v FROM t LEFT JOIN UNNEST(xs) x ON x.s = 'b' ORDER BY k`,
    [
      ['1', '20'],
      ['2', null],
      ['3', null],
      ['4', null],
    ],
  ],
  [
    'reads the row and the offset in the condition',
    `${T} SELECT k, x.v, o FROM t LEFT JOIN UNNEST(xs) x WITH OFFSET o ON o >= k ORDER BY k, o`,
    [
      ['1', '20', '1'],
      ['1', '30', '2'],
      ['2', null, null],
      ['3', null, null],
      ['4', null, null],
    ],
  ],
  [
    'asks a subquery in the condition',
    `${T} SELECT k, x.v FROM t LEFT JOIN UNNEST(xs) x ON x.v IN (SELECT 10 UNION ALL SELECT 40) ORDER BY k`,
    [
      ['1', '10'],
      ['2', null],
      ['3', null],
      ['4', '40'],
    ],
  ],
  [
    'applies the condition of an inner join',
    `${T} SELECT k, x.v FROM t JOIN UNNEST(xs) x ON x.v > 15 ORDER BY 2`,
    [
      ['1', '20'],
      ['1', '30'],
      ['4', '40'],
    ],
  ],
  [
    'takes the element whole',
    `${T} SELECT x FROM t, UNNEST(xs) x WHERE k = 4 ORDER BY x IS NULL`,
    [[{ v: '40', s: 'a' }], [null]],
  ],
  [
    'unnests computed arrays once',
    "SELECT w, o FROM (SELECT 'a,b' AS s) t, UNNEST(SPLIT(s)) w WITH OFFSET o ORDER BY o",
    [
      ['a', '0'],
      ['b', '1'],
    ],
  ],
  [
    'chains',
    'SELECT a, b FROM (SELECT [[1, 2]][OFFSET(0)] AS x, 3 AS y) t, UNNEST(x) a, UNNEST([a, y]) b ORDER BY a, b'.replace(
      '[[1, 2]][OFFSET(0)]',
      '[1, 2]',
    ),
    [
      ['1', '1'],
      ['1', '3'],
      ['2', '2'],
      ['2', '3'],
    ],
  ],
  [
    'multiplies rows though the element is not read',
    `${T} SELECT k, COUNT(*) FROM t, UNNEST(xs) GROUP BY k ORDER BY k`,
    [
      ['1', '3'],
      ['4', '2'],
    ],
  ],
  [
    'joins an array that depends on nothing',
    'SELECT x, y FROM UNNEST([1, 2]) x LEFT JOIN UNNEST([2, 3]) y ON x = y ORDER BY x',
    [
      ['1', null],
      ['2', '2'],
    ],
  ],

  [
    'counts in a subquery',
    `${T} SELECT k, (SELECT COUNT(*) FROM UNNEST(xs) x WHERE x.s = 'a') FROM t ORDER BY k`,
    [
      ['1', '2'],
      ['2', '0'],
      ['3', '0'],
      ['4', '1'],
    ],
  ],
  [
    'counts conditions in a subquery',
    `${T} SELECT (SELECT COUNTIF(v > 10 * k) FROM UNNEST(xs)) FROM t ORDER BY k`,
    [['2'], ['0'], ['0'], ['0']],
  ],
  [
    'looks up one element',
    `${T} SELECT k, (SELECT v FROM UNNEST(xs) WHERE s = 'b') FROM t ORDER BY k`,
    [
      ['1', '20'],
      ['2', null],
      ['3', null],
      ['4', null],
    ],
  ],
  [
    'takes the first element that matches',
    `${T} SELECT (SELECT x.v FROM UNNEST(xs) x WHERE x.s = 'a' LIMIT 1) FROM t ORDER BY k`,
    [['10'], [null], [null], ['40']],
  ],
  [
    'asks whether there is an element',
    `${T} SELECT k FROM t WHERE EXISTS(SELECT 1 FROM UNNEST(xs) x WHERE x.v > 10 * k + 5) ORDER BY k`,
    [['1']],
  ],
  [
    'gathers an array',
    `${T} SELECT ARRAY(SELECT x.v + k FROM UNNEST(xs) x WHERE x.s = 'a') FROM t ORDER BY k`,
    [[['11', '31']], [[]], [[]], [['44']]],
  ],
  [
    'gathers an array by offset',
    `${T} SELECT ARRAY(SELECT x.v FROM UNNEST(xs) x WITH OFFSET o WHERE o != 1 ORDER BY o) FROM t WHERE k = 1`,
    [[['10', '30']]],
  ],
  [
    'gathers an array in another order',
    `${T} SELECT ARRAY(SELECT x.v FROM UNNEST(xs) x WITH OFFSET o ORDER BY o DESC LIMIT 2) FROM t WHERE k = 1`,
    [[['30', '20']]],
  ],
  [
    'looks for a value among elements',
    `${T} SELECT k, 20 IN (SELECT v FROM UNNEST(xs)), 20 NOT IN (SELECT v FROM UNNEST(xs)) FROM t ORDER BY k`,
    [
      ['1', true, false],
      ['2', false, true],
      ['3', false, true],
      ['4', null, null],
    ],
  ],
  [
    'aggregates elements',
    `${T} SELECT k, (SELECT SUM(x.v) FROM UNNEST(xs) x), (SELECT STRING_AGG(s ORDER BY v DESC) FROM UNNEST(xs)) FROM t ORDER BY k`,
    [
      ['1', '60', 'a,b,a'],
      ['2', null, null],
      ['3', null, null],
      ['4', '40', 'a'],
    ],
  ],
  [
    'nests subqueries over arrays',
    'SELECT (SELECT SUM((SELECT SUM(v * x.f) FROM UNNEST(x.vs) v)) FROM UNNEST(xs) x) FROM (SELECT [STRUCT(2 AS f, [1, 2] AS vs), STRUCT(3, [4])] AS xs)',
    [['18']],
  ],
  [
    'reads two arrays of the outer row',
    'SELECT ARRAY(SELECT x FROM UNNEST(a) x WHERE x IN (SELECT y FROM UNNEST(b) y WHERE y > c)) FROM (SELECT [1, 2, 3] AS a, [2, 3, 4] AS b, 2 AS c)',
    [[['3']]],
  ],
  [
    'left joins two arrays by offset in a subquery',
    'SELECT ARRAY(SELECT AS STRUCT x, y FROM UNNEST(a) x WITH OFFSET i LEFT JOIN UNNEST(b) y WITH OFFSET j ON i = j ORDER BY i) FROM (SELECT [1, 2] AS a, [5] AS b)',
    [
      [
        [
          { x: '1', y: '5' },
          { x: '2', y: null },
        ],
      ],
    ],
  ],
]

describe('generated SQL of arrays', () => {
  let session: SqlSession
  before(async () => {
    session = await openSqlSession()
  })
  after(() => session.close())

  for (const [says, sql, rows] of CASES) {
    it(says, async () => {
      expect(await session.query(sql)).to.deep.equal(rows)
    })
  }

  it('fails where a lookup finds several elements', async () => {
    let failure = 'no error'
    await session.query(`${T} SELECT (SELECT v FROM UNNEST(xs) WHERE s = 'a') FROM t`).catch(error => {
      failure = error.message
    })
    expect(failure).to.contain('Scalar subquery produced more than one element')
  })

  it('translates lookups to list functions, not to subqueries', () => {
    const sql = session.translated(`${T} SELECT (SELECT COUNT(*) FROM UNNEST(xs) x WHERE x.s = 'a') FROM t`)
    expect(sql).to.contain('list_filter(').and.not.to.contain('unnest(')
  })
})

describe('records that no query reads', () => {
  let session: SqlSession
  before(async () => {
    session = await openSqlSession()
  })
  after(() => session.close())

  for (const [sql, rows] of [
    ['SELECT k FROM t, UNNEST(xs) ORDER BY k', [['1'], ['1'], ['1'], ['4'], ['4']]],
    [
      'SELECT k, o FROM t LEFT JOIN UNNEST(xs) WITH OFFSET o WHERE k > 1 ORDER BY k, o',
      [
        ['2', null],
        ['3', null],
        ['4', '0'],
        ['4', '1'],
      ],
    ],
  ] as const) {
    it(`are not unnested: ${sql}`, async () => {
      expect(await session.query(T + sql)).to.deep.equal(rows)
      expect(session.translated(T + sql))
        .to.contain('range(len(')
        .and.to.not.match(/unnest\((?!range\(len|CASE WHEN len\(\w+\) > 0 THEN range)/)
    })
  }
})
