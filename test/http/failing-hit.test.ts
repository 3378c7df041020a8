/** What is thrown on the fast path is answered and logged, and does not end the process. */
import { expect } from 'chai'
import { systemClock } from '../../runner/platform/clock.js'
import { serving } from './serving.js'

describe('a hit that fails', () => {
  it('is a 500 that reveals nothing, with the cause in the log', async () => {
    const clock = systemClock()
    let isBroken = false
    const nowMs = (): number => {
      if (!isBroken) return clock.nowMs()
      isBroken = false
      throw new TypeError('the secret of the clock')
    }
    const s = await serving({ clock: { ...clock, nowMs } })
    try {
      await (await s.get('?project=a')).text()
      for (const method of ['GET', 'HEAD']) {
        isBroken = true
        const answer = await s.get('?project=a', { method })
        expect([answer.status, answer.headers.get('Content-Type')]).to.deep.equal([500, 'application/problem+json'])
        const text = await answer.text()
        if (method === 'GET') expect(JSON.parse(text)).to.include({ code: 'INTERNAL', status: 500 })
        expect(text).to.not.include('secret')
        const { status, error } = await s.done(answer.headers.get('X-Request-Id')!)
        expect([status, error?.code]).to.deep.equal([500, 'INTERNAL'])
        const bug = s.events.findLast(event => event.kind === 'bug')
        expect(String(bug?.cause)).to.include('the secret of the clock')
      }
      expect((await s.get('?project=a')).headers.get('Cache-Status')).to.include('hit')
      expect(s.slowPathCalls()).to.equal(1)
    } finally {
      await s.close()
    }
  })
})
