import { expect } from 'chai'
import { openRedisCounters } from '../../runner/stores/redis-counters.js'
import { storedResult } from '../contracts/result-store.js'
import { bodyOf, closeReplicas, failure, KEY, openReplica, PREFIX, pause, until } from './redis-replicas.js'
import { isPendingWithoutRedis, openRedisCluster, openRedisServer, type RedisServer } from './redis-server.js'
import { type Line, openLine } from './slow-line.js'

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
