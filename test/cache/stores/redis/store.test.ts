import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { RedisCounters } from '../../../../runner/cache/stores/redis/counters.js'
import { resultStoreContract, storedResult } from '../../../contracts/result-store.js'
import { itInAll } from '../../../sample-size.js'
import { pause, until } from '../../../until.js'
import { isPendingWithoutRedis, openRedisServer, type RedisServer } from './redis-server.js'
import {
  bodyOf,
  closeReplicas,
  failure,
  KEY,
  openReplica as openReplicaAt,
  PREFIX,
  type Replica,
  type ReplicaOptions,
} from './replicas.js'

const CHANGED = 'the value is cut off, was changed, is of another key, or has another SLUICE_REDIS_KEY'

describe('the Redis store', function () {
  this.timeout(600_000)
  if (isPendingWithoutRedis()) return

  let server: RedisServer
  const openReplica = (options: Partial<ReplicaOptions> = {}): Promise<Replica> =>
    openReplicaAt({ url: server.url, ...options })

  before(async () => {
    server = await openRedisServer()
  })
  after(() => server.close())
  beforeEach(() => {
    server.cli('CONFIG', 'SET', 'maxmemory', '0')
    server.cli('FLUSHALL')
  })
  afterEach(closeReplicas)

  resultStoreContract('Redis', async () => (await openReplica()).shared)
  resultStoreContract('tiered', async () => (await openReplica()).tiered)

  it('shows replicas each other’s results', async () => {
    const [a, b] = [await openReplica(), await openReplica()]
    await a.tiered.set(KEY, storedResult('rows'), 60_000)
    await until(async () => (await bodyOf(b.tiered)) === 'rows', 'the result')
    expect(b.memory.get(KEY), 'and remembers them').to.not.equal(undefined)
  })

  it('replaces a result in the memory of another replica by a newer one', async () => {
    const [a, b] = [await openReplica(), await openReplica()]
    const now = Date.now()
    await a.tiered.set(KEY, storedResult('old', now), 60_000)
    await until(async () => (await bodyOf(b.tiered)) === 'old', 'the older result')
    await a.tiered.set(KEY, storedResult('new', now + 1), 60_000)
    await until(async () => (await bodyOf(b.tiered)) === 'new', 'the newer result')
  })

  it('purges in every replica, also in one that was cut off meanwhile', async () => {
    const [a, b] = [await openReplica(), await openReplica()]
    await a.tiered.set('e:1', storedResult(), 60_000)
    await a.tiered.set('f:1', storedResult(), 60_000)
    for (const key of ['e:1', 'f:1']) await until(async () => (await b.tiered.get(key)) !== undefined, key)
    await a.tiered.purge('e:')
    await until(() => b.memory.get('e:1') === undefined, 'the purge')
    expect(b.memory.get('f:1')).to.not.equal(undefined)
    expect(b.purged).to.include('e:')

    server.cli('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await failure(a.tiered.purge('f:'))
    await until(async () => (await failure(a.tiered.purge('f:'))) === 'none', 'a purge once it is back')
    await until(() => b.memory.get('f:1') === undefined, 'the purge that was missed')
  })

  it('keeps installations with different prefixes apart', async () => {
    const [a, b] = [await openReplica(), await openReplica({ prefix: 'other:' })]
    await a.shared.set(KEY, storedResult(), 60_000)
    expect(await b.shared.get(KEY)).to.equal(undefined)
    await b.shared.purge('')
    expect(await a.shared.get(KEY)).to.not.equal(undefined)
  })

  it('keeps all data of one key in one slot of a cluster', async () => {
    const a = await openReplica()
    await a.shared.set(KEY, storedResult(), 60_000)
    const lease = await a.shared.replicas.claim(KEY, '')
    const names = server.cli('KEYS', `*${KEY}*`).split('\n')
    await lease?.release({ kind: 'unknown' })
    expect(names.sort()).to.deep.equal([`${PREFIX}l:{${KEY}}`, `${PREFIX}r8:{${KEY}}`])
  })

  it('leases a key to one replica at a time, and notifies the replicas that wait', async () => {
    const [a, b] = [await openReplica(), await openReplica()]
    const lease = await a.shared.replicas.claim(KEY, '')
    expect(lease).to.not.equal(null)
    expect(await b.shared.replicas.claim(KEY, '')).to.equal(null)
    const failed = {
      kind: 'failed',
      failure: { code: 'QUERY_FAILED', detail: 'The query failed', errors: [] },
    } as const
    const told = b.shared.replicas.outcome(KEY, new AbortController().signal)
    await lease?.release(failed)
    expect(await told).to.deep.equal(failed)
    const next = await b.shared.replicas.claim(KEY, '')
    expect(next).to.not.equal(null)
    const stored = a.shared.replicas.outcome(KEY, new AbortController().signal)
    await b.shared.set(KEY, storedResult(), 60_000)
    expect(await stored).to.deep.equal({ kind: 'stored' })
    await next?.release({ kind: 'stored' })
  })

  itInAll(
    'waits for another replica no longer than it should, however often garbage is collected meanwhile',
    async () => {
      setFlagsFromString('--expose-gc')
      const collect = runInNewContext('gc') as () => void
      const replica = await openReplica()
      const waiting = Array.from({ length: 100 }, () =>
        replica.shared.replicas.outcome(KEY, new AbortController().signal),
      )
      for (let i = 0; i < 10; i++) {
        collect()
        await pause(10)
      }
      const late = pause(5_000).then(() => 'waits still')
      expect(await Promise.race([Promise.all(waiting), late])).to.deep.equal(waiting.map(() => ({ kind: 'unknown' })))
    },
  )

  it('releases a lease when its owner is gone', async () => {
    const [a, b] = [await openReplica(), await openReplica()]
    await a.shared.replicas.claim(KEY, '')
    await a.link.close() // Without the connection the lease is not renewed any more.
    const began = Date.now()
    await until(async () => (await b.shared.replicas.claim(KEY, '')) !== null, 'the lease')
    expect(Date.now() - began).to.be.lessThan(60_000)
  })

  it('learns of a released lease once it is connected again', async () => {
    const [a, b] = [await openReplica({ commandMs: 40 }), await openReplica()]
    let lease = await a.shared.replicas.claim(KEY, '').catch(() => null)
    await until(async () => {
      lease ??= await a.shared.replicas.claim(KEY, '')
      return lease !== null
    }, 'the lease')
    server.freeze()
    void lease?.release({ kind: 'unknown' })
    await pause(200)
    server.thaw()
    await until(async () => (await b.shared.replicas.claim(KEY, '')) !== null, 'the lease')
  })

  it('keeps a lease for as long as its owner works', async () => {
    const [a, b] = [await openReplica(), await openReplica()]
    const lease = await a.shared.replicas.claim(KEY, '')
    await pause(3_600)
    expect(await b.shared.replicas.claim(KEY, '')).to.equal(null)
    await lease?.release({ kind: 'unknown' })
    expect(await b.shared.replicas.claim(KEY, '')).to.not.equal(null)
  })

  const NONSENSE: readonly (readonly [what: string, command: readonly string[], message: string])[] = [
    ['a value of another type', ['LPUSH', 'KEY', 'x'], 'none'],
    ['text of another program', ['SET', 'KEY', 'hello'], 'the value is not one of ours'],
    [
      'a value that is cut off',
      ['EVAL', "redis.call('SET', KEYS[1], string.sub(redis.call('GET', KEYS[1]), 1, -3))", '1', 'KEY'],
      CHANGED,
    ],
    [
      'a value that is cut off in its head',
      ['EVAL', "redis.call('SET', KEYS[1], string.sub(redis.call('GET', KEYS[1]), 1, 60))", '1', 'KEY'],
      'the value is not one of ours',
    ],
    ['a value with another body', ['SETRANGE', 'KEY', '300', 'x'], CHANGED],
  ]
  for (const [what, command, message] of NONSENSE) {
    it(`treats ${what} as a failure, and overwrites it`, async () => {
      const { shared } = await openReplica()
      const key = `${PREFIX}r8:{${KEY}}`
      if (command[0] !== 'LPUSH') await shared.set(KEY, storedResult('rows'), 60_000)
      server.cli(...command.map(word => (word === 'KEY' ? key : word)))
      expect(await failure(shared.get(KEY))).to.equal(message)
      await shared.set(KEY, storedResult('again'), 60_000)
      expect(await bodyOf(shared)).to.equal('again')
    })
  }

  it('ignores a value stored under another key', async () => {
    const { shared } = await openReplica()
    await shared.set(KEY, storedResult(), 60_000)
    server.cli('RENAME', `${PREFIX}r8:{${KEY}}`, `${PREFIX}r8:{other}`)
    expect(await failure(shared.get('other'))).to.equal(CHANGED)
  })

  it('answers from memory, and reports it, while Redis is full', async () => {
    const { tiered, shared, store, marks, events } = await openReplica()
    const purges = await marks(KEY)
    server.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
    server.cli('CONFIG', 'SET', 'maxmemory', '1')
    expect(await store.set(KEY, storedResult('rows'), 60_000, purges)).to.equal(true)
    expect(await bodyOf(tiered)).to.equal('rows')
    await until(() => events.length > 0, 'the failure')
    expect(events.map(event => event.kind)).to.deep.equal(['store.failed'])
    expect(await failure(shared.set(KEY, storedResult(), 60_000))).to.equal('Redis refused SET: it is full (OOM)')
  })

  for (const [what, stop, start] of [
    ['hangs', () => server.freeze(), () => server.thaw()],
    ['is killed', () => server.kill(), () => server.start()],
  ] as const) {
    it(`fails at once while Redis ${what}, and is used again when it is back`, async () => {
      const { shared } = await openReplica({ commandMs: 40 })
      await until(async () => (await failure(shared.set(KEY, storedResult(), 60_000))) === 'none', 'a result')
      await stop()
      const first = Date.now()
      expect(await failure(shared.get(KEY))).to.match(/^Redis (does not answer|cannot be used: .*)$/)
      expect(Date.now() - first, 'the first who asks').to.be.lessThan(4_000) // The timeout is 40 ms; the rest is for a busy machine.
      const began = Date.now()
      for (let i = 0; i < 100; i += 1) await failure(shared.get(KEY))
      expect(Date.now() - began, 'a hundred more').to.be.lessThan(4_000) // what waiting 40 ms each would take
      await pause(1_500)
      await start()
      await until(async () => (await failure(shared.get(KEY))) === 'none', 'an answer')
    })
  }

  it('opens without a Redis, and connects later', async () => {
    await server.kill()
    const replica = await openReplica()
    expect(await failure(replica.shared.get(KEY))).to.match(/^Redis /)
    await server.start()
    await until(async () => (await failure(replica.shared.get(KEY))) === 'none', 'an answer')
  })

  it('keeps counters for all replicas together, until they expire', async () => {
    const [a, b] = [await openReplica(), await openReplica()]
    const counters = [a, b].map(({ link }) => new RedisCounters(link, PREFIX))
    expect(await counters[0]?.add('billed', 5, 300)).to.equal(5)
    expect(await counters[1]?.add('billed', 2 ** 40, 300)).to.equal(2 ** 40 + 5)
    await until(() => server.cli('EXISTS', `${PREFIX}n:{billed}`) === '0', 'its end')
    expect(await counters[0]?.add('billed', 1, 300)).to.equal(1)
  })
})
