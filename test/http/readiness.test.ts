import { expect } from 'chai'
import { Readiness } from '../../runner/http/readiness.js'
import { manualClock, settle } from '../cache/manual-clock.js'

describe('readiness', () => {
  let clock: ReturnType<typeof manualClock>
  let asked = 0
  let answer: { readonly resolve: () => void; readonly reject: (error: Error) => void }
  let readiness: Readiness

  beforeEach(() => {
    asked = 0
    clock = manualClock()
    readiness = new Readiness(
      {
        ping: () => {
          asked += 1
          return new Promise((resolve, reject) => {
            answer = { resolve, reject }
          })
        },
      },
      clock,
    )
  })

  /** 'waiting' as long as there is no outcome. */
  function outcome(): { current: string } {
    const state = { current: 'waiting' }
    readiness.check().then(
      () => {
        state.current = 'ready'
      },
      error => {
        state.current = error.code
      },
    )
    return state
  }

  it('is given by the answer, for which all wait together', async () => {
    const both = [outcome(), outcome()]
    await settle()
    expect(both.map(({ current }) => current)).to.deep.equal(['waiting', 'waiting'])
    answer.resolve()
    await settle()
    expect(both.map(({ current }) => current)).to.deep.equal(['ready', 'ready'])
    expect([asked, clock.pending()]).to.deep.equal([1, 0])
  })

  it('ends at once when the engine says that it cannot be asked', async () => {
    const state = outcome()
    answer.reject(new Error('its process has ended'))
    await settle()
    expect(state.current).to.equal('NOT_READY')
  })

  it('lasts while a query keeps the engine busy, up to 10 seconds', async () => {
    const state = outcome()
    await clock.advance(1_999)
    expect(state.current).to.equal('waiting')
    await clock.advance(1)
    expect(state.current).to.equal('ready')
    const later = outcome()
    await clock.advance(2_000)
    expect([later.current, asked]).to.deep.equal(['ready', 1])
    const last = outcome()
    await clock.advance(5_999)
    expect(last.current).to.equal('ready')
    const tooLate = outcome()
    await clock.advance(1)
    expect(tooLate.current).to.equal('NOT_READY')
  })

  it('needs an answer again after a failure', async () => {
    outcome()
    await clock.advance(10_000)
    const silent = outcome()
    await clock.advance(2_000)
    expect(silent.current).to.equal('NOT_READY')
    answer.resolve()
    await settle()
    const busy = outcome()
    await clock.advance(2_000)
    expect(busy.current).to.equal('ready')
  })
})
