/** A failure of a query gets its place in the manifest, in linear time for any message. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { placeFailuresBelow } from '../../../authoring/call/place-failure.js'
import { BigQueryFailure } from '../../../runner/engines/bigquery/failure.js'
import { runnerErrorOf } from '../../../runner/engines/bigquery/runner-error.js'
import type { RunOptions } from '../../../runner/model/ports.js'
import type { FailedQuery } from '../../../runner/serve/served-engine.js'

const SQL = 'SELECT CAST(@text AS INT64) AS n'
const MANIFEST = `id: 87bede9d-4b90-4348-84fe-5f3e6f08c018\nname: numbers\nparameters:\n  text: { type: string, required: true }\nsql: |\n  ${SQL}\n`

describe('the place of a failure', () => {
  it('replaces the place in the SQL, also behind a value of 128 kB of spaces', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'sluice-test-'))
    const file = join(dir, 'numbers.yaml')
    writeFileSync(file, MANIFEST)
    const value = `${' '.repeat(128_000)}x`
    const failure = new BigQueryFailure(200, { reason: 'invalidQuery', message: `Bad int64 value: ${value} at [1:8]` })
    const query = { sql: SQL, parameters: {} }
    const thrown = runnerErrorOf(failure, query, new AbortController().signal) as FailedQuery['failure']
    const failed = { failure: thrown, query: { sql: `${SQL}\n`, parameters: {} }, options: {} as RunOptions, file }
    const started = process.cpuUsage()
    const fault = await placeFailuresBelow(dir)({ ...failed, engine: {} })
    const { user, system } = process.cpuUsage(started)
    expect(fault?.message).to.match(/numbers\.yaml:6:10: Bad int64 value: *x \(invalidQuery, HTTP 200\)$/)
    expect((user + system) / 1000).to.be.lessThan(2_000)
  })
})
