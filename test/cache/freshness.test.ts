import { expect } from 'chai'
import type { CacheRequest } from '../../runner/cache/request.js'
import { RunnerError } from '../../runner/model/errors.js'
import {
  answered,
  type Bench,
  bench,
  ENGINE_DOWN,
  memoryStore,
  policyWith,
  set,
  TTL_MS,
  text,
  UNBOUNDED,
  WARM_MS,
} from './cache-bench.js'
import { settle } from './manual-clock.js'

const counting = () => {
  let runs = 0
  const run = async () => {
    runs += 1
    return set(`run ${runs}`)
  }
  return { runs: () => runs, run }
}

describe('warming spreads its load', () => {
  const policy = policyWith({ warmMs: WARM_MS })

  it('refreshes entries that were made together at different times, none of them late', async () => {
    let draws = 0
    const random = (): number => {
      draws += 1
      return (draws / 10) % 1
    }
    const b = bench(memoryStore(), random)
    const began = b.clock.nowMs()
    const times: number[] = []
    for (const key of ['a', 'b', 'c', 'd', 'e']) {
      const run = async () => {
        times.push(b.clock.nowMs() - began)
        return set(key)
      }
      await b.ask({ key, policy, run })
    }
    times.length = 0
    await b.clock.advance(WARM_MS)
    expect(new Set(times).size).to.equal(5)
    expect(Math.max(...times)).to.be.at.most(WARM_MS)
    expect(Math.min(...times)).to.be.at.least(0.9 * WARM_MS)
  })

  it('retries failed refreshes soon and then less and less often, until the ttl after the last call', async () => {
    const b = bench()
    let fails = false
    const times: number[] = []
    const flaky = async () => {
      times.push(b.clock.nowMs())
      if (fails) throw ENGINE_DOWN
      return set('rows')
    }
    await b.ask({ policy, run: flaky })
    fails = true
    await b.clock.advance(TTL_MS * 2)
    const seconds = times.slice(1).map(at => (at - times[0]!) / 1_000)
    expect(seconds).to.deep.equal([300, 305, 315, 335, 375, 455, 615])
    expect(b.events.filter(event => event.kind === 'cache.warm-failed').length).to.equal(seconds.length)
    expect(b.clock.pending()).to.equal(0)
  })

  it('counts from the time at which the result was made, also by another replica', async () => {
    const store = memoryStore()
    const [a, b] = [bench(store), bench(store)]
    const { run, runs } = counting()
    await a.ask({ policy, run })
    a.cache.close()
    await b.clock.advance(200_000)
    expect((await b.ask({ policy, run })).outcome).to.equal('hit')
    await b.clock.advance(99_999)
    expect(runs()).to.equal(1)
    await b.clock.advance(1)
    expect(runs()).to.equal(2)
  })
})

describe('warming of an entry that another replica or a caller has refreshed', () => {
  const policy = policyWith({ warmMs: WARM_MS })
  const request = (run: CacheRequest['run']): CacheRequest => ({
    ...{ key: 'k', endpoint: 'e', timeoutMs: 30_000, ...UNBOUNDED },
    policy,
    run,
    isCurrent: () => true,
  })
  const signal = new AbortController().signal

  it('waits until the refreshed result is old enough', async () => {
    const b = bench(memoryStore())
    const { run, runs } = counting()
    await b.ask({ policy, run })
    await b.clock.advance(WARM_MS - 1_000)
    await b.cache.renew(request(run), signal)
    await b.clock.advance(WARM_MS - 1)
    expect(runs(), 'the call and the demand').to.equal(2)
    await b.clock.advance(1)
    expect(runs()).to.equal(3)
  })

  it('begins anew after a failure', async () => {
    const b = bench(memoryStore())
    const { run, runs } = counting()
    let fails = false
    const flaky: CacheRequest['run'] = () => (fails ? Promise.reject(ENGINE_DOWN) : run())
    await b.ask({ policy, run: flaky })
    fails = true
    await b.clock.advance(WARM_MS + 1_000)
    fails = false
    await b.cache.renew(request(flaky), signal)
    await b.clock.advance(WARM_MS - 1)
    expect(runs()).to.equal(2)
    await b.clock.advance(1)
    expect(runs()).to.equal(3)
  })
})

describe('a request for a fresh result', () => {
  const signal = new AbortController().signal
  const demand = (b: Bench, policy = policyWith({}), run = async () => set('new')) =>
    b.cache.renew(
      { key: 'k', endpoint: 'e', policy, timeoutMs: 30_000, ...UNBOUNDED, run, isCurrent: () => true },
      signal,
    )

  it('gets the stored one where the query fails and the manifest lets an old one stand in', async () => {
    const policy = policyWith({ staleIfErrorMs: 60_000 })
    const b = bench()
    const down = () => Promise.reject(ENGINE_DOWN)
    await answered(b, { policy })
    const fresh = await demand(b, policy, down)
    expect([text(fresh), fresh.outcome, fresh.isStored]).to.deep.equal(['run 1', 'stale', false])
    await b.clock.advance(TTL_MS + 59_999)
    expect((await demand(b, policy, down)).outcome).to.equal('stale')
    await b.clock.advance(1)
    const code = await demand(b, policy, down).catch((error: RunnerError) => error.code)
    expect(code).to.equal('ENGINE_UNAVAILABLE')
  })

  it('gets the error where the manifest allows no old result, or where the call is at fault', async () => {
    const b = bench()
    await answered(b)
    const codes = await Promise.all([
      demand(b, policyWith({}), () => Promise.reject(ENGINE_DOWN)).catch((error: RunnerError) => error.code),
      demand(b, policyWith({ staleIfErrorMs: 60_000 }), () =>
        Promise.reject(new RunnerError('ARGUMENT_INVALID')),
      ).catch((error: RunnerError) => error.code),
    ])
    expect(codes).to.deep.equal(['ENGINE_UNAVAILABLE', 'ARGUMENT_INVALID'])
  })

  it('is not overwritten by a run that began before it and ends after it', async () => {
    const b = bench(memoryStore())
    const slow = b.ask()
    await settle()
    await b.clock.advance(1)
    expect(await demand(b)).to.include({ outcome: 'fresh', isStored: true })
    await b.finish()
    expect([text(await slow), (await slow).isStored]).to.deep.equal(['run 1', false])
    const next = await b.ask()
    expect([next.outcome, text(next)]).to.deep.equal(['hit', 'new'])
  })
})

describe('an old result while a new one is made', () => {
  const policy = policyWith({ staleWhileRevalidateMs: 60_000 })

  it('is served at once, and the new one to the next caller', async () => {
    const b = bench()
    await answered(b, { policy })
    await b.clock.advance(TTL_MS + 59_999)
    const stale = await Promise.all([b.ask({ policy }), b.ask({ policy })])
    expect(stale.map(answer => [answer.outcome, text(answer)])).to.deep.equal([
      ['stale', 'run 1'],
      ['stale', 'run 1'],
    ])
    await b.finish()
    expect(b.runs()).to.equal(2)
    const next = await b.ask({ policy })
    expect([next.outcome, text(next)]).to.deep.equal(['hit', 'run 2'])
  })

  it('is not served any later than the manifest allows', async () => {
    const b = bench()
    await answered(b, { policy })
    await b.clock.advance(TTL_MS + 60_000)
    expect(await answered(b, { policy })).to.include({ outcome: 'miss' })
  })

  it('retries a failing engine less and less often, and reports each failure', async () => {
    const b = bench()
    let fails = false
    let runs = 0
    const run = async () => {
      runs += 1
      if (fails) throw ENGINE_DOWN
      return set('rows')
    }
    const ask = () => b.ask({ policy, run })
    await ask()
    fails = true
    await b.clock.advance(TTL_MS)
    for (let second = 0; second < 40; second += 1) {
      expect((await ask()).outcome).to.equal('stale')
      await b.clock.advance(1_000)
    }
    expect(runs).to.equal(1 + 4) // Refreshes are tried after 0, 5, 15 and 35 seconds.
    expect(b.events.map(event => event.kind)).to.deep.equal(Array.from({ length: 4 }, () => 'cache.warm-failed'))
  })
})

describe('arguments that the engine refuses', () => {
  const REFUSED = new RunnerError('ARGUMENT_INVALID', {
    errors: [{ parameter: 'pattern', detail: 'is not a pattern' }],
  })
  const refusing = (b: Bench, key = 'k') => {
    const run = async () => {
      refusals.set(b, (refusals.get(b) ?? 0) + 1)
      throw REFUSED
    }
    return b.ask({ key, run }).then(
      () => 'answered',
      (error: RunnerError) => error.code,
    )
  }
  const refusals = new WeakMap<Bench, number>()

  it('are refused each time, and the engine is asked once a minute', async () => {
    const b = bench()
    for (let i = 0; i < 5; i += 1) expect(await refusing(b)).to.equal('ARGUMENT_INVALID')
    expect(refusals.get(b)).to.equal(1)
    const { now } = Date
    try {
      Date.now = () => now() + 60_001
      await refusing(b)
    } finally {
      Date.now = now
    }
    expect(refusals.get(b)).to.equal(2)
  })

  it('are remembered in bounded number', async () => {
    const b = bench()
    for (let i = 0; i < 1_001; i += 1) await refusing(b, `k${i}`)
    await refusing(b, 'k1000')
    expect(refusals.get(b)).to.equal(1_001)
    await refusing(b, 'k0')
    expect(refusals.get(b)).to.equal(1_002)
  })

  it('are the only failures that are remembered', async () => {
    const b = bench()
    const failed = b.ask({ run: async () => Promise.reject(ENGINE_DOWN) }).catch((error: RunnerError) => error.code)
    expect(await failed).to.equal('ENGINE_UNAVAILABLE')
    expect((await answered(b)).outcome).to.equal('miss')
  })
})

describe('a result that is kept until its data changes', () => {
  const policy = policyWith({ ttlMs: 365 * 86_400_000, untilDataChanges: true })
  let state: string | null = 'a'
  const options: Partial<CacheRequest> = { policy, dataState: () => state }
  beforeEach(() => {
    state = 'a'
  })

  it('is a hit for as long as the data is the same, and never longer', async () => {
    const b = bench(memoryStore())
    await answered(b, options)
    await b.clock.advance(30 * 86_400_000)
    expect((await b.ask(options)).outcome).to.equal('hit')
    expect(b.cache.entry({ ...(options as CacheRequest), key: 'k' })?.rowCount).to.equal(1)
    state = 'b'
    expect(b.cache.entry({ ...(options as CacheRequest), key: 'k' })).to.equal(undefined)
    expect(text(await answered(b, options))).to.equal('run 2')
    state = 'a'
    expect((await answered(b, options)).outcome).to.equal('miss')
  })

  it('is not shared by calls after the data has changed, or while the state of the data is unknown', async () => {
    const b = bench(memoryStore())
    const before = [b.ask(options), b.ask(options)]
    await settle()
    state = 'b'
    const after = [b.ask(options), b.ask(options)]
    await settle()
    expect(b.runs(), 'one before, one after').to.equal(2)
    state = null
    const untold = [b.ask(options), b.ask(options)]
    await settle()
    expect(b.runs()).to.equal(4)
    await b.finish()
    const outcomes = async (asked: readonly Promise<{ outcome: string }>[]): Promise<readonly string[]> =>
      (await Promise.all(asked)).map(({ outcome }) => outcome)
    expect(await outcomes(before)).to.deep.equal(['miss', 'coalesced'])
    expect(await outcomes(after)).to.deep.equal(['miss', 'coalesced'])
    expect(await outcomes(untold)).to.deep.equal(['miss', 'miss'])
  })

  it('is not stored when the data changed during its query, or when their state is unknown', async () => {
    const b = bench(memoryStore())
    const asked = b.ask(options)
    await settle()
    state = 'b'
    await b.finish()
    expect((await asked).isStored).to.equal(false)
    state = null
    expect((await answered(b, options)).isStored).to.equal(false)
    expect((await answered(b, options)).outcome).to.equal('miss')
  })
})

describe('a purge', () => {
  it('forgets the results of one endpoint', async () => {
    const b = bench(memoryStore())
    for (const key of ['e:1', 'e:2', 'f:1']) await answered(b, { key })
    await b.cache.purge('e:')
    expect((await b.ask({ key: 'f:1' })).outcome).to.equal('hit')
    expect((await answered(b, { key: 'e:1' })).outcome).to.equal('miss')
    await b.cache.purge('')
    expect((await answered(b, { key: 'f:1' })).outcome).to.equal('miss')
  })

  it('lets no later caller share a query that began before it, and the result of that query is not stored', async () => {
    const b = bench(memoryStore())
    const before = b.ask({ key: 'e:1' })
    await settle()
    await b.cache.purge('e:')
    const after = b.ask({ key: 'e:1' })
    await b.finish()
    expect([text(await before), (await before).isStored]).to.deep.equal(['run 2', false])
    expect((await after).outcome).to.equal('miss')
    expect(b.runs()).to.equal(2)
    expect((await b.ask({ key: 'e:1' })).result).to.equal((await after).result)
  })

  it('reports a failure of the store', async () => {
    const store = Object.assign(memoryStore(), { purge: async () => Promise.reject(new RunnerError('INTERNAL')) })
    const failed = await bench(store)
      .cache.purge('e:')
      .catch((error: RunnerError) => error.code)
    expect(failed).to.equal('INTERNAL')
  })
})
