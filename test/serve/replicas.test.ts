import { appendFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { addToken } from '../../authoring/token/token-writer.js'
import { isPendingWithoutRedis, openRedisServer, type RedisServer } from '../cache/stores/redis/redis-server.js'
import { command } from '../cli/command.js'
import { pause, until } from '../until.js'
import { call, makeFolder, openReplica, purge, queries, type Replica, settingsOf } from './shop.js'

describe('one replica', function () {
  this.timeout(600_000)
  let folder = ''
  let replica: Replica

  before(async () => {
    folder = makeFolder()
    replica = await openReplica(settingsOf(folder, {}))
  })
  after(async () => {
    await replica.server.close()
    await replica.runner.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('keeps a result until the files change from which it was computed, and never longer', async () => {
    expect((await call(replica, 'shop.live')).cache).to.equal('sluice; fwd=miss; stored')
    const hit = await call(replica, 'shop.live')
    expect([hit.rows[0]?.n, hit.cache, hit.response.headers.get('cache-control')]).to.deep.equal([
      2,
      'sluice; hit; ttl=0',
      'private, max-age=0',
    ])
    for (let count = 3; count < 8; count += 1) {
      appendFileSync(join(folder, 'data/shop/orders.ndjson'), '{"name":"c"}\n')
      const fresh = await call(replica, 'shop.live')
      expect([fresh.rows[0]?.n, fresh.cache]).to.deep.equal([count, 'sluice; fwd=miss; stored'])
      expect((await call(replica, 'shop.live')).cache).to.equal('sluice; hit; ttl=0')
    }
    mkdirSync(join(folder, 'data/shop/orders'))
    writeFileSync(join(folder, 'data/shop/orders/more.csv'), 'name\nz\n')
    expect((await call(replica, 'shop.live')).rows[0]?.n).to.equal(8)
    rmSync(join(folder, 'data/shop/orders'), { recursive: true })
    expect((await call(replica, 'shop.live')).rows[0]?.n).to.equal(7)
  })

  it('answers an invalid pattern with 400 each time, and runs the query once', async () => {
    const before = queries(replica)
    for (let i = 0; i < 5; i += 1) expect((await call(replica, 'shop.bad?tag=(')).status).to.equal(400)
    expect(queries(replica) - before).to.equal(1)
  })

  it('purges for a token with the right, also on the command line', async () => {
    const settings = settingsOf(folder, {})
    const allow = ['shop.*']
    const may = await addToken(settings, { name: 'may', allow, purge: true })
    const mayNot = await addToken(settings, { name: 'may-not', allow })
    await call(replica, 'shop.live?tag=p')
    expect((await purge(replica, 'shop.live', mayNot)).status).to.equal(403)
    expect((await purge(replica, 'shop.live', 'unknown')).status).to.equal(401)
    expect((await purge(replica, 'shop.none', may)).status).to.equal(404)
    expect((await call(replica, 'shop.live?tag=p')).cache).to.contain('hit')
    const done = await purge(replica, 'shop.live', may)
    expect([done.status, await done.json()]).to.deep.equal([200, { purged: 'shop.live' }])
    expect((await call(replica, 'shop.live?tag=p')).cache).to.contain('miss')
    const get = await fetch(`${replica.server.url}/api/endpoints/shop.live/purge`, { headers: { 'X-API-KEY': may } })
    expect([get.status, get.headers.get('allow')]).to.deep.equal([405, 'POST, OPTIONS'])

    const url = ['--url', replica.server.url]
    for (const [args, out] of [
      [['shop.live'], /^purged shop\.live\n$/],
      [[], /^purged the \d+ endpoints that the token may call: .*\bshop\.live\b/],
    ] as const) {
      const done = await command(['cache', 'purge', ...args, ...url], { SLUICE_TOKEN: may })
      expect(done.code).to.equal(0)
      expect(done.out).to.match(out)
      expect((await call(replica, 'shop.live?tag=p')).cache).to.contain('miss')
    }
    for (const [table, names] of [
      ['shop.orders', /^purged 5 endpoints: shop\.all, shop\.bad, shop\.live, shop\.slow, shop\.warm\n$/],
      ['any-project.shop.orders', /^purged 5 endpoints/],
    ] as const) {
      const done = await command(['cache', 'purge', '--table', table, ...url], { SLUICE_TOKEN: may })
      expect([done.code, done.err]).to.deep.equal([0, ''])
      expect(done.out).to.match(names)
      expect((await call(replica, 'shop.live?tag=p')).cache).to.contain('miss')
    }
    const none = await command(['cache', 'purge', '--table', 'shop.visits', ...url], { SLUICE_TOKEN: may })
    expect([none.code, none.err]).to.deep.equal([
      1,
      'sluice: nothing was purged: no endpoint that the token may call reads shop.visits\n',
    ])
    expect((await call(replica, 'shop.live?tag=p')).cache).to.contain('hit')
    const over = (token: string): Promise<Response> =>
      fetch(`${replica.server.url}/api/tables/shop.orders/purge`, { method: 'POST', headers: { 'X-API-KEY': token } })
    expect([(await over(mayNot)).status, (await over('unknown')).status]).to.deep.equal([403, 401])
    const refused = await command(['cache', 'purge', 'shop.live', ...url], { SLUICE_TOKEN: mayNot })
    expect([refused.code, refused.err]).to.deep.equal([
      3,
      `sluice: ${replica.server.url} answered 403: The token may not purge results.\n`,
    ])
    expect((await command(['cache', 'purge'])).code).to.equal(2)
    expect((await command(['cache', 'purge', '--table', 'shop.orders'])).code).to.equal(2)
    expect((await command(['cache', 'purge', 'shop.live', '--table', 'shop.orders', ...url])).code).to.equal(2)
  })
})

describe('replicas that share a Redis', function () {
  this.timeout(600_000)
  if (isPendingWithoutRedis()) return

  let folder = ''
  let redis: RedisServer
  let a: Replica
  let b: Replica

  before(async () => {
    folder = makeFolder()
    redis = await openRedisServer()
    const settings = settingsOf(folder, { REDIS_URL: redis.url })
    a = await openReplica(settings)
    b = await openReplica(settings)
  })
  after(async () => {
    for (const { server, runner } of [a, b]) {
      await server.close()
      await runner.close()
    }
    await redis.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const alone = (): number =>
    [a, b].flatMap(({ events }) => events).filter(({ kind }) => kind === 'store.failed').length

  it('run one query for callers of both, and serve the same bytes', async () => {
    const before = queries(a, b)
    const aloneBefore = alone()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => call(i % 2 === 0 ? a : b, 'shop.all?tag=together')),
    )
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]))
    expect(new Set(answers.map(({ response }) => response.headers.get('etag'))).size).to.equal(1)
    // A Redis that is too slow on a busy machine lets each replica run by itself.
    expect(queries(a, b) - before).to.be.within(1, 1 + alone() - aloneBefore)
    expect((await call(b, 'shop.all?tag=together')).cache).to.match(/^sluice; hit/)
  })

  it('share a failure, which is not stored', async () => {
    const before = queries(a, b)
    const answers = await Promise.all([a, b, a, b].map(replica => call(replica, 'shop.bad?tag=(x')))
    expect(answers.map(({ status }) => status)).to.deep.equal([400, 400, 400, 400])
    expect(queries(a, b) - before).to.be.at.most(2)
  })

  it('warm a key once for all replicas', async () => {
    for (const replica of [a, b]) await call(replica, 'shop.warm')
    const before = queries(a, b)
    const began = performance.now()
    while (performance.now() - began < 4_000) {
      for (const replica of [a, b]) {
        const { status, cache } = await call(replica, 'shop.warm')
        expect([status, cache.slice(0, 11)]).to.deep.equal([200, 'sluice; hit'])
      }
      await pause(20)
    }
    // There is one run every 0.9 to 1 second, however many replicas there are, and one that was due at the beginning. When
    // Redis is too slow on a busy machine, each replica runs by itself.
    const seconds = (performance.now() - began) / 1_000
    expect(queries(a, b) - before).to.be.within(2, Math.floor(seconds / 0.9) + 1 + alone())
  })

  it('keep separate results for separate copies of the data, even equal ones', async () => {
    cpSync(join(folder, 'data'), join(folder, 'copy'), { recursive: true, preserveTimestamps: true })
    const settings = settingsOf(folder, { REDIS_URL: redis.url })
    const c = await openReplica({ ...settings, dataDir: join(folder, 'copy') })
    try {
      const caches: string[] = []
      for (let i = 0; i < 3; i += 1) {
        for (const replica of [a, c, b]) caches.push((await call(replica, 'shop.live?tag=copies')).cache)
        await pause(50) // A result that one replica has stored reaches the others.
      }
      expect(caches.map(cache => /miss|hit/.exec(cache)?.[0])).to.deep.equal(['miss', 'miss', ...Array(7).fill('hit')])
    } finally {
      await c.server.close()
      await c.runner.close()
    }
  })

  it('purge in both, from either and from the command line', async () => {
    const path = 'shop.all?tag=purged'
    const isIn = async (replica: Replica): Promise<boolean> => (await call(replica, path)).cache.includes('hit')
    await call(a, path)
    await until(async () => (await isIn(a)) && (await isIn(b)), 'a hit in both')
    const before = queries(a, b)
    expect((await purge(b, 'shop.all')).status).to.equal(200)
    await until(async () => {
      await isIn(a)
      return queries(a, b) > before
    }, 'a miss after the purge')

    await until(async () => (await isIn(a)) && (await isIn(b)), 'a hit')
    const since = queries(a, b)
    const flags = ['--endpoints', join(folder, 'endpoints')]
    expect(await command(['cache', 'purge', 'shop.all', ...flags], { REDIS_URL: redis.url })).to.include({ code: 0 })
    await until(async () => {
      await isIn(b)
      return queries(a, b) > since
    }, 'a miss after the command')
    const unknown = await command(['cache', 'purge', 'shop.none', ...flags], { REDIS_URL: redis.url })
    expect(unknown.code).to.equal(2)
  })

  for (const [what, stop, start] of [
    ['hangs', () => redis.freeze(), () => redis.thaw()],
    ['is killed', () => redis.kill(), () => redis.start()],
  ] as const) {
    it(`lose no call while Redis ${what}, and share again when it is back`, async () => {
      const { kind } = { kind: what.replace(' ', '-') }
      await call(a, `shop.live?tag=before-${kind}`)
      let calls = 0
      const traffic = async (replica: Replica, name: string): Promise<void> => {
        for (let i = 0; i < 30; i += 1) {
          const { status } = await call(replica, `shop.live?tag=${kind}-${name}-${i}`)
          expect(status).to.equal(200)
          calls += 1
        }
      }
      const running = [traffic(a, 'a'), traffic(b, 'b')]
      await pause(50)
      await stop()
      await Promise.all(running)
      expect(calls).to.equal(60)
      const failures = [a, b].flatMap(({ events }) => events.filter(event => event.kind === 'store.failed'))
      expect(failures.length).to.be.above(0)
      const refused = await purge(a, 'shop.live')
      expect(refused.status).to.equal(503)
      await start()
      let turn = 0
      await until(async () => {
        turn += 1
        await call(a, `shop.live?tag=${kind}-back-${turn}`)
        const before = queries(b)
        await call(b, `shop.live?tag=${kind}-back-${turn}`)
        return queries(b) === before
      }, 'a result of the other replica')
    })
  }
})
