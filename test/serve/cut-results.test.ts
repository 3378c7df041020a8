/** A query that fails after its first rows: no part of its result is sent, stored or printed, in any format. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { RunningServer } from '../../runner/http/server/server.js'
import type { Event } from '../../runner/model/events.js'
import { createRunner, type Runner } from '../../runner/serve/runner.js'
import { command } from '../cli/command.js'
import { scratchFolder } from '../engines/duckdb/raw-engine.js'
import { itInAll } from '../sample-size.js'
import { settingsOf } from './folder-settings.js'

const ROWS = 'FROM UNNEST(GENERATE_ARRAY(0, 199999)) AS id'
/** Expressions that fail in the row of @bad, and the reason in the log. */
const FAILURES: Readonly<Record<string, readonly [sql: string, reason: string]>> = {
  division: ['1 / (id - @bad)', 'division by zero: 1 / 0'],
  cast: ["CAST(IF(id = @bad, 'x', '1') AS INT64)", 'Bad int64 value: x'],
  raised: ["IF(id = @bad, ERROR('no such city'), 1)", 'no such city'],
  overflow: ['IF(id = @bad, 9223372036854775807, 0) + 1', 'int64 overflow: 9223372036854775807 + 1'],
}
const FORMATS = ['json', 'table', 'ndjson', 'csv', 'excel', 'arrow', 'parquet', 'xlsx']

describe('a query that fails after its first rows', () => {
  const scratch = scratchFolder()
  const events: Event[] = []
  let runner: Runner
  let server: RunningServer

  before(async () => {
    for (const name of ['endpoints', 'tables', 'data']) mkdirSync(join(scratch.path, name))
    for (const [index, [name, [sql]]] of Object.entries(FAILURES).entries()) {
      writeFileSync(
        join(scratch.path, `endpoints/${name}.yaml`),
        `id: 0000000${index}-0000-4000-8000-00000000000d\nname: ${name}\n` +
          'parameters: { bad: { type: int64, required: true } }\n' +
          `settings: { max_rows: 100000, cache: { ttl_seconds: 60 } }\nsql: |\n  SELECT id, ${sql} AS q ${ROWS}\n`,
      )
    }
    runner = await createRunner(settingsOf(scratch.path), { observe: event => void events.push(event) })
    server = await runner.listen()
  })
  after(async () => {
    await server.close()
    await runner.close()
    scratch.remove()
  })

  const get = (path: string): Promise<Response> =>
    fetch(`${server.url}/api/endpoints/query/${path}`, {
      headers: { 'X-API-KEY': 'unrestricted-token-of-32-letters' },
    })

  for (const [name, [, reason]] of Object.entries(FAILURES)) {
    it(`is a 502 each time, and its reason is in the log: ${name}`, async () => {
      // How each failure looks at any row is shown in test/engines/duckdb/child/failed-streams.test.ts.
      for (const bad of name === 'division' ? [0, 3_000, 50_000, 50_000, 99_999] : [50_000]) {
        const response = await get(`${name}?bad=${bad}`)
        expect(await response.json(), `row ${bad}`).to.include({ status: 502, code: 'QUERY_FAILED' })
        expect(response.headers.get('cache-control')).to.equal('no-store')
        const failed = events.findLast(event => event.kind === 'query.failed')
        expect(failed?.kind === 'query.failed' && (failed.error.cause as Error).message).to.include(reason)
      }
    })
  }

  it('is a 502 in every format', async () => {
    for (const format of FORMATS) {
      const response = await get(`division?bad=50000&format=${format}`)
      expect(response.status, format).to.equal(502)
      expect(response.headers.get('content-type'), format).to.match(/^application\/problem\+json/)
    }
  })

  it('is the whole result where it does not fail', async () => {
    const response = await get('division?bad=-1')
    expect(response.status).to.equal(200)
    expect(response.headers.get('x-row-count')).to.equal('100000')
    expect(((await response.json()) as { result: unknown[] }).result).to.have.length(100_000)
  })

  itInAll('prints no row by `call`, `query` and `test`', async () => {
    const data = ['--data', join(scratch.path, 'data'), '--tables', join(scratch.path, 'tables')]
    const endpoints = ['--endpoints', join(scratch.path, 'endpoints')]
    const called = await command(['call', 'division', 'bad=50000', '--format', 'ndjson', ...endpoints, ...data])
    expect({ code: called.code, out: called.out }).to.deep.equal({ code: 1, out: '' })
    expect(called.err).to.contain('division by zero: 1 / 0')
    const sql = `SELECT id, ${FAILURES['cast']![0]} AS q ${ROWS}`
    const queried = await command([
      'query',
      sql,
      '-p',
      'bad:INT64=50000',
      '--format',
      'csv',
      '--max-rows',
      '100000',
      ...data,
    ])
    expect({ code: queried.code, out: queried.out }).to.deep.equal({ code: 1, out: '' })
    expect(queried.err).to.contain('Bad int64 value: x')
    writeFileSync(
      join(scratch.path, 'endpoints/raised.test.yaml'),
      'tests: [{ name: counted, arguments: { bad: 50000 }, expect: { count: 100000 } }]\n',
    )
    const tested = await command(['test', ...endpoints, '--tables', join(scratch.path, 'tables')])
    expect(tested.code).to.equal(1)
    expect(tested.out).to.contain('the call failed: 502 QUERY_FAILED').and.contain('no such city')
  })
})
