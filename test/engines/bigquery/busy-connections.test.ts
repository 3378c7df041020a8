import { expect } from 'chai'
import { RunnerError } from '../../../runner/model/errors.js'
import { openTestEngine } from './open-test-engine.js'

describe('a query that waits for one of the connections', () => {
  it('ends when its time is up, although none has become free', async () => {
    const test = await openTestEngine({}, 1)
    test.fake.fault = ({ kind }) => (kind === 'start' ? { hang: true } : undefined)
    try {
      const others = Array.from({ length: 256 }, (_, i) => test.run(`SELECT ${i}`).catch((thrown: unknown) => thrown))
      while (test.fake.exchanges.length < 256) await new Promise(resolve => setTimeout(resolve, 5))
      const began = performance.now()
      const error = await test.run("SELECT 'late'", { timeoutMs: 200 }).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(RunnerError).with.property('code', 'QUERY_TIMEOUT')
      expect(performance.now() - began).to.be.lessThan(1_000)
      expect(test.fake.exchanges.some(({ sql }) => sql === "SELECT 'late'")).to.equal(false)
      await test.engine.close()
      await Promise.all(others)
    } finally {
      await test.close()
    }
  })
})
