/** A query's job is started, polled until it has ended, and asked what was billed; a large result is read in pages. */
import { expect } from 'chai'
import type { SchemaField } from '../../../googlesql/index.js'
import { openTestEngine, type TestEngine } from './open-test-engine.js'
import type { RestRow } from './rest-answers.js'

const FIELDS: readonly SchemaField[] = [{ name: 'n', type: 'INTEGER' }]
const rows = (count: number): readonly RestRow[] => Array.from({ length: count }, (_, i) => ({ f: [{ v: String(i) }] }))
const text = (body: Uint8Array): string => Buffer.from(body).toString()

describe('a query on BigQuery', () => {
  let test: TestEngine
  beforeEach(async () => {
    test = await openTestEngine()
  })
  afterEach(() => test.close())

  const kinds = (): readonly string[] => test.fake.exchanges.map(({ kind }) => kind)

  it('that is short takes three requests: its job is started, gives its rows, and tells what was billed', async () => {
    test.fake.plan = () => ({ fields: FIELDS, rows: rows(2), bytesProcessed: 5, bytesBilled: 10_485_760 })
    const result = await test.run('SELECT n FROM t')
    expect(text(result.body)).to.equal('{"result":[{"n":0},{"n":1}]}')
    expect(result).to.include({ rowCount: 2, isTruncated: false })
    expect(result.columns).to.deep.equal([{ name: 'n', type: 'INT64' }])
    expect(result.cost).to.deep.equal({
      bytesProcessed: 5,
      bytesBilled: 10_485_760,
      isCacheHit: false,
      jobId: 'job_1',
    })
    expect(kinds()).to.deep.equal(['insert', 'poll', 'get'])
  })

  it('sends all limits and labels of its job', async () => {
    await test.close()
    test = await openTestEngine({
      location: 'EU',
      defaultDataset: 'other.logs',
      reservation: 'projects/p/locations/EU/reservations/r',
      newJobId: () => 'one',
    })
    const job = { maxBytesBilled: 7, labels: { Team: 'Ünïts!' }, revision: 'abc', token: 'Ci Token' }
    await test.run(
      'SELECT @at',
      { maxRows: 10, endpoint: 'logs.all', timeoutMs: 5_000, job },
      { at: { type: 'TIMESTAMP', value: '2026-01-31T12:00:00Z' } },
    )
    const { jobReference, configuration } = test.fake.jobs.all[0]!.request as {
      readonly jobReference: unknown
      readonly configuration: { readonly jobTimeoutMs: string }
    }
    const { jobTimeoutMs, ...rest } = configuration
    expect(Number(jobTimeoutMs)).to.be.within(1, 5_000)
    expect(jobReference).to.deep.equal({ projectId: 'p', jobId: 'one', location: 'EU' })
    expect(rest).to.deep.equal({
      reservation: 'projects/p/locations/EU/reservations/r',
      labels: { team: 'ünïts-', endpoint: 'logs-all', revision: 'abc', token: 'ci-token' },
      query: {
        query: 'SELECT @at',
        useLegacySql: false,
        parameterMode: 'NAMED',
        queryParameters: [
          {
            name: 'at',
            parameterType: { type: 'TIMESTAMP' },
            parameterValue: { value: '2026-01-31T12:00:00Z' },
          },
        ],
        defaultDataset: { projectId: 'other', datasetId: 'logs' },
        maximumBytesBilled: '7',
      },
    })
    const polled = new URLSearchParams(test.fake.exchanges[1]!.query)
    expect(Number(polled.get('timeoutMs'))).to.be.within(1, 5_000)
    polled.delete('timeoutMs')
    expect(Object.fromEntries(polled)).to.deep.equal({
      location: 'EU',
      maxResults: '11',
      'formatOptions.useInt64Timestamp': 'true',
      prettyPrint: 'false',
    })
  })

  it('requests one row more than its limit, and reports that there are more', async () => {
    test.fake.plan = () => ({ fields: FIELDS, rows: rows(5) })
    const result = await test.run('SELECT n FROM t', { maxRows: 3 })
    expect(text(result.body)).to.equal('{"result":[{"n":0},{"n":1},{"n":2}]}')
    expect(result).to.include({ rowCount: 3, isTruncated: true })
    expect(kinds()).not.to.include('page')
  })

  it('with exactly as many rows as its limit is complete', async () => {
    test.fake.plan = () => ({ fields: FIELDS, rows: rows(3) })
    expect(await test.run('SELECT n FROM t', { maxRows: 3 })).to.include({ rowCount: 3, isTruncated: false })
  })

  it('that is long is polled until it has ended, and then fetches what was billed', async () => {
    test.fake.plan = () => ({ fields: FIELDS, rows: rows(1), answersBefore: 3, bytesBilled: 20_971_520 })
    const result = await test.run('SELECT n FROM t')
    expect(text(result.body)).to.equal('{"result":[{"n":0}]}')
    expect(result.cost).to.include({ bytesBilled: 20_971_520, jobId: 'job_1' })
    expect(kinds()).to.deep.equal(['insert', 'poll', 'poll', 'poll', 'poll', 'get'])
  })

  it('with a large result is read page by page, up to its limit', async () => {
    test.fake.plan = () => ({ fields: FIELDS, rows: rows(10), pageRows: 3 })
    const whole = await test.run('SELECT 1')
    expect(text(whole.body)).to.equal(`{"result":[${rows(10).map((_, i) => `{"n":${i}}`)}]}`)
    expect(kinds().filter(kind => kind !== 'get')).to.deep.equal(['insert', 'poll', 'page', 'page', 'page'])
    test.fake.exchanges.length = 0
    const cut = await test.run('SELECT 2', { maxRows: 4 })
    expect(cut).to.include({ rowCount: 4, isTruncated: true })
    expect(kinds().filter(kind => kind !== 'get')).to.deep.equal(['insert', 'poll', 'page'])
  })

  it('of priority batch is such a job', async () => {
    await test.close()
    test = await openTestEngine({ priority: 'batch', maxBytesBilled: 9 })
    await test.run('SELECT n FROM t')
    const { configuration } = test.fake.jobs.all[0]!.request as { readonly configuration: { readonly query: object } }
    expect(configuration.query).to.include({ priority: 'BATCH', maximumBytesBilled: '9' })
  })

  it('reports a result from BigQuery’s cache, for which nothing is billed', async () => {
    test.fake.plan = () => ({ fields: FIELDS, cacheHit: true, bytesProcessed: 999, bytesBilled: 5 })
    expect((await test.run('SELECT n FROM t')).cost).to.include({ isCacheHit: true, bytesBilled: 0 })
    expect(kinds()).to.deep.equal(['insert', 'poll'])
  })

  it('estimates what was billed where BigQuery does not report it', async () => {
    test.fake.plan = () => ({ fields: FIELDS, bytesProcessed: 10_485_761, bytesBilled: null })
    expect((await test.run('SELECT n FROM t')).cost).to.include({ bytesBilled: 11 * 2 ** 20 })
  })

  it('may have warnings beside its result', async () => {
    test.fake.plan = () => ({ fields: FIELDS, rows: rows(1), warnings: [{ reason: 'invalid', message: 'odd row' }] })
    expect(await test.run('SELECT n FROM t')).to.include({ rowCount: 1 })
  })

  it('is read from compressed answers', async () => {
    test.fake.isZipping = true
    test.fake.plan = () => ({ fields: FIELDS, rows: rows(50) })
    expect(await test.run('SELECT n FROM t')).to.include({ rowCount: 50 })
    expect(test.fake.exchanges[0]!.headers['accept-encoding']).to.equal('gzip')
  })

  it('is refused where its result is larger than it may be, whichever page makes it so', async () => {
    test.fake.plan = () => ({ fields: FIELDS, rows: rows(30), pageRows: 10 })
    const error = await test.run('SELECT n', { maxBytes: 200 }).catch((thrown: unknown) => thrown)
    expect(error).to.include({ code: 'RESULT_TOO_LARGE', status: 502 })
  })

  it('uses as many connections as there are calls at once, and uses them again', async () => {
    test.fake.plan = () => ({ fields: FIELDS, rows: rows(1) })
    test.fake.latencyMs = 20
    // The clock goes 20 times as fast as the machine, which may be busy.
    const patient = { timeoutMs: 600_000 }
    const all = (): Promise<unknown> =>
      Promise.all(Array.from({ length: 100 }, (_, i) => test.run(`SELECT ${i}`, patient)))
    await all()
    expect(test.fake.connections()).to.be.at.most(105)
    const before = test.fake.connections()
    await all()
    expect(test.fake.connections() - before).to.be.at.most(5)
    expect(test.fake.jobs.all).to.have.length(200)
  })

  it('checked is a dry run that starts no job', async () => {
    await test.close()
    test = await openTestEngine({ location: 'EU', reservation: 'r', defaultDataset: 'logs' })
    test.fake.plan = () => ({ fields: FIELDS, bytesProcessed: 123 })
    expect(await test.engine.check('SELECT n', { x: 'ARRAY<STRING>' })).to.deep.equal({
      ok: true,
      columns: [{ name: 'n', type: 'INT64' }],
      reads: { bytes: 123, tables: 1 },
    })
    expect(kinds()).to.deep.equal(['dry-run'])
    expect(test.fake.jobs.all).to.have.length(0)
  })

  it('checked keeps its text, also where it holds the client’s name for a project', async () => {
    await test.engine.check("SELECT '{{projectId}}'", {})
    expect(test.fake.exchanges.at(-1)!.sql).to.equal("SELECT '{{projectId}}'")
  })

  it('with a mistake: the check reports its place', async () => {
    const message = 'Unrecognized name: foo at [2:3]'
    test.fake.plan = () => ({ failure: { status: 400, reason: 'invalidQuery', message } })
    expect(await test.engine.check('SELECT\n  foo', {})).to.deep.equal({
      ok: false,
      problem: {
        line: 2,
        column: 3,
        message: 'Unrecognized name: foo',
        mistake: { code: 'unknown-name', name: 'foo', hint: undefined, meant: undefined },
      },
    })
  })
})
