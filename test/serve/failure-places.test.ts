/** Queries that fail while they run: for authors, the reason has its place in the manifest or partial. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { placeFailuresBelow } from '../../authoring/call/place-failure.js'
import type { RunnerError } from '../../runner/model/errors.js'
import type { Event } from '../../runner/model/events.js'
import { createRunner, openRunner, type Runner } from '../../runner/serve/runner.js'
import { command, endLeftovers, startServe } from '../cli/command.js'
import { itInAll } from '../sample-size.js'
import { settingsOf } from './folder-settings.js'

/** Each text has «, which is not sent, where it fails. */
const FAILURES: readonly (readonly [sql: string, reason: string])[] = [
  [
    '1 / 2 AS ok, «10 / n AS bad, CAST(CAST(n AS STRING) AS INT64) AS c FROM UNNEST([1, 2, 0]) AS n',
    'division by zero: 10 / 0',
  ],
  ['LENGTH(s), «MOD(5, LENGTH(s) - 1) FROM UNNEST(["ab", "b"]) AS s', 'division by zero: MOD(5, 0)'],
  ['n * 2, «CAST(s AS DATE) FROM UNNEST([1]) AS n, UNNEST(["x"]) AS s WHERE 10 / n > 1', "Invalid date: 'x'"],
  [
    'n FROM UNNEST([1, 2]) AS n WHERE CAST("1" AS INT64) / n > «CAST(CONCAT("x", n) AS FLOAT64)',
    'Bad double value: x1',
  ],
  ['«SUM(9223372036854775807 - n + n) FROM UNNEST([1, 2]) AS n', 'int64 overflow'],
  ['[1, 2]«[OFFSET(n)] FROM UNNEST([7]) AS n', 'Array index 7 is out of bounds'],
  ['LOG(n), «PARSE_TIMESTAMP("%Y", s) FROM UNNEST([1]) AS n, UNNEST(["x"]) AS s', 'Failed to parse'],
  [
    '(SELECT «REPEAT("a", n - 3) FROM UNNEST([1]) AS m) FROM UNNEST([0]) AS n',
    'Second argument (repeat count) for REPEAT cannot be negative',
  ],
  ['n + 1, «ERROR("mine") FROM UNNEST([1]) AS n', 'mine'],
  ['SAFE.PARSE_DATE("%Y", s), SAFE_DIVIDE(1, 0), «PARSE_DATE("%F", s) FROM UNNEST(["x"]) AS s', 'Failed to parse'],
]

const manifest = (n: number, sql: string): string =>
  `id: 0000000${n.toString(16)}-0000-4000-8000-00000000000c\nname: n${n}\nsql: |\n  SELECT ${sql}\n`

describe('a query that fails', function () {
  this.timeout(600_000)
  let folder = ''
  let runner: Runner
  const events: Event[] = []

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-places-'))
    for (const name of ['endpoints/partials', 'tables', 'data']) mkdirSync(join(folder, name), { recursive: true })
    FAILURES.forEach(([sql], i) => {
      writeFileSync(join(folder, `endpoints/n${i}.yaml`), manifest(i, sql.replace('«', '')))
    })
    writeFileSync(join(folder, 'endpoints/partials/half.sql'), '-- a share\n10 / n\n')
    writeFileSync(join(folder, 'endpoints/n10.yaml'), manifest(10, '{{> half}} FROM UNNEST([0]) AS n'))
    const options = {
      observe: (event: Event) => void events.push(event),
      placeFailure: placeFailuresBelow(join(folder, 'endpoints')),
    }
    runner = (await openRunner({ ...settingsOf(folder), dev: true }, options)).runner
  })
  after(async () => {
    endLeftovers()
    await runner.close()
    rmSync(folder, { recursive: true })
  })

  const failure = async (name: string): Promise<RunnerError> => {
    const thrown: unknown = await runner.call(name).catch(error => error)
    expect((thrown as RunnerError).code).to.equal('QUERY_FAILED')
    return thrown as RunnerError
  }

  FAILURES.forEach(([sql, reason], i) => {
    it(`is reported with its place: ${sql}`, async () => {
      const { message } = (await failure(`n${i}`)).cause as Error
      const place = `${join(folder, `endpoints/n${i}.yaml`)}:4:${10 + sql.indexOf('«')}: `
      expect(message.slice(0, place.length)).to.equal(place)
      expect(message).to.include(reason)
    })
  })

  it('is reported with its place beside others that fail at the same time', async () => {
    const messages = await Promise.all([0, 1, 2, 3].map(async i => ((await failure(`n${i}`)).cause as Error).message))
    const places = messages.map(message => /n\d\.yaml:4:\d+(?=: )/.exec(message)?.[0])
    expect(places).to.deep.equal(FAILURES.slice(0, 4).map(([sql], i) => `n${i}.yaml:4:${10 + sql.indexOf('«')}`))
  })

  it('is reported with the line of its partial, and with the manifest that includes it', async () => {
    const { cause, detail } = await failure('n10')
    expect((cause as Error).message).to.equal(
      `${join(folder, 'endpoints/partials/half.sql')}:2:1: division by zero: 10 / 0 (included by ${join(folder, 'endpoints/n10.yaml')}:4)`,
    )
    expect(detail).to.equal('The query failed')
    const failed = events.findLast(event => event.kind === 'query.failed')
    expect(failed?.kind === 'query.failed' && (failed.error.cause as Error).message).to.equal((cause as Error).message)
  })

  it('names its reason over HTTP only with --dev', async () => {
    const detailOf = async (one: Runner): Promise<string> => {
      const server = await one.listen()
      const token = { 'X-API-KEY': 'unrestricted-token-of-32-letters' }
      const response = await fetch(`${server.url}/api/endpoints/query/n0`, { headers: token })
      const { detail } = (await response.json()) as { detail: string }
      await server.close()
      return `${response.status} ${detail}`
    }
    const file = join(folder, 'endpoints/n0.yaml')
    expect(await detailOf(runner)).to.equal(`502 ${file}:4:23: division by zero: 10 / 0`)
    const plain = await createRunner(settingsOf(folder))
    expect(await detailOf(plain)).to.equal('502 The query failed')
    await plain.close()
  })

  itInAll('is placed by `serve --dev`', async () => {
    const [endpoints, tables, data] = ['endpoints', 'tables', 'data'].map(name => join(folder, name))
    const flags = ['--endpoints', endpoints!, '--tables', tables!, '--data', data!]
    const serve = await startServe(['--port', '0', '--dev', ...flags])
    const response = await serve.get('/api/endpoints/query/n0', { 'X-API-KEY': serve.token! })
    const { detail } = (await response.json()) as { detail: string }
    expect(detail).to.equal(`${join(folder, 'endpoints/n0.yaml')}:4:23: division by zero: 10 / 0`)
    expect(await serve.end('SIGTERM')).to.equal(0)
  })

  it('is one query on a server, whose log names its variant and reason', async () => {
    writeFileSync(
      join(folder, 'endpoints/varied.yaml'),
      'id: 00000000-0000-4000-8000-00000000000e\nname: varied\nparameters: { n: { type: int64 } }\n' +
        'settings: { cache: { ttl_seconds: 60 } }\n' +
        'sql: |\n  SELECT {{#if given.n}}10 / (x - @n){{else}}x / 1{{/if}} AS y, 1 / x AS z FROM UNNEST([1, 2, 3]) AS x\n',
    )
    const seen: Event[] = []
    const plain = await createRunner(settingsOf(folder), { observe: event => void seen.push(event) })
    const calls = Array.from({ length: 20 }, () =>
      plain.call('varied', { n: '3' }).catch((error: RunnerError) => error),
    )
    const failures = await Promise.all(calls)
    await plain.close()
    expect(failures.map(error => (error as RunnerError).code)).to.deep.equal(Array(20).fill('QUERY_FAILED'))
    const failed = seen.filter(event => event.kind === 'query.failed')
    expect(failed).to.have.length(1)
    const [{ endpoint, error }] = failed as [(typeof failed)[0]]
    expect([endpoint, (error.cause as Error).message]).to.deep.equal([
      'varied',
      'division by zero: 10 / 0 (variant n given)',
    ])
  })

  itInAll('is reported by `call`, `test` and `query`', async () => {
    const flags = ['--data', join(folder, 'data'), '--tables', join(folder, 'tables')]
    const called = await command(['call', 'n1', '--endpoints', join(folder, 'endpoints'), ...flags])
    expect([called.code, called.err]).to.deep.equal([
      1,
      `sluice: The query failed\n  ${join(folder, 'endpoints/n1.yaml')}:4:21: division by zero: MOD(5, 0)\n`,
    ])
    writeFileSync(join(folder, 'endpoints/n1.test.yaml'), 'tests: [{ name: all, expect: { count: 1 } }]\n')
    const tested = await command(['test', '--endpoints', join(folder, 'endpoints'), ...flags.slice(2)])
    expect(tested.out).to.include(
      `  the call failed: 502 QUERY_FAILED: The query failed; ${join(folder, 'endpoints/n1.yaml')}:4:21: division by zero: MOD(5, 0)\n`,
    )
    const queried = await command(['query', 'SELECT 1,\n 2 / n FROM UNNEST([0]) AS n', ...flags])
    expect(queried.err).to.include('division by zero: 2 / 0 at [2:2]')
  })
})
