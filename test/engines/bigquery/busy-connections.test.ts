import { expect } from 'chai'
import { RunnerError } from '../../../runner/model/errors.js'
import { until } from '../../until.js'
import { openTestEngine, type TestEngine } from './open-test-engine.js'

const MAX_QUERIES = 8

describe('while slow queries hold every connection', () => {
  let test: TestEngine
  let others: readonly Promise<unknown>[]
  let callers: readonly AbortController[]
  beforeEach(async () => {
    test = await openTestEngine({ maxQueries: MAX_QUERIES, closeWithinMs: 2_000 }, 1)
    test.fake.plan = () => ({ answersBefore: Number.POSITIVE_INFINITY, holdMs: 60_000 })
    callers = Array.from({ length: MAX_QUERIES }, () => new AbortController())
    others = callers.map(({ signal }, i) => test.run(`SELECT ${i}`, { signal }).catch((thrown: unknown) => thrown))
    await until(() => test.fake.jobs.all.length === MAX_QUERIES, 'all connections are busy')
  })
  afterEach(async () => {
    await test.close()
    await Promise.all(others)
  })

  it('a query that waits for a connection ends at its timeout', async () => {
    const error = await test.run("SELECT 'late'", { timeoutMs: 200 }).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(RunnerError).with.property('code', 'QUERY_TIMEOUT')
    expect(test.fake.exchanges.some(({ sql }) => sql === "SELECT 'late'")).to.equal(false)
  })

  it('the engine still reports whether it is ready, and checks queries', async () => {
    test.fake.plan = () => ({})
    await test.engine.ping()
    expect(await test.engine.check('SELECT 1', {})).to.include({ ok: true })
    expect(test.fake.jobs.running()).to.have.length(MAX_QUERIES)
  })

  it('a job for which no caller waits any more is cancelled, although other queries wait for its connection', async () => {
    const waiting = test.run('SELECT 99').catch((thrown: unknown) => thrown)
    test.fake.plan = () => ({ answersBefore: Number.POSITIVE_INFINITY, holdMs: 60_000 })
    callers[0]!.abort()
    await until(() => test.fake.jobs.all[0]!.end === 'cancelled', 'the first is cancelled')
    await until(() => test.fake.jobs.all.length === MAX_QUERIES + 1, 'the one that waited has begun')
    await test.engine.close()
    expect(await waiting).to.include({ code: 'ENGINE_UNAVAILABLE' })
    expect(new Set(test.fake.jobs.all.map(job => job.end))).to.have.keys(['cancelled'])
  })
})
