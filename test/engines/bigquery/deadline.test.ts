import { queryObjects } from 'node:v8'
import { expect } from 'chai'
import { ResultEncoder } from '../../../runner/engines/bigquery/decode/encode-result.js'
import { deadlineSignal, TIMED_OUT } from '../../../runner/model/deadline.js'
import { manualClock } from '../../cache/manual-clock.js'
import { itInAll } from '../../sample-size.js'
import { openTestEngine } from './open-test-engine.js'

describe('the signal of a deadline', () => {
  it('fires with the first of its signals, with its reason, or when the time is up', async () => {
    const clock = manualClock()
    const [a, b] = [new AbortController(), new AbortController()]
    const first = deadlineSignal([a.signal, b.signal], 10, clock)
    b.abort('b')
    a.abort('a')
    expect(first.signal.reason).to.equal('b')
    expect(deadlineSignal([a.signal], 10, clock).signal.reason, 'of one that has fired').to.equal('a')
    const late = deadlineSignal([], 10, clock)
    await clock.advance(10)
    expect(late.signal.reason).to.equal(TIMED_OUT)
    const ended = deadlineSignal([new AbortController().signal], 10, clock)
    ended.end()
    await clock.advance(10)
    expect(ended.signal.aborted).to.equal(false)
  })

  itInAll('keeps nothing of a query that has ended, however long its engine lives', async () => {
    const test = await openTestEngine()
    test.fake.plan = () => ({ fields: [{ name: 'n', type: 'INTEGER' }], rows: [{ f: [{ v: '1' }] }] })
    // Other tests of this process may hold some.
    const others = queryObjects(ResultEncoder, { format: 'count' })
    try {
      for (let i = 0; i < 3; i++) await Promise.all(Array.from({ length: 20 }, () => test.run('SELECT n')))
      expect(queryObjects(ResultEncoder, { format: 'count' })).to.be.at.most(others)
    } finally {
      await test.close()
    }
  })
})
