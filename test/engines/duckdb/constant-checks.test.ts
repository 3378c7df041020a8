import { tmpdir } from 'node:os'
import { expect } from 'chai'
import { openDuckdbEngine } from '../../../runner/engines/duckdb/engine.js'
import type { DuckdbEngine } from '../../../runner/engines/duckdb/open-engine.js'
import { systemClock } from '../../../runner/process/clock.js'

/** Where the constant stands is marked with «, which is not sent. */
const WRONG: readonly (readonly [sql: string, message: string])[] = [
  [
    "SELECT 1,\n REGEXP_CONTAINS(s, «'(') FROM UNNEST(['a']) AS s WHERE FALSE",
    'Cannot parse regular expression: missing ): (',
  ],
  ["SELECT REGEXP_REPLACE(@s, «r'a(b)', r'\\2')", 'Invalid REGEXP_REPLACE pattern'],
  ["SELECT REGEXP_EXTRACT(@s, «r'(a)(b)')", 'more than 1 capturing group'],
  ["SELECT TIMESTAMP_TRUNC(@t, DAY, «'Europe/Berln')", 'Invalid time zone: Europe/Berln'],
  ["SELECT EXTRACT(HOUR FROM @t AT TIME ZONE «'Nowhere')", 'Invalid time zone: Nowhere'],
  ["SELECT IF(@s = 'a', DATE(@t, «'Mars'), NULL)", 'Invalid time zone: Mars'],
  ["SELECT CAST(@t AS STRING FORMAT 'YYYY' AT TIME ZONE «'zz')", 'Invalid time zone: zz'],
  ["SELECT FORMAT(«'%q', 1)", 'Invalid format specifier character "q"'],
  ["SELECT FORMAT(«'%d %s', 1)", 'Too few arguments to FORMAT'],
  ["SELECT FORMAT(«'%d', @s)", 'Invalid type for argument 2 to FORMAT'],
  ["SELECT «DATE '2020-13-01'", 'Invalid DATE literal'],
  ["SELECT «JSON_VALUE(@s, '$.a[')", 'Invalid token in JSONPath'],
]

const RIGHT = [
  "SELECT SAFE.REGEXP_CONTAINS('a', '(')",
  "SELECT REGEXP_CONTAINS(@s, r'^\\d+\"\\\\[é/]$'), REGEXP_CONTAINS(@s, @s)",
  "SELECT FORMAT_TIMESTAMP('%F', @t, '+02:00'), DATE(@t, 'UTC+3'), DATE(@t, 'Europe/Berlin'), DATETIME(@t, 'UTC')",
  "SELECT FORMAT('%d %t %T %s %%', 1, @t, [1], @s), DATE(2020, 1, 1), STRING(JSON '\"a\"')",
  "SELECT REGEXP_REPLACE(@s, r'(a)', r'\\1\\0')",
]

describe('constants in a query', function () {
  this.timeout(600_000)
  let engine: DuckdbEngine
  const types = { s: 'STRING', t: 'TIMESTAMP' }
  before(async () => {
    engine = await openDuckdbEngine({
      dataDir: null,
      database: null,
      tables: [],
      memoryLimitMb: 256,
      threads: 1,
      tempDir: tmpdir(),
      observe: () => {},
      clock: systemClock(),
    })
  })
  after(() => engine.close())

  for (const [marked, message] of WRONG) {
    it(`that are wrong are told at their place: ${marked.replace('\n', ' ')}`, async () => {
      const before = marked.slice(0, marked.indexOf('«')).split('\n')
      const result = await engine.check(marked.replace('«', ''), types)
      if (result.ok) throw new Error('no mistake was told')
      expect(result.problem.message).to.include(message)
      expect([result.problem.line, result.problem.column]).to.deep.equal([before.length, before.at(-1)!.length + 1])
    })
  }

  for (const sql of RIGHT) {
    it(`that are right are not told: ${sql}`, async () => {
      const result = await engine.check(sql, types)
      expect(result.ok, JSON.stringify(result)).to.equal(true)
    })
  }
})
