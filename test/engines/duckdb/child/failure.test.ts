/** Run-time errors are reported with BigQuery's messages: no text of DuckDB's reaches an author or a caller. */
import { expect } from 'chai'
import { type EmbeddedEngine, openEmbeddedEngine } from '../../../../runner/index.js'

const OVERFLOWING = "UNNEST([NUMERIC '9e28', NUMERIC '9e28'])"

/** Queries and their messages. The values come from rows, so that the errors cannot be found before the query runs. */
const FAILURES: Readonly<Record<string, string>> = {
  [`SELECT SUM(n) FROM ${OVERFLOWING} AS n`]: 'numeric overflow: SUM',
  [`SELECT APPROX_TOP_SUM('a', n, 1) FROM ${OVERFLOWING} AS n`]: 'numeric overflow: SUM',
  [`SELECT n + n FROM ${OVERFLOWING} AS n`]: 'numeric overflow',
  'SELECT x + 1 FROM UNNEST([9223372036854775807]) AS x': 'int64 overflow: 9223372036854775807 + 1',
  'SELECT SUM(x) FROM UNNEST([9223372036854775807, 1]) AS x': 'int64 overflow',
  'SELECT x / 0 FROM UNNEST([1]) AS x': 'division by zero: 1 / 0',
  'SELECT x * x FROM UNNEST([1.7e308]) AS x': 'double overflow: 1.7e+308 * 1.7e+308',
  "SELECT CAST(x AS STRING) FROM UNNEST([b'\\xff']) AS x": 'Invalid cast of bytes to UTF8 string',
  "SELECT CAST(x AS INT64) FROM UNNEST(['abc']) AS x": 'Bad int64 value: abc',
  "SELECT CAST(x AS FLOAT64) FROM UNNEST(['abc']) AS x": 'Bad double value: abc',
  "SELECT CAST(x AS BOOL) FROM UNNEST(['abc']) AS x": 'Bad bool value: abc',
  "SELECT CAST(x AS NUMERIC) FROM UNNEST(['abc']) AS x": 'Invalid NUMERIC value: abc',
  "SELECT CAST(x AS DATE) FROM UNNEST(['abc']) AS x": "Invalid date: 'abc'",
  "SELECT CAST(x AS TIMESTAMP) FROM UNNEST(['abc']) AS x": "Invalid timestamp: 'abc'",
  "SELECT PARSE_JSON(x) FROM UNNEST(['{']) AS x": 'Invalid input to PARSE_JSON: syntax error while parsing',
  "SELECT x LIKE 'a\\\\' FROM UNNEST(['a']) AS x": 'LIKE pattern ends with a backslash',
  "SELECT x LIKE p FROM UNNEST(['']) AS x, UNNEST(['a\\\\']) AS p": 'LIKE pattern ends with a backslash',
  "SELECT x LIKE b'a\\\\' FROM UNNEST([b'']) AS x": 'LIKE pattern ends with a backslash',
  "SELECT REGEXP_CONTAINS('a', p) FROM UNNEST(['(']) AS p": 'Cannot parse regular expression: missing )',
  'SELECT [1, 2][OFFSET(x)] FROM UNNEST([5]) AS x': 'Array index 5 is out of bounds',
  'SELECT (SELECT x FROM UNNEST([1, 2]) AS x)': 'Scalar subquery produced more than one element',
  'SELECT COSINE_DISTANCE(x, [1.0]) FROM UNNEST([STRUCT([CAST(NULL AS FLOAT64)] AS x)])': 'with a NULL element',
  "SELECT ERROR('a b')": 'a b',
}

const OF_DUCKDB =
  /\b(?:Conversion|Binder|Invalid Input|Out of Range|Catalog|Parser|Syntax) Error\b|LINE \d|bq_|HUGEINT|BLOB/

describe('failures of queries', () => {
  let engine: EmbeddedEngine
  before(async () => {
    engine = await openEmbeddedEngine({ tables: {} })
  })
  after(() => engine.close())

  for (const [sql, message] of Object.entries(FAILURES)) {
    it(`${sql} says ${message}`, async () => {
      const told = await engine.query(sql).then(
        ({ rows }) => `rows ${JSON.stringify(rows)}`,
        (error: Error) => error.message,
      )
      expect(told).to.contain(message)
      expect(told).not.to.match(OF_DUCKDB)
    })
  }
})
