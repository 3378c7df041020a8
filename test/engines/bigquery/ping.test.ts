import { expect } from 'chai'
import { openTestEngine, type TestEngine } from './open-test-engine.js'

describe('a ping of BigQuery', () => {
  let test: TestEngine
  beforeEach(async () => {
    let now = 0
    const timers = new Set<{ readonly at: number; readonly callback: () => void }>()
    advance = ms => {
      now += ms
      for (const timer of timers) if (timer.at <= now && timers.delete(timer)) timer.callback()
    }
    const after = (ms: number, callback: () => void): (() => void) => {
      const timer = { at: now + ms, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    }
    const clock = { nowMs: Date.now, nowMicros: () => 0n, ticksMs: () => now, after }
    test = await openTestEngine({ clock })
  })
  afterEach(() => test.close())
  let advance: (ms: number) => void

  const ping = (): Promise<string> =>
    test.engine.ping().then(
      () => 'ready',
      () => 'not ready',
    )

  it('is sent once in five seconds, however many callers ask', async () => {
    expect(await Promise.all([ping(), ping(), ping()])).to.deep.equal(['ready', 'ready', 'ready'])
    advance(4_999)
    expect(await ping()).to.equal('ready')
    expect(test.fake.exchanges.length).to.equal(1)
    advance(1)
    expect(await ping()).to.equal('ready')
    expect(test.fake.exchanges.length).to.equal(2)
  })

  it('is not sent sooner after a refusal', async () => {
    test.fake.fault = () => ({ status: 403, reason: 'quotaExceeded' })
    expect([await ping(), await ping()]).to.deep.equal(['not ready', 'not ready'])
    expect(test.fake.exchanges.length).to.equal(1)
    test.fake.fault = () => undefined
    advance(5_000)
    expect(await ping()).to.equal('ready')
  })
})
