import { expect } from 'chai'
import { joinInTurns } from '../../runner/model/in-turns.js'
import { etagInTurns } from '../../runner/model/result-key.js'
import { etagOf } from '../contracts/result-store.js'

/** The turns of the event loop that begin before the work has ended. */
async function turnsOf<T>(work: Promise<T>): Promise<{ readonly value: T; readonly turns: number }> {
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const value = await work
  isDone = true
  return { value, turns }
}

const SIZES = [0, 1, 524_287, 524_288, 524_289, 3_000_000]

describe('work on many bytes', () => {
  for (const size of SIZES) {
    const bytes = Buffer.alloc(size, 'eleven char')
    it(`has the same ETag in turns: ${size} bytes`, async () => {
      expect(await etagInTurns(bytes)).to.equal(etagOf(bytes))
    })

    it(`joins parts of ${size} bytes, in memory of their own`, async () => {
      const joined = await joinInTurns([bytes, Buffer.from('x'), bytes])
      expect(joined.equals(Buffer.concat([bytes, Buffer.from('x'), bytes]))).to.equal(true)
      expect(joined.byteLength).to.equal(joined.buffer.byteLength)
    })
  }

  it('leaves a turn to others after each half megabyte', async () => {
    const bytes = Buffer.alloc(10 * 524_288)
    expect((await turnsOf(etagInTurns(bytes))).turns).to.be.at.least(8)
    expect((await turnsOf(joinInTurns([bytes]))).turns).to.be.at.least(8)
    expect((await turnsOf(joinInTurns(Array.from({ length: 10 }, () => Buffer.alloc(9))))).turns).to.be.at.least(8)
  })
})
