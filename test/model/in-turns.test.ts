import { expect } from 'chai'
import { joinInTurns, pacedTurns } from '../../runner/model/in-turns.js'
import { etagInTurns } from '../../runner/model/result-key.js'
import { etagOf } from '../contracts/result-store.js'
import { turnsOf } from '../turns.js'

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

  it('takes a turn for each piece also where there are many such works at once', async () => {
    const works = Array.from({ length: 10 }, () => etagInTurns(Buffer.alloc(5 * 524_288)))
    expect((await turnsOf(Promise.all(works))).turns).to.be.at.least(40)
  })
})

describe('work that comes all at once', () => {
  it('begins in order, as much in a turn as fits into a few milliseconds', async () => {
    let nowMs = 0
    let turn = 0
    const begun: { readonly i: number; readonly turn: number }[] = []
    const inTurn = pacedTurns(() => nowMs)
    const count = (): void => {
      turn += 1
      if (begun.length < 10) setImmediate(count)
    }
    setImmediate(count)
    for (let i = 0; i < 10; i++)
      inTurn(() => {
        nowMs += 2
        begun.push({ i, turn })
      })
    expect(begun.map(({ i }) => i)).to.deep.equal([0, 1, 2])
    while (begun.length < 10) await new Promise(resolve => setImmediate(resolve))
    expect(begun.map(({ i }) => i)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(new Set(begun.map(work => work.turn)).size).to.equal(4)
  })

  it('counts the time of what the work leaves to promises and ticks', async () => {
    let nowMs = 0
    let turn = 0
    const begun: number[] = []
    const inTurn = pacedTurns(() => nowMs)
    const count = (): void => {
      turn += 1
      if (begun.length < 10) setImmediate(count)
    }
    setImmediate(count)
    inTurn(() => {
      nowMs += 9
    })
    for (let i = 0; i < 10; i++)
      inTurn(() => {
        begun.push(turn)
        process.nextTick(async () => {
          await null
          nowMs += 2
        })
      })
    while (begun.length < 10) await new Promise(resolve => setImmediate(resolve))
    expect(new Set(begun).size).to.equal(4)
  })

  it('goes on behind work that fails', async () => {
    let nowMs = 0
    const inTurn = pacedTurns(() => nowMs)
    const begun: number[] = []
    const failures: unknown[] = []
    const listeners = process.rawListeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    process.once('uncaughtException', error => failures.push(error))
    inTurn(() => {
      nowMs += 9
    })
    inTurn(() => {
      throw new Error('a bug')
    })
    inTurn(() => begun.push(1))
    while (begun.length < 1) await new Promise(resolve => setImmediate(resolve))
    for (const listener of listeners) process.on('uncaughtException', listener as () => void)
    expect(failures).to.have.length(1)
  })
})
