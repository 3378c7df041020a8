import { expect } from 'chai'
import { openSqlSession, type SqlSession } from '../../sql-session.js'

/** A value, the type it is cast to, and the result; the error message where the cast fails. */
const CASES: readonly (readonly [value: string, type: string, result: unknown])[] = [
  ['x', 'STRING', '1'],
  ["'12'", 'INT64', '12'],
  ["' +7 '", 'INT64', '7'],
  ["'-0x1F'", 'INT64', '-31'],
  ["'-9223372036854775808'", 'INT64', '-9223372036854775808'],
  ["'9223372036854775808'", 'INT64', /Bad int64 value: 9223372036854775808/],
  ["'1.5'", 'INT64', /Bad int64 value: 1\.5/],
  ["'1e3'", 'INT64', /Bad int64 value: 1e3/],
  ["'1_000'", 'INT64', /Bad int64 value: 1_000/],
  ["''", 'INT64', /Bad int64 value: /],
  ["' 1.5e2 '", 'FLOAT64', 150],
  ["'-Infinity'", 'FLOAT64', '-Infinity'],
  ["'1_0'", 'FLOAT64', /Bad double value: 1_0/],
  ["'nan(5'", 'FLOAT64', /Bad double value/],
  ["'TRUE'", 'BOOL', true],
  ["'yes'", 'BOOL', /Bad bool value: yes/],
  ['2.5', 'INT64', '3'],
  ['-2.5', 'INT64', '-3'],
  ['1e19', 'INT64', /int64 out of range/],
  ["CAST('nan' AS FLOAT64)", 'INT64', /non-finite/],
  ['1.0', 'STRING', '1'],
  ['1e20', 'STRING', '1e+20'],
  ['0.1 + 0.2', 'STRING', '0.30000000000000004'],
  ['1e-5', 'STRING', '1e-05'],
  ['-0.0', 'STRING', '0'],
  ["CAST('-inf' AS FLOAT64)", 'STRING', '-inf'],
  ['true', 'STRING', 'true'],
  ['true', 'INT64', '1'],
  ['2', 'BOOL', true],
  ["NUMERIC '1.50'", 'STRING', '1.5'],
  ["NUMERIC '-100'", 'STRING', '-100'],
  ["NUMERIC '2.5'", 'INT64', '3'],
  ["NUMERIC '12345678901234567.123456789'", 'FLOAT64', 12345678901234568],
  ["' -1.0000000005e0 '", 'NUMERIC', '-1.000000001'],
  ["'1e30'", 'NUMERIC', /Invalid NUMERIC value: 1e30/],
  ['0.0009765625 * x', 'NUMERIC', '0.000976563'],
  ['1e30 * x', 'NUMERIC', /numeric out of range/],
  ["NUMERIC '123.456'", 'NUMERIC(5, 1)', '123.500000000'],
  [
    "NUMERIC '123456'",
    'NUMERIC(5, 1)',
    /NUMERIC\(5, 1\) has precision 5 and scale 1 but got a value that is not in range of \[-9999.9, 9999.9\]/,
  ],
  ["'abc'", 'STRING(3)', 'abc'],
  ["'abcd'", 'STRING(3)', /maximum length 3/],
  ["'é'", 'BYTES', '\\xC3\\xA9'],
  [String.raw`b'\xff'`, 'STRING', /./],
  ["'2026-1-5'", 'DATE', '2026-01-05'],
  ["'2026-02-30'", 'DATE', /Invalid date: '2026-02-30'/],
  ["'2026-01-31 12:00:00.5'", 'DATETIME', '2026-01-31 12:00:00.5'],
  ["'2026-01-31T12:00:00+02:00'", 'TIMESTAMP', '2026-01-31 10:00:00+00'],
  ["'2026-01-31 12:00:00 America/New_York'", 'TIMESTAMP', '2026-01-31 17:00:00+00'],
  ["'2026-01-31 12:00:00Z'", 'TIMESTAMP', '2026-01-31 12:00:00+00'],
  ["'9:05:00'", 'TIME', '09:05:00'],
  ["TIMESTAMP '2026-01-31 12:00:00.123+00'", 'STRING', '2026-01-31 12:00:00.123+00'],
  ["TIMESTAMP '2026-01-31 23:00:00+00'", 'DATE', '2026-01-31'],
  ["DATETIME '2026-01-31 12:00:00'", 'TIMESTAMP', '2026-01-31 12:00:00+00'],
  ["DATE '0001-01-01'", 'STRING', '0001-01-01'],
  ['INTERVAL 25 HOUR', 'STRING', '0-0 0 25:0:0'],
  ["['1', '2']", 'ARRAY<INT64>', ['1', '2']],
  ["STRUCT('1' AS a, 2.5 AS b)", 'STRUCT<x INT64, y INT64>', { x: '1', y: '3' }],
  ["[STRUCT('1' AS a)]", 'ARRAY<STRUCT<b INT64>>', [{ b: '1' }]],
  ['CAST(NULL AS STRUCT<a INT64>)', 'STRUCT<b STRING>', null],
]

describe('CAST on the embedded engine', () => {
  let session: SqlSession
  before(async () => {
    session = await openSqlSession()
  })
  after(() => session.close())

  const run = async (sql: string): Promise<unknown> => {
    try {
      return (await session.query(sql))[0]![0]
    } catch (error) {
      return (error as Error).message
    }
  }

  for (const [value, type, result] of CASES) {
    const isFailure = result instanceof RegExp
    it(`${isFailure ? 'refuses' : 'makes'} ${value} ${isFailure ? 'as' : 'a'} ${type}`, async () => {
      const got = await run(`SELECT CAST(${value} AS ${type}) FROM UNNEST([1]) x`)
      if (isFailure) expect(got).to.match(result)
      else expect(got).to.deep.equal(result)
    })
    if (isFailure) {
      const isTooLong = type.includes('(')
      it(`${isTooLong ? 'refuses' : 'gives NULL for'} SAFE_CAST of ${value} to ${type}`, async () => {
        const got = await run(`SELECT SAFE_CAST(${value} AS ${type}) FROM UNNEST([1]) x`)
        if (isTooLong) expect(got).to.match(result)
        else expect(got).to.equal(null)
      })
    }
  }

  it('lets SAFE_CAST suppress only its own errors', async () => {
    expect(await run('SELECT SAFE_CAST(1 / x AS STRING) FROM UNNEST([0]) x')).to.contain('division by zero')
  })
})
