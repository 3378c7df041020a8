import { expect } from 'chai'
import type { PurgeMarks } from '../../../../runner/model/ports.js'
import { storedResult } from '../../../contracts/result-store.js'
import { pause, until } from '../../../until.js'
import { isPendingWithoutRedis } from './redis-server.js'
import { bodyOf, closeReplicas, failure, KEY, openReplica, PREFIX, type Replica, sharedRedis } from './replicas.js'

const ENDPOINT = KEY.slice(0, KEY.indexOf(':') + 1)

describe('purges that replicas share in Redis', function () {
  this.timeout(600_000)
  if (isPendingWithoutRedis()) return

  const redis = sharedRedis()

  /** Stores a result that reaches Redis `ms` later, as one whose query began before. */
  async function storeLate({ store, marks }: Replica, key: string, ms: number): Promise<string> {
    let purges: PurgeMarks = []
    // A replica that waits for 40 ms alone may get no answer on a busy machine.
    await until(async () => {
      purges = await marks(key).catch(() => [])
      return purges.length > 0
    }, 'the marks')
    redis.line.delay(ms, 0)
    await store.set(key, storedResult('old'), 60_000, purges)
    await pause(50) // It is on its way.
    redis.line.delay(0, 0)
    return `${PREFIX}r8:{${key}}`
  }
  const isInRedis = (name: string) => until(() => redis.server.cli('EXISTS', name) === '1', 'it is there')

  it('apply to a result that reaches Redis after them, also when no caller waits for it any more', async () => {
    for (const [commandMs, purged] of [
      [2_000, ''],
      [40, ENDPOINT],
      [40, ''],
    ] as const) {
      redis.server.cli('FLUSHALL')
      const a = await openReplica({ url: redis.line.url, commandMs })
      const b = await openReplica({ url: redis.server.url })
      const name = await storeLate(a, KEY, 400)
      await b.tiered.purge(purged)
      await isInRedis(name)
      const c = await openReplica({ url: redis.server.url })
      for (const [name, replica] of Object.entries({ b, c })) {
        expect(await replica.tiered.get(KEY), name).to.equal(undefined)
      }
      await until(() => a.memory.get(KEY) === undefined, 'the purge')
      await until(async () => (await failure(a.shared.get(KEY))) === 'none', 'an answer')
      expect(await a.tiered.get(KEY), 'a').to.equal(undefined)
      await c.shared.set(KEY, storedResult('new'), 60_000)
      for (const [name, replica] of Object.entries({ a, b, c })) {
        expect(await bodyOf(replica.shared), name).to.equal('new')
      }
      await closeReplicas()
    }
  })

  it('of a tenant or an endpoint apply to its keys alone, also to those that reach Redis after them', async () => {
    const [a, b] = [await openReplica({ url: redis.line.url }), await openReplica({ url: redis.server.url })]
    for (const key of ['e:t:1', 'e:u:1', 'f:t:1']) await a.tiered.set(key, storedResult(key), 60_000)
    for (const key of ['e:t:1', 'e:u:1', 'f:t:1'])
      await until(async () => (await b.tiered.get(key)) !== undefined, `${key} is in Redis`)
    const name = await storeLate(a, 'e:t:2', 300)
    await b.tiered.purge('e:t:')
    await isInRedis(name)
    await until(() => a.memory.get('e:t:1') === undefined, 'the other replica has forgotten')
    const c = await openReplica({ url: redis.server.url })
    for (const replica of [a, b, c]) {
      for (const key of ['e:t:1', 'e:t:2']) expect(await replica.tiered.get(key)).to.equal(undefined)
      for (const key of ['e:u:1', 'f:t:1']) expect(await bodyOf(replica.tiered, key)).to.equal(key)
    }
    await b.tiered.purge('e:')
    await until(async () => (await a.tiered.get('e:u:1')) === undefined, 'a purge of the endpoint')
    expect(await bodyOf(a.tiered, 'f:t:1')).to.equal('f:t:1')
  })

  it('of partitions apply to results whole, and add to the parts of kept rows, however late these are stored', async () => {
    const [a, b] = [await openReplica({ url: redis.line.url }), await openReplica({ url: redis.server.url })]
    const kept = (parts: string) => ({ ...storedResult(), kept: { spans: [], parts } })
    const partsIn = async ({ tiered }: Replica, key: string) => (await tiered.get(key))?.kept?.parts
    const all = async (key: string) =>
      Promise.all([a, b, await openReplica({ url: redis.server.url })].map(r => partsIn(r, key)))
    for (const key of ['e:t:+1', 'f:t:+1']) await a.tiered.set(key, kept(key === 'e:t:+1' ? 'p' : ''), 60_000)
    await a.tiered.set('e:t:1', storedResult('rows'), 60_000)
    for (const key of ['e:t:+1', 'f:t:+1', 'e:t:1'])
      await until(async () => (await b.tiered.get(key)) !== undefined, key)
    const purges = await a.marks('e:t:+2')
    await b.tiered.purge('e:', 'x.1.2')
    await until(() => a.memory.get('e:t:1') === undefined, 'the purge')
    for (const { tiered } of [a, b]) expect(await tiered.get('e:t:1')).to.equal(undefined)
    await a.store.set('e:t:+2', kept(''), 60_000, purges)
    await a.shared.set('f:t:+2', kept(''), 60_000)
    await b.tiered.purge('e:', 'x.3.4')
    await until(async () => (await partsIn(a, 'e:t:+1')) === 'p,x.1.2,x.3.4', 'both purges')
    expect(await all('e:t:+1')).to.deep.equal(['p,x.1.2,x.3.4', 'p,x.1.2,x.3.4', 'p,x.1.2,x.3.4'])
    expect((await all('e:t:+2'))[2]).to.equal('x.1.2,x.3.4')
    expect(await all('f:t:+1')).to.deep.equal(['', '', ''])
    // What Redis has lost, or what becomes too long, drops kept rows whole.
    redis.server.cli('DEL', `${PREFIX}p:{e:*}`)
    expect((await all('e:t:+1'))[2]).to.equal(undefined)
    await a.shared.set('e:t:+3', kept('p'), 60_000)
    for (let i = 0; i < 200; i++) await b.shared.purge('e:', `x.${i}.${i}`)
    expect((await all('e:t:+3'))[2]).to.equal(undefined)
    expect((await all('f:t:+1'))[2]).to.equal('')
  })

  it('apply to what was stored before when Redis has lost their marks', async () => {
    const a = await openReplica({ url: redis.line.url })
    const b = await openReplica({ url: redis.server.url })
    await b.shared.set('e:1', storedResult('before'), 60_000)
    const name = await storeLate(a, KEY, 400)
    await b.tiered.purge(ENDPOINT)
    redis.server.cli('DEL', `${PREFIX}p:{}`, `${PREFIX}p:{${ENDPOINT}}`)
    await isInRedis(name)
    const c = await openReplica({ url: redis.server.url })
    for (const [name, replica] of Object.entries({ b, c })) {
      for (const key of [KEY, 'e:1']) expect(await replica.shared.get(key), name).to.equal(undefined)
    }
    // All replicas share the results stored from now on, including replicas that were open before.
    await c.shared.set('e:1', storedResult('of c'), 60_000)
    for (const [name, replica] of Object.entries({ a, b })) {
      expect(await bodyOf(replica.shared, 'e:1'), name).to.equal('of c')
    }
  })

  it('apply to a run that began before them, and whose replica was cut off meanwhile', async () => {
    const a = await openReplica({ url: redis.line.url, commandMs: 40 })
    await a.store.set(KEY, storedResult('old'), 60_000)
    const b = await openReplica({ url: redis.server.url })
    redis.line.hold()
    await failure(a.shared.get('e:1'))
    await b.tiered.purge(ENDPOINT)
    expect(a.memory.get(KEY), 'it cannot know').to.not.equal(undefined)
    await pause(1_500) // The connection is given up.
    redis.line.release()
    await until(() => a.memory.get(KEY) === undefined, 'it is connected again')
    expect(a.purged).to.include('')
  })

  it('apply to a result that is being read from Redis', async () => {
    const [a, b] = [await openReplica({ url: redis.line.url }), await openReplica({ url: redis.server.url })]
    await b.shared.set(KEY, storedResult('old'), 60_000)
    await a.tiered.get('e:1')
    redis.line.hold()
    const read = a.tiered.get(KEY)
    await pause(100) // Redis has answered
    await b.tiered.purge('')
    await pause(100)
    redis.line.release() // The answer and the purges arrive in one piece.
    expect(await read).to.equal(undefined)
    await pause(50)
    expect(a.memory.get(KEY)).to.equal(undefined)
  })

  it('fail while Redis is away, so that the caller knows', async () => {
    const a = await openReplica({ url: redis.line.url, commandMs: 40 })
    redis.line.hold()
    expect(await failure(a.tiered.purge('e:'))).to.equal('Redis does not answer')
    redis.line.release()
    await until(async () => (await failure(a.tiered.purge('e:'))) === 'none', 'a purge')
  })
})
