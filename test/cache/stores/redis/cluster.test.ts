import { expect } from 'chai'
import { openRedisCounters } from '../../../../runner/cache/stores/redis/counters.js'
import { slotOf } from '../../../../runner/cache/stores/redis/slots.js'
import { storedResult } from '../../../contracts/result-store.js'
import { pause, until } from '../../../until.js'
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

  it('has each key in the slot that our code computes', () => {
    for (const key of ['', 'a', '123456789', `${PREFIX}r:{e:1}`, 'a{}b', 'a{b', '{é}x', '{a}{b}']) {
      expect(String(slotOf(key)), key).to.equal(nodes[0]!.cli('CLUSTER', 'KEYSLOT', key))
    }
  })

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
      expect(await openRedisCounters(a.link, PREFIX).add(`day-${day}`, 5, 60_000)).to.equal(5)
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

  it('stays in use while one of its nodes is down, except for the keys of that node', async () => {
    for (const node of nodes) node.cli('CONFIG', 'SET', 'cluster-require-full-coverage', 'no')
    const a = await openReplica({ url: nodes[0]!.url })
    await nodes[2]!.kill()
    await pause(100)
    const told: string[] = []
    for (const key of KEYS) told.push(await failure(a.shared.set(key, storedResult(key), 60_000)))
    const isOfLast = KEYS.map(key => slotOf(`${PREFIX}r:{${key}}`) >= Math.floor((2 * 16_384) / 3))
    expect(told.map(message => message !== 'none')).to.deep.equal(isOfLast)
    expect(await failure(a.shared.purge('e:')), 'a purge that does not reach everything').to.not.equal('none')
    await nodes[2]!.start()
    await until(async () => (await failure(a.shared.purge('e:'))) === 'none', 'a purge of all of it')
  })
})
