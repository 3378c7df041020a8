/** Arguments that make a query fail by themselves are the caller's mistake, and are named. */
import { expect } from 'chai'
import type { DuckdbEngine } from '../../runner/engines/duckdb/duckdb-engine.js'
import { RunnerError } from '../../runner/model/errors.js'
import type { BoundValue } from '../../runner/model/query.js'
import { QueryFault } from '../../runner/model/query-fault.js'
import { sampleOf } from '../sample-size.js'
import { rowsFrom, runOptions } from './ask-engine.js'
import { openEngine, source } from './duckdb/raw-engine.js'

const ORDERS = [
  { name: 'day', type: 'DATE' },
  { name: 'moment', type: 'TIMESTAMP' },
  { name: 'name', type: 'STRING' },
  { name: 'n', type: 'INT64' },
  { name: 'list', type: 'INT64', mode: 'REPEATED' },
  { name: 'civil', type: 'DATETIME' },
  { name: 'clock', type: 'TIME' },
  { name: 'num', type: 'NUMERIC' },
  { name: 'bytes', type: 'BYTES' },
  { name: 'json', type: 'JSON' },
]
const ROW = {
  day: '2026-01-31',
  moment: '2026-01-31T12:00:00Z',
  name: '{"a": 1}',
  n: 0,
  list: [1, 2],
  civil: '2026-01-31T12:00:00',
  clock: '12:00:00',
  num: '2.5',
  bytes: 'YWJj',
  json: { a: 1, b: [1] },
}

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
    ['SELECT INSTR(name, @a, @n) FROM orders', { a: text('b'), n: whole('0') }, { n: 'is refused by INSTR' }],
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
    [
      'SELECT SAFE.NET.REG_DOMAIN(@a)',
      { a: text(`a${'\u0301'.repeat(2_000)}`) },
      { a: 'is refused by NET.REG_DOMAIN' },
    ],
    [
      'SELECT NET.PUBLIC_SUFFIX(@a) FROM orders',
      { a: text(`a${'\u0301'.repeat(2_000)}`) },
      { a: 'is refused by NET.PUBLIC_SUFFIX' },
    ],
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

/**
 * Expressions that refuse the first argument whatever the row is, and not the second, which may fail for the value of the row. The
 * detail names the function unless it is given.
 */
const REFUSED: readonly (readonly [expression: string, wrong: BoundValue, right: BoundValue, detail?: string])[] = [
  ['PARSE_DATE(@p, name)', text('%F %'), text('%Q')],
  ['PARSE_DATE(@p, name)', text('%H'), text('%d.%m.%Y')],
  ['PARSE_DATETIME(@p, name)', text('%z'), text('%c')],
  ['PARSE_TIME(@p, name)', text('%Y'), text('%I:%M %p')],
  ['PARSE_TIMESTAMP(@p, name)', text('%f'), text('%FT%H:%M:%E*S%Ez')],
  ["PARSE_TIMESTAMP(@p, name, 'UTC')", text('%L'), text('%s')],
  ["PARSE_TIMESTAMP(@p, name, 'UTC')", text('%-d'), text('%G%e %Ed')],
  ['CAST(day AS STRING FORMAT @p)', text('HH24'), text('DD/MON/YYYY'), 'is refused by CAST with FORMAT'],
  ['CAST(clock AS STRING FORMAT @p)', text('YYYY'), text('HH24:MI'), 'is refused by CAST with FORMAT'],
  ['CAST(n AS STRING FORMAT @p)', text('ZZ9'), text('RN'), 'is refused by CAST with FORMAT'],
  ['CAST(bytes AS STRING FORMAT @p)', text('HEXA'), text('HEX'), 'is refused by CAST with FORMAT'],
  ['CAST(name AS BYTES FORMAT @p)', text('HEXA'), text('BASE8'), 'is refused by CAST with FORMAT'],
  ['CAST(name AS DATE FORMAT @p)', text('DAY'), text('Y,YYY-MM-DD'), 'is refused by CAST with FORMAT'],
  ['CAST(name AS TIME FORMAT @p)', text('HH12:MI'), text('HH12:MI P.M.'), 'is refused by CAST with FORMAT'],
  ['CAST(name AS TIMESTAMP FORMAT @p)', text('YYYY YY'), text('RR-DD SSSSS TZH'), 'is refused by CAST with FORMAT'],
  ['GENERATE_ARRAY(1, n, @p)', whole('0'), whole('-1')],
  ['GENERATE_ARRAY(num, 5, @p)', real(0), real(0.5)],
  ['GENERATE_DATE_ARRAY(day, day, INTERVAL @p DAY)', whole('0'), whole('-1')],
  ['GENERATE_TIMESTAMP_ARRAY(moment, moment, INTERVAL @p HOUR)', whole('0'), whole('-1')],
  ['GENERATE_RANGE_ARRAY(RANGE(day, NULL), INTERVAL @p MONTH)', whole('0'), whole('1')],
  ['GENERATE_RANGE_ARRAY(RANGE(civil, NULL), INTERVAL @p HOUR)', whole('0'), whole('1')],
  ['GENERATE_RANGE_ARRAY(RANGE(moment, NULL), INTERVAL @p HOUR)', whole('0'), whole('1')],
  ['DATE_BUCKET(day, INTERVAL @p DAY)', whole('0'), whole('1')],
  ['DATETIME_BUCKET(civil, INTERVAL @p DAY, civil)', whole('-1'), whole('1')],
  ['TIMESTAMP_BUCKET(moment, INTERVAL @p HOUR)', whole('0'), whole('1')],
  ['RANGE_BUCKET(n, [5, @p])', whole('0'), whole('6')],
  ["RANGE_BUCKET(num, [NUMERIC '5', @p])", whole('0'), whole('6')],
  ["RANGE_BUCKET(CAST(n AS BIGNUMERIC), [BIGNUMERIC '5', @p])", whole('0'), whole('6')],
  ['RANGE_BUCKET(n + 0.5, [5.5, @p])', whole('0'), whole('6')],
  ["RANGE_BUCKET(name, ['b', @p])", text('a'), text('c')],
  ["RANGE_BUCKET(clock, [TIME '12:00:00', TIME(@p, 0, 0)])", whole('0'), whole('13')],
  ['DATE_ADD(day, INTERVAL @p DAY)', whole('3652059'), whole('3652058')],
  ['DATE_SUB(day, INTERVAL @p MONTH)', whole('9000000000000000000'), whole('-119987')],
  ['DATETIME_ADD(civil, INTERVAL @p YEAR)', whole('10000'), whole('9998')],
  ['DATETIME_SUB(civil, INTERVAL @p DAY)', whole('-3652059'), whole('-3652058')],
  ['TIMESTAMP_ADD(moment, INTERVAL @p DAY)', whole('3652059'), whole('3652058')],
  ['TIMESTAMP_SUB(moment, INTERVAL @p HOUR)', whole('9000000000'), whole('9000000')],
  ['ADD_MONTHS(day, @p)', whole('9000000000'), whole('-119987')],
  ['day + @p', whole('9000000000'), whole('3652058'), 'leads to a number that is too large'],
  ['day - @p', whole('9000000000'), whole('3652058'), 'leads to a number that is too large'],
  ['NEXT_DAY(day, @p)', text('NEVER'), text('MONDAY')],
  ['DATE(n, @p, 1)', whole('13'), whole('12')],
  ['DATE(2026, n, @p)', whole('32'), whole('31')],
  ['DATE(@p, n, 1)', whole('10000'), whole('9999')],
  ['DATETIME(@p, n, 1, 0, 0, 0)', whole('0'), whole('1')],
  ['DATETIME(2026, @p, n, 0, 0, 0)', whole('0'), whole('1')],
  ['DATETIME(2026, n, @p, 0, 0, 0)', whole('0'), whole('31')],
  ['DATETIME(2026, n, 1, @p, 0, 0)', whole('24'), whole('23')],
  ['DATETIME(2026, n, 1, 0, @p, 0)', whole('60'), whole('59')],
  ['DATETIME(2026, n, 1, 0, 0, @p)', whole('61'), whole('59')],
  ['TIME(@p, n, 0)', whole('24'), whole('23')],
  ['TIME(n, @p, 0)', whole('60'), whole('59')],
  ['TIME(n, 0, @p)', whole('61'), whole('59')],
  ['MAKE_INTERVAL(n, @p)', whole('9000000000'), whole('-5')],
  ['MAKE_INTERVAL(n, second => @p)', whole('9000000000000000000'), whole('-5')],
  ['LOG(n, @p)', real(1), real(2)],
  ['LOG(@p, n)', real(-1), real(2)],
  ['ROUND(num, n, @p)', text('ODD'), text('ROUND_HALF_EVEN')],
  ['n << @p', whole('-1'), whole('64'), 'leads to a shift by a negative number'],
  ['bytes >> @p', whole('-1'), whole('64'), 'leads to a shift by a negative number'],
  ['NET.IP_NET_MASK(@p, n)', whole('5'), whole('4')],
  ['NET.IP_NET_MASK(n, @p)', whole('129'), whole('128')],
  ['NET.IP_TRUNC(bytes, @p)', whole('129'), whole('128')],
  ['NET.IP_IN_NET(name, @p)', text('abc'), text('10.0.0.0/8')],
  ['NET.IP_IN_NET(@p, name)', text('abc'), text('10.0.0.0/8')],
  ['NET.MAKE_NET(name, @p)', whole('-1'), whole('128')],
  ['NET.MAKE_NET(@p, n)', text('abc'), text('10.1.0.0/16')],
  ['JSON_KEYS(json, @p)', whole('0'), whole('1')],
  ['JSON_KEYS(json, mode => @p)', text('odd'), text('lax')],
  ['PARSE_JSON(name, wide_number_mode => @p)', text('odd'), text('round')],
  ['FLOAT64(json.a, wide_number_mode => @p)', text('odd'), text('exact')],
  ['FLOAT64_ARRAY(json.b, wide_number_mode => @p)', text('odd'), text('exact')],
  ['JSON_QUERY(json, @p)', text('lax a'), text('lax $.a'), 'is not a JSONPath'],
  ["JSON_SET(json, '$.a', name, @p, name)", text('x'), text('$.b'), 'is not a JSONPath'],
  ["JSON_REMOVE(json, '$.a', @p)", text('x'), text('$.b'), 'is not a JSONPath'],
  ['JSON_REMOVE(json, @p)', text('$'), text('$.a'), 'is not a JSONPath'],
  ['FORMAT(@p, list)', text('%d'), text('%t'), 'is not a format for FORMAT'],
  ['DATE_TRUNC(moment, DAY, @p)', text('Mars'), text('UTC'), 'is not a time zone'],
  ['DATETIME_TRUNC(moment, DAY, @p)', text('Mars'), text('UTC'), 'is not a time zone'],
  ["FORMAT_DATE('%F', moment, @p)", text('Mars'), text('UTC'), 'is not a time zone'],
  ["FORMAT_DATETIME('%F', moment, @p)", text('Mars'), text('UTC'), 'is not a time zone'],
  ['SEARCH(STRUCT(name, n), @p)', text('('), text('a')],
  ['CONTAINS_SUBSTR(STRUCT(name, n), @p)', text(null), text('')],
  ['EDIT_DISTANCE(name, name, max_distance => @p)', whole('-1'), whole('0')],
  ["EDIT_DISTANCE(bytes, b'a', max_distance => @p)", whole('-1'), whole('0')],
  ['INSTR(name, name, @p)', whole('0'), whole('9')],
  ['INSTR(bytes, bytes, 1, @p)', whole('0'), whole('9')],
  ['LEFT(bytes, @p)', whole('-1'), whole('9')],
  ['RIGHT(bytes, @p)', whole('-1'), whole('9')],
  ['LPAD(name, n, @p)', text(''), text('ab')],
  ['LPAD(name, @p, name)', whole('-1'), whole('9')],
  ["RPAD(bytes, @p, b'a')", whole('-1'), whole('9')],
  ['RPAD(name, n, @p)', text(''), text('ab')],
  ['REGEXP_EXTRACT(name, name, @p)', whole('0'), whole('9')],
  ['REGEXP_EXTRACT(bytes, bytes, 1, @p)', whole('0'), whole('9')],
  ['REGEXP_INSTR(name, name, @p)', whole('0'), whole('9')],
  ['REGEXP_INSTR(name, name, 1, @p)', whole('0'), whole('9')],
  ['REGEXP_INSTR(bytes, bytes, 1, 1, @p)', whole('2'), whole('1')],
  ["REGEXP_REPLACE(bytes, b'a', CAST(@p AS BYTES))", text('\\9'), text('\\0')],
  ['REGEXP_REPLACE(name, name, @p)', text('\\x'), text('\\0')],
  ['REGEXP_REPLACE(bytes, bytes, CAST(@p AS BYTES))', text('\\x'), text('\\0')],
  [
    'REGEXP_CONTAINS(bytes, CAST(@p AS BYTES))',
    text('('),
    text('a'),
    'is not a regular expression that the query can use',
  ],
  [
    'REGEXP_EXTRACT(bytes, CAST(@p AS BYTES))',
    text('(a)(b)'),
    text('a'),
    'is not a regular expression that the query can use',
  ],
  ["FORMAT('%*d', @p, n)", whole('9000000000'), whole('9')],
  ["FORMAT('%*s|%t', @p, name, list)", whole('9000000000'), whole('9')],
  ['CODE_POINTS_TO_STRING([n, @p])', whole('-1'), whole('97')],
  ['CODE_POINTS_TO_BYTES([@p, n])', whole('256'), whole('255')],
  ['JSON_OBJECT(@p, n)', text(null), text('a')],
  ["JSON_OBJECT('a', n, @p, name)", text(null), text('b')],
  ['REPEAT(bytes, @p)', whole('-1'), whole('9')],
  ['REPEAT(name, @p)', whole('9000000000'), whole('9')],
  ['SUBSTR(bytes, n, @p)', whole('-1'), whole('9')],
  ['TRANSLATE(name, @p, name)', text('aa'), text('ab')],
  ['COSINE_DISTANCE([1.0, n], @p)', { type: 'ARRAY<FLOAT64>', value: [0, 0] }, { type: 'ARRAY<FLOAT64>', value: [1] }],
]

/** Queries that give rows with arguments that fail elsewhere. */
const RIGHT: readonly (readonly [sql: string, parameters: Parameters, rows: unknown[][]])[] = [
  ['SELECT 10 / @n FROM orders WHERE n > 5', { n: whole('0') }, []],
  ['SELECT IF(@n = 0, 1, 10 / @n)', { n: whole('0') }, [[1]]],
  ['SELECT SAFE_DIVIDE(10, @n), SAFE_CAST(@a AS INT64)', { n: whole('0'), a: text('x') }, [[null, null]]],
  ['SELECT COALESCE(@a, CAST(CAST(@b AS INT64) AS STRING))', { a: text('a'), b: text('x') }, [['a']]],
  ['SELECT n FROM orders LIMIT @n', { n: whole('0') }, []],
  [
    'SELECT PARSE_DATE(@f, name), LPAD(name, @n), DATE(n, @n, 1) FROM orders WHERE n > 5',
    { f: text('%'), n: whole('-1') },
    [],
  ],
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

  for (const [sql, parameters, errors] of sampleOf(MISTAKES)) {
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

  for (const [expression, values, detail] of sampleOf(NUMBERS)) {
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

  for (const [expression, wrong, right, detail = `is refused by ${expression.split('(')[0]}`] of sampleOf(REFUSED)) {
    const shown = JSON.stringify(wrong.value)
    it(`are named where the function refuses them whatever the row is: ${expression} with ${shown}`, async () => {
      const { code, errors } = (await failure(`SELECT ${expression} FROM orders`, { p: wrong })) as RunnerError
      expect([code, errors]).to.deep.equal(['ARGUMENT_INVALID', [{ parameter: 'p', detail }]])
      const others: [string, BoundValue][] = [[expression, right]]
      // Zones, formats and paths are tested also where they may not be used.
      if (!detail.startsWith('is not')) others.push([`IF(n = 5, ${expression}, NULL)`, wrong])
      if (/^[A-Z0-9_.]+\((?!.* AS )/.test(expression)) others.push([`SAFE.${expression}`, wrong])
      if (expression.startsWith('CAST')) others.push([`SAFE_${expression}`, wrong])
      for (const [fine, p] of others) {
        const error = (await failure(`SELECT ${fine}, 1 / n FROM orders`, { p })) as RunnerError
        expect([fine, error.code]).to.deep.equal([fine, 'QUERY_FAILED'])
      }
    })
  }

  for (const [sql, parameters, rows] of sampleOf(RIGHT)) {
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
