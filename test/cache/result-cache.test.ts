import { expect } from 'chai'
import type { CacheRequest } from '../../runner/cache/request.js'
import { MemoryStore } from '../../runner/cache/stores/memory.js'
import { RunnerError } from '../../runner/model/errors.js'
import {
  answered,
  type Bench,
  bench,
  ENGINE_DOWN,
  POLICY,
  policyWith,
  set,
  TTL_MS,
  text,
  WARM_MS,
} from './cache-bench.js'
import { settle } from './manual-clock.js'

describe('a call through the result cache', () => {
  it('runs the query once and then gives hits until the ttl ends', async () => {
    const b = bench()
    expect(await answered(b)).to.include({ outcome: 'miss', isStored: true })
    await b.clock.advance(TTL_MS - 1)
    const hit = await b.ask()
    expect([text(hit), hit.outcome, hit.isStored, hit.runMs]).to.deep.equal(['run 1', 'hit', false, null])
    await b.clock.advance(1)
    expect(text(await answered(b))).to.equal('run 2')
  })

  it('runs once for twenty concurrent callers', async () => {
    const b = bench()
    const asked = Array.from({ length: 20 }, () => b.ask())
    await b.finish()
    const outcomes = (await Promise.all(asked)).map(answer => answer.outcome)
    expect(b.runs()).to.equal(1)
    expect(outcomes.sort()).to.deep.equal([...Array.from({ length: 19 }, () => 'coalesced'), 'miss'])
  })

  it('starts the query again once for all callers of a token when the token of the first caller may run none', async () => {
    for (const code of ['OVERLOADED', 'BUDGET_EXCEEDED'] as const) {
      const b = bench()
      const ask = (token: string) => b.ask({ token }).then(text, (error: RunnerError) => error.code)
      const asked = [ask('a'), ask('a'), ask('b'), ask('b')]
      await b.finish(new RunnerError(code))
      expect(b.runs(), 'one more for each token').to.equal(3)
      await b.finish()
      expect(await Promise.all(asked)).to.deep.equal([code, 'run 3', 'run 3', 'run 3'])
      expect(b.runs()).to.equal(3)
    }
  })

  it('tells a run the tokens of the calls that join it, before and while it runs', async () => {
    const b = bench()
    const asked = [b.ask({ token: 'a' }), b.ask({ token: 'b' }), b.ask({ token: 'a' })]
    await settle()
    const [waiters] = b.waiters
    expect([...waiters!.tokens]).to.deep.equal(['a', 'b'])
    let joined = 0
    waiters!.onJoin = () => joined++
    asked.push(b.ask({ token: 'b' }), b.ask({ token: 'c' }))
    await b.finish()
    await Promise.all(asked)
    expect([b.runs(), joined, [...waiters!.tokens]]).to.deep.equal([1, 1, ['a', 'b', 'c']])
  })

  it('counts a call while it waits for a run, and no hit', async () => {
    const b = bench()
    let waiting = 0
    const beginWait = () => {
      waiting += 1
      return () => {
        waiting -= 1
      }
    }
    const asked = [b.ask({ beginWait }), b.ask({ beginWait }), b.ask({ beginWait }).catch(() => {})]
    await settle()
    expect(waiting).to.equal(3)
    await b.finish()
    await Promise.all(asked)
    expect(waiting).to.equal(0)
    const refuse = () => {
      throw new RunnerError('RATE_LIMITED')
    }
    expect((await b.ask({ beginWait: refuse })).outcome).to.equal('hit')
    const refused = await b.ask({ key: 'other', beginWait: refuse }).catch((error: RunnerError) => error.code)
    expect([refused, b.runs()]).to.deep.equal(['RATE_LIMITED', 1])
  })

  it('keeps keys apart', async () => {
    const b = bench()
    const asked = [b.ask({ key: 'a' }), b.ask({ key: 'b' })]
    await b.finish()
    await Promise.all(asked)
    expect(b.runs()).to.equal(2)
  })

  it('does not store an error, and gives it to every waiting caller', async () => {
    const b = bench()
    const asked = [b.ask(), b.ask()]
    const settled = Promise.allSettled(asked)
    await b.finish(ENGINE_DOWN)
    expect((await settled).map(one => one.status)).to.deep.equal(['rejected', 'rejected'])
    expect(await answered(b)).to.include({ outcome: 'miss' })
    expect(b.runs()).to.equal(2)
  })

  it('goes on for the others when one caller leaves', async () => {
    const b = bench()
    const leaving = new AbortController()
    const left = b.ask({ signal: leaving.signal }).catch((error: RunnerError) => error.code)
    const stays = b.ask()
    await settle()
    leaving.abort()
    expect(await left).to.equal('CALL_ABANDONED')
    expect(b.signals[0]?.aborted).to.equal(false)
    await b.finish()
    expect(text(await stays)).to.equal('run 1')
  })

  it('cancels when the last caller leaves, and no caller joins a run that is being cancelled', async () => {
    const b = bench()
    const leaving = [new AbortController(), new AbortController()]
    const left = leaving.map(({ signal }) => b.ask({ signal }).catch((error: RunnerError) => error.code))
    await settle()
    leaving[0]?.abort()
    expect(b.signals[0]?.aborted).to.equal(false)
    leaving[1]?.abort()
    expect(b.signals[0]?.aborted).to.equal(true)
    expect(await Promise.all(left)).to.deep.equal(['CALL_ABANDONED', 'CALL_ABANDONED'])
    expect(text(await answered(b))).to.equal('run 2')
  })

  it('does not run for a caller who has left already', async () => {
    const b = bench()
    const code = await b.ask({ signal: AbortSignal.abort() }).catch((error: RunnerError) => error.code)
    expect([code, b.runs()]).to.deep.equal(['CALL_ABANDONED', 0])
  })
})

describe('the result cache', () => {
  it('reports a result that did not fit', async () => {
    const b = bench(new MemoryStore({ maxBytes: 10 }))
    expect(await answered(b)).to.include({ outcome: 'miss', isStored: false })
  })

  it('serves an old result while the engine fails, as long as the manifest allows', async () => {
    const policy = policyWith({ staleIfErrorMs: 60_000 })
    const b = bench()
    await answered(b, { policy })
    await b.clock.advance(TTL_MS + 59_999)
    const stale = b.ask({ policy })
    await b.finish(ENGINE_DOWN)
    expect([text(await stale), (await stale).outcome]).to.deep.equal(['run 1', 'stale'])
    await b.clock.advance(1)
    const failed = b.ask({ policy }).catch((error: RunnerError) => error.code)
    await b.finish(ENGINE_DOWN)
    expect(await failed).to.equal('ENGINE_UNAVAILABLE')
  })

  it('serves no old result for a mistake in the call', async () => {
    const policy = policyWith({ staleIfErrorMs: 60_000 })
    const b = bench()
    await answered(b, { policy })
    await b.clock.advance(TTL_MS)
    const failed = b.ask({ policy }).catch((error: RunnerError) => error.code)
    await b.finish(new RunnerError('ARGUMENT_INVALID'))
    expect(await failed).to.equal('ARGUMENT_INVALID')
  })

  it('counts the age of a result from the moment its query began', async () => {
    const b = bench()
    const asked = b.ask()
    await settle()
    await b.clock.advance(1_000)
    await b.finish()
    const { result, runMs } = await asked
    expect([b.clock.nowMs() - result.storedAt, result.freshUntil - result.storedAt, runMs]).to.deep.equal([
      1_000,
      TTL_MS,
      1_000,
    ])
  })

  it('gives equal bytes the same ETag, and other bytes another one', async () => {
    const b = bench()
    const tags = [
      (await answered(b, { key: 'a', run: async () => set('x') })).result.etag,
      (await answered(b, { key: 'b', run: async () => set('x') })).result.etag,
      (await answered(b, { key: 'c', run: async () => set('y') })).result.etag,
    ]
    expect(tags[0]).to.match(/^"[\w-]+"$/)
    expect(tags[1]).to.equal(tags[0])
    expect(new Set(tags).size).to.equal(2)
  })
})

describe('warming', () => {
  const policy = policyWith({ warmMs: WARM_MS })
  const run = (b: Bench) => () => {
    counts.set(b, (counts.get(b) ?? 0) + 1)
    return Promise.resolve(set(`warm ${counts.get(b)}`))
  }
  const counts = new WeakMap<Bench, number>()

  it('queries an entry in use again every warm_seconds, so that it is always a hit and never old', async () => {
    const b = bench()
    await b.ask({ policy, run: run(b) })
    for (let minutes = 0; minutes < 60; minutes += 2) {
      await b.clock.advance(120_000)
      const answer = await b.ask({ policy, run: run(b) })
      expect(answer.outcome).to.equal('hit')
      expect(b.clock.nowMs() - answer.result.storedAt).to.be.at.most(WARM_MS)
    }
    expect(counts.get(b)).to.equal(13) // the first call, and a refresh every five minutes of the hour
  })

  it('stops for an entry that no caller asks for', async () => {
    const b = bench()
    await b.ask({ policy, run: run(b) })
    await b.clock.advance(24 * 3_600_000)
    expect(counts.get(b)).to.equal(3) // two refreshes within the ttl of the only call
    expect(b.clock.pending()).to.equal(0)
  })

  it('does not begin with a call that fails', async () => {
    const b = bench()
    await b.ask({ policy, run: () => Promise.reject(ENGINE_DOWN) }).catch(() => {})
    expect(b.clock.pending()).to.equal(0)
  })

  it('keeps the old result when a refresh fails, reports it, and tries again', async () => {
    const b = bench()
    let fails = false
    const flaky = () => (fails ? Promise.reject(ENGINE_DOWN) : run(b)())
    await b.ask({ policy, run: flaky })
    fails = true
    await b.clock.advance(WARM_MS)
    expect(b.events.map(event => event.kind)).to.deep.equal(['cache.warm-failed'])
    expect(text(await b.ask({ policy, run: flaky }))).to.equal('warm 1')
    fails = false
    await b.clock.advance(WARM_MS)
    expect(text(await b.ask({ policy, run: flaky }))).to.equal('warm 2')
  })

  it('stops for an endpoint that has been changed', async () => {
    const b = bench()
    let isCurrent = true
    await b.ask({ policy, run: run(b), isCurrent: () => isCurrent })
    isCurrent = false
    await b.clock.advance(WARM_MS)
    expect([counts.get(b), b.clock.pending()]).to.deep.equal([1, 0])
  })

  it('ends at once for forgotten endpoints, also for entries that wait or are being refreshed', async () => {
    const b = bench()
    const keys = ['a:1', 'b:1', 'b:2', 'b:3', 'c:1']
    for (const key of keys) {
      await answered(b, { key, policy })
      await b.clock.advance(1)
    }
    const before = b.runs()
    await b.clock.advance(WARM_MS + 1_000)
    expect(b.runs() - before, 'a:1 and b:1 run, the others wait').to.equal(2)
    b.cache.forget(['b'])
    await b.finish()
    await b.finish()
    expect(b.runs() - before, 'and c:1').to.equal(3)
    await b.clock.advance(WARM_MS + 1_000)
    await b.finish()
    expect(b.runs() - before, 'a:1 and c:1 again').to.equal(5)
  })

  it('refreshes two entries at a time and the others after them', async () => {
    const b = bench()
    for (const key of ['a', 'b', 'c', 'd', 'e']) await answered(b, { key, policy })
    const before = b.runs()
    await b.clock.advance(WARM_MS)
    expect(b.runs() - before).to.equal(2)
    await b.finish()
    expect(b.runs() - before).to.equal(4)
    await b.finish()
    expect(b.runs() - before).to.equal(5)
  })

  it('stops, refreshes in progress too, when the cache is closed', async () => {
    const b = bench()
    await answered(b, { policy })
    await b.clock.advance(WARM_MS)
    b.cache.close()
    await settle()
    expect(b.signals.at(-1)?.aborted).to.equal(true)
    expect(b.clock.pending()).to.equal(0)
    expect(b.events.filter(event => event.kind === 'cache.warm-failed')).to.deep.equal([])
  })
})

describe('an endpoint that is changed while its query runs', () => {
  it('gives the result to its callers, and does not keep it', async () => {
    const b = bench()
    let isCurrent = true
    const policy = policyWith({ warmMs: WARM_MS })
    const asked = b.ask({ policy, isCurrent: () => isCurrent })
    await settle()
    isCurrent = false
    await b.finish()
    expect(await asked).to.include({ outcome: 'miss', isStored: false })
    expect(b.clock.pending(), 'it is not kept warm').to.equal(0)
    expect(await answered(b, { policy })).to.include({ outcome: 'miss' })
  })

  it('is not refused because of the query that it had before', async () => {
    const b = bench()
    let isCurrent = true
    const refused = b.ask({ isCurrent: () => isCurrent }).catch((error: RunnerError) => error.code)
    await settle()
    isCurrent = false
    await b.finish(new RunnerError('ARGUMENT_INVALID'))
    expect(await refused).to.equal('ARGUMENT_INVALID')
    expect(await answered(b)).to.include({ outcome: 'miss' })
  })

  it('runs the query again for arguments that were refused before it was forgotten', async () => {
    const b = bench()
    for (const key of ['a:1', 'b:1']) {
      const refused = b.ask({ key }).catch((error: RunnerError) => error.code)
      await b.finish(new RunnerError('ARGUMENT_INVALID'))
      expect(await refused).to.equal('ARGUMENT_INVALID')
    }
    b.cache.forget(['a'])
    expect(await answered(b, { key: 'a:1' })).to.include({ outcome: 'miss' })
    expect(await b.ask({ key: 'b:1' }).catch((error: RunnerError) => error.code)).to.equal('ARGUMENT_INVALID')
  })
})

describe('the entry of a request', () => {
  it('is its fresh result in memory, and no other', async () => {
    const b = bench()
    await answered(b)
    const request = { key: 'k', policy: POLICY } as unknown as CacheRequest
    expect(b.cache.entry(request)).to.equal((await b.ask()).result)
    await b.clock.advance(TTL_MS)
    expect(b.cache.entry(request)).to.equal(undefined)
  })
})
