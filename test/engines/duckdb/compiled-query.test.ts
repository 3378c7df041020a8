import { tmpdir } from 'node:os'
import { expect } from 'chai'
import { translate } from '../../../googlesql-duckdb/translate.js'
import type { DuckdbEngine } from '../../../runner/engines/duckdb/duckdb-engine.js'
import { openDuckdbEngine } from '../../../runner/engines/duckdb/open-engine.js'
import { rowsOf, runOptions } from '../ask-engine.js'
import { CLOCK } from './raw-engine.js'

/** More texts than the engine caches for calls without an endpoint. */
const TEXTS = Array.from({ length: 1_100 }, (_, i) => `SELECT ${i} + @n`)

describe('a text that was compiled', () => {
  let engine: DuckdbEngine
  let translations = 0
  /** The translations in this turn of the event loop, and the most in any. */
  let [inTurn, most] = [0, 0]
  before(async () => {
    engine = await openDuckdbEngine(
      {
        dataDir: null,
        database: null,
        tables: [],
        memoryLimitMb: 512,
        threads: 1,
        tempDir: tmpdir(),
        observe: () => undefined,
        clock: CLOCK,
      },
      (...args) => {
        translations++
        most = Math.max(most, ++inTurn)
        setImmediate(() => {
          inTurn = 0
        })
        return translate(...args)
      },
    )
  })
  after(() => engine.close())

  it('is never translated again, however many there are', async () => {
    const compiled = []
    for (const sql of TEXTS) {
      const result = await engine.compile(sql, { n: 'INT64', never_read: 'STRING' })
      if (result.ok && result.compiled) compiled.push({ sql, compiled: result.compiled })
    }
    expect([compiled.length, translations]).to.deep.equal([TEXTS.length, TEXTS.length])
    for (const text of [compiled[0]!, compiled[1_099]!]) {
      const result = await engine.run({ ...text, parameters: { n: { type: 'INT64', value: 1 } } }, runOptions())
      expect(rowsOf(result)).to.deep.equal([[TEXTS.indexOf(text.sql) + 1]])
      expect(result.columns).to.deep.equal([{ name: 'f0_', type: 'INT64' }])
    }
    expect(translations).to.equal(TEXTS.length)
    await engine.run({ sql: TEXTS[0]!, parameters: { n: { type: 'INT64', value: 1 } } }, runOptions())
    expect(translations).to.equal(TEXTS.length + 1)
  })

  it('is translated once by a dry run', async () => {
    const before = translations
    const reads = await engine.dryRun({ sql: 'SELECT @n - 1', parameters: { n: { type: 'INT64', value: 1 } } })
    expect(reads).to.include({ engine: 'duckdb', bytes: 0 })
    expect(translations - before).to.equal(1)
  })

  it('is translated twice more when its query fails, however often that happens: as it is written, and with late constants', async () => {
    const sql = 'SELECT 10 / x + IF(x = 5, 1 / 0, 1) FROM UNNEST([@n]) AS x'
    const query = { sql, parameters: { n: { type: 'INT64', value: 0 } } }
    const fail = () => engine.run(query, runOptions()).catch(error => error.code)
    const before = translations
    expect(await fail()).to.equal('QUERY_FAILED')
    expect(translations - before).to.equal(3)
    for (let i = 0; i < 3; i++) expect(await fail()).to.equal('QUERY_FAILED')
    expect(translations - before).to.equal(3)
  })

  it('is translated again in a turn of its own when its query fails, and so are the tests of its arguments', async () => {
    const parts = Array.from({ length: 8 }, (_, i) => `CAST(@n AS INT64) / (x + ${i}), DIV(${i}, CAST(@n AS INT64))`)
    const query = {
      sql: `SELECT ${parts.join(', ')}, IF(x = 5, 1 / 0, 1) FROM UNNEST([1, 2]) AS x`,
      parameters: { n: { type: 'STRING', value: 'x' } },
    }
    const before = translations
    most = 0
    expect(await engine.run(query, runOptions()).catch(error => error.code)).to.equal('ARGUMENT_INVALID')
    expect([translations - before, most]).to.deep.equal([30, 1])
  })

  it('is translated once more when a computed time is out of range, however often that happens', async () => {
    const sql = 'SELECT 1 WHERE CURRENT_TIMESTAMP() > TIMESTAMP_SUB(@t, INTERVAL 90000 DAY)'
    const query = { sql, parameters: { t: { type: 'TIMESTAMP', value: '0001-01-02 00:00:00+00' } } }
    const before = translations
    for (let i = 0; i < 3; i++) await engine.run(query, runOptions()).catch(error => error.code)
    expect(translations - before).to.be.within(2, 3)
  })

  it('of another engine is not used', async () => {
    const query = { sql: 'SELECT @n', parameters: { n: { type: 'INT64', value: 7 } }, compiled: {} }
    expect(rowsOf(await engine.run(query, runOptions()))).to.deep.equal([[7]])
  })
})
