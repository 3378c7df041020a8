/** Results that are put together from kept buckets, as a server gives them. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { addToken } from '../../authoring/token/token-writer.js'
import { isPendingWithoutRedis, openRedisServer, type RedisServer } from '../cache/stores/redis/redis-server.js'
import { command, type Started, startServe } from '../cli/command.js'
import { itInAll, sampleOf } from '../sample-size.js'
import { pause, until } from '../until.js'
import {
  anew,
  ask,
  hours,
  type Logs,
  lineOf,
  makeLogs,
  manifestOf,
  partitionOf,
  refresh,
  wholeOf,
} from './kept-logs.js'
import { foldersOf, openReplica, purge, type Replica, settingsOf, TOKEN } from './shop.js'

const close = async ({ server, runner }: Replica): Promise<void> => {
  await server.close()
  await runner.close()
}

/** Purges what reads the table of the logs. */
const purgeTable = ({ server }: Replica, query = '', token = TOKEN): Promise<Response> =>
  fetch(`${server.url}/api/tables/logs.edge/purge${query}`, { method: 'POST', headers: { 'X-API-KEY': token } })

const kept = (count: number, of = count) => ({ kept: count, of, tier: 'exact' })

describe('refreshes on a server', function () {
  this.timeout(20_000)
  let logs: Logs
  let replica: Replica

  before(async () => {
    logs = makeLogs()
    logs.reset({ 1: hours(1, 2, 3), 2: hours(8, 9) })
    replica = await openReplica(settingsOf(logs.folder, {}))
  })
  beforeEach(async () => {
    logs.reset({ 1: hours(1, 2, 3), 2: hours(8, 9) })
    for (const { name } of replica.runner.endpoints()) expect((await purge(replica, name)).status).to.equal(200)
  })
  after(async () => {
    await close(replica)
    logs.remove()
  })

  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${replica.server.url}/metrics`)).text()
    const line = text.split('\n').find(line => line.startsWith(`${name} `))
    return Number(line?.slice(name.length) ?? 0)
  }

  it('say in Cache-Status what was kept, and count it', async () => {
    const count = (outcome: string) => metric(`sluice_buckets_total{endpoint="logs.hourly",outcome="${outcome}"}`)
    const [keptBefore, readBefore] = [await count('kept'), await count('read')]
    expect((await ask(replica.server.url, 'logs.hourly')).cache).to.equal('sluice; fwd=miss; stored')
    expect((await ask(replica.server.url, 'logs.hourly')).cache).to.match(/^sluice; hit/)
    await pause(1_100)
    logs.write('3', hours(9, 10))
    const { cache, body } = await ask(replica.server.url, 'logs.hourly')
    // The times of the parts are asked for with the first refresh: before, a part that has changed may have rows of any time.
    expect(cache).to.match(/^sluice; fwd=(partial; stored; detail="kept 4 of 6 buckets; exact"|miss; stored)$/)
    expect(body).to.equal(await wholeOf(replica.server.url, 'logs.hourly'))
    await pause(1_100)
    expect((await ask(replica.server.url, 'logs.hourly')).cache).to.equal(
      'sluice; fwd=partial; stored; detail="kept 6 of 6 buckets; exact"',
    )
    await until(async () => (await count('kept')) > keptBefore, 'the metrics')
    expect((await count('read')) - readBefore).to.be.oneOf([0, 2])
  })

  it('see a late row, a changed one, a deleted one, a lost file and a new one', async () => {
    await refresh(replica, 'logs.hourly')
    expect(await refresh(replica, 'logs.hourly')).to.deep.equal(kept(5))
    appendFileSync(logs.file('1'), lineOf({ hour: 2, n: 7 }))
    expect(await refresh(replica, 'logs.hourly')).to.deep.equal(kept(2, 5))
    logs.write('1', [...hours(1), { hour: 2, n: 8 }])
    expect(await refresh(replica, 'logs.hourly')).to.deep.equal(kept(2, 4))
    logs.write('1', hours(1))
    expect(await refresh(replica, 'logs.hourly')).to.deep.equal(kept(2, 3))
    rmSync(logs.file('1'))
    expect(await refresh(replica, 'logs.hourly')).to.deep.equal(kept(2))
    logs.write('3', hours(4, 5))
    expect(await refresh(replica, 'logs.hourly')).to.deep.equal(kept(2, 4))
    expect(await refresh(replica, 'logs.hourly')).to.deep.equal(kept(4))
  })

  it('begin anew after a purge of the endpoint, of its tenant, and of the table', async () => {
    const dataDir = join(logs.folder, 'data')
    const pinned = await addToken(
      { ...settingsOf(logs.folder, {}), dataDir },
      { name: 'p', allow: ['logs.*'], pin: { who: 'a' }, purge: true },
    )
    // A purge of a partition by a token with pins is one of its tenant: no mark is that of a tenant's partitions.
    const purges = [
      () => purge(replica, 'logs.owned'),
      () => purge(replica, 'logs.owned', pinned),
      () => purgeTable(replica),
      () => purgeTable(replica, `?partition=${partitionOf(2)}`, pinned),
    ]
    for (const purged of purges) {
      await refresh(replica, 'logs.owned?who=a')
      expect(await refresh(replica, 'logs.owned?who=a')).to.deep.equal(kept(5))
      expect((await purged()).status).to.equal(200)
      expect(await refresh(replica, 'logs.owned?who=a')).to.equal(null)
    }
  })

  it('read anew the buckets of a partition that is purged, and keep the others', async () => {
    const stored = async (): Promise<string> => (await ask(replica.server.url, 'logs.hourly')).cache
    await refresh(replica, 'logs.hourly')
    expect(await refresh(replica, 'logs.hourly')).to.deep.equal(kept(5))
    await stored()
    expect(await stored()).to.contain('hit')
    const done = await purgeTable(replica, `?partition=${partitionOf(2)}`)
    expect(done.status).to.equal(200)
    expect(((await done.json()) as { purged: string[] }).purged).to.include('logs.hourly')
    expect(await refresh(replica, 'logs.hourly')).to.deep.equal(kept(4, 5))
    expect(await refresh(replica, 'logs.hourly')).to.deep.equal(kept(5))
    await stored()
    const first = partitionOf(1)
    for (const partition of [
      partitionOf(4),
      '__NULL__',
      '1999',
      first.slice(0, 8),
      first.slice(0, 6),
      first.slice(0, 4),
    ]) {
      expect((await purgeTable(replica, `?partition=${partition}`)).status).to.equal(200)
      const left = [1, 2, 3, 8, 9].filter(other => !partitionOf(other).startsWith(partition)).length
      const from = `partial; stored; detail="kept ${left} of 5 buckets; exact"`
      expect(await stored(), partition).to.equal(`sluice; fwd=${from}`)
    }
  })

  it('are not touched by a purge of a partition that is none, or with another argument', async () => {
    await refresh(replica, 'logs.hourly')
    for (const query of [
      '2026-11-24',
      '20260231',
      '2026112424',
      '202613',
      '',
      '0',
      '2026&partition=2027',
      '2026&x=1',
    ]) {
      const refused = await purgeTable(replica, `?partition=${query}`)
      expect([refused.status, ((await refused.json()) as { code: string }).code]).to.deep.equal([
        400,
        'REQUEST_INVALID',
      ])
    }
    expect((await purgeTable(replica, '?partitions=2026')).status).to.equal(400)
    expect(await refresh(replica, 'logs.hourly')).to.deep.equal(kept(5))
  })

  it('begin anew after a reload of a changed manifest', async () => {
    await refresh(replica, 'logs.hourly')
    writeFileSync(join(logs.folder, 'endpoints/hourly.yaml'), manifestOf('hourly', 'Rows by the hour, again.'))
    await replica.runner.reload()
    expect(await refresh(replica, 'logs.hourly')).to.equal(null)
    await replica.runner.reload()
    expect(await refresh(replica, 'logs.hourly')).to.deep.equal(kept(5))
  })

  it('keep nothing where the manifest says refresh: whole', async () => {
    await refresh(replica, 'logs.whole')
    expect(await refresh(replica, 'logs.whole')).to.equal(null)
  })

  it('keep when they are made in the background', async () => {
    await ask(replica.server.url, 'logs.warm')
    const warmed = () =>
      replica.events.filter(event => event.kind === 'query.done' && event.endpoint === 'logs.warm' && event.partial)
    await until(
      async () => {
        await ask(replica.server.url, 'logs.warm')
        return warmed().length >= 2
      },
      'two refreshes in the background',
      100,
    )
    const before = warmed().length
    logs.write('3', hours(10))
    const seen = async (): Promise<boolean> =>
      (await ask(replica.server.url, 'logs.warm')).body.match(/hour/g)?.length === 6
    await until(seen, 'the new row', 100)
    expect(warmed().length).to.be.greaterThan(before)
  })

  it('share nothing between tenants, and between other arguments', async () => {
    const rows = (who: string) => [
      { hour: 1, who },
      { hour: 2, who, n: 5 },
    ]
    logs.reset({ 1: [...rows('a'), ...rows('b'), ...rows('c')], 2: [{ hour: 3, who: 'b' }] })
    for (const name of ['owned', 'hourly']) {
      for (const who of ['a', 'b', 'c']) expect(await refresh(replica, `logs.${name}?who=${who}`)).to.equal(null)
      for (const [who, count] of [
        ['a', 2],
        ['b', 3],
        ['c', 2],
        ['d', null],
      ] as const) {
        expect(await refresh(replica, `logs.${name}?who=${who}`)).to.deep.equal(count === null ? null : kept(count))
      }
    }
  })

  it('give a result with more rows than max_rows as the whole query does', async () => {
    for (let i = 0; i < 3; i++) {
      expect(await refresh(replica, 'logs.cut')).to.equal(null)
      const { body } = await ask(replica.server.url, anew('logs.cut'))
      expect(body.match(/hour/g)).to.have.length(3)
    }
    logs.write('2', [])
    await refresh(replica, 'logs.cut')
    expect(await refresh(replica, 'logs.cut')).to.deep.equal(kept(3))
    logs.write('2', hours(0, 8))
    expect(await refresh(replica, 'logs.cut')).to.equal(null)
    const response = await fetch(`${replica.server.url}/api/endpoints/query/${anew('logs.cut')}`, {
      headers: { 'X-API-KEY': TOKEN },
    })
    const { result } = (await response.json()) as { result: { hour: string }[] }
    expect([response.headers.get('x-truncated'), result.length]).to.deep.equal(['true', 3])
  })

  itInAll('go on when the process of the engine was lost between them', async () => {
    await refresh(replica, 'logs.hourly')
    await refresh(replica, 'logs.hourly')
    await killEngine(replica)
    expect(await refresh(replica, 'logs.hourly')).to.deep.equal(kept(5))
    await killEngine(replica)
    logs.write('3', hours(9, 10))
    expect(await refresh(replica, 'logs.hourly')).to.deep.equal(kept(4, 6))
  })

  itInAll('with --verify-refresh 1/1 are each held against the whole query', async () => {
    const verified = await openReplica(settingsOf(logs.folder, { SLUICE_VERIFY_REFRESH: '1/1' }))
    try {
      await refresh(verified, 'logs.hourly')
      for (let hour = 10; hour < 15; hour++) {
        logs.write(String(hour), hours(hour - 1, hour))
        await refresh(verified, 'logs.hourly')
      }
      expect(await refresh(verified, 'logs.hourly')).to.deep.equal(kept(11 - 1))
      expect(verified.events.filter(({ kind }) => kind.startsWith('refresh.'))).to.deep.equal([])
    } finally {
      await close(verified)
    }
  })

  itInAll('go on in a memory that holds few of them', async () => {
    const small = await openReplica(settingsOf(logs.folder, { SLUICE_CACHE_MEMORY: '1' }))
    const tenants = Array.from({ length: 12 }, (_, i) => `t${i}`)
    logs.reset({ 1: tenants.flatMap(who => [1, 2, 3].map(hour => ({ hour, who }))) })
    try {
      for (let round = 0; round < 2; round++) {
        for (const who of tenants) await refresh(small, `logs.wide?who=${who}`)
      }
      const { body } = await ask(small.server.url, anew('logs.wide?who=t0'))
      expect(body.length).to.be.greaterThan(120_000)
      expect(await refresh(small, 'logs.wide?who=t0')).to.deep.equal(kept(3))
    } finally {
      await close(small)
    }
  })
})

/** Kills the engine's processes, and waits until that is noticed: a query that all of them have lost is refused. */
async function killEngine({ events }: Replica): Promise<void> {
  const died = (): number => events.filter(({ kind }) => kind === 'engine.died').length
  const [killed, before] = [enginePids(), died()]
  expect(killed).to.not.deep.equal([])
  for (const pid of killed) process.kill(pid, 'SIGKILL')
  await until(() => died() === before + killed.length, 'the end of the processes')
}

/** The processes that this one has forked for engines. */
function enginePids(): readonly number[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(/\s+/).filter(Boolean)
  return children.map(Number).filter(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('duckdb'))
}

describe('refreshes of replicas that share a Redis', function () {
  this.timeout(60_000)
  if (isPendingWithoutRedis()) return

  const key = { SLUICE_REDIS_KEY: 'a-key-of-more-than-32-characters-for-tests' }
  let logs: Logs
  let redis: RedisServer
  before(async () => {
    logs = makeLogs()
    redis = await openRedisServer()
  })
  beforeEach(() => {
    redis.cli('FLUSHALL')
    logs.reset({ 1: hours(1, 2, 3), 2: hours(8, 9) })
  })
  after(async () => {
    await redis.close()
    logs.remove()
  })

  for (const [what, environment] of sampleOf([
    ['with SLUICE_REDIS_KEY', key],
    ['without it', {}],
  ] as const)) {
    it(`use what another has kept, ${what}, and drop it with its purge`, async () => {
      const settings = settingsOf(logs.folder, { REDIS_URL: redis.url, ...environment })
      const [a, b] = [await openReplica(settings), await openReplica(settings)]
      try {
        await refresh(a, 'logs.hourly')
        expect(await refresh(b, 'logs.hourly')).to.deep.equal(kept(5))
        logs.write('3', hours(10))
        expect(await refresh(a, 'logs.hourly')).to.deep.equal(kept(5, 6))
        await pause(100) // What one has stored reaches the other.
        expect(await refresh(b, 'logs.hourly')).to.deep.equal(kept(6))
        expect((await purge(b, 'logs.hourly')).status).to.equal(200)
        await pause(100)
        expect(await refresh(a, 'logs.hourly')).to.equal(null)
        expect(await command(['cache', 'purge'], { REDIS_URL: redis.url, ...environment })).to.include({ code: 0 })
        await pause(100)
        expect(await refresh(b, 'logs.hourly')).to.equal(null)
        expect([a, b].flatMap(({ events }) => events.filter(({ kind }) => kind === 'store.failed'))).to.deep.equal([])
      } finally {
        await close(a)
        await close(b)
      }
    })
  }

  itInAll(
    'read anew the buckets of a partition that another has purged, also those that are in Redis alone',
    async () => {
      const settings = settingsOf(logs.folder, { REDIS_URL: redis.url, ...key })
      const replicas = [await openReplica(settings), await openReplica(settings)]
      const [a, b] = replicas as [Replica, Replica]
      try {
        await refresh(a, 'logs.hourly')
        expect(await refresh(b, 'logs.hourly')).to.deep.equal(kept(5))
        expect((await purgeTable(a, `?partition=${partitionOf(8)}`)).status).to.equal(200)
        await pause(100)
        expect(await refresh(b, 'logs.hourly')).to.deep.equal(kept(4, 5))
        const args = ['cache', 'purge', '--table', 'logs.edge', '--url', a.server.url]
        for (const hour of [1, 2]) {
          const done = await command([...args, '--partition', partitionOf(hour)], { SLUICE_TOKEN: TOKEN })
          expect([done.code, done.err]).to.deep.equal([0, ''])
        }
        const c = await openReplica(settings)
        replicas.push(c)
        expect(await refresh(c, 'logs.hourly')).to.deep.equal(kept(3, 5))
        expect(await refresh(c, 'logs.hourly')).to.deep.equal(kept(5))
      } finally {
        for (const replica of replicas) await close(replica)
      }
    },
  )

  itInAll('give no wrong row while replicas are killed, Redis is lost and comes back, and rows change', async () => {
    const flags = Object.entries(foldersOf(logs.folder)).flatMap(([name, path]) => [`--${name}`, path])
    const open = (): Promise<Started> =>
      startServe([...flags, '--port', '0', '--engine-threads', '1'], {
        SLUICE_TOKEN: TOKEN,
        REDIS_URL: redis.url,
        ...key,
      })
    let replicas = await Promise.all([open(), open()])
    let partial = 0
    const check = async (): Promise<void> => {
      for (const { url } of replicas) {
        const { body, status, cache } = await ask(url, anew('logs.hourly'))
        if (cache.includes('fwd=partial')) partial += 1
        expect([status, body], cache).to.deep.equal([200, await wholeOf(url, 'logs.hourly')])
      }
    }
    try {
      for (let step = 0; step < 8; step++) {
        logs.write(String(step % 4), [...hours(step, step + 1), { hour: step + 2, n: step }])
        const [killed, left] = step % 2 === 0 ? replicas : [...replicas].reverse()
        if (step % 3 === 0) {
          const lost = ask(killed!.url, anew('logs.hourly')).catch(() => null)
          await killed!.end('SIGKILL')
          await lost
          replicas = [left!, await open()]
        }
        if (step === 2) redis.freeze()
        if (step === 4) redis.thaw()
        if (step === 5) await redis.kill()
        if (step === 6) await redis.start()
        await check()
      }
      expect(partial).to.be.greaterThan(2)
    } finally {
      redis.thaw()
      await Promise.all(replicas.map(replica => replica.end('SIGTERM')))
    }
  })
})
