import { expect } from 'chai'
import type { CacheAnswer } from '../../../../runner/cache/request.js'
import { ResultCache } from '../../../../runner/cache/result-cache.js'
import { RedisCounters } from '../../../../runner/cache/stores/redis/counters.js'
import type { CachePolicy } from '../../../../runner/model/endpoint.js'
import { RunnerError } from '../../../../runner/model/errors.js'
import type { Event, Observer } from '../../../../runner/model/events.js'
import { systemClock } from '../../../../runner/platform/clock.js'
import { storedResult } from '../../../contracts/result-store.js'
import { pause, until } from '../../../until.js'
import { policyWith, set, UNBOUNDED } from '../../cache-bench.js'
import { isPendingWithoutRedis, openRedisCluster } from './redis-server.js'
import { bodyOf, closeReplicas, failure, KEY, openReplica, PREFIX, type Replica, sharedRedis } from './replicas.js'

/** A cache over this replica, and calls of one key through it. */
function cacheOver(
  { store }: Replica,
  policy: Partial<CachePolicy> = {},
  run = async () => set('rows'),
  {
    timeoutMs = 30_000,
    observe = () => {},
    ...more
  }: { timeoutMs?: number; observe?: Observer; dataState?: () => string | null } = {},
): { ask(): Promise<CacheAnswer>; runs(): number } {
  const cache = new ResultCache({ store, clock: systemClock(), observe, random: Math.random })
  let runs = 0
  const request = {
    key: KEY,
    endpoint: 'e',
    policy: policyWith(policy),
    timeoutMs,
    ...UNBOUNDED,
    ...more,
    run: () => {
      runs += 1
      return run()
    },
    isCurrent: () => true,
  } as const
  return { ask: () => cache.through(request, new AbortController().signal), runs: () => runs }
}

describe('what replicas share in Redis', function () {
  this.timeout(600_000)
  if (isPendingWithoutRedis()) return

  const redis = sharedRedis()

  describe('a key that the replica does not know', () => {
    for (const [what, prepare, asked] of [
      ['asks Redis once before its query runs', async () => {}, { body: 'rows', outcome: 'miss' }],
      [
        'is found in Redis by asking once',
        (other: Replica) => other.shared.set(KEY, storedResult('of another'), 60_000),
        { body: 'of another', outcome: 'hit' },
      ],
    ] as const) {
      it(what, async () => {
        // With this timeout a second call would wait longer than the test may take.
        const a = await openReplica({ url: redis.line.url, commandMs: 60_000 })
        const b = await openReplica({ url: redis.server.url })
        await prepare(b)
        await b.shared.get(KEY) // The marks of purges are made at the first read.
        const cache = cacheOver(a)
        redis.line.hold()
        const calls = Promise.all(Array.from({ length: 3 }, () => cache.ask()))
        await pause(100)
        redis.line.release()
        redis.line.hold()
        const answers = await calls
        redis.line.release()
        expect(answers.map(({ result }) => Buffer.from(result.body).toString())).to.deep.equal(
          Array(3).fill(asked.body),
        )
        expect(answers[0]!.outcome).to.equal(asked.outcome)
        expect(cache.runs()).to.equal(asked.outcome === 'miss' ? 1 : 0)
      })
    }

    it('is served from Redis while a new result is made, if its ttl ended a short time ago', async () => {
      const [a, b] = [await openReplica({ url: redis.server.url }), await openReplica({ url: redis.server.url })]
      const now = Date.now()
      await b.shared.set(KEY, { ...storedResult('old', now - 2_000), freshUntil: now - 1_000 }, 60_000)
      const cache = cacheOver(a, { staleWhileRevalidateMs: 60_000 })
      const answers = await Promise.all([cache.ask(), cache.ask()])
      expect(answers.map(({ outcome }) => outcome)).to.deep.equal(['stale', 'stale'])
      await until(async () => (await cache.ask()).outcome === 'hit', 'the new result')
      expect(cache.runs()).to.equal(1)
    })

    it('is served from Redis after its ttl when the query fails', async () => {
      const [a, b] = [await openReplica({ url: redis.server.url }), await openReplica({ url: redis.server.url })]
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
  })

  describe('a run over data of another state', () => {
    for (const [what, states, ran] of [
      ['is not waited for', ['old', 'new'], 1],
      ['of the same data is', ['new', 'new'], 0],
      ['nor one over data that cannot be told from any other', [null, null], 1],
    ] as const) {
      it(what, async () => {
        const [a, b] = [await openReplica({ url: redis.server.url }), await openReplica({ url: redis.server.url })]
        let end = (): void => {}
        const slow = async () => {
          await new Promise<void>(resolve => {
            end = resolve
          })
          return set('of b')
        }
        const policy = { untilDataChanges: true }
        const running = cacheOver(b, policy, slow, { dataState: () => states[0] })
        const first = running.ask()
        await until(() => running.runs() === 1, 'the run')
        const cache = cacheOver(a, policy, undefined, { dataState: () => states[1] })
        const asked = cache.ask()
        if (ran === 0) {
          await pause(100)
          end()
        }
        expect((await asked).outcome).to.equal(ran === 0 ? 'coalesced' : 'miss')
        expect(cache.runs()).to.equal(ran)
        end()
        await first
      })
    }
  })

  describe('a result that comes late', () => {
    it('does not replace a result whose query began later, in Redis or in memory', async () => {
      const [a, b] = [await openReplica({ url: redis.server.url }), await openReplica({ url: redis.server.url })]
      let end = (): void => {}
      const slow = async () => {
        await new Promise<void>(resolve => {
          end = resolve
        })
        return set('old')
      }
      const late = cacheOver(a, {}, slow)
      const asked = late.ask()
      await until(() => late.runs() === 1, 'the query that began first')
      await pause(5)
      await b.tiered.set(KEY, storedResult('new'), 60_000)
      await until(async () => (await bodyOf(b.shared)) === 'new', 'the newer result')
      await pause(50) // The other replica hears of it.
      end()
      expect((await asked).isStored).to.equal(false)
      expect([await bodyOf(a.shared), await bodyOf(a.tiered)]).to.deep.equal(['new', 'new'])
    })

    it('replaces a result that is from the future', async () => {
      const { shared } = await openReplica({ url: redis.server.url })
      await shared.set(KEY, storedResult('of a wrong clock', Date.now() + 3_600_000), 60_000)
      expect(await failure(shared.get(KEY))).to.equal('the value has impossible times')
      await failure(shared.set(KEY, storedResult('rows'), 60_000))
      await shared.set(KEY, storedResult('rows'), 60_000)
      expect(await bodyOf(shared)).to.equal('rows')
    })
  })

  describe('a key that no replica of ours has claimed', () => {
    const isRunAtOnce = async (asked: (replica: Replica) => Promise<unknown>, command: readonly string[]) => {
      const a = await openReplica({ url: redis.server.url })
      const [name = '', ...rest] = command
      redis.server.cli(name, `${PREFIX}l:{${KEY}}`, ...rest)
      expect(await asked(a)).to.be.an('object')
      expect(Number(redis.server.cli('PTTL', `${PREFIX}l:{${KEY}}`)), 'by now it is a lease').to.be.within(1, 3_000)
    }
    for (const [what, command] of [
      ['without an end', ['SET', 'x']],
      ['for longer than any claim', ['SET', 'x', 'PX', '60000']],
      ['with something of another type', ['RPUSH', 'x']],
    ] as const) {
      it(`but is ${what}, is taken over at once`, async () => {
        await isRunAtOnce(replica => replica.tiered.replicas.claim(KEY, ''), command)
      })
    }
  })

  it('waits for a key that is claimed for ever as long as its query may take; then runs the query and reports it', async () => {
    const [a, b] = [await openReplica({ url: redis.server.url }), await openReplica({ url: redis.server.url })]
    await b.shared.replicas.claim(KEY, '')
    const events: Event[] = []
    const cache = cacheOver(a, {}, undefined, { timeoutMs: 500, observe: event => void events.push(event) })
    const answers = await Promise.all([cache.ask(), cache.ask()])
    expect(answers.map(({ outcome }) => outcome)).to.deep.equal(['miss', 'coalesced'])
    expect(cache.runs()).to.equal(1)
    expect(events.map(event => event.kind === 'store.failed' && event.operation)).to.deep.equal(['wait'])
    expect((await cache.ask()).outcome).to.equal('hit')
  })

  it('uses only commands that one node of a cluster accepts', async () => {
    const cluster = await openRedisCluster()
    try {
      const [a, b] = [await openReplica({ url: cluster.url }), await openReplica({ url: cluster.url })]
      for (const key of ['e:1', 'f:1']) await a.shared.set(key, storedResult(key), 60_000)
      expect(await bodyOf(b.tiered, 'e:1')).to.equal('e:1')
      const lease = await a.shared.replicas.claim('e:1', '')
      expect(await b.shared.replicas.claim('e:1', '')).to.equal(null)
      await pause(1_200) // Meanwhile the lease is renewed.
      await lease?.release({ kind: 'unknown' })
      expect(await b.shared.replicas.claim('e:1', '')).to.not.equal(null)
      expect(await new RedisCounters(a.link, PREFIX).add('billed', 5, 60_000)).to.equal(5)
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
