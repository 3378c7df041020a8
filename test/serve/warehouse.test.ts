/**
 * A whole server that uses a fake warehouse, which records its jobs: the cost of each token, and where costs are reported.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { placeFailuresBelow } from '../../authoring/call/place-failure.js'
import { addToken } from '../../authoring/token/token-writer.js'
import { METRICS_KEPT_MS } from '../../runner/http/app.js'
import type { RunningServer } from '../../runner/http/server/server.js'
import { type RunnerError, SetupError } from '../../runner/model/errors.js'
import type { Event } from '../../runner/model/events.js'
import { createRunner, openRunner, type Runner } from '../../runner/serve/runner.js'
import { readSettings, type Settings } from '../../runner/settings/settings.js'
import { command, type Finished, scratch } from '../cli/command.js'
import { type FakeBigQuery, openFakeBigQuery } from '../engines/bigquery/fake-bigquery.js'
import type { JobPlan } from '../engines/bigquery/fake-jobs.js'
import { freePort } from '../free-port.js'
import { itInAll } from '../sample-size.js'
import { until } from '../until.js'

const GB = 1_000_000_000
const SALES = `id: 6a9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2a01
name: shop.sales
description: What was sold.
parameters:
  country: { type: string, required: true, description: Two letters., examples: [DE] }
settings:
  cache: { ttl_seconds: 900 }
  max_bytes_billed: 2 GB
  labels: { team: shop-floor }
columns:
  - { name: sku, type: STRING, description: The article. }
  - { name: sold, type: INT64, description: How many. }
sql: |
  SELECT sku, SUM(amount) AS sold
  FROM \`elsewhere.sales\`
  WHERE country = @country AND at < @now
  GROUP BY sku
`
const OTHERS = [
  ['live', '02', 'cache: disabled'],
  ['warm', '03', 'cache: { ttl_seconds: 60, warm_seconds: 1 }'],
] as const

const PLAN: JobPlan = {
  fields: [
    { name: 'sku', type: 'STRING' },
    { name: 'sold', type: 'INTEGER' },
  ],
  rows: [{ f: [{ v: 'a-1' }, { v: '3' }] }],
  bytesProcessed: 400_000_000,
  bytesBilled: GB,
}

/** Metrics that have been rendered since this call. */
async function latestMetrics(url: string): Promise<string> {
  await new Promise(resolve => setTimeout(resolve, METRICS_KEPT_MS))
  return (await fetch(`${url}/metrics`)).text()
}

describe('a server that uses a warehouse', function () {
  this.timeout(600_000)
  const folder = scratch()
  let fake: FakeBigQuery
  let settings: Settings
  let runner: Runner
  let server: RunningServer
  const events: Event[] = []

  before(async () => {
    fake = await openFakeBigQuery(Date.now)
    fake.plan = () => PLAN
    for (const name of ['endpoints', 'tables']) mkdirSync(folder.path(name))
    writeFileSync(folder.path('endpoints', 'shop.sales.yaml'), SALES)
    for (const [name, digits, cache] of OTHERS) {
      const text = SALES.replace('2a01', `2a${digits}`)
        .replace('shop.sales', `shop.${name}`)
        .replace(/cache: \{.*\}/, cache)
        .replace('  max_bytes_billed: 2 GB\n', '')
      writeFileSync(folder.path('endpoints', `shop.${name}.yaml`), text)
    }
    settings = readSettings(
      {
        port: '0',
        engine: 'bigquery',
        project: 'p',
        endpoints: folder.path('endpoints'),
        tables: folder.path('tables'),
        data: folder.path('data'),
        'max-bytes-billed': '5 GB',
      },
      { BIGQUERY_EMULATOR_HOST: fake.url, SLUICE_TOKEN: 'unrestricted-token-of-32-letters' },
    )
    runner = await createRunner(settings, { observe: event => void events.push(event) })
    server = await runner.listen()
  })
  after(async () => {
    await server?.close()
    await runner?.close()
    await fake.close()
    folder.remove()
  })
  afterEach(() => {
    fake.plan = () => PLAN
    fake.fault = () => undefined
  })

  const call = (name: string, country: string, token = 'unrestricted-token-of-32-letters'): Promise<Response> =>
    fetch(`${server.url}/api/endpoints/query/shop.${name}?country=${country}`, { headers: { 'X-API-KEY': token } })
  const token = async (name: string, bytesPerDay: string): Promise<string> => {
    const text = await addToken(settings, { name, allow: ['*'], bytesPerDay })
    await new Promise(resolve => setTimeout(resolve, 120))
    return text
  }
  /** What the last job was asked for. */
  const last = () =>
    fake.jobs.all.at(-1)!.request['configuration'] as {
      readonly labels: Readonly<Record<string, string>>
      readonly query: { readonly maximumBytesBilled?: string }
    }
  const code = async (response: Response): Promise<unknown> => [
    response.status,
    ((await response.json()) as { code?: string }).code,
  ]

  it('gives rows, and reports their cost in the timing, the log and the metric', async () => {
    const answer = await call('sales', 'DE')
    expect(await answer.text()).to.equal('{"result":[{"sku":"a-1","sold":3}]}')
    expect(answer.headers.get('Server-Timing')).to.match(/^engine;dur=[\d.]+;desc="1000000000 bytes billed", total;/)
    const jobId = fake.jobs.all[0]!.id
    const cost = { bytesProcessed: 400_000_000, bytesBilled: GB, isCacheHit: false, jobId }
    const done = events.findLast(event => event.kind === 'request.done')
    expect(done?.kind === 'request.done' && done.cost).to.deep.equal(cost)
    const metrics = await latestMetrics(server.url)
    expect(metrics).to.include('sluice_bytes_billed_total{endpoint="shop.sales"} 1000000000')
  })

  it("reports a hit in the warehouse's own cache, which costs nothing", async () => {
    fake.plan = () => ({ ...PLAN, bytesBilled: 0, cacheHit: true })
    const answer = await call('live', 'DE')
    expect(answer.headers.get('Server-Timing')).to.match(/^engine;dur=[\d.]+;desc="cache hit", total;/)
    const metrics = await latestMetrics(server.url)
    expect(metrics).to.include('sluice_warehouse_cache_hits_total{endpoint="shop.live"} 1')
  })

  it('labels each job by the rules of BigQuery, and limits what it may be billed for', async () => {
    await call('sales', 'AT')
    const { revision, ...others } = last().labels
    expect(revision).to.match(/^[0-9a-f]{63}$/)
    expect(others).to.deep.equal({ team: 'shop-floor', endpoint: 'shop-sales', token: 'sluice_token' })
    expect(last().query.maximumBytesBilled).to.equal(String(2 * GB))
    await call('live', 'AT')
    expect(last().query.maximumBytesBilled, "the server's own limit").to.equal(String(5 * GB))
  })

  it('bills a token up to its daily budget, and then gives it only cached results', async () => {
    const key = await token('reports', '1500 MB')
    expect((await call('sales', 'FR', key)).status).to.equal(200)
    expect(last().query.maximumBytesBilled).to.equal(String(1.5 * GB))
    expect((await call('live', 'FR', key)).status).to.equal(200)
    expect(last().query.maximumBytesBilled).to.equal(String(0.5 * GB))
    const jobs = fake.jobs.all.length
    const refused = await call('live', 'FR', key)
    expect(Number(refused.headers.get('Retry-After'))).to.be.within(1, 86_400)
    expect(await code(refused)).to.deep.equal([429, 'BUDGET_EXCEEDED'])
    expect(await code(await call('sales', 'XX', key))).to.deep.equal([429, 'BUDGET_EXCEEDED'])
    expect(fake.jobs.all).to.have.length(jobs)
    expect((await call('sales', 'FR', key)).headers.get('Cache-Status')).to.match(/^sluice; hit/)
    expect((await call('sales', 'XX')).status, 'another token').to.equal(200)
  })

  it('bills a query that failed', async () => {
    const key = await token('unlucky', '1 GB')
    fake.plan = () => ({ ...PLAN, fields: [{ name: 'sku', type: 'GEOGRAPHY' }] })
    expect(await code(await call('live', 'CH', key))).to.deep.equal([502, 'QUERY_FAILED'])
    expect(await code(await call('live', 'CH', key))).to.deep.equal([429, 'BUDGET_EXCEEDED'])
    const failed = events.findLast(event => event.kind === 'query.failed')
    expect(failed?.kind === 'query.failed' && failed.cost?.bytesBilled).to.equal(GB)
  })

  const failStarts = (message: string): void => {
    fake.fault = ({ kind }) => (kind === 'insert' ? { status: 400, reason: 'invalidQuery', message } : undefined)
  }

  it('logs a failure as BigQuery tells it', async () => {
    failStarts('Invalid cast at [1:13]')
    expect(await code(await call('live', 'CH'))).to.deep.equal([502, 'QUERY_FAILED'])
    const failed = events.findLast(event => event.kind === 'query.failed')
    expect(failed?.kind === 'query.failed' && (failed.error.cause as Error).message).to.match(
      /^Invalid cast at \[1:13\] \(/,
    )
  })

  it('places a failure in the manifest for authors, where BigQuery tells its place in the query', async () => {
    const { runner: authors } = await openRunner(settings, {
      placeFailure: placeFailuresBelow(settings.endpointsDir),
    })
    const reasonOf = async (message: string): Promise<string> => {
      failStarts(message)
      const error = await authors.call('shop.live', { country: 'CH' }).catch((thrown: RunnerError) => thrown)
      expect((error as RunnerError).code).to.equal('QUERY_FAILED')
      return ((error as RunnerError).cause as Error).message
    }
    const file = folder.path('endpoints', 'shop.live.yaml')
    const lines = readFileSync(file, 'utf8').split('\n')
    const line = lines.findIndex(text => text.includes('SUM(amount)')) + 1
    expect(await reasonOf('Invalid cast at [1:13]')).to.match(
      RegExp(`^${file}:${line}:15: Invalid cast \\(invalidQuery`),
    )
    expect(await reasonOf('Query error: Bad at [1:13]; error in x')).to.match(
      RegExp(`^${file}:${line}:15: Query error: Bad; error in x \\(`),
    )
    expect(await reasonOf('Division by zero: 1 / 0')).to.match(/^Division by zero: 1 \/ 0 \(invalidQuery/)
    await authors.close()
  })

  const TOO_MUCH = { status: 400, reason: 'bytesBilledLimitExceeded', message: 'Query exceeded limit for bytes billed' }

  it('reports a used-up budget for a query that costs more than is left of it, and COST_LIMIT_EXCEEDED for other queries', async () => {
    fake.fault = ({ kind }) => (kind === 'insert' ? TOO_MUCH : undefined)
    const small = await token('small', '100 MB')
    expect(await code(await call('sales', 'ES', small))).to.deep.equal([429, 'BUDGET_EXCEEDED'])
    expect(await code(await call('sales', 'ES'))).to.deep.equal([502, 'COST_LIMIT_EXCEEDED'])
    const large = await token('large', '900 GB')
    expect(await code(await call('sales', 'ES', large))).to.deep.equal([502, 'COST_LIMIT_EXCEEDED'])
  })

  it('refuses no caller because of the budget of another caller that made the same call first', async () => {
    const poor = await token('poor', '100 MB')
    let isFirst = true
    fake.fault = ({ kind }) => {
      if (kind !== 'insert' || !isFirst) return undefined
      isFirst = false
      return TOO_MUCH
    }
    fake.latencyMs = 300
    try {
      const first = call('sales', 'PT', poor)
      await new Promise(resolve => setTimeout(resolve, 100))
      const second = call('sales', 'PT')
      expect(await code(await first)).to.deep.equal([429, 'BUDGET_EXCEEDED'])
      expect((await second).status).to.equal(200)
    } finally {
      fake.latencyMs = 0
    }
  })

  it('charges background refreshes to no token, and counts them in the metric', async () => {
    const key = await token('watcher', '1 GB')
    const before = fake.jobs.all.length
    expect((await call('warm', 'IT', key)).status).to.equal(200)
    await until(() => fake.jobs.all.length >= before + 2, 'a refresh')
    const { labels } = last()
    expect(labels['endpoint']).to.equal('shop-warm')
    expect(labels).to.not.have.property('token')
    const metrics = await latestMetrics(server.url)
    const billed = /sluice_bytes_billed_total\{endpoint="shop.warm"\} (\d+)/.exec(metrics)?.[1]
    expect(Number(billed)).to.be.at.least(2 * GB)
  })

  it('is ready while the warehouse answers a ping, sent once in five seconds', async () => {
    const ready = async (): Promise<number> => (await fetch(`${server.url}/readyz`)).status
    const pings = (): number => fake.exchanges.filter(({ sql }) => sql === 'SELECT 1').length
    const before = pings()
    for (let i = 0; i < 30; i++) expect(await ready()).to.equal(200)
    expect(pings() - before).to.be.at.most(1)
    fake.fault = () => ({ status: 403, reason: 'accessDenied', message: 'Access Denied: Project p' })
    await until(async () => (await ready()) === 503, 'that it is not ready')
  })

  it('reports which engine it uses', async () => {
    const flags = ['--endpoints', folder.path('endpoints'), '--tables', folder.path('tables'), '--log-level', 'silent']
    const { code, out } = await command(['serve', '--engine', 'bigquery', '--port', '0', ...flags], {
      BIGQUERY_EMULATOR_HOST: fake.url,
      GOOGLE_CLOUD_PROJECT: 'p',
      SLUICE_TOKEN: 'unrestricted-token-of-32-letters',
    })
    expect(code).to.equal(0)
    expect(out).to.match(/^ready http:\/\/127\.0\.0\.1:\d+ endpoints=3 engine=bigquery\n/)
  })

  describe('does not start', () => {
    const start = async (environment: Record<string, string>): Promise<Finished> =>
      command(['serve', '--engine', 'bigquery', '--port', '0', '--log-level', 'silent'], environment)

    it('where the warehouse refuses it, with the reason', async () => {
      fake.fault = () => ({ status: 403, reason: 'accessDenied', message: 'Access Denied: no bigquery.jobs.create' })
      const refused = await createRunner(settings).then(
        () => null,
        (thrown: unknown) => thrown,
      )
      expect(refused).to.be.instanceOf(SetupError)
      expect((refused as SetupError).message).to.match(
        /^BigQuery cannot be used by project p: .*no bigquery\.jobs\.create/,
      )
    })

    it('where no server answers', async () => {
      const host = `127.0.0.1:${await freePort()}`
      const { code, err } = await start({ BIGQUERY_EMULATOR_HOST: host, GOOGLE_CLOUD_PROJECT: 'p' })
      expect([code, err]).to.deep.equal([3, 'sluice: BigQuery cannot be used by project p: ECONNREFUSED\n'])
    })

    it('without a project', async () => {
      const { code, err } = await start({ BIGQUERY_EMULATOR_HOST: fake.url })
      expect([code, err]).to.deep.equal([3, 'sluice: no BigQuery project: give --project or GOOGLE_CLOUD_PROJECT\n'])
    })
  })

  describe('validates', () => {
    const validate = (...argv: readonly string[]): Promise<Finished> =>
      command(
        [
          'validate',
          folder.path('endpoints', 'shop.sales.yaml'),
          '--engine',
          'bigquery',
          '--project',
          'p',
          ...argv,
        ].concat(['--endpoints', folder.path('endpoints'), '--tables', folder.path('tables')]),
        { BIGQUERY_EMULATOR_HOST: fake.url },
      )

    it('every variant by a dry run, and prints what it reads and costs', async () => {
      const { code, out, err } = await validate()
      expect([code, err]).to.deep.equal([0, ''])
      expect(out).to.equal('shop.sales: 400.0 MB, 0.0023 USD\n1 manifest, 1 variant: no problems\n')
      expect((await validate('--price-per-tib', '1000')).out).to.include('400.0 MB, 0.3643 USD')
    })

    it('with the least that BigQuery bills: 10 MiB for each table that the query names', async () => {
      const priced = async (plan: Partial<JobPlan>): Promise<string> => {
        fake.plan = () => ({ ...PLAN, ...plan })
        return (await validate('--price-per-tib', '100000')).out.split('\n')[0]!
      }
      expect(await priced({ bytesProcessed: 5, tables: 1 })).to.equal('shop.sales: 5 B, 0.9537 USD')
      expect(await priced({ bytesProcessed: 5, tables: 0 })).to.equal('shop.sales: 5 B, 0.9537 USD')
      expect(await priced({ bytesProcessed: 5, tables: 9 })).to.equal('shop.sales: 5 B, 8.5831 USD')
      expect(await priced({ tables: 9 })).to.equal('shop.sales: 400.0 MB, 36.4304 USD')
      expect(await priced({ bytesProcessed: 0, tables: 9 })).to.equal('shop.sales: 0 B, 0.0000 USD')
    })

    it('as JSON and for GitHub', async () => {
      const file = folder.path('endpoints', 'shop.sales.yaml')
      const json = JSON.parse((await validate('--format', 'json')).out)
      expect(json).to.have.length(1)
      expect(json[0]).to.deep.include({ file, rule: 'sql/estimate', severity: 'notice', bytes: 400_000_000 })
      expect((await validate('--format', 'github')).out).to.match(
        /^::notice file=.*::shop\.sales: 400\.0 MB, 0\.0023 USD\n$/,
      )
    })

    it('a limit of bytes, at the SQL', async () => {
      expect((await validate('--max-bytes', '400 MB')).code).to.equal(0)
      const { code, err } = await validate('--max-bytes', '399 MB')
      expect(code).to.equal(1)
      expect(err).to.match(
        /:14:3: the query would read 400000000 bytes, more than 399000000 \[sql\/too-many-bytes\]\n$/,
      )
      expect((await validate('--max-bytes', 'much')).code).to.equal(2)
    })

    it('with the examples of parameters and the time, on which the bytes may depend', async () => {
      const asked = fake.exchanges.length
      await validate()
      expect(fake.exchanges.length).to.be.above(asked)
      const { configuration } = fake.exchanges.findLast(
        ({ kind, sql }) => kind === 'dry-run' && sql.includes('elsewhere'),
      )!.body as unknown as DryRun
      const { queryParameters } = configuration.query
      const value = (name: string) => queryParameters.find(one => one.name === name)?.parameterValue.value
      expect(value('country')).to.equal('DE')
      expect(Date.parse(String(value('now')))).to.be.closeTo(Date.now(), 10_000)
    })

    it('a mistake that only the warehouse finds, at its place in the manifest', async () => {
      const message = 'Unrecognized name: contry at [3:7]'
      fake.fault = ({ sql }) =>
        sql.includes('elsewhere') ? { status: 400, reason: 'invalidQuery', message } : undefined
      const { code, err } = await validate()
      expect(code).to.equal(1)
      expect(err).to.match(/shop\.sales\.yaml:16:9: Unrecognized name: contry \[sql\/error\]\n$/)
    })

    it("the warehouse's columns, compared with the declared columns", async () => {
      fake.plan = () => ({
        ...PLAN,
        fields: [
          { name: 'sku', type: 'STRING' },
          { name: 'sold', type: 'FLOAT' },
        ],
      })
      const { code, err } = await validate()
      expect(code).to.equal(1)
      expect(err).to.match(
        /column "sold" is declared as INT64, but the query makes it FLOAT64 \[columns\/mismatch\]\n$/,
      )
    })

    it('a table that may not be read', async () => {
      const message = 'Access Denied: Table p:elsewhere.sales: User does not have permission to query it'
      fake.fault = ({ sql }) =>
        sql.includes('elsewhere') ? { status: 403, reason: 'accessDenied', message } : undefined
      const { code, err } = await validate()
      expect(code).to.equal(1)
      expect(err).to.match(/:14:3: Access Denied: .* \[sql\/error\]\n$/)
    })

    it('with a clear message where the warehouse cannot be reached', async () => {
      fake.fault = () => ({ status: 403, reason: 'accessDenied', message: 'Access Denied: Project p' })
      const { code, err } = await validate()
      expect([code, err]).to.deep.equal([3, 'sluice: BigQuery cannot be used by project p: Access Denied: Project p\n'])
    })
  })
})

describe('make serve', () => {
  /** The commands that `make serve` runs before the server, with these variables. */
  function before(...given: readonly string[]): string {
    const { SLUICE_ENGINE: _, ...env } = process.env
    const listed = spawnSync('make', ['-n', 'serve', ...given], { encoding: 'utf8', env }).stdout
    const line = listed.split('\n').find(one => one.includes('sample --if-empty'))
    return spawnSync('sh', ['-c', `node() { echo "$@"; }; ${line}`], { encoding: 'utf8' }).stdout
  }

  itInAll('writes sample logs for the embedded engine alone', () => {
    expect(before()).to.equal('dist/cli/main.js sample --if-empty\n')
    expect(before('ARGS=--port 0 --dataset bigquery_logs')).to.equal('dist/cli/main.js sample --if-empty\n')
    for (const given of ['ENGINE=bigquery', 'ARGS=--engine bigquery', "ARGS=--engine=bigquery --data 'a b'"]) {
      expect(before(given), given).to.equal('')
    }
  })
})

interface DryRun {
  readonly configuration: { readonly query: { readonly queryParameters: readonly Parameter[] } }
}

interface Parameter {
  readonly name: string
  readonly parameterValue: { readonly value?: string }
}
