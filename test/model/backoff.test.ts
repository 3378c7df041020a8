import { expect } from 'chai'
import { type Backoff, pauseAfter } from '../../runner/model/backoff.js'

const BACKOFF: Backoff = { firstMs: 100, longestMs: 1_000, jitter: 0.5 }

describe('a back-off', () => {
  it('doubles with each failure, up to its longest', () => {
    const pauses = [1, 2, 3, 4, 5, 2_000].map(failures => pauseAfter(failures, BACKOFF, 0))
    expect(pauses).to.deep.equal([100, 200, 400, 800, 1_000, 1_000])
  })

  it('is shortened at random, by no more than its jitter', () => {
    expect([0, 0.5, 1].map(random => pauseAfter(1, BACKOFF, random))).to.deep.equal([100, 75, 50])
    expect(pauseAfter(1, { ...BACKOFF, jitter: 0 }, 1)).to.equal(100)
  })
})
