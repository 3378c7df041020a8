/**
 * The connection ends at any byte of any answer: the result is complete or the call fails with a proper error, and no job is
 * left running.
 */
import { expect } from 'chai'
import type { RunnerError } from '../../../runner/model/errors.js'
import { until } from '../../until.js'
import type { RequestKind } from './fake-bigquery.js'
import type { JobPlan } from './fake-jobs.js'
import { fastClock, openTestEngine, type TestEngine, type TestEngineOptions } from './open-test-engine.js'

const ROWS = Array.from({ length: 4 }, (_, i) => ({ f: [{ v: String(i) }] }))
const RESULT = '{"result":[{"n":0},{"n":1},{"n":2},{"n":3}]}'
/** A query with every kind of answer: to the start, to polls, and to the requests for two pages. */
const PLAN: JobPlan = { fields: [{ name: 'n', type: 'INTEGER' }], rows: ROWS, pageRows: 2, answersBefore: 1 }
const ENDLESS: JobPlan = { answersBefore: Number.POSITIVE_INFINITY }
/** The number of calls at once. Each call's connection is cut, so that more calls would only wait for each other. */
const AT_ONCE = 40

/** Pauses take a twentieth of their time; a call still has half a minute on a busy machine. */
const SPEED = 20
const TIMEOUT_MS = 600_000
/** More faults than one request has attempts. */
const ALWAYS = 7

describe('an answer of BigQuery that is lost', () => {
  let test: TestEngine
  afterEach(() => test.close())

  async function open(options: TestEngineOptions = {}): Promise<void> {
    test = await openTestEngine({ closeWithinMs: 5_000, ...options }, SPEED)
  }

  async function lengthOf(kind: RequestKind, plan: JobPlan): Promise<number> {
    test.fake.plan = () => plan
    if (plan === ENDLESS) await test.run('-- first', { timeoutMs: 4_000 }).catch(() => {})
    else await test.run('-- first')
    await until(() => test.fake.answerBytes(kind) > 0, `an answer to ${kind}`)
    expect(test.fake.answerBytes(kind)).to.be.greaterThan(100)
    return test.fake.answerBytes(kind)
  }

  /** Makes one call for each offset, with the offset in its SQL so that the fake knows where to cut the answer. */
  async function atEachOffset(last: number, call: (sql: string) => Promise<void>, step = 1): Promise<void> {
    const offsets = Array.from({ length: Math.floor(last / step) + 1 }, (_, i) => last - i * step)
    const worker = async (): Promise<void> => {
      for (let at = offsets.pop(); at !== undefined; at = offsets.pop()) await call(`SELECT ${at}`)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  }

  const cut = (kinds: readonly RequestKind[], times: number): void => {
    test.fake.fault = ({ kind, nth, sql }) =>
      sql.startsWith('SELECT ') && kinds.includes(kind) && nth <= times
        ? { cutAt: Number(sql.slice('SELECT '.length)) }
        : undefined
  }

  async function expectUnavailable(sql: string): Promise<void> {
    const error = await test.run(sql, { timeoutMs: TIMEOUT_MS }).catch((thrown: unknown) => thrown as RunnerError)
    expect(error, sql).to.include({ code: 'ENGINE_UNAVAILABLE', status: 502 })
  }

  function expectNothingLeft(): void {
    expect(test.fake.jobs.running().map(job => job.sql)).to.deep.equal([])
    const known = test.fake.jobs.all.map(job => job.sql)
    expect(known.filter((sql, at) => known.indexOf(sql) !== at)).to.deep.equal([])
  }

  for (const kind of ['insert', 'poll', 'page'] as const) {
    it(`at any byte of the answer to a ${kind} is fetched by a second request, from the same job`, async () => {
      await open()
      const last = await lengthOf(kind, PLAN)
      cut([kind], 1)
      await atEachOffset(last, async sql => {
        const { body } = await test.run(sql, { timeoutMs: TIMEOUT_MS })
        expect(Buffer.from(body).toString(), sql).to.equal(RESULT)
      })
      expectNothingLeft()
    })
  }

  for (const kind of ['poll', 'page'] as const) {
    it(`at any third byte of the answer to a ${kind}, each time, is a proper error`, async () => {
      await open()
      const last = await lengthOf(kind, PLAN)
      cut([kind], ALWAYS)
      await atEachOffset(last - 1, expectUnavailable, 3)
      await test.settled()
      expectNothingLeft()
      if (kind === 'poll') expect(new Set(test.fake.jobs.all.slice(1).map(job => job.end))).to.have.keys(['done'])
    })
  }

  it('at any third byte of the answer to a start, each time, is a proper error, and its job is cancelled', async () => {
    await open()
    const last = await lengthOf('insert', ENDLESS)
    cut(['insert'], 1)
    const { fault } = test.fake
    // That the job is there already is never answered either.
    test.fake.fault = exchange => (exchange.kind === 'insert' && exchange.nth > 1 ? { drop: true } : fault(exchange))
    await atEachOffset(last - 1, expectUnavailable, 3)
    await test.settled()
    expectNothingLeft()
    expect(new Set(test.fake.jobs.all.slice(1).map(job => job.end))).to.have.keys(['cancelled'])
  })

  it('at any byte of a compressed answer is fetched by a second request, from the same job', async () => {
    await open()
    test.fake.isZipping = true
    const last = await lengthOf('page', PLAN)
    cut(['page'], 1)
    await atEachOffset(last, async sql => {
      const { body } = await test.run(sql, { timeoutMs: TIMEOUT_MS })
      expect(Buffer.from(body).toString(), sql).to.equal(RESULT)
    })
    expectNothingLeft()
  })

  it('at any byte of the answer to a cancellation leaves no job running', async () => {
    // A cancellation is retried for a minute: with this clock that is twelve seconds, enough on a busy machine.
    await open({ clock: fastClock(5) })
    const last = await lengthOf('cancel', ENDLESS)
    const callers = new Map<string, AbortController>()
    cut(['cancel'], 2)
    const { fault } = test.fake
    test.fake.fault = exchange => {
      if (exchange.kind === 'poll') callers.get(exchange.sql)?.abort()
      return fault(exchange)
    }
    await atEachOffset(last, async sql => {
      const caller = new AbortController()
      callers.set(sql, caller)
      const { signal } = caller
      const error = await test.run(sql, { signal, timeoutMs: TIMEOUT_MS }).catch((thrown: unknown) => thrown)
      expect(error, sql).to.include({ code: 'CALL_ABANDONED' })
    })
    await test.settled()
    expectNothingLeft()
    expect(new Set(test.fake.jobs.all.slice(1).map(job => job.end))).to.have.keys(['cancelled'])
  })

  it('because the connection ends before the request has an effect: the next request starts the job', async () => {
    await open()
    test.fake.plan = () => PLAN
    test.fake.fault = ({ kind, nth }) => (kind === 'insert' && nth <= 3 ? { drop: true } : undefined)
    expect(Buffer.from((await test.run('SELECT 1')).body).toString()).to.equal(RESULT)
    expect(test.fake.jobs.all).to.have.length(1)
  })

  it('because it never comes: is requested again', async () => {
    await open()
    test.fake.plan = () => PLAN
    test.fake.fault = ({ kind, nth }) => (kind !== 'page' && nth === 1 ? { hang: true } : undefined)
    expect(Buffer.from((await test.run('SELECT 1', { timeoutMs: TIMEOUT_MS })).body).toString()).to.equal(RESULT)
    expect(test.fake.jobs.all).to.have.length(1)
  })
})
