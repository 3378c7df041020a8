import { expect } from 'chai'
import { type CacheAnswer, createResultCache } from '../../runner/cache/result-cache.js'
import { systemClock } from '../../runner/clock.js'
import type { CachePolicy } from '../../runner/model/endpoint.js'
import { RunnerError } from '../../runner/model/errors.js'
import type { Event, Observer } from '../../runner/model/events.js'
import type { StoredResult } from '../../runner/model/ports.js'
import { openRedisCounters } from '../../runner/stores/redis-counters.js'
import { policyWith, set } from '../cache/cache-bench.js'
import { storedResult } from '../contracts/result-store.js'
import {
  bodyOf,
  closeReplicas,
  failure,
  KEY,
  openReplica,
  PREFIX,
  pause,
  type Replica,
  until,
} from './redis-replicas.js'
import { isPendingWithoutRedis, openRedisCluster, openRedisServer, type RedisServer } from './redis-server.js'
import { type Line, openLine } from './slow-line.js'

const ENDPOINT = KEY.slice(0, KEY.indexOf(':') + 1)

/** Calls of one key through a cache of this replica. */
function cacheOver(
  { tiered }: Replica,
  policy: Partial<CachePolicy> = {},
  run = async () => set('rows'),
  { timeoutMs = 30_000, observe = () => {} }: { timeoutMs?: number; observe?: Observer } = {},
): { ask(): Promise<CacheAnswer>; runs(): number } {
  const cache = createResultCache({ store: tiered, clock: systemClock(), observe, random: Math.random })
  let runs = 0
  const request = {
    key: KEY,
    endpoint: 'e',
    format: 'json',
    policy: policyWith(policy),
    timeoutMs,
    run: () => {
      runs += 1
      return run()
    },
    isCurrent: () => true,
  } as const
  return { ask: () => cache.through(request, new AbortController().signal), runs: () => runs }
}

describe('what replicas share in Redis', function () {
  this.timeout(20_000)
  if (isPendingWithoutRedis()) return

  let server: RedisServer
  let line: Line

  before(async () => {
    server = await openRedisServer()
    line = await openLine(server.port)
  })
  after(async () => {
    await line.close()
    await server.close()
  })
  beforeEach(() => server.cli('FLUSHALL'))
  afterEach(closeReplicas)

  describe('purges', () => {
    it('concern a result that reaches Redis behind them', async () => {
      const [a, b] = [await openReplica({ url: line.url }), await openReplica({ url: server.url })]
      line.delay(300, 0)
      const stored = a.tiered.set(KEY, storedResult('old'), 60_000)
      await b.tiered.purge('')
      line.delay(0, 0)
      await stored
      await a.tiered.close() // which waits for what is on its way
      expect(server.cli('EXISTS', `${PREFIX}r:{${KEY}}`)).to.equal('0')
      expect(a.memory.get(KEY)).to.equal(undefined)
    })

    it('concern one that reaches Redis behind them when nobody waits for that any more', async () => {
      const a = await openReplica({ url: line.url, commandMs: 40 })
      const b = await openReplica({ url: server.url })
      line.delay(400, 0)
      expect(await failure(a.shared.set(KEY, storedResult('old'), 60_000))).to.equal('Redis does not answer')
      await b.tiered.purge(ENDPOINT)
      line.delay(0, 0)
      await until(() => server.cli('EXISTS', `${PREFIX}r:{${KEY}}`) === '1', 'it is there')
      const c = await openReplica({ url: server.url })
      for (const [name, replica] of Object.entries({ b, c })) {
        expect(await replica.tiered.get(KEY), name).to.equal(undefined)
      }
      await until(async () => (await failure(a.shared.get(KEY))) === 'none', 'an answer')
      expect(await a.tiered.get(KEY), 'a').to.equal(undefined)
      await c.shared.set(KEY, storedResult('new'), 60_000)
      for (const [name, replica] of Object.entries({ a, b, c })) {
        expect(await bodyOf(replica.shared), name).to.equal('new')
      }
    })

    it('of everything concern every key, of an endpoint only its own', async () => {
      const [a, b] = [await openReplica({ url: line.url, commandMs: 40 }), await openReplica({ url: server.url })]
      const late = async (key: string): Promise<void> => {
        line.delay(300, 0)
        expect(await failure(a.shared.set(key, storedResult(key), 60_000))).to.equal('Redis does not answer')
        line.delay(0, 0)
      }
      await late('e:1')
      await b.tiered.purge('f:')
      await until(async () => (await bodyOf(b.shared, 'e:1')) === 'e:1', 'a late result of another endpoint')
      await until(async () => (await failure(a.shared.get('e:2'))) === 'none', 'an answer')
      await late('e:2')
      await b.tiered.purge('')
      await until(() => server.cli('EXISTS', `${PREFIX}r:{e:2}`) === '1', 'it is there')
      expect(await b.shared.get('e:2')).to.equal(undefined)
    })

    it('count on when Redis has lost their numbers', async () => {
      const [a, b] = [await openReplica({ url: server.url }), await openReplica({ url: server.url })]
      const told: string[] = []
      b.tiered.replicas?.onPurge(prefix => void told.push(prefix))
      await a.tiered.purge(ENDPOINT)
      await until(() => told.length === 1, 'the purge')
      server.cli('DEL', `${PREFIX}purges`)
      const c = await openReplica({ url: server.url })
      // It knows of no purge, so that its first result is taken for one from before.
      await c.shared.set(KEY, storedResult('of c'), 60_000)
      expect(await b.shared.get(KEY)).to.equal(undefined)
      await b.shared.set(KEY, storedResult('of b'), 60_000)
      expect(await bodyOf(c.tiered)).to.equal('')
      expect(await bodyOf(c.tiered), 'and by now it knows').to.equal('of b')
      await c.shared.set(KEY, storedResult('of c'), 60_000)
      expect(await bodyOf(b.shared)).to.equal('of c')
      await c.tiered.purge(ENDPOINT)
      expect([await b.shared.get(KEY), await a.shared.get(KEY)]).to.deep.equal([undefined, undefined])
      await b.shared.set(KEY, storedResult('again'), 60_000)
      expect(await bodyOf(c.shared)).to.equal('again')
    })

    it('concern a result that is being read from Redis', async () => {
      const [a, b] = [await openReplica({ url: line.url }), await openReplica({ url: server.url })]
      await b.shared.set(KEY, storedResult('old'), 60_000)
      line.hold()
      const read = a.tiered.get(KEY)
      await pause(100) // Redis has answered
      await b.tiered.purge('')
      await pause(100)
      line.release() // the answer and the purges in one piece
      expect(await read).to.equal(undefined)
      await pause(50)
      expect(a.memory.get(KEY)).to.equal(undefined)
    })

    it('concern what a replica made before it ever found Redis', async () => {
      const a = await openReplica({ url: server.url })
      await a.tiered.purge('e:')
      const b = await openReplica({ url: server.url })
      const told: string[] = []
      b.tiered.replicas?.onPurge(prefix => void told.push(prefix))
      await until(() => told.includes('e:'), 'the purge')
    })

    it('are asked for again when Redis did not answer', async () => {
      const a = await openReplica({ url: server.url })
      await a.tiered.purge('e:')
      // It connects, but is refused the list of purges.
      server.cli('ACL', 'SETUSER', 'default', '-hgetall')
      const b = await openReplica({ url: server.url })
      const told: string[] = []
      b.tiered.replicas?.onPurge(prefix => void told.push(prefix))
      await pause(100)
      expect(told).to.deep.equal([])
      server.cli('ACL', 'SETUSER', 'default', '+hgetall')
      await until(() => told.includes('e:'), 'the purge')
    })

    it('fail while Redis is away, so that whoever asked knows', async () => {
      const a = await openReplica({ url: line.url, commandMs: 40 })
      line.hold()
      expect(await failure(a.tiered.purge('e:'))).to.equal('Redis does not answer')
      line.release()
      await until(async () => (await failure(a.tiered.purge('e:'))) === 'none', 'a purge')
    })
  })

  describe('a key that nothing is known of', () => {
    it('is claimed where nothing is stored, and found where something is, in one go', async () => {
      const [a, b] = [await openReplica({ url: server.url }), await openReplica({ url: server.url })]
      const claim = (replica: Replica) => replica.tiered.replicas!.claimUnlessStored(KEY)
      const lease = await claim(a)
      expect(lease).to.be.an('object')
      expect(await claim(b)).to.equal(null)
      await b.shared.set(KEY, storedResult(), 60_000)
      expect(await claim(b)).to.equal('stored')
      if (lease !== null && lease !== 'stored') await lease.release({ kind: 'stored' })
      expect(await claim(b)).to.equal('stored')
      await b.shared.delete(KEY)
      expect(await claim(b)).to.be.an('object')
    })

    it('is claimed and found without scripts where those are refused', async () => {
      server.cli('ACL', 'SETUSER', 'default', '-eval')
      try {
        const [a, b] = [await openReplica({ url: server.url }), await openReplica({ url: server.url })]
        expect(await a.tiered.replicas!.claimUnlessStored(KEY)).to.be.an('object')
        expect(await b.tiered.replicas!.claimUnlessStored(KEY)).to.equal(null)
        await a.shared.set(KEY, storedResult(), 60_000)
        const refused = Number(/cmdstat_eval:.*rejected_calls=(\d+)/.exec(server.cli('INFO', 'commandstats'))?.[1])
        for (let i = 0; i < 3; i += 1) expect(await b.tiered.replicas!.claimUnlessStored(KEY)).to.equal('stored')
        const again = Number(/cmdstat_eval:.*rejected_calls=(\d+)/.exec(server.cli('INFO', 'commandstats'))?.[1])
        expect(again, 'scripts are not tried again each time').to.equal(refused)
      } finally {
        server.cli('ACL', 'SETUSER', 'default', '+eval')
      }
    })

    for (const [what, prepare, asked] of [
      ['asks Redis once before its query runs', async () => {}, { body: 'rows', outcome: 'miss' }],
      [
        'is found in Redis by asking once',
        (other: Replica) => other.shared.set(KEY, storedResult('of another'), 60_000),
        { body: 'of another', outcome: 'hit' },
      ],
    ] as const) {
      it(what, async () => {
        // Whoever asks a second time waits until this test has failed.
        const a = await openReplica({ url: line.url, commandMs: 60_000 })
        const b = await openReplica({ url: server.url })
        await prepare(b)
        const cache = cacheOver(a)
        line.hold()
        const calls = Promise.all(Array.from({ length: 3 }, () => cache.ask()))
        await pause(100)
        line.release()
        line.hold()
        const answers = await calls
        line.release()
        expect(answers.map(({ result }) => Buffer.from(result.body).toString())).to.deep.equal(
          Array(3).fill(asked.body),
        )
        expect(answers[0]!.outcome).to.equal(asked.outcome)
        expect(cache.runs()).to.equal(asked.outcome === 'miss' ? 1 : 0)
      })
    }

    it('is served from Redis while a new result is made, if its time is over but not for long', async () => {
      const [a, b] = [await openReplica({ url: server.url }), await openReplica({ url: server.url })]
      const now = Date.now()
      await b.shared.set(KEY, { ...storedResult('old', now - 2_000), freshUntil: now - 1_000 }, 60_000)
      const cache = cacheOver(a, { staleWhileRevalidateMs: 60_000 })
      const answers = await Promise.all([cache.ask(), cache.ask()])
      expect(answers.map(({ outcome }) => outcome)).to.deep.equal(['stale', 'stale'])
      await until(async () => (await cache.ask()).outcome === 'hit', 'the new result')
      expect(cache.runs()).to.equal(1)
    })

    it('is served from Redis, though its time is over, when the query fails', async () => {
      const [a, b] = [await openReplica({ url: server.url }), await openReplica({ url: server.url })]
      const now = Date.now()
      await b.shared.set(KEY, { ...storedResult('old', now - 2_000), freshUntil: now - 1_000 }, 60_000)
      const failing = async (): Promise<never> => {
        throw new RunnerError('ENGINE_UNAVAILABLE')
      }
      const cache = cacheOver(a, { staleIfErrorMs: 60_000 }, failing)
      const answer = await cache.ask()
      expect([answer.outcome, Buffer.from(answer.result.body).toString()]).to.deep.equal(['stale', 'old'])
      expect(await failure(cacheOver(a, {}, failing).ask())).to.not.equal('none')
    })

    it('is not kept in memory when its endpoint is changed while it is read', async () => {
      const [a, b] = [await openReplica({ url: line.url }), await openReplica({ url: server.url })]
      await b.shared.set(KEY, storedResult('rows'), 60_000)
      line.hold()
      const read = a.tiered.get(KEY)
      await pause(100)
      a.tiered.forget?.(['e'])
      line.release()
      expect(Buffer.from((await read)?.body ?? []).toString()).to.equal('rows')
      expect(a.memory.get(KEY)).to.equal(undefined)
      expect(await bodyOf(b.shared), 'other replicas may still serve it').to.equal('rows')
    })
  })

  describe('a result that comes late', () => {
    it('does not take the place of one whose query began later, in Redis or in memory', async () => {
      const [a, b] = [await openReplica({ url: server.url }), await openReplica({ url: server.url })]
      const now = Date.now()
      await b.tiered.set(KEY, storedResult('new', now), 60_000)
      await until(async () => (await bodyOf(b.shared)) === 'new', 'the newer result')
      await a.tiered.set(KEY, storedResult('old', now - 1_000), 60_000)
      await until(() => Buffer.from((a.memory.get(KEY) as StoredResult).body).toString() === 'new', 'the newer one')
      expect([await bodyOf(b.shared), await bodyOf(b.tiered)]).to.deep.equal(['new', 'new'])
      expect(await a.shared.set(KEY, storedResult('old', now - 1_000), 60_000)).to.equal(false)
    })

    it('does not where scripts are refused either', async () => {
      server.cli('ACL', 'SETUSER', 'default', '-eval')
      try {
        const { shared } = await openReplica({ url: server.url })
        const now = Date.now()
        expect(await shared.set(KEY, storedResult('new', now), 60_000)).to.equal(true)
        expect(await shared.set(KEY, storedResult('old', now - 1_000), 60_000)).to.equal(false)
        expect(await bodyOf(shared)).to.equal('new')
        expect(await shared.set(KEY, storedResult('newer', now + 1), 60_000)).to.equal(true)
        expect(await bodyOf(shared)).to.equal('newer')
      } finally {
        server.cli('ACL', 'SETUSER', 'default', '+eval')
      }
    })

    it('does where the other is from a time that is yet to come', async () => {
      const { shared } = await openReplica({ url: server.url })
      await shared.set(KEY, storedResult('of a wrong clock', Date.now() + 3_600_000), 60_000)
      expect(await shared.set(KEY, storedResult('rows'), 60_000)).to.equal(true)
      expect(await bodyOf(shared)).to.equal('rows')
    })
  })

  describe('a key that somebody else has claimed for ever', () => {
    for (const [what, command] of [
      ['without an end', ['SET', 'x']],
      ['with something of another type', ['RPUSH', 'x']],
    ] as const) {
      it(`${what} is waited for as long as its query may take, and then run, with a word about it`, async () => {
        const a = await openReplica({ url: server.url })
        server.cli(command[0], `${PREFIX}l:{${KEY}}`, command[1])
        const events: Event[] = []
        const cache = cacheOver(a, {}, undefined, { timeoutMs: 500, observe: event => void events.push(event) })
        const answers = await Promise.all([cache.ask(), cache.ask()])
        expect(answers.map(({ outcome }) => outcome)).to.deep.equal(['miss', 'coalesced'])
        expect(cache.runs()).to.equal(1)
        expect(events.map(event => event.kind === 'store.failed' && event.operation)).to.deep.equal(['wait'])
        expect((await cache.ask()).outcome).to.equal('hit')
      })
    }
  })

  describe('clocks that differ by ten seconds', () => {
    for (const aheadMs of [10_000, -10_000]) {
      it(`do not make results ${aheadMs > 0 ? 'older' : 'younger'}`, async () => {
        const [a, b] = [await openReplica({ url: server.url }), await openReplica({ url: server.url, aheadMs })]
        expect(Math.abs(b.link.aheadMs('any') + aheadMs)).to.be.lessThan(400)
        expect(a.link.aheadMs('any')).to.equal(0)
        const now = Date.now()
        await a.shared.set(KEY, { ...storedResult('rows', now), freshUntil: now + 5_000 }, 5_000)
        const found = await b.tiered.get(KEY)
        // By its own clock, on which it is later or earlier.
        expect(Math.abs((found?.storedAt ?? 0) - (now + aheadMs))).to.be.lessThan(400)
        expect((found?.freshUntil ?? 0) - (found?.storedAt ?? 0)).to.equal(5_000)
        expect((await a.tiered.get(KEY))?.storedAt).to.equal(now)
      })
    }

    it('keep no result longer, and hide none that is newer', async () => {
      const [a, b] = [await openReplica({ url: server.url }), await openReplica({ url: server.url, aheadMs: 10_000 })]
      await b.shared.set('e:1', storedResult('rows', Date.now() + 10_000), 500)
      expect(await bodyOf(a.tiered, 'e:1')).to.equal('rows')
      await pause(600)
      expect(a.memory.get('e:1')).to.equal(undefined)

      const now = Date.now()
      await b.tiered.set('e:2', storedResult('old', now + 10_000), 60_000)
      await until(async () => (await bodyOf(a.tiered, 'e:2')) === 'old', 'the older result')
      await a.tiered.set('e:2', storedResult('new', now + 1_500), 60_000)
      await until(async () => (await bodyOf(b.tiered, 'e:2')) === 'new', 'the newer result')
    })
  })

  it('is what one node of a cluster takes, with every command', async () => {
    const cluster = await openRedisCluster()
    try {
      const [a, b] = [await openReplica({ url: cluster.url }), await openReplica({ url: cluster.url })]
      for (const key of ['e:1', 'f:1']) await a.shared.set(key, storedResult(key), 60_000)
      expect(await bodyOf(b.tiered, 'e:1')).to.equal('e:1')
      const lease = await a.shared.replicas.claim('e:1')
      expect(await b.shared.replicas.claim('e:1')).to.equal(null)
      await pause(1_200) // it is renewed meanwhile
      await lease?.release({ kind: 'unknown' })
      expect(await b.shared.replicas.claim('e:1')).to.not.equal(null)
      expect(await openRedisCounters(a.link, PREFIX).add('billed', 5, 60_000)).to.equal(5)
      await b.tiered.purge('e:')
      await until(() => a.memory.get('e:1') === undefined, 'the purge')
      expect([await a.shared.get('e:1'), await bodyOf(a.shared, 'f:1')]).to.deep.equal([undefined, 'f:1'])
      expect([...a.events, ...b.events]).to.deep.equal([])
      expect(cluster.cli('INFO', 'errorstats')).to.not.match(/CROSSSLOT|ERR|MOVED/)
    } finally {
      await closeReplicas()
      await cluster.close()
    }
  })
})
