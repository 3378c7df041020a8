import { expect } from 'chai'
import { storedResult } from '../../../contracts/result-store.js'
import { pause, until } from '../../../until.js'
import { isPendingWithoutRedis } from './redis-server.js'
import { bodyOf, failure, KEY, openReplica, PREFIX, sharedRedis } from './replicas.js'

const ENDPOINT = KEY.slice(0, KEY.indexOf(':') + 1)

describe('purges that replicas share in Redis', function () {
  this.timeout(600_000)
  if (isPendingWithoutRedis()) return

  const redis = sharedRedis()

  it('apply to a result that reaches Redis after them', async () => {
    const [a, b] = [await openReplica({ url: redis.line.url }), await openReplica({ url: redis.server.url })]
    redis.line.delay(300, 0)
    const stored = a.tiered.set(KEY, storedResult('old'), 60_000)
    await b.tiered.purge('')
    redis.line.delay(0, 0)
    await stored
    await a.tiered.close() // `close` waits for the writes that are under way.
    expect(redis.server.cli('EXISTS', `${PREFIX}r:{${KEY}}`)).to.equal('0')
    expect(a.memory.get(KEY)).to.equal(undefined)
  })

  it('apply to a result that reaches Redis after them when no caller waits for it any more', async () => {
    const a = await openReplica({ url: redis.line.url, commandMs: 40 })
    const b = await openReplica({ url: redis.server.url })
    await until(async () => (await failure(a.shared.get(KEY))) === 'none', 'an answer')
    redis.line.delay(400, 0)
    expect(await failure(a.shared.set(KEY, storedResult('old'), 60_000))).to.equal('Redis does not answer')
    await b.tiered.purge(ENDPOINT)
    redis.line.delay(0, 0)
    await until(() => redis.server.cli('EXISTS', `${PREFIX}r:{${KEY}}`) === '1', 'it is there')
    const c = await openReplica({ url: redis.server.url })
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

  it('of a tenant apply to its keys alone, also to those that reach Redis after them', async () => {
    const [a, b] = [await openReplica({ url: redis.line.url }), await openReplica({ url: redis.server.url })]
    await a.tiered.set('e:t:1', storedResult('old'), 60_000)
    await a.tiered.set('e:u:1', storedResult('kept'), 60_000)
    await until(async () => (await b.tiered.get('e:u:1')) !== undefined, 'the other tenant is in Redis')
    redis.line.delay(300, 0)
    const stored = a.tiered.set('e:t:2', storedResult('late'), 60_000)
    await b.tiered.purge('e:t:')
    redis.line.delay(0, 0)
    await stored
    await until(() => a.memory.get('e:t:1') === undefined, 'the other replica has forgotten')
    const c = await openReplica({ url: redis.server.url })
    for (const replica of [a, b, c]) {
      await until(async () => (await replica.tiered.get('e:t:2')) === undefined, 'the late one is not served')
      expect(await replica.tiered.get('e:t:1')).to.equal(undefined)
      expect(await bodyOf(replica.shared, 'e:u:1')).to.equal('kept')
    }
    await b.tiered.purge('e:')
    await until(async () => (await a.tiered.get('e:u:1')) === undefined, 'a purge of the endpoint')
  })

  it('of everything apply to every key, of an endpoint only to its keys', async () => {
    const [a, b] = [
      await openReplica({ url: redis.line.url, commandMs: 40 }),
      await openReplica({ url: redis.server.url }),
    ]
    const late = async (key: string): Promise<void> => {
      // After an answer that was late, nothing is sent for a while.
      await until(async () => (await failure(a.shared.get(key))) === 'none', 'an answer')
      redis.line.delay(300, 0)
      expect(await failure(a.shared.set(key, storedResult(key), 60_000))).to.equal('Redis does not answer')
      redis.line.delay(0, 0)
    }
    await late('e:1')
    await b.tiered.purge('f:')
    await until(async () => (await bodyOf(b.shared, 'e:1')) === 'e:1', 'a late result of another endpoint')
    await late('e:2')
    await b.tiered.purge('')
    await until(() => redis.server.cli('EXISTS', `${PREFIX}r:{e:2}`) === '1', 'it is there')
    expect(await b.shared.get('e:2')).to.equal(undefined)
  })

  it('continue their numbers when Redis has lost them', async () => {
    const [a, b] = [await openReplica({ url: redis.server.url }), await openReplica({ url: redis.server.url })]
    await a.tiered.purge(ENDPOINT)
    await until(() => b.purged.length === 1, 'the purge')
    redis.server.cli('DEL', `${PREFIX}purges`)
    const c = await openReplica({ url: redis.server.url })
    // c does not know of the purge, so b treats c's first result as one stored before the purge.
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

  it('apply to a late result even after Redis has lost them, for later callers', async () => {
    const a = await openReplica({ url: redis.line.url, commandMs: 40 })
    const b = await openReplica({ url: redis.server.url })
    const late = async (): Promise<void> => {
      await until(async () => (await failure(a.shared.get(KEY))) === 'none', 'an answer')
      redis.line.delay(400, 0)
      expect(await failure(a.shared.set(KEY, storedResult('old'), 60_000))).to.equal('Redis does not answer')
    }
    await late()
    await b.tiered.purge(ENDPOINT)
    redis.server.cli('DEL', `${PREFIX}purges`)
    redis.line.delay(0, 0)
    await until(() => redis.server.cli('EXISTS', `${PREFIX}r:{${KEY}}`) === '1', 'it is there')
    const c = await openReplica({ url: redis.server.url })
    expect(await c.tiered.get(KEY)).to.equal(undefined)

    // All replicas share the results stored from now on, including replicas that were open before.
    await c.shared.set('e:1', storedResult('of c'), 60_000)
    for (const [name, replica] of Object.entries({ b, c })) {
      expect(await bodyOf(replica.shared, 'e:1'), name).to.equal('of c')
    }
    await b.shared.set('e:2', storedResult('of b'), 60_000)
    expect(await bodyOf(c.shared, 'e:2')).to.equal('of b')
    expect(await bodyOf((await openReplica({ url: redis.server.url })).shared, 'e:2'), 'the log stands').to.equal(
      'of b',
    )
  })

  it('go on where another program has written a key of another type', async () => {
    redis.server.cli('SET', `${PREFIX}purges`, 'x')
    const a = await openReplica({ url: redis.server.url })
    await until(() => redis.server.cli('TYPE', `${PREFIX}purges`) === 'hash', 'the log')
    redis.server.cli('SET', `${PREFIX}purges`, 'x')
    await a.tiered.purge(ENDPOINT)
    const b = await openReplica({ url: redis.server.url })
    await until(() => b.purged.includes(ENDPOINT), 'the purge')
  })

  it('are read every minute, so that a full Redis evicts other keys first', async () => {
    const { shared } = await openReplica({ url: redis.server.url, minuteMs: 20 })
    await shared.set(KEY, storedResult('before'), 60_000)
    redis.server.cli('DEL', `${PREFIX}purges`)
    await until(() => redis.server.cli('EXISTS', `${PREFIX}purges`) === '1', 'the log')
    await until(async () => (await shared.get(KEY)) === undefined, 'that it is another log')
    await shared.set(KEY, storedResult('behind'), 60_000)
    expect(await bodyOf((await openReplica({ url: redis.server.url })).shared)).to.equal('behind')
  })

  it('apply to a result that is being read from Redis', async () => {
    const [a, b] = [await openReplica({ url: redis.line.url }), await openReplica({ url: redis.server.url })]
    await b.shared.set(KEY, storedResult('old'), 60_000)
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

  it('apply to results that a replica made before it first reached Redis', async () => {
    const a = await openReplica({ url: redis.server.url })
    await a.tiered.purge('e:')
    const b = await openReplica({ url: redis.server.url })
    await until(() => b.purged.includes('e:'), 'the purge')
  })

  it('are requested again when Redis did not answer', async () => {
    const a = await openReplica({ url: redis.server.url })
    await a.tiered.purge('e:')
    // b connects, but Redis refuses it the list of purges.
    redis.server.cli('ACL', 'SETUSER', 'default', '-hgetall')
    const b = await openReplica({ url: redis.server.url })
    await pause(100)
    expect(b.purged).to.deep.equal([])
    redis.server.cli('ACL', 'SETUSER', 'default', '+hgetall')
    await until(() => b.purged.includes('e:'), 'the purge')
  })

  it('fail while Redis is away, so that the caller knows', async () => {
    const a = await openReplica({ url: redis.line.url, commandMs: 40 })
    redis.line.hold()
    expect(await failure(a.tiered.purge('e:'))).to.equal('Redis does not answer')
    redis.line.release()
    await until(async () => (await failure(a.tiered.purge('e:'))) === 'none', 'a purge')
  })
})
