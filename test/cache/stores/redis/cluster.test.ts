import { expect } from 'chai'
import { RedisCounters } from '../../../../runner/cache/stores/redis/counters.js'
import { storedResult } from '../../../contracts/result-store.js'
import { pause, until } from '../../../until.js'
import { callsThrough } from './calls.js'
import { isPendingWithoutRedis, openRedisNodes, type RedisServer } from './redis-server.js'
import { bodyOf, closeReplicas, failure, openReplica, PREFIX } from './replicas.js'

describe('a cluster of Redis', function () {
  this.timeout(600_000)
  if (isPendingWithoutRedis()) return

  const KEYS = Array.from({ length: 30 }, (_, i) => `e:${i}`)
  let nodes: readonly RedisServer[]

  before(async () => {
    nodes = await openRedisNodes(3)
  })
  after(() => Promise.all(nodes.map(node => node.close())))
  beforeEach(() => {
    for (const node of nodes) node.cli('FLUSHALL')
  })
  afterEach(closeReplicas)

  it('is asked for each key at the node that has it, whichever node the address names', async () => {
    const [a, b] = [await openReplica({ url: nodes[0]!.url }), await openReplica({ url: nodes[2]!.url })]
    for (const key of KEYS) await a.shared.set(key, storedResult(key), 60_000)
    for (const key of KEYS) expect(await bodyOf(b.tiered, key)).to.equal(key)
    for (const node of nodes) expect(Number(node.cli('DBSIZE'))).to.be.above(0)
    for (const key of KEYS) {
      const lease = await a.shared.replicas.claim(key, '')
      expect(await b.shared.replicas.claim(key, '')).to.equal(null)
      const told = b.shared.replicas.outcome(key, new AbortController().signal)
      await lease?.release({ kind: 'unknown' })
      expect(await told).to.deep.equal({ kind: 'unknown' })
    }
    for (let day = 1; day < 10; day += 1) {
      expect(await new RedisCounters(a.link, PREFIX).add(`day-${day}`, 5, 60_000)).to.equal(5)
    }
    expect([...a.events, ...b.events, ...a.troubles, ...b.troubles]).to.deep.equal([])
  })

  it('is purged at every node, for every replica', async () => {
    const a = await openReplica({ url: nodes[0]!.url })
    for (const key of [...KEYS, 'f:1']) await a.tiered.set(key, storedResult(key), 60_000)
    await until(async () => (await a.shared.get('f:1')) !== undefined, 'the last')
    // As in `sluice cache purge`, the purge is the first command on its connection.
    const b = await openReplica({ url: nodes[1]!.url })
    await b.shared.purge('e:')
    for (const key of KEYS) expect(await b.shared.get(key), key).to.equal(undefined)
    expect(await bodyOf(b.shared, 'f:1')).to.equal('f:1')
    await until(() => KEYS.every(key => a.memory.get(key) === undefined), 'the purge')
    expect(a.memory.get('f:1')).to.not.equal(undefined)
  })

  it('is a miss while one of its nodes is down or hangs, and used again when it is back', async () => {
    for (const node of nodes) node.cli('CONFIG', 'SET', 'cluster-require-full-coverage', 'no')
    const [a, b] = [await openReplica({ url: nodes[0]!.url, commandMs: 40 }), await openReplica({ url: nodes[1]!.url })]
    const shares = async (): Promise<boolean> => {
      for (const key of KEYS) if ((await failure(a.shared.set(key, storedResult(key), 60_000))) !== 'none') return false
      for (const key of KEYS) if ((await bodyOf(b.shared, key)) !== key) return false
      return true
    }
    const { call } = callsThrough(a.store)
    const calls = async (prefix: string) => {
      for (const key of KEYS) expect((await call(prefix + key)).body).to.equal(`rows of ${prefix}${key}`)
    }
    for (const [stop, start] of [
      [() => nodes[2]!.kill(), () => nodes[2]!.start()],
      [() => nodes[2]!.freeze(), () => nodes[2]!.thaw()],
    ] as const) {
      await until(shares, 'results that are shared')
      await stop()
      await pause(100)
      await calls('e:down-')
      expect(await failure(a.shared.purge('e:')), 'a purge that does not reach everything').to.not.equal('none')
      const late = await openReplica({ url: nodes[0]!.url, commandMs: 40 })
      expect(await failure(late.shared.get('e:1')), 'a replica that starts now').to.match(/^(none|Redis )/)
      await start()
      await until(shares, 'results that are shared again')
      await until(async () => (await failure(a.shared.purge('e:'))) === 'none', 'a purge of all of it')
    }
  })

  it('makes a replica forget its results when a connection was made anew: it may have missed a purge', async () => {
    const a = await openReplica({ url: nodes[0]!.url })
    await a.tiered.set('e:1', storedResult(), 60_000)
    for (const node of nodes) node.cli('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await until(() => a.memory.get('e:1') === undefined, 'that it is forgotten')
  })
})
