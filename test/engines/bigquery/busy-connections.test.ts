import { expect } from 'chai'
import { RunnerError } from '../../../runner/model/errors.js'
import { until } from '../../until.js'
import { openTestEngine, type TestEngine } from './open-test-engine.js'

const QUERIES = 8

describe('while slow queries run', () => {
  let test: TestEngine
  let others: readonly Promise<unknown>[]
  let callers: readonly AbortController[]
  beforeEach(async () => {
    test = await openTestEngine({ closeWithinMs: 2_000 }, 1)
    test.fake.plan = () => ({ answersBefore: Number.POSITIVE_INFINITY, holdMs: 60_000 })
    callers = Array.from({ length: QUERIES }, () => new AbortController())
    others = callers.map(({ signal }, i) => test.run(`SELECT ${i}`, { signal }).catch((thrown: unknown) => thrown))
    await until(() => test.fake.jobs.all.length === QUERIES, 'all have begun')
  })
  afterEach(async () => {
    await test.close()
    await Promise.all(others)
  })

  it('another ends at its timeout', async () => {
    const error = await test.run("SELECT 'late'", { timeoutMs: 200 }).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(RunnerError).with.property('code', 'QUERY_TIMEOUT')
    await until(() => test.fake.jobs.all[QUERIES]!.end !== null, 'its job has ended')
    expect(test.fake.jobs.running()).to.have.length(QUERIES)
  })

  it('the engine still reports whether it is ready, and checks queries', async () => {
    test.fake.plan = () => ({})
    await test.engine.ping()
    expect(await test.engine.check('SELECT 1', {})).to.include({ ok: true })
    expect(test.fake.jobs.running()).to.have.length(QUERIES)
  })

  it('a job for which no caller waits any more is cancelled at once', async () => {
    callers[0]!.abort()
    await until(() => test.fake.jobs.all[0]!.end === 'cancelled', 'the first is cancelled')
    expect(test.fake.jobs.running()).to.have.length(QUERIES - 1)
    await test.engine.close()
    expect(new Set(test.fake.jobs.all.map(job => job.end))).to.have.keys(['cancelled'])
  })
})
