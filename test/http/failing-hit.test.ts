/** What is thrown on the fast path is logged, does not end the process, and the app answers. */
import { expect } from 'chai'
import { systemClock } from '../../runner/platform/clock.js'
import { serving } from './serving.js'

describe('a hit that fails', () => {
  it('is answered by the app, with the cause in the log', async () => {
    const clock = systemClock()
    let faults = 0
    const nowMs = (): number => {
      if (faults === 0) return clock.nowMs()
      faults -= 1
      throw new TypeError('the secret of the clock')
    }
    const s = await serving({ clock: { ...clock, nowMs } })
    try {
      await (await s.get('?project=a')).text()
      for (const method of ['GET', 'HEAD']) {
        faults = 1
        const answer = await s.get('?project=a', { method })
        expect([answer.status, answer.headers.get('Cache-Status')?.includes('hit')]).to.deep.equal([200, true])
        expect((await answer.text()).length > 0).to.equal(method === 'GET')
        expect((await s.done(answer.headers.get('X-Request-Id')!)).status).to.equal(200)
        const bug = s.events.findLast(event => event.kind === 'bug')
        expect(String(bug?.cause)).to.include('the secret of the clock')
      }
      expect((await s.get('?project=a')).headers.get('Cache-Status')).to.include('hit')
      expect(s.slowPathCalls()).to.equal(3)
    } finally {
      await s.close()
    }
  })

  it('is a 500 that reveals nothing where the app fails too', async () => {
    const clock = systemClock()
    let isBroken = false
    const nowMs = (): number => {
      if (isBroken) throw new TypeError('the secret of the clock')
      return clock.nowMs()
    }
    const s = await serving({ clock: { ...clock, nowMs } })
    try {
      await (await s.get('?project=a')).text()
      isBroken = true
      const answer = await s.get('?project=a')
      isBroken = false
      expect([answer.status, answer.headers.get('Content-Type')]).to.deep.equal([500, 'application/problem+json'])
      const text = await answer.text()
      expect(JSON.parse(text)).to.include({ code: 'INTERNAL', status: 500 })
      expect(text).to.not.include('secret')
    } finally {
      await s.close()
    }
  })
})
