import { rmSync } from 'node:fs'
import { expect } from 'chai'
import { Log } from '../../runner/observe/log.js'
import { systemClock } from '../../runner/platform/clock.js'
import { isPendingWithoutRedis, openRedisServer, type RedisServer } from '../cache/stores/redis/redis-server.js'
import { command, endLeftovers, type Started, startServe } from '../cli/command.js'
import { pause, until } from '../until.js'
import { call, foldersOf, makeFolder, openReplica, settingsOf, TOKEN } from './shop.js'

describe('trouble with a shared Redis', function () {
  this.timeout(600_000)
  if (isPendingWithoutRedis()) return

  let folder = ''
  let redis: RedisServer
  before(async () => {
    folder = makeFolder()
    redis = await openRedisServer('--requirepass', 'hunter2')
  })
  after(async () => {
    await redis.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is logged with its reason and without the password, and calls go on', async () => {
    const REDIS_URL = `redis://somebody:hunter3@127.0.0.1:${redis.port}`
    const began = Date.now()
    let logged = ''
    const write = (text: string): void => {
      logged += text
    }
    const log = new Log('debug', systemClock(), { write })
    const replica = await openReplica(settingsOf(folder, { REDIS_URL }), log.observe)
    try {
      const seen: string[] = []
      for (let i = 0; i < 5; i += 1) {
        const { status, response } = await call(replica, `shop.all?tag=trouble-${i}`)
        expect(status).to.equal(200)
        seen.push(JSON.stringify([...response.headers]))
      }
      for (const path of ['/readyz', '/metrics', '/healthz']) {
        const response = await fetch(`${replica.server.url}${path}`)
        expect(response.status).to.equal(200)
        seen.push(await response.text())
      }
      const refused = await fetch(`${replica.server.url}/api/endpoints/shop.all/purge`, {
        method: 'POST',
        headers: { 'X-API-KEY': TOKEN },
      })
      expect(refused.status).to.equal(503)
      seen.push(await refused.text())
      const purged = await command(['cache', 'purge'], { REDIS_URL })
      expect([purged.code, purged.err]).to.deep.equal([
        3,
        'sluice: nothing, or not all, was purged: Redis cannot be used: the user or password is wrong (WRONGPASS)\n',
      ])
      log.end()
      const lines = logged.split('\n').filter(line => line.includes('store.failed'))
      const minutes = Math.floor((Date.now() - began) / 60_000)
      expect(lines.length, 'at most once a minute').to.be.within(1, 1 + minutes)
      expect(JSON.parse(lines[0]!)).to.have.nested.property(
        'cause.message',
        'Redis cannot be used: the user or password is wrong (WRONGPASS)',
      )
      expect(seen.join('\n')).to.match(/^sluice_store_failures_total\{operation="connect"\} [1-9]/m)
      expect([logged, purged.err, ...seen].join('\n')).to.not.match(/hunter|somebody/)
    } finally {
      await replica.server.close()
      await replica.runner.close()
    }
  })

  it('of its address, such as a password that cannot be decoded, is reported without the password', async () => {
    for (const url of [
      'redis://:hunter2%ZZ@localhost',
      'redis://:hunter2@localhost/first',
      'http://:hunter2@localhost',
    ]) {
      const { code, err } = await command(['cache', 'purge'], { REDIS_URL: url })
      expect(code).to.equal(2)
      expect(err).to.contain('REDIS_URL must be an address').and.not.contain('hunter')
    }
  })

  describe('when a replica is killed', () => {
    let a: Started
    let b: Started
    beforeEach(async () => {
      redis.cli('-a', 'hunter2', 'FLUSHALL')
      const flags = Object.entries(foldersOf(folder)).flatMap(([name, path]) => [`--${name}`, path])
      const environment = { SLUICE_TOKEN: TOKEN, REDIS_URL: `redis://:hunter2@127.0.0.1:${redis.port}` }
      const start = (): Promise<Started> => startServe(['--port', '0', ...flags], environment)
      ;[a, b] = await Promise.all([start(), start()])
    })
    afterEach(endLeftovers)

    const ask = async (replica: Started, path: string): Promise<readonly [number, string]> => {
      const response = await replica.get(`/api/endpoints/query/${path}`, { 'X-API-KEY': TOKEN })
      await response.text()
      return [response.status, response.headers.get('cache-status') ?? '']
    }
    /** Null for a metric that has no value yet. */
    const metric = async (replica: Started, name: string): Promise<number | null> => {
      const text = await (await replica.get('/metrics', {})).text()
      const line = text.split('\n').find(line => line.startsWith(`${name} `))
      return line === undefined ? null : Number(line.slice(name.length))
    }

    it('while it runs a query, the waiting replica runs the query', async () => {
      const lost = ask(a, 'shop.slow').catch(() => 'lost')
      await until(async () => redis.cli('-a', 'hunter2', 'KEYS', 'sluice:l:*') !== '', "the first one's lease")
      const waiting = ask(b, 'shop.slow')
      await pause(100)
      expect(await metric(b, 'sluice_queries_in_flight')).to.equal(0)
      await a.end('SIGKILL')
      expect(await lost).to.equal('lost')
      expect((await waiting)[0]).to.equal(200)
      expect(await metric(b, 'sluice_queries_total{endpoint="shop.slow",engine="duckdb",outcome="ok"}')).to.equal(1)
    })

    it('while it keeps an entry warm, the other replica keeps it warm', async () => {
      const warmed = async (replica: Started): Promise<number> =>
        (await metric(replica, 'sluice_warm_total{endpoint="shop.warm",outcome="ok"}')) ?? 0
      await until(async () => {
        await ask(a, 'shop.warm')
        return (await warmed(a)) > 0
      }, 'a refresh by the first')
      expect((await ask(b, 'shop.warm'))[0]).to.equal(200)
      await a.end('SIGKILL')
      const before = await warmed(b)
      await until(async () => {
        expect((await ask(b, 'shop.warm'))[0]).to.equal(200)
        return (await warmed(b)) >= before + 2
      }, 'refreshes by the other')
    })
  })
})
