/** Arguments that make a query fail by themselves are the caller's mistake, and are named. */
import { expect } from 'chai'
import type { DuckdbEngine } from '../../runner/engines/duckdb/duckdb-engine.js'
import { RunnerError } from '../../runner/model/errors.js'
import type { BoundValue } from '../../runner/model/query.js'
import { QueryFault } from '../../runner/model/query-fault.js'
import { rowsFrom, runOptions } from './ask-engine.js'
import { openEngine, source } from './duckdb/raw-engine.js'

const ORDERS = [
  { name: 'day', type: 'DATE' },
  { name: 'moment', type: 'TIMESTAMP' },
  { name: 'name', type: 'STRING' },
  { name: 'n', type: 'INT64' },
  { name: 'list', type: 'INT64', mode: 'REPEATED' },
]
const ROW = { day: '2026-01-31', moment: '2026-01-31T12:00:00Z', name: '{"a": 1}', n: 0, list: [1, 2] }

const text = (value: string | null): BoundValue => ({ type: 'STRING', value })
const whole = (value: string | null): BoundValue => ({ type: 'INT64', value })
const real = (value: number | null): BoundValue => ({ type: 'FLOAT64', value })
type Parameters = Readonly<Record<string, BoundValue>>

const MISTAKES: readonly (readonly [sql: string, parameters: Parameters, errors: Readonly<Record<string, string>>])[] =
  [
    ['SELECT DATETIME(moment, @tz) FROM orders', { tz: text('Mars') }, { tz: 'is not a time zone' }],
    ["SELECT FORMAT_TIMESTAMP('%H', moment, @tz) FROM orders", { tz: text('') }, { tz: 'is not a time zone' }],
    ['SELECT EXTRACT(HOUR FROM moment AT TIME ZONE @tz) FROM orders', { tz: text('x') }, { tz: 'is not a time zone' }],
    [
      'SELECT 10 / @n FROM orders',
      { n: whole('0') },
      { n: 'leads to a division by zero, or to a number that is too large' },
    ],
    ['SELECT DIV(10, @n)', { n: whole('0') }, { n: 'is refused by DIV' }],
    ['SELECT @n + 1', { n: whole('9223372036854775807') }, { n: 'leads to a number that is too large' }],
    ['SELECT -@n', { n: whole('-9223372036854775808') }, { n: 'leads to a number that is too large' }],
    ['SELECT 1 << @n', { n: whole('-1') }, { n: 'leads to a shift by a negative number' }],
    ['SELECT [1, 2][OFFSET(@n)]', { n: whole('5') }, { n: 'leads to an index that the array does not have' }],
    [
      'SELECT [1, 2][ORDINAL(@n)] FROM orders',
      { n: whole('0') },
      { n: 'leads to an index that the array does not have' },
    ],
    ['SELECT CURRENT_DATE(@tz)', { tz: text('Mars') }, { tz: 'is refused by CURRENT_DATE' }],
    ["SELECT NET.IP_TRUNC(b'1234', @n)", { n: whole('99') }, { n: 'is refused by NET.IP_TRUNC' }],
    [
      'SELECT ARRAY_LENGTH(ARRAY_AGG(n LIMIT @n)) FROM orders',
      { n: whole('-1') },
      { n: 'leads to a LIMIT or OFFSET that is negative or missing' },
    ],
    [
      'SELECT n FROM orders LIMIT @n',
      { n: whole('-1') },
      { n: 'leads to a LIMIT or OFFSET that is negative or missing' },
    ],
    [
      'SELECT n FROM orders LIMIT 5 OFFSET @skip',
      { skip: whole('-1') },
      { skip: 'leads to a LIMIT or OFFSET that is negative or missing' },
    ],
    [
      'SELECT n FROM orders LIMIT @n',
      { n: whole(null) },
      { n: 'leads to a LIMIT or OFFSET that is negative or missing' },
    ],
    ['SELECT CAST(@a AS INT64) + n FROM orders', { a: text('1x') }, { a: 'cannot be converted to INT64' }],
    ['SELECT n FROM orders WHERE day > CAST(@a AS DATE)', { a: text('soon') }, { a: 'cannot be converted to DATE' }],
    ["SELECT n FROM orders WHERE day > PARSE_DATE('%F', @a)", { a: text('soon') }, { a: 'is refused by PARSE_DATE' }],
    ['SELECT FORMAT(@f, n) FROM orders', { f: text('%q') }, { f: 'is not a format for FORMAT' }],
    ['SELECT JSON_VALUE(name, @p) FROM orders', { p: text('$.[') }, { p: 'is not a JSONPath' }],
    [
      'SELECT TO_JSON_STRING(JSON_SET(PARSE_JSON(name), @p, n)) FROM orders',
      { p: text('a b') },
      { p: 'is not a JSONPath' },
    ],
    ["SELECT TO_JSON_STRING(JSON_REMOVE(JSON '{}', @p)) FROM orders", { p: text('a b') }, { p: 'is not a JSONPath' }],
    [
      'SELECT REGEXP_EXTRACT(name, @re) FROM orders',
      { re: text('(a)(b)') },
      { re: 'is not a regular expression that the query can use' },
    ],
    [
      'SELECT DATE_ADD(DATE(@d), INTERVAL @n DAY) FROM orders',
      { d: text('9999-12-31'), n: whole('1') },
      { d: 'is refused by DATE_ADD', n: 'is refused by DATE_ADD' },
    ],
    ['SELECT DATE_TRUNC(DATE(@d), WEEK(SUNDAY))', { d: text('0001-01-01') }, { d: 'is refused by DATE_TRUNC' }],
    ['SELECT INTERVAL @n YEAR', { n: whole('10001') }, { n: 'is refused by INTERVAL' }],
    ['SELECT DIV(1, EXTRACT(DAY FROM DATE(@d)) - 31)', { d: text('2026-01-31') }, { d: 'is refused by DIV' }],
    [
      'SELECT EXTRACT(DATE FROM TIMESTAMP(@t) AT TIME ZONE @tz)',
      { t: text('0001-01-01 00:00:00+00'), tz: text('-08:00') },
      { t: 'is refused by EXTRACT', tz: 'is refused by EXTRACT' },
    ],
    ["SELECT CAST(@a AS TIMESTAMP FORMAT 'YYYY-MM-DD')", { a: text('abc') }, { a: 'cannot be converted to TIMESTAMP' }],
    [
      'SELECT CAST(moment AS STRING), CAST(TIMESTAMP(@a) AS STRING FORMAT @f) FROM orders',
      { a: text('2026-01-31'), f: text('XYZ') },
      { a: 'is refused by CAST with FORMAT', f: 'is refused by CAST with FORMAT' },
    ],
    [
      "SELECT CAST(@a AS TIMESTAMP FORMAT 'YYYY-MM-DD' AT TIME ZONE @tz)",
      { a: text('2026-01-31'), tz: text('Mars') },
      { tz: 'is not a time zone' },
    ],
    ['SELECT NET.IP_FROM_STRING(@a)', { a: text('abc') }, { a: 'is refused by NET.IP_FROM_STRING' }],
    [
      'SELECT REGEXP_REPLACE(name, @p, @r) FROM orders',
      { p: text('a'), r: text('\\9') },
      { p: 'is refused by REGEXP_REPLACE', r: 'is refused by REGEXP_REPLACE' },
    ],
    ["SELECT REGEXP_REPLACE(name, 'a', @r) FROM orders", { r: text('\\x') }, { r: 'is refused by REGEXP_REPLACE' }],
    [
      'SELECT INSTR(name, @a, @n) FROM orders',
      { a: text('b'), n: whole('0') },
      { a: 'is refused by INSTR', n: 'is refused by INSTR' },
    ],
    ["SELECT REGEXP_INSTR(name, 'a', @n) FROM orders", { n: whole('0') }, { n: 'is refused by REGEXP_INSTR' }],
    ["SELECT REGEXP_EXTRACT(name, 'a', 1, @n) FROM orders", { n: whole('0') }, { n: 'is refused by REGEXP_EXTRACT' }],
    ['SELECT REPEAT(name, @n) FROM orders', { n: whole('-1') }, { n: 'is refused by REPEAT' }],
    ['SELECT LPAD(name, @n) FROM orders', { n: whole('-1') }, { n: 'is refused by LPAD' }],
    ['SELECT RIGHT(name, @n) FROM orders', { n: whole('-1') }, { n: 'is refused by RIGHT' }],
    ['SELECT SUBSTR(name, 1, @n) FROM orders', { n: whole('-1') }, { n: 'is refused by SUBSTR' }],
    ["SELECT TRANSLATE(name, @a, 'xy') FROM orders", { a: text('aa') }, { a: 'is refused by TRANSLATE' }],
    [
      'SELECT n / @d FROM orders',
      { d: whole('0') },
      { d: 'leads to a division by zero, or to a number that is too large' },
    ],
    ['SELECT MOD(n, @d) FROM orders', { d: whole('0') }, { d: 'is refused by MOD' }],
    ['SELECT SEARCH(name, @q) FROM orders', { q: text('(') }, { q: 'is refused by SEARCH' }],
    ['SELECT SAFE.SEARCH(name, @q) FROM orders', { q: text('('.repeat(200)) }, { q: 'is refused by SEARCH' }],
    ["SELECT SAFE.SEARCH('a', @q)", { q: text('('.repeat(200)) }, { q: 'is refused by SEARCH' }],
    ["SELECT SEARCH('a', @q)", { q: text('('.repeat(200)) }, { q: 'is refused by SEARCH' }],
    ['SELECT @a LIKE @f', { a: text('a'), f: text('\\') }, { f: 'is not a pattern for LIKE' }],
    ['SELECT n FROM orders WHERE name LIKE @f', { f: text('a\\') }, { f: 'is not a pattern for LIKE' }],
    ['SELECT n FROM orders WHERE name NOT LIKE @f', { f: text('%\\') }, { f: 'is not a pattern for LIKE' }],
    [
      "SELECT n FROM orders WHERE name LIKE ANY ('b', CONCAT(@f, '\\\\'), @g)",
      { f: text('a'), g: text('c') },
      { f: 'is not a pattern for LIKE' },
    ],
    [
      'SELECT n FROM orders WHERE name LIKE ANY UNNEST(@list)',
      { list: { type: 'ARRAY<STRING>', value: ['a', '\\'] } },
      { list: 'is not a pattern for LIKE' },
    ],
    [
      'SELECT n FROM orders WHERE name LIKE ALL UNNEST(@list)',
      { list: { type: 'ARRAY<STRING>', value: ['%', '\\'] } },
      { list: 'is not a pattern for LIKE' },
    ],
    ['SELECT NORMALIZE(@a)', { a: text(`a${'\u0301'.repeat(2_000)}`) }, { a: 'is refused by NORMALIZE' }],
    ["SELECT REPEAT('ab', @n)", { n: whole('-1') }, { n: 'is refused by REPEAT' }],
    [
      'SELECT 10 / @n, CAST(@a AS INT64), DATETIME(moment, @tz), @fine FROM orders',
      { n: whole('0'), a: text('x'), tz: text('Mars'), fine: whole('1') },
      {
        tz: 'is not a time zone',
        n: 'leads to a division by zero, or to a number that is too large',
        a: 'cannot be converted to INT64',
      },
    ],
    [
      'SELECT 1 / (@a - @b)',
      { a: whole('2'), b: whole('2') },
      {
        a: 'leads to a division by zero, or to a number that is too large',
        b: 'leads to a division by zero, or to a number that is too large',
      },
    ],
  ]

const NO_INDEX = 'leads to an index that the array does not have'
const NO_FRAME = 'leads to a bound of a window frame that is negative or missing'

/** Numbers outside the range that a function, an index or a frame takes: the parameter is always `n`. */
const NUMBERS: readonly (readonly [expression: string, values: readonly BoundValue[], detail: string])[] = [
  ['NTILE(@n) OVER (ORDER BY n)', [whole('0'), whole('-1'), whole(null)], 'is refused by NTILE, which takes 1 or more'],
  ['LAG(n, @n) OVER (ORDER BY n)', [whole('-1'), whole(null)], 'is refused by LAG, which takes 0 or more'],
  ['LEAD(n, @n, 7) OVER (ORDER BY n)', [whole('-1')], 'is refused by LEAD, which takes 0 or more'],
  ['NTH_VALUE(n, @n) OVER (ORDER BY n)', [whole('0'), whole(null)], 'is refused by NTH_VALUE, which takes 1 or more'],
  [
    'PERCENTILE_CONT(n, @n) OVER ()',
    [real(1.5), real(-0.1), real(null), { type: 'NUMERIC', value: '2' }],
    'is refused by PERCENTILE_CONT, which takes 0 to 1',
  ],
  ['PERCENTILE_DISC(name, @n) OVER ()', [real(1.5)], 'is refused by PERCENTILE_DISC, which takes 0 to 1'],
  [
    'APPROX_QUANTILES(n, @n)',
    [whole('0'), whole('100001'), whole(null)],
    'is refused by APPROX_QUANTILES, which takes 1 to 100000',
  ],
  ['APPROX_TOP_COUNT(name, @n)', [whole('0'), whole(null)], 'is refused by APPROX_TOP_COUNT, which takes 1 or more'],
  ['APPROX_TOP_SUM(name, n, @n)', [whole('-1')], 'is refused by APPROX_TOP_SUM, which takes 1 or more'],
  ['SUM(n) OVER (ORDER BY n ROWS BETWEEN @n PRECEDING AND CURRENT ROW)', [whole('-1'), whole(null)], NO_FRAME],
  ['SUM(n) OVER (ORDER BY n ROWS BETWEEN CURRENT ROW AND @n FOLLOWING)', [whole('-1')], NO_FRAME],
  ['MAX(n) OVER (ORDER BY n RANGE BETWEEN @n PRECEDING AND CURRENT ROW)', [whole('-1')], NO_FRAME],
  ['list[OFFSET(@n)]', [whole('-1')], NO_INDEX],
  ['list[ORDINAL(@n)]', [whole('0')], NO_INDEX],
  ["SPLIT(name, ',')[OFFSET(@n - 1)]", [whole('0')], NO_INDEX],
]

/** Queries that give rows with arguments that fail elsewhere. */
const RIGHT: readonly (readonly [sql: string, parameters: Parameters, rows: unknown[][]])[] = [
  ['SELECT 10 / @n FROM orders WHERE n > 5', { n: whole('0') }, []],
  ['SELECT IF(@n = 0, 1, 10 / @n)', { n: whole('0') }, [[1]]],
  ['SELECT SAFE_DIVIDE(10, @n), SAFE_CAST(@a AS INT64)', { n: whole('0'), a: text('x') }, [[null, null]]],
  ['SELECT COALESCE(@a, CAST(CAST(@b AS INT64) AS STRING))', { a: text('a'), b: text('x') }, [['a']]],
  ['SELECT n FROM orders LIMIT @n', { n: whole('0') }, []],
  ["SELECT SAFE_CAST(@a AS TIMESTAMP FORMAT 'YYYY-MM-DD')", { a: text('abc') }, [[null]]],
  ["SELECT SAFE.REPEAT('a', @n), SAFE.SEARCH('a', @q) FROM orders", { n: whole('-1'), q: text('(') }, [[null, null]]],
  ['SELECT n FROM orders WHERE name LIKE @f AND n > 5', { f: text('%a%') }, []],
  ['SELECT list[OFFSET(@n)] FROM orders WHERE n > 5', { n: whole('-1') }, []],
  ['SELECT list[OFFSET(@n)], list[SAFE_OFFSET(@m)] FROM orders', { n: whole(null), m: whole('-1') }, [[null, null]]],
  [
    'SELECT NTILE(@n) OVER (ORDER BY n), LAG(n, @m) OVER (ORDER BY n) FROM orders',
    { n: whole('1'), m: whole('0') },
    [[1, 0]],
  ],
]

describe('arguments that make a query fail', () => {
  let engine: DuckdbEngine
  before(async () => {
    engine = await openEngine({ tables: [source('orders', ORDERS, { rows: [ROW] })] })
  })
  after(() => engine.close())

  const failure = (sql: string, parameters: Parameters): Promise<unknown> =>
    engine.run({ sql, parameters }, runOptions()).then(
      () => expect.fail('it did not fail'),
      error => error,
    )

  for (const [sql, parameters, errors] of MISTAKES) {
    it(`are named, all of them: ${sql} with ${JSON.stringify(parameters)}`, async () => {
      const error = (await failure(sql, parameters)) as RunnerError
      expect(error).to.be.instanceOf(RunnerError)
      expect(Object.fromEntries(error.errors.map(({ parameter, detail }) => [parameter, detail]))).to.deep.equal(errors)
      expect([error.code, error.status]).to.deep.equal(['ARGUMENT_INVALID', 400])
      expect(error.detail).to.equal(`These arguments are not valid: ${Object.keys(errors).join(', ')}.`)
      // The reason stays for the log and for authors.
      expect(error.cause).to.be.instanceOf(QueryFault)
    })
  }

  for (const [expression, values, detail] of NUMBERS) {
    it(`are named where they are outside a range: ${expression}`, async () => {
      for (const n of values) {
        const error = (await failure(`SELECT ${expression} FROM orders`, { n })) as RunnerError
        expect([n.value, error.code, error.errors]).to.deep.equal([
          n.value,
          'ARGUMENT_INVALID',
          [{ parameter: 'n', detail }],
        ])
      }
    })
  }

  for (const [sql, parameters, rows] of RIGHT) {
    it(`are none where the query gives rows: ${sql}`, async () => {
      expect(await rowsFrom(engine, sql, parameters)).to.deep.equal(rows)
    })
  }

  it('are not blamed for what rows or the query itself make fail', async () => {
    const cases: (readonly [string, Parameters])[] = [
      ['SELECT @a / n FROM orders', { a: whole('1') }],
      ['SELECT CAST(name AS INT64) + @a FROM orders', { a: whole('1') }],
      ['SELECT ERROR(@a)', { a: text('stop') }],
      ['SELECT IF(n = 0, 1 / n, 1 / @a) FROM orders', { a: whole('0') }],
      ['SELECT list[OFFSET(@a)] FROM orders', { a: whole('2') }],
      [
        "SELECT 1 / n, n / @a, INSTR(name, 'a', @a, @a), REGEXP_INSTR(name, '(a)', @a, @a) FROM orders",
        { a: whole('99') },
      ],
      ["SELECT 1 / n, REGEXP_EXTRACT(name, 'a', @a), SUBSTR(name, @a), LEFT(name, @a) FROM orders", { a: whole('99') }],
      ['SELECT 1 / n, SEARCH(name, @a), REGEXP_REPLACE(name, @a, @a) FROM orders', { a: text('a') }],
      ['SELECT list[OFFSET(@a)], 1 / n FROM orders', { a: whole(null) }],
      ['SELECT 1 / a FROM (SELECT n AS a, NTILE(@a) OVER (ORDER BY n) AS b FROM orders)', { a: whole('0') }],
    ]
    // A text that would take long to examine.
    cases.push([`SELECT 10 / @n -- ${'x'.repeat(20_000)}`, { n: whole('0') }])
    for (const [sql, parameters] of cases) {
      expect(((await failure(sql, parameters)) as RunnerError).code, sql).to.equal('QUERY_FAILED')
    }
  })
})
