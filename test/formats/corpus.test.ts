/**
 * The formats of GoogleSQL cases with timestamps as numbers. With timestamps as text, test/googlesql-duckdb/cases.test.ts holds
 * them for every case.
 */
import type { DuckdbEngine } from '../../runner/engines/duckdb/duckdb-engine.js'
import { runOptions } from '../engines/ask-engine.js'
import { caseTables, readCases } from '../googlesql/case-files.js'
import { openCasesEngine } from '../googlesql-duckdb/cases-engine.js'
import { sampleOf } from '../sample-size.js'
import { expectFormats } from './expect-formats.js'

const TIMESTAMPS = 'unix_micros'

describe('derived formats of the GoogleSQL cases, timestamps as numbers', () => {
  let engine: DuckdbEngine
  before(async () => {
    engine = await openCasesEngine(caseTables())
  })
  after(() => engine.close())

  for (const file of ['arrays.yaml', 'timestamps.yaml', 'types.yaml']) {
    it(file, async function () {
      this.timeout(120_000)
      for (const { sql, parameters = {}, error, line } of sampleOf(readCases(file))) {
        if (error !== undefined) continue
        const result = await engine.run({ sql, parameters }, runOptions({ timestamps: TIMESTAMPS }))
        await expectFormats(result, TIMESTAMPS, `${file} line ${line}: ${sql}`)
      }
    })
  }
})
