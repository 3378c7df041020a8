/** Values that others change, asked for at most once in a while. */
import { expect } from 'chai'
import { PolledValues } from '../../../runner/engines/bigquery/polled.js'
import { manualClock } from '../../cache/manual-clock.js'

describe('polled values', () => {
  it('are asked for again soon where that has failed, however long they are kept', async () => {
    const clock = manualClock()
    const polled = new PolledValues<string>({ clock, keepMs: 600_000, onFailure: () => undefined })
    let answers = ['one', null, 'two']
    const ask = async (): Promise<string> => {
      const [answer, ...others] = answers
      answers = others
      if (answer === null) throw new Error('socket hang up')
      return answer!
    }
    expect(await polled.learn('key', ask)).to.equal('one')
    await clock.advance(600_000)
    expect(await polled.learn('key', ask)).to.equal(null)
    expect(await polled.learn('key', ask)).to.equal(null)
    await clock.advance(5_000)
    expect(await polled.learn('key', ask)).to.equal('two')
  })

  it('are not asked for at once where the failure itself has taken long', async () => {
    const clock = manualClock()
    const polled = new PolledValues<string>({ clock, keepMs: 600_000, onFailure: () => undefined })
    let asked = 0
    const ask = async (): Promise<string> => {
      asked += 1
      await clock.advance(10_000)
      throw new Error('no answer')
    }
    expect(await polled.learn('key', ask)).to.equal(null)
    expect(await polled.learn('key', ask)).to.equal(null)
    expect(asked).to.equal(1)
  })

  it('are as old as the time that has passed, whatever the clock on the wall says', async () => {
    const clock = manualClock()
    const moved = { ...clock, nowMs: () => clock.nowMs() - 3_600_000 }
    let wall = clock
    const polled = new PolledValues<number>({
      clock: { ...clock, nowMs: () => wall.nowMs() },
      keepMs: 10_000,
      onFailure: () => undefined,
    })
    let asked = 0
    const ask = async (): Promise<number> => ++asked
    expect(await polled.learn('key', ask)).to.equal(1)
    wall = moved
    await clock.advance(11_000)
    expect(polled.current('key', ask)).to.equal(null)
  })
})
