import { expect } from 'chai'
import fc from 'fast-check'
import { createTimerQueue } from '../../runner/cache/timer-queue.js'
import { manualClock } from './manual-clock.js'

describe('the timer queue', () => {
  it('hands over every entry, in order and at its time, with one timer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 60 }), async waits => {
        const clock = manualClock(1_000_000)
        const handed: { readonly dueAt: number; readonly at: number }[] = []
        const queue = createTimerQueue<{ readonly dueAt: number }>(clock, due => {
          for (const { dueAt } of due) handed.push({ dueAt, at: clock.nowMs() })
        })
        const dues = waits.map(wait => clock.nowMs() + wait)
        const half = dues.length >> 1
        for (const dueAt of dues.slice(0, half)) queue.add({ dueAt })
        await clock.advance(20)
        for (const dueAt of dues.slice(half)) queue.add({ dueAt })
        expect(clock.pending()).to.be.at.most(1)
        await clock.advance(60)
        expect(handed.map(({ dueAt }) => dueAt).sort()).to.deep.equal([...dues].sort())
        const late = new Set(dues.slice(half).filter(dueAt => dueAt < 1_000_020))
        for (const { dueAt, at } of handed) if (!late.has(dueAt)) expect(at).to.equal(dueAt)
        expect(clock.pending()).to.equal(0)
      }),
    )
  })

  it('accepts entries while it hands over others', async () => {
    const clock = manualClock()
    const at: number[] = []
    const start = clock.nowMs()
    const queue = createTimerQueue<{ readonly dueAt: number }>(clock, due => {
      at.push(clock.nowMs() - start)
      if (at.length < 4) queue.add({ dueAt: due[0]!.dueAt + 10 })
    })
    queue.add({ dueAt: start + 10 })
    await clock.advance(1_000)
    expect(at).to.deep.equal([10, 20, 30, 40])
  })

  it('waits longer than a timer can', async () => {
    const clock = manualClock()
    const start = clock.nowMs()
    let at = 0
    const queue = createTimerQueue<{ readonly dueAt: number }>(clock, () => {
      at = clock.nowMs() - start
    })
    queue.add({ dueAt: start + 2 ** 33 })
    await clock.advance(2 ** 34)
    expect(at).to.equal(2 ** 33)
  })

  it('hands over only the entries that are kept by a filter, in order', async () => {
    const clock = manualClock()
    const start = clock.nowMs()
    const handed: number[] = []
    const queue = createTimerQueue<{ readonly dueAt: number }>(clock, due => {
      handed.push(...due.map(({ dueAt }) => dueAt - start))
    })
    for (const wait of [7, 1, 9, 4, 8, 2, 6, 3, 5]) queue.add({ dueAt: start + wait })
    queue.keep(({ dueAt }) => (dueAt - start) % 2 === 0)
    await clock.advance(10)
    expect(handed).to.deep.equal([2, 4, 6, 8])
    expect(clock.pending()).to.equal(0)
  })

  it('forgets all of it', async () => {
    const clock = manualClock()
    const queue = createTimerQueue(clock, () => expect.fail('handed over'))
    for (const wait of [5, 1, 3]) queue.add({ dueAt: clock.nowMs() + wait })
    queue.clear()
    expect(clock.pending()).to.equal(0)
    await clock.advance(10)
  })
})
