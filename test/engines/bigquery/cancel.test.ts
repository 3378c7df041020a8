/** A job for which no caller waits any more is cancelled on the server. */
import { expect } from 'chai'
import type { RunnerError } from '../../../runner/model/errors.js'
import type { RunOptions } from '../../../runner/model/ports.js'
import { until } from '../../until.js'
import type { RequestKind } from './fake-bigquery.js'
import { openTestEngine, type TestEngine, type TestEngineOptions } from './open-test-engine.js'

const ENDLESS = { answersBefore: Number.POSITIVE_INFINITY }

describe('an abandoned job', () => {
  let test: TestEngine
  const open = async (options: TestEngineOptions = {}, speed = 20): Promise<void> => {
    test = await openTestEngine(options, speed)
  }
  beforeEach(() => open())
  afterEach(() => test.close())

  const kinds = (): readonly RequestKind[] => test.fake.exchanges.map(({ kind }) => kind)

  const reopen = async (options: TestEngineOptions, speed?: number): Promise<void> => {
    await test.close()
    await open(options, speed)
  }

  /** Resolves when the fake has received a request of this kind. */
  async function arrived(kind: RequestKind): Promise<void> {
    await until(() => kinds().includes(kind), `a ${kind} arrives`, 2)
  }

  const failureOf = (options: Partial<RunOptions> = {}): Promise<RunnerError> =>
    test.run('SELECT 1', options).then(
      () => expect.fail('it has a result') as never,
      (error: unknown) => error as RunnerError,
    )

  async function leaveAt(kind: RequestKind): Promise<RunnerError> {
    const caller = new AbortController()
    const failure = failureOf({ signal: caller.signal })
    await arrived(kind)
    caller.abort()
    return failure
  }

  async function expectCancelled(): Promise<void> {
    await test.settled()
    expect(test.fake.jobs.all.map(job => job.end)).to.deep.equal(['cancelled'])
    await until(() => test.events.some(event => event.kind === 'job.cancelled'), 'the cancellation is told', 2)
    expect(test.events).to.deep.include({ kind: 'job.cancelled', endpoint: 'e', jobId: test.fake.jobs.all[0]!.id })
  }

  it('is cancelled when its last caller leaves', async () => {
    test.fake.plan = () => ENDLESS
    expect(await leaveAt('poll')).to.include({ code: 'CALL_ABANDONED' })
    await expectCancelled()
  })

  it('tells what it was billed for, where a caller pays for it', async () => {
    test.fake.plan = () => ({ ...ENDLESS, bytesBilled: 7_000 })
    const billed: number[] = []
    const caller = new AbortController()
    const onBilledLater = (bytes: number): void => void billed.push(bytes)
    const job = { maxBytesBilled: null, labels: {}, revision: 'r', token: 't', onBilledLater }
    const failure = failureOf({ signal: caller.signal, job })
    await arrived('poll')
    caller.abort()
    expect(await failure).to.include({ code: 'CALL_ABANDONED' })
    await until(() => billed.length > 0, 'the bill arrives', 2)
    expect(billed).to.deep.equal([7_000])
  })

  it('whose start is not answered yet is cancelled', async () => {
    test.fake.plan = () => ENDLESS
    test.fake.fault = ({ kind }) => (kind === 'insert' ? { hang: true } : undefined)
    expect(await leaveAt('insert')).to.include({ code: 'CALL_ABANDONED' })
    await expectCancelled()
    expect(kinds()).to.deep.equal(['insert', 'cancel'])
  })

  it('whose start is not answered yet is cancelled, and no other job, when many are abandoned at once', async () => {
    test.fake.plan = () => ENDLESS
    const others = Array.from({ length: 5 }, (_, i) => test.run(`SELECT 'other ${i}'`).catch((error: unknown) => error))
    await until(() => test.fake.jobs.all.length >= 5, 'the others start', 2)
    test.fake.fault = ({ kind }) => (kind === 'insert' ? { hang: true } : undefined)
    const callers = Array.from({ length: 50 }, () => new AbortController())
    const failures = callers.map(({ signal }, i) =>
      test.run(`SELECT ${i}`, { signal }).catch((error: unknown) => error),
    )
    await until(() => test.fake.jobs.all.length >= 55, 'fifty jobs start', 2)
    for (const caller of callers) caller.abort()
    await Promise.all(failures)
    await until(() => test.fake.jobs.running().length === 5, 'fifty jobs end', 2)
    expect(test.fake.jobs.running().map(job => job.sql)).to.deep.equal(others.map((_, i) => `SELECT 'other ${i}'`))
    // On a busy machine a start may arrive after the first attempt to cancel it.
    expect(kinds().filter(kind => kind === 'cancel')).to.have.length.at.least(50)
    await test.engine.close()
    await Promise.all(others)
  })

  it('that the server does not know yet is cancelled as soon as it does', async () => {
    test.fake.plan = () => ENDLESS
    test.fake.fault = ({ kind }) => {
      if (kind === 'insert') return { hang: true }
      const isEarly = kinds().filter(one => one === 'cancel').length <= 3
      return kind === 'cancel' && isEarly ? { status: 404, reason: 'notFound' } : undefined
    }
    await leaveAt('insert')
    await expectCancelled()
    expect(kinds()).to.deep.equal(['insert', 'cancel', 'cancel', 'cancel', 'cancel'])
  })

  it('whose request had no effect is looked for, and no job is started', async () => {
    test.fake.plan = () => ENDLESS
    test.fake.fault = ({ kind }) => (kind === 'insert' ? { status: 503, reason: 'backendError' } : undefined)
    expect(await failureOf()).to.include({ code: 'ENGINE_UNAVAILABLE' })
    await until(() => kinds().filter(kind => kind === 'cancel').length >= 7, 'the cancellation is tried', 2)
    await test.engine.close()
    expect(kinds().filter(kind => kind !== 'cancel')).to.deep.equal(Array(6).fill('insert'))
    expect(test.fake.jobs.all).to.deep.equal([])
    expect(test.events.map(event => event.kind)).not.to.include.members(['job.cancelled', 'job.cancel-failed'])
  })

  it('whose connection ended before it was started is looked for, and no job is started', async () => {
    test.fake.fault = ({ kind }) => (kind === 'insert' ? { drop: true } : undefined)
    expect(await failureOf()).to.include({ code: 'ENGINE_UNAVAILABLE' })
    await arrived('cancel')
    await test.engine.close()
    expect(kinds().filter(kind => kind !== 'cancel')).to.deep.equal(Array(6).fill('insert'))
    expect(test.fake.jobs.all).to.deep.equal([])
  })

  it('is cancelled at its timeout', async () => {
    test.fake.plan = () => ({ ...ENDLESS, holdMs: 20 })
    expect(await failureOf({ timeoutMs: 2_000 })).to.include({ code: 'QUERY_TIMEOUT' })
    await test.settled()
    expect(test.fake.jobs.running()).to.deep.equal([])
    await test.engine.close()
    expect(kinds()).to.include('cancel')
  })

  it('ends itself at its timeout where it cannot be cancelled', async () => {
    test.fake.plan = () => ENDLESS
    test.fake.fault = ({ kind }) => (kind === 'cancel' ? { drop: true } : undefined)
    expect(await failureOf({ timeoutMs: 1_000 })).to.include({ code: 'QUERY_TIMEOUT' })
    await test.settled()
    expect(test.fake.jobs.all.map(job => job.end)).to.deep.equal(['timed out'])
  })

  it('is cancelled again where that fails, which is logged', async () => {
    test.fake.plan = () => ENDLESS
    test.fake.fault = ({ kind, nth }) =>
      kind === 'cancel' && nth <= 3 ? { status: 503, reason: 'backendError', message: 'busy' } : undefined
    await leaveAt('poll')
    await expectCancelled()
    const retried = test.events.filter(event => event.kind === 'engine.retried')
    expect(retried.map(event => event.reason)).to.deep.equal(Array(3).fill('busy (backendError, HTTP 503)'))
  })

  it('that cannot be cancelled is logged, with its id and the cause', async () => {
    test.fake.plan = () => ENDLESS
    test.fake.fault = ({ kind }) => (kind === 'cancel' ? { status: 403, reason: 'accessDenied' } : undefined)
    await leaveAt('poll')
    await test.engine.close()
    const failed = test.events.find(event => event.kind === 'job.cancel-failed')
    expect(failed).to.include({ endpoint: 'e', jobId: 'job_1' })
    expect((failed as { readonly cause: Error }).cause.message).to.equal('Forbidden (accessDenied, HTTP 403)')
  })

  it('that was never requested is not started', async () => {
    const caller = new AbortController()
    caller.abort()
    expect(await failureOf({ signal: caller.signal })).to.include({ code: 'CALL_ABANDONED' })
    await test.engine.close()
    expect(test.fake.exchanges).to.have.length(0)
  })

  it('is not started when it is abandoned while the credentials are fetched', async () => {
    let asked = 0
    const credentials = (): Promise<never> => {
      asked += 1
      return new Promise(() => {})
    }
    await reopen({ access: { credentials } })
    expect(await failureOf({ timeoutMs: 1_000 })).to.include({ code: 'QUERY_TIMEOUT' })
    expect(asked).to.equal(1)
  })

  it('whose result is being read is not cancelled, since it has ended', async () => {
    test.fake.plan = () => ({ rows: [{ f: [] }, { f: [] }], pageRows: 1 })
    test.fake.fault = ({ kind }) => (kind === 'page' ? { hang: true } : undefined)
    await leaveAt('page')
    await test.engine.close()
    expect(kinds().filter(kind => kind !== 'get')).to.deep.equal(['insert', 'poll', 'page'])
  })

  it('is cancelled at the end of the process, before the connections are closed', async () => {
    test.fake.plan = () => ({ ...ENDLESS, holdMs: 1_000 })
    const failure = failureOf()
    await arrived('poll')
    await test.engine.close()
    expect(await failure).to.include({ code: 'ENGINE_UNAVAILABLE' })
    expect(test.fake.jobs.all.map(job => job.end)).to.deep.equal(['cancelled'])
    expect(await failureOf()).to.include({ code: 'ENGINE_UNAVAILABLE' })
  })

  it('delays the end of a process by a few seconds at most', async () => {
    await reopen({ closeWithinMs: 50 }, 1)
    test.fake.plan = () => ENDLESS
    test.fake.fault = ({ kind }) => (kind === 'cancel' ? { hang: true } : undefined)
    await leaveAt('poll')
    const began = performance.now()
    await test.engine.close()
    expect(performance.now() - began).to.be.within(40, 60_000)
    expect(test.events.map(event => event.kind)).to.contain('job.cancel-failed')
  })
})
