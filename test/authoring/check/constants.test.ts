import { expect } from 'chai'
import { constantsChecker } from '../../../authoring/check/constants.js'
import { constantCalls } from '../../../googlesql/constant-calls.js'
import { parseTypeName, resolveQuery, tableCatalogue } from '../../../googlesql/index.js'
import type { DuckdbEngine } from '../../../runner/engines/duckdb/duckdb-engine.js'
import { openEmbeddedEngine } from '../../../runner/index.js'
import { systemClock } from '../../../runner/platform/clock.js'
import { openEngine } from '../../engines/duckdb/raw-engine.js'
import { caseFiles, caseTables, readCases } from '../../googlesql/case-files.js'
import { itInAll, sampleOf } from '../../sample-size.js'

/** Where the constant stands is marked with «, which is not sent. */
const WRONG: readonly (readonly [sql: string, message: string])[] = [
  [
    "SELECT 1,\n REGEXP_CONTAINS(s, «'(') FROM UNNEST(['a']) AS s WHERE FALSE",
    'Cannot parse regular expression: missing ): (',
  ],
  ["SELECT REGEXP_REPLACE(@s, «r'a(b)', r'\\2')", 'Invalid REGEXP_REPLACE pattern'],
  ["SELECT REGEXP_EXTRACT(@s, «r'(a)(b)')", 'more than 1 capturing group'],
  ["SELECT TIMESTAMP_TRUNC(@t, DAY, «'Europe/Berln')", 'Invalid time zone: Europe/Berln; Did you mean Europe/Berlin?'],
  ["SELECT EXTRACT(HOUR FROM @t AT TIME ZONE «'Nowhere')", 'Invalid time zone: Nowhere'],
  ["SELECT IF(@s = 'a', DATE(@t, «'Mars'), NULL)", 'Invalid time zone: Mars'],
  ["SELECT CAST(@t AS STRING FORMAT 'YYYY' AT TIME ZONE «'zz')", 'Invalid time zone: zz'],
  ["SELECT FORMAT(«'%q', 1)", 'Invalid format specifier character "q"'],
  ["SELECT FORMAT(«'%d %s', 1)", 'Too few arguments to FORMAT'],
  ["SELECT FORMAT(«'%d', @s)", 'Invalid type for argument 2 to FORMAT'],
  ["SELECT FORMAT(«'%d', [@s])", 'Invalid type for argument 2 to FORMAT'],
  ["SELECT DATE_TRUNC(@t, DAY, «'Europe/Berln')", 'Invalid time zone: Europe/Berln; Did you mean Europe/Berlin?'],
  ["SELECT «DATE '2020-13-01'", 'Invalid DATE literal'],
  ["SELECT «JSON_VALUE(@s, '$.a[')", 'Invalid token in JSONPath'],
  ["SELECT «PARSE_DATE('%Q', '2020')", 'Failed to parse input string'],
  ["SELECT «PARSE_JSON('9007199254740993.5', wide_number_mode => 'exact')", 'cannot round-trip'],
  ["SELECT @s FROM UNNEST([1]) WHERE @t > «PARSE_TIMESTAMP('%Y-%m-%d', 'abc') AND @s = 'a'", 'Failed to parse'],
  ["SELECT 1 + «CAST('abc' AS INT64)", 'Bad int64 value: abc'],
  ["SELECT MAX(«CAST('2026-02-30' AS DATE)) FROM UNNEST([1])", 'Invalid date'],
  ['SELECT «DATE(2026, 2, 30)', 'Input calculates to invalid date'],
  ['SELECT «DATETIME(2026, 1, 31, 24, 0, 0)', 'Input calculates to invalid datetime'],
  ["SELECT COUNT(*) AS n FROM UNNEST([1]) HAVING n > «CAST('x' AS FLOAT64)", 'Bad double value: x'],
  ["SELECT x FROM (SELECT 1 AS x FROM UNNEST([1]) WHERE CURRENT_DATE() > «CAST('x' AS DATE))", 'Invalid date'],
  ["WITH a AS (SELECT 1 AS x FROM UNNEST([1]) AS y WHERE y = «CAST('y' AS INT64)) SELECT x FROM a", 'Bad int64 value'],
  ['SELECT (SELECT MAX(«SQRT(-1)))', 'Argument to SQRT cannot be negative'],
  ["SELECT a FROM (SELECT «CAST('abc' AS INT64) AS a, CAST('def' AS INT64) AS b)", 'Bad int64 value: abc'],
  ["SELECT 1 AS a UNION ALL (SELECT x FROM (SELECT «CAST('abc' AS INT64) AS x, 2 AS y))", 'Bad int64 value: abc'],
  ["SELECT COUNT(*) FROM UNNEST([1]) GROUP BY «CAST('abc' AS INT64)", 'Bad int64 value: abc'],
]

const RIGHT = [
  "SELECT SAFE.REGEXP_CONTAINS('a', '(')",
  "SELECT REGEXP_CONTAINS(@s, r'^\\d+\"\\\\[é/]$'), REGEXP_CONTAINS(@s, @s)",
  "SELECT FORMAT_TIMESTAMP('%F', @t, '+02:00'), DATE(@t, 'UTC+3'), DATE(@t, 'Europe/Berlin'), DATETIME(@t, 'UTC')",
  "SELECT FORMAT('%d %t %T %s %%', 1, @t, [1], @s), DATE(2020, 1, 1), STRING(JSON '\"a\"')",
  "SELECT REGEXP_REPLACE(@s, r'(a)', r'\\1\\0')",
  // What always fails may stand where it is never evaluated.
  "SELECT IF(@s = 'a', 1, CAST('x' AS INT64)), CASE WHEN @s = 'a' THEN 1 ELSE DATE_DIFF(DATE(@t), DATE(2026, 2, 30), DAY) END",
  "SELECT COALESCE(@s, CAST(CAST('x' AS INT64) AS STRING)), IFNULL(@s, CAST(CAST('x' AS INT64) AS STRING))",
  "SELECT @s = 'a' OR 1 = CAST('x' AS INT64), NULLIF(@s, 'a')",
  "SELECT SAFE_CAST('abc' AS INT64), SAFE.PARSE_DATE('%F', 'x'), SAFE.DATE(2026, 2, 30)",
  "SELECT a FROM (SELECT 1 AS a, CAST('abc' AS INT64) AS b)",
  "WITH unused AS (SELECT 1 FROM UNNEST([1]) WHERE CAST('abc' AS INT64) = 1) SELECT 1",
  "SELECT ERROR('not for callers'), SUM(CAST('a' AS INT64)) OVER (ROWS BETWEEN 1 FOLLOWING AND 0 FOLLOWING)",
  "SELECT EXISTS (SELECT CAST('abc' AS INT64)), (SELECT MAX(a) FROM (SELECT 1 AS a, CAST('abc' AS INT64) AS b))",
  "SELECT IF(a = 1, 2, b) FROM (SELECT 1 AS a, CAST('abc' AS INT64) AS b)",
  "WITH w AS (SELECT 1 AS a, CAST('abc' AS INT64) AS b) SELECT a FROM w UNION ALL SELECT 2",
  "SELECT IF(FALSE, (SELECT x FROM UNNEST([1]) AS x WHERE x = CAST('x' AS INT64)), 2)",
  "SELECT CAST('12' AS INT64), DATE(2026, 2, 28), PARSE_DATE('%Y-%m-%d', '2026-01-31'), SQRT(4), FORMAT_DATE('%q', DATE(@t))",
  "SELECT PARSE_DATE('%Y', @s), PARSE_TIMESTAMP('%c', @s), CAST(@s AS INT64), DATE_TRUNC(DATE '2026-01-31', WEEK(MONDAY))",
  "SELECT CAST('5' AS NUMERIC), TIMESTAMP_SECONDS(0), TIMESTAMP '2026-01-31 12:00:00+02', SPLIT('a,b')[OFFSET(0)], CHR(65)",
]

describe('constants in a query', function () {
  this.timeout(600_000)
  let engine: DuckdbEngine
  let check: DuckdbEngine['check']
  const types = { s: 'STRING', t: 'TIMESTAMP' }
  before(async () => {
    engine = await openEngine({ memoryLimitMb: 256, threads: 1, clock: systemClock() })
    check = constantsChecker(engine)
  })
  after(() => engine.close())

  for (const [marked, message] of WRONG) {
    it(`that are wrong are told at their place: ${marked.replace('\n', ' ')}`, async () => {
      const before = marked.slice(0, marked.indexOf('«')).split('\n')
      const result = await check(marked.replace('«', ''), types)
      if (result.ok) throw new Error('no mistake was told')
      expect(result.problem.message).to.include(message)
      expect([result.problem.line, result.problem.column]).to.deep.equal([before.length, before.at(-1)!.length + 1])
    })
  }

  itInAll('that fail are in no query that gives rows, unless it computes them for none', async () => {
    const tables = caseTables()
    const catalogue = tableCatalogue([...tables].map(([name, { columns }]) => ({ name, columns })))
    const found = new Map<string, string>()
    for (const { sql, rows = [], parameters = {} } of caseFiles().flatMap(readCases)) {
      if (rows.length === 0 || sql.includes('ARRAY<INT64>[]')) continue
      const bound = Object.entries(parameters).map(([name, { type }]) => [name, parseTypeName(type)!])
      for (const probe of constantCalls(resolveQuery(sql, catalogue, Object.fromEntries(bound)).scan)) {
        if (probe.parameters.length > 0) continue
        found.set(probe.sql, sql)
      }
    }
    expect(found.size).to.be.greaterThan(500)
    const embedded = await openEmbeddedEngine({ tables: {} })
    try {
      for (const [probe, sql] of sampleOf([...found])) {
        await embedded.query(probe).catch(error => expect.fail(`${sql}: ${probe}: ${error}`))
      }
    } finally {
      await embedded.close()
    }
  })

  for (const sql of RIGHT) {
    it(`that are right are not told: ${sql}`, async () => {
      const result = await check(sql, types)
      expect(result.ok, JSON.stringify(result)).to.equal(true)
    })
  }
})
