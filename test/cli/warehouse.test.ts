/** Commands that use BigQuery: what they print when it fails, and that they leave no job running. */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { BYTE_SIZE_FORM } from '../../runner/model/byte-size.js'
import { type FakeBigQuery, openFakeBigQuery } from '../engines/bigquery/fake-bigquery.js'
import { itInAll } from '../sample-size.js'
import { until } from '../until.js'
import { command, type Finished, scratch } from './command.js'

const SQL = 'SELECT sku FROM `elsewhere.sales` WHERE country = @country{{#if given.sku}} AND sku = @sku{{/if}}'
const SALES = `id: 6a9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2b01
name: shop.sales
description: What was sold.
parameters:
  country: { type: string, required: true, description: Two letters., examples: [DE] }
  sku: { type: string, description: The article., examples: [a-1] }
sql: |
  ${SQL}
`

describe('commands that use BigQuery', function () {
  this.timeout(600_000)
  const folder = scratch()
  let fake: FakeBigQuery
  let environment: Readonly<Record<string, string>>
  const folders = ['--endpoints', folder.path('endpoints'), '--tables', folder.path('tables')]
  const flags = ['--engine', 'bigquery', '--project', 'p', '--data', folder.path('data'), ...folders]
  const inProcess = (...argv: readonly string[]): Promise<Finished> => command([...argv, ...flags], environment)

  before(async () => {
    fake = await openFakeBigQuery(Date.now)
    environment = { BIGQUERY_EMULATOR_HOST: fake.url, SLUICE_TOKEN: 'unrestricted-token-of-32-letters' }
    for (const name of ['endpoints', 'tables', 'data']) mkdirSync(folder.path(name))
    writeFileSync(folder.path('endpoints', 'shop.sales.yaml'), SALES)
  })
  beforeEach(() => {
    fake.plan = () => ({ fields: [{ name: 'sku', type: 'STRING' }] })
    fake.fault = () => undefined
    fake.exchanges.length = 0
  })
  after(async () => {
    await fake.close()
    folder.remove()
  })

  /** Runs the program in its own process; `during` receives a function that sends a signal to it. */
  async function asProcess(
    argv: readonly string[],
    given: Readonly<Record<string, string>> = {},
    during: (kill: (signal: NodeJS.Signals) => void) => Promise<void> = async () => {},
    more: readonly string[] = flags,
  ): Promise<Finished> {
    const child = spawn(process.execPath, ['dist/cli/main.js', ...argv, ...more], {
      env: { PATH: process.env['PATH'], ...environment, ...given },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
    const ended = new Promise<number>(resolve => child.once('close', code => resolve(code ?? -1)))
    await during(signal => void child.kill(signal))
    return { code: await ended, out, err }
  }

  /** Sends the signal as soon as a job runs. */
  const untilRunning = (signal: NodeJS.Signals) => async (kill: (signal: NodeJS.Signals) => void) => {
    await until(() => fake.jobs.running().length > 0, 'the job runs', 20)
    kill(signal)
  }

  it('end with 3 and a message when it cannot be reached', async () => {
    const { code, out, err } = await asProcess(['validate'], { BIGQUERY_EMULATOR_HOST: '127.0.0.1:1' })
    expect([code, out]).to.deep.equal([3, ''])
    expect(err).to.match(/^sluice: BigQuery cannot be used by project p: .*ECONNREFUSED/)
  })

  it('retry when it could not answer for a moment, and end as usual', async () => {
    let failures = 0
    fake.fault = () => (++failures === 1 ? { status: 503, reason: 'backendError' } : undefined)
    const { code, out, err } = await asProcess(['validate'])
    expect([code, out.split('\n').at(-2), err]).to.deep.equal([0, '1 manifest, 2 variants: no problems', ''])
  })

  for (const [signal, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    it(`cancel the job of a call that ${signal} ends, also when that has to be tried twice`, async () => {
      fake.plan = sql => ({
        fields: [{ name: 'sku', type: 'STRING' }],
        ...(sql !== 'SELECT 1' && { answersBefore: 1e9 }),
      })
      fake.fault = ({ kind, nth }) => (kind === 'cancel' && nth === 1 ? { status: 503 } : undefined)
      const { code, out, err } = await asProcess(['call', 'shop.sales', `country=${signal}`], {}, untilRunning(signal))
      expect([code, out, err]).to.deep.equal([exitCode, '', 'sluice: interrupted\n'])
      expect(fake.jobs.all.at(-1)?.end).to.equal('cancelled')
    })
  }

  itInAll('cancel the job of a comparison that SIGTERM ends', async () => {
    const endpoints = folder.path('compared')
    mkdirSync(endpoints)
    const text = SALES.replace(SQL, "SELECT sku FROM UNNEST(['a-1', 'b-2']) AS sku WHERE sku != @country")
    writeFileSync(`${endpoints}/shop.sales.yaml`, text.replace(/^ {2}sku: .*\n/m, ''))
    fake.plan = sql => ({
      fields: [{ name: 'sku', type: 'STRING' }],
      ...(sql !== 'SELECT 1' && { answersBefore: 1e9 }),
    })
    const argv = ['compare', 'shop.sales', 'country=DE', '--engine-memory', '256', '--project', 'p']
    const places = ['--endpoints', endpoints, '--tables', folder.path('tables'), '--data', folder.path('data')]
    const { code, out, err } = await asProcess([...argv, ...places], {}, untilRunning('SIGTERM'), [])
    expect([code, out, err]).to.deep.equal([143, '', 'sluice: interrupted\n'])
    expect(fake.jobs.all.at(-1)?.end).to.equal('cancelled')
  })

  itInAll('name the column and the type that results cannot contain, at the place of the SQL', async () => {
    fake.plan = sql => ({ fields: [{ name: 'area', type: sql === 'SELECT 1' ? 'INTEGER' : 'GEOGRAPHY' }] })
    const { code, err } = await inProcess('validate')
    expect(code).to.equal(1)
    const file = folder.path('endpoints', 'shop.sales.yaml')
    expect(err).to.include(`${file}:8:3: Column area is of type GEOGRAPHY, which results cannot hold`)
    const called = await inProcess('call', 'shop.sales', 'country=DE')
    expect([called.code, called.err]).to.deep.equal([1, err])
  })

  it('refuse invalid cost limits before they send a request', async () => {
    for (const flag of ['--max-bytes', '--max-bytes-billed']) {
      for (const size of ['0', '0 GB', '5 apples', '2000 TiB']) {
        expect(await inProcess('validate', flag, size)).to.deep.equal({
          code: 2,
          out: '',
          err: `sluice: ${flag} must be ${BYTE_SIZE_FORM}\n`,
        })
      }
    }
    expect(await command(['validate', ...flags], { ...environment, SLUICE_MAX_BYTES_BILLED: '0' })).to.deep.equal({
      code: 2,
      out: '',
      err: `sluice: SLUICE_MAX_BYTES_BILLED must be ${BYTE_SIZE_FORM}\n`,
    })
    expect(fake.exchanges).to.have.length(0)
  })

  for (const [reason, status] of [
    ['quotaExceeded', 403],
    ['authError', 401],
  ] as const) {
    it(`end with 3 when a dry run is answered ${reason}, with its words, the manifest and the variant`, async () => {
      fake.fault = ({ sql }) => (sql.includes('@sku') ? { status, reason, message: 'Not any more today' } : undefined)
      const told = [
        `sluice: ${folder.path('endpoints', 'shop.sales.yaml')}: the query could not be checked: `,
        `Not any more today (${reason}, HTTP ${status}) (when sku given)\n`,
      ].join('')
      for (const argv of [['validate'], ['serve', '--port', '0']]) {
        expect(await inProcess(...argv)).to.deep.equal({ code: 3, out: '', err: told })
      }
    })
  }

  it('show BigQuery’s message when it refuses a call', async () => {
    fake.fault = ({ kind }) =>
      kind === 'insert'
        ? { status: 403, reason: 'accessDenied', message: 'Access Denied: Table elsewhere.sales' }
        : undefined
    const { code, err } = await inProcess('call', 'shop.sales', 'country=DE')
    expect([code, err]).to.deep.equal([
      1,
      'sluice: The engine is not available\n  Access Denied: Table elsewhere.sales (accessDenied, HTTP 403)\n',
    ])
  })

  it('do not run a query on another engine than the requested one', async () => {
    const { code, out, err } = await command(
      ['query', 'SELECT 1', '--engine', 'bigquery', '--project', 'p'],
      environment,
    )
    expect([code, out]).to.deep.equal([2, ''])
    expect(err).to.equal('sluice: query runs on the embedded engine only: --engine duckdb, found bigquery\n')
    expect(fake.exchanges).to.deep.equal([])
  })
})
