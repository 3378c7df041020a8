/** For every reason for which BigQuery refuses a request: the error that callers receive, and what is logged. */
import { expect } from 'chai'
import type { ErrorCode } from '../../../runner/model/error-codes.js'
import { RunnerError } from '../../../runner/model/errors.js'
import type { Fault } from './fake-bigquery.js'
import { openTestEngine, type TestEngine } from './open-test-engine.js'

interface Case {
  readonly reason: string
  readonly status: number
  /** BigQuery's message, where the error code depends on it. */
  readonly message?: string
  readonly code: ErrorCode
  /** The number of jobs, or where none is started of requests: more than one where Google's documentation says to retry. */
  readonly requests: number
  readonly jobs: number
}

/** A text that must not reach a caller; every message of the fake contains it. */
const SECRET = 'Table p:private.salaries in SELECT secret'

const OF_JOBS: readonly Case[] = [
  { reason: 'accessDenied', status: 403, code: 'ENGINE_UNAVAILABLE', requests: 1, jobs: 1 },
  { reason: 'notFound', status: 404, code: 'QUERY_FAILED', requests: 1, jobs: 1 },
  { reason: 'invalidQuery', status: 400, code: 'QUERY_FAILED', requests: 1, jobs: 1 },
  { reason: 'invalid', status: 400, code: 'QUERY_FAILED', requests: 1, jobs: 1 },
  { reason: 'resourcesExceeded', status: 400, code: 'QUERY_FAILED', requests: 1, jobs: 1 },
  { reason: 'quotaExceeded', status: 403, code: 'OVERLOADED', requests: 1, jobs: 1 },
  { reason: 'bytesBilledLimitExceeded', status: 400, code: 'COST_LIMIT_EXCEEDED', requests: 1, jobs: 1 },
  { reason: 'bytesBilledLimitExceeded', status: 500, code: 'COST_LIMIT_EXCEEDED', requests: 1, jobs: 1 },
  { reason: 'billingTierLimitExceeded', status: 400, code: 'COST_LIMIT_EXCEEDED', requests: 1, jobs: 1 },
  { reason: 'responseTooLarge', status: 403, code: 'RESULT_TOO_LARGE', requests: 1, jobs: 1 },
  { reason: 'timeout', status: 400, code: 'QUERY_TIMEOUT', requests: 1, jobs: 1 },
  {
    reason: 'stopped',
    status: 499,
    message: `Job execution was cancelled: Job timed out after 3 sec; ${SECRET}`,
    code: 'QUERY_TIMEOUT',
    requests: 1,
    jobs: 1,
  },
  {
    reason: 'stopped',
    status: 499,
    message: `Job execution was cancelled: User requested cancellation; ${SECRET}`,
    code: 'QUERY_FAILED',
    requests: 1,
    jobs: 1,
  },
  { reason: 'jobBackendError', status: 400, code: 'ENGINE_UNAVAILABLE', requests: 3, jobs: 3 },
  { reason: 'jobInternalError', status: 400, code: 'ENGINE_UNAVAILABLE', requests: 3, jobs: 3 },
  { reason: 'jobRateLimitExceeded', status: 400, code: 'OVERLOADED', requests: 3, jobs: 3 },
  { reason: 'tableUnavailable', status: 400, code: 'ENGINE_UNAVAILABLE', requests: 3, jobs: 3 },
]

const OF_REQUESTS: readonly Case[] = [
  { reason: 'rateLimitExceeded', status: 403, code: 'OVERLOADED', requests: 6, jobs: 0 },
  { reason: 'rateLimitExceeded', status: 429, code: 'OVERLOADED', requests: 6, jobs: 0 },
  { reason: 'quotaExceeded', status: 403, code: 'OVERLOADED', requests: 1, jobs: 0 },
  { reason: 'accessDenied', status: 403, code: 'ENGINE_UNAVAILABLE', requests: 1, jobs: 0 },
  { reason: 'billingNotEnabled', status: 403, code: 'ENGINE_UNAVAILABLE', requests: 1, jobs: 0 },
  { reason: 'blocked', status: 403, code: 'ENGINE_UNAVAILABLE', requests: 1, jobs: 0 },
  { reason: 'authError', status: 401, code: 'ENGINE_UNAVAILABLE', requests: 1, jobs: 0 },
  { reason: 'notFound', status: 404, code: 'QUERY_FAILED', requests: 1, jobs: 0 },
  { reason: '', status: 404, code: 'ENGINE_UNAVAILABLE', requests: 1, jobs: 0 },
  { reason: '', status: 407, code: 'ENGINE_UNAVAILABLE', requests: 1, jobs: 0 },
  { reason: '', status: 302, code: 'ENGINE_UNAVAILABLE', requests: 1, jobs: 0 },
]

/** After an answer with 5xx it is unknown whether the job was started, so the same one is requested again. */
const OF_SERVERS: readonly Case[] = [
  { reason: 'backendError', status: 503, code: 'ENGINE_UNAVAILABLE', requests: 6, jobs: 0 },
  { reason: 'internalError', status: 500, code: 'ENGINE_UNAVAILABLE', requests: 6, jobs: 0 },
  { reason: '', status: 502, code: 'ENGINE_UNAVAILABLE', requests: 6, jobs: 0 },
  { reason: '', status: 504, code: 'ENGINE_UNAVAILABLE', requests: 6, jobs: 0 },
]

describe('what BigQuery refuses', () => {
  let test: TestEngine
  beforeEach(async () => {
    test = await openTestEngine({}, 50)
  })
  afterEach(() => test.close())

  async function failure(): Promise<RunnerError> {
    const error = await test.run('SELECT secret FROM private.salaries').catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(RunnerError)
    return error as RunnerError
  }

  function expectProblem(error: RunnerError, { code, reason, status, message = SECRET }: Case): void {
    expect(error.code, error.stack).to.equal(code)
    expect(JSON.stringify([error.message, error.detail, error.errors, error.headers])).not.to.match(
      /private|salaries|secret|SELECT|bigquery/i,
    )
    const told = (error.cause as Error).message
    expect(told).to.contain(message)
    expect(told).to.contain(reason)
    expect(told).to.contain(`HTTP ${status}`)
    expect('Retry-After' in error.headers).to.equal(code === 'OVERLOADED')
  }

  const refusal = ({ reason, status, message = SECRET }: Case): Fault & { readonly status: number } => ({
    status,
    message,
    ...(reason !== '' && { reason }),
  })

  for (const one of OF_JOBS) {
    const { reason, status, code, requests, jobs } = one
    it(`a job that fails with ${reason} (${status}) is ${code}, after ${requests} jobs at most`, async () => {
      test.fake.plan = () => ({ failure: { reason, status, message: one.message ?? SECRET } })
      expectProblem(await failure(), one)
      expect(test.fake.exchanges.filter(({ kind }) => kind === 'insert')).to.have.length(requests)
      expect(test.fake.jobs.all).to.have.length(jobs)
      expect(test.fake.jobs.running()).to.deep.equal([])
      expect(test.events.filter(event => event.kind === 'engine.retried')).to.have.length(requests - 1)
    })

    it(`a job that fails with ${reason} (${status}) while it is polled is ${code}`, async () => {
      test.fake.plan = () => ({ answersBefore: 1, failure: { reason, status, message: one.message ?? SECRET } })
      expectProblem(await failure(), one)
      await test.settled()
      expect(test.fake.jobs.all).to.have.length(jobs)
      expect(test.fake.jobs.running()).to.deep.equal([])
    })
  }

  for (const one of OF_REQUESTS) {
    it(`a request refused with ${one.reason || 'no reason'} (${one.status}) is ${one.code}, and starts nothing`, async () => {
      test.fake.fault = () => refusal(one)
      expectProblem(await failure(), one)
      await test.engine.close()
      expect(test.fake.exchanges).to.have.length(one.requests)
      expect(test.fake.jobs.all).to.have.length(0)
    })
  }

  for (const one of OF_SERVERS) {
    it(`${one.reason || 'no reason'} (${one.status}) before the job was started is ${one.code}, and starts none`, async () => {
      test.fake.fault = ({ kind }) => (kind === 'insert' ? refusal(one) : undefined)
      expectProblem(await failure(), one)
      await test.engine.close()
      expect(test.fake.exchanges.filter(({ kind }) => kind === 'insert')).to.have.length(one.requests)
      expect(test.fake.jobs.all).to.have.length(one.jobs)
    })

    it(`${one.reason || 'no reason'} (${one.status}) after the job was started is not seen by the caller`, async () => {
      test.fake.plan = () => ({ fields: [{ name: 'n', type: 'INTEGER' }], rows: [{ f: [{ v: '1' }] }] })
      test.fake.fault = ({ nth, kind }) => (kind !== 'page' && nth <= 2 ? { ...refusal(one), isDone: true } : undefined)
      expect(await test.run('SELECT 1')).to.include({ rowCount: 1 })
      expect(test.fake.jobs.all).to.have.length(1)
    })
  }

  it('passes on BigQuery’s Retry-After', async () => {
    test.fake.fault = () => ({ status: 429, reason: 'rateLimitExceeded', retryAfter: 120 })
    const error = await failure()
    expect(error.headers).to.deep.equal({ 'Retry-After': '120' })
    expect(test.fake.exchanges).to.have.length(1)
  })

  it('waits as long as BigQuery asks, where there is time', async () => {
    test.fake.fault = ({ nth }) => (nth === 1 ? { status: 503, reason: 'backendError', retryAfter: 7 } : undefined)
    await test.run('SELECT 1')
    expect(test.events).to.deep.include({
      kind: 'engine.retried',
      engine: 'bigquery',
      endpoint: 'e',
      reason: 'Service Unavailable (backendError, HTTP 503)',
      pauseMs: 7_000,
    })
  })

  it('a poll that fails because its job has failed is not repeated: another job is started', async () => {
    test.fake.plan = () => ({
      answersBefore: 0,
      ...(test.fake.jobs.all.length === 0 && { failure: { status: 503, reason: 'backendError', message: 'bad luck' } }),
    })
    await test.run('SELECT 1')
    expect(test.fake.exchanges.map(({ kind }) => kind)).to.deep.equal([
      'insert',
      'poll',
      'get',
      'insert',
      'poll',
      'get',
    ])
    expect(test.fake.jobs.all.map(job => job.end)).to.deep.equal(['failed', 'done'])
  })

  it('a poll that fails while its job runs is repeated, and no other job is started', async () => {
    test.fake.plan = () => ({ answersBefore: 2 })
    test.fake.fault = ({ kind, nth }) =>
      kind === 'poll' && nth <= 2 ? { status: 503, reason: 'backendError' } : undefined
    await test.run('SELECT 1')
    expect(test.fake.jobs.all.map(job => job.end)).to.deep.equal(['done'])
  })

  it('a column of a type that results cannot contain is the query’s fault, with its name in the log', async () => {
    test.fake.plan = () => ({ fields: [{ name: 'r', type: 'RANGE' }] })
    const error = await failure()
    expect(error.code).to.equal('QUERY_FAILED')
    expect((error.cause as Error).message).to.match(/Column r is of type RANGE/)
    await test.engine.close()
    expect(test.fake.jobs.all).to.have.length(1)
  })

  it('an answer that is not JSON, or names no job, counts as no answer', async () => {
    for (const body of ['<html>', '', 'null', '"x"']) {
      test.fake.fault = ({ kind, nth }) => (kind === 'insert' && nth === 1 ? { body } : undefined)
      await test.run(`SELECT '${body}'`)
    }
    test.fake.fault = ({ kind }) => (kind === 'cancel' ? undefined : { body: '{}' })
    expect(await failure()).to.include({ code: 'ENGINE_UNAVAILABLE' })
  })

  it('a job that a successful answer reports as failed has failed', async () => {
    const errors = [{ reason: 'invalidQuery', message: SECRET }]
    const jobReference = { projectId: 'p', jobId: 'job_1', location: 'EU' }
    test.fake.fault = ({ kind }) =>
      kind === 'poll' ? { body: JSON.stringify({ jobComplete: true, jobReference, errors }) } : undefined
    const error = await failure()
    expect(error.code).to.equal('QUERY_FAILED')
    expect((error.cause as Error).message).to.equal(`${SECRET} (invalidQuery, HTTP 200, job job_1)`)
    expect(test.fake.jobs.all).to.have.length(1)
  })

  it('errors of a job that goes on are warnings', async () => {
    const jobReference = { projectId: 'p', jobId: 'job_1', location: 'EU' }
    const errors = [{ reason: 'invalid', message: 'odd row' }]
    test.fake.fault = ({ kind, nth }) =>
      kind === 'poll' && nth === 1 ? { body: JSON.stringify({ jobComplete: false, jobReference, errors }) } : undefined
    expect(await test.run('SELECT 1')).to.include({ rowCount: 0 })
  })

  it('an answer beyond the size limit is not read, compressed or not', async () => {
    await test.close()
    test = await openTestEngine({}, 1)
    const body = ' '.repeat(64 * 1024 * 1024 + 1)
    for (const isZipping of [true, false]) {
      test.fake.isZipping = isZipping
      test.fake.fault = ({ kind, nth }) => (kind === 'poll' && nth === 1 ? { body } : undefined)
      const error = await test.run(`SELECT ${isZipping}`).catch((thrown: unknown) => thrown)
      expect(error).to.include({ code: 'RESULT_TOO_LARGE', status: 502 })
    }
  })
})
