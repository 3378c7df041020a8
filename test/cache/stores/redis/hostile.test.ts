import { expect } from 'chai'
import { RedisCounters } from '../../../../runner/cache/stores/redis/counters.js'
import { Signer } from '../../../../runner/cache/stores/redis/signer.js'
import type { RunnerError } from '../../../../runner/model/errors.js'
import type { StoredResult } from '../../../../runner/model/ports.js'
import { purgesOf } from '../../../../runner/model/result-key.js'
import { systemClock } from '../../../../runner/platform/clock.js'
import { Budgets } from '../../../../runner/request/budget.js'
import { etagOf, storedResult } from '../../../contracts/result-store.js'
import { sampleOf } from '../../../sample-size.js'
import { pause, until } from '../../../until.js'
import { isPendingWithoutRedis } from './redis-server.js'
import {
  bodyOf,
  closeReplicas,
  failure,
  KEY,
  openReplica as openReplicaAt,
  PREFIX,
  REDIS_KEY,
  type Replica,
  sharedRedis,
} from './replicas.js'

const NAME = `${PREFIX}r8:{${KEY}}`
const CHANNEL = `${PREFIX}events`
const BODY = '{"result":[{"a":1}]}'
const NOT_SIGNED = 'the value is cut off, was changed, is of another key, or has another SLUICE_REDIS_KEY'
const FOREIGN_MESSAGE = 'a message was not written by a replica with the same version and SLUICE_REDIS_KEY'
const YEAR_MS = 31_536_000_000
const MARK = 'mark'

interface Entry {
  readonly head?: Readonly<Record<string, unknown>>
  readonly body?: string | Buffer
  /** The text of the head, in place of `head`. */
  readonly text?: string
}

/** An entry as a program writes it that knows the format, the marks of purges and this key. */
function entryOf(entry: Entry, key: string | null = null): Buffer {
  const now = Date.now()
  const { head = {}, body = BODY } = entry
  const right = {
    columns: [{ name: 'a', type: 'INT64' }],
    rowCount: 1,
    isTruncated: false,
    now: '0',
    storedAt: now,
    freshUntil: now + 60_000,
    keepUntil: now + 60_000,
    purges: Array(4).fill(MARK),
  }
  const text = entry.text ?? JSON.stringify({ ...right, ...head })
  const signature = new Signer(key).sign(NAME, text, etagOf(Buffer.from(body)))
  return Buffer.concat([Buffer.from(`${signature} ${text}\n`), Buffer.from(body)])
}

/** A message as a program publishes it that knows the format and this key. */
function messageOf(event: unknown, key: string | null = null): string {
  const json = JSON.stringify(event)
  return `${new Signer(key).sign(CHANNEL, json)} ${json}`
}

/** Stores the body, and waits until the replica has heard its own message about it. */
async function storeAndHear({ store, tiered }: Replica): Promise<void> {
  let hasHeard = false
  store.replicas.onEvent(({ type }) => {
    hasHeard ||= type === 'stored'
  })
  await tiered.set(KEY, storedResult(BODY), 60_000)
  await until(() => hasHeard, 'its message')
}

describe('a Redis that another program writes to', function () {
  this.timeout(600_000)
  if (isPendingWithoutRedis()) return

  const redis = sharedRedis()
  beforeEach(() => {
    for (const prefix of purgesOf(KEY)) redis.server.cli('SET', `${PREFIX}p:{${prefix}}`, MARK)
  })
  const openReplica = (key: string | null = null): Promise<Replica> => openReplicaAt({ url: redis.server.url, key })
  const write = (by: Replica, entry: Buffer, name = NAME) => by.link.send(['SET', name, entry, 'PX', '60000'])
  const publish = (by: Replica, text: string) => by.link.send(['PUBLISH', CHANNEL, text])

  describe('without SLUICE_REDIS_KEY', () => {
    it('is read where an entry is as a replica writes it, and the ETag is computed from the body', async () => {
      const replica = await openReplica()
      await write(replica, entryOf({}))
      const found = (await replica.shared.get(KEY)) as StoredResult
      expect(Buffer.from(found.body).toString()).to.equal(BODY)
      expect(found.etag).to.equal(etagOf(Buffer.from(BODY)))
      await replica.shared.set(KEY, storedResult('{"result":[{"a":2}]}', Date.now() + 1), 60_000)
      expect(await bodyOf(replica.shared)).to.equal('{"result":[{"a":2}]}')
    })

    it('is read where an entry has kept rows', async () => {
      const replica = await openReplica()
      const kept = { spans: [{ from: '-5', until: '60', rows: 1 }], parts: 'p.,q' }
      await write(replica, entryOf({ head: { kept } }))
      expect(((await replica.shared.get(KEY)) as StoredResult).kept).to.deep.equal(kept)
    })

    const now = Date.now()
    const column = (name: unknown, type: unknown) => ({ head: { columns: [{ name, type }] } })
    const span = (given: object) => ({ from: '0', until: '60000000', rows: 1, ...given })
    const keptOf = (given: object) => ({ head: { kept: { spans: [span({})], parts: 'p', ...given } } })
    const ENTRIES: readonly (readonly [what: string, entry: Entry])[] = [
      ['an ETag with a line break', { head: { etag: '"x"\r\nSet-Cookie: a=b' } }],
      ['an ETag that is null', { head: { etag: null } }],
      ['columns that are null', { head: { columns: null } }],
      ['columns that are missing', { text: '{}' }],
      ['a column that is a text', { head: { columns: ['a'] } }],
      ['a column without a name', { head: { columns: [{ type: 'INT64' }] } }],
      ['a column whose name is a number', column(1, 'INT64')],
      ['a column of an unknown type', column('a', 'INT63')],
      ['a column whose type is null', column('a', null)],
      ['a column of a type nested a hundred thousand times', column('a', 'STRUCT<'.repeat(100_000))],
      ['a column with another member', { head: { columns: [{ name: 'a', type: 'INT64', fields: {} }] } }],
      ['two columns of one name', { head: { columns: Array(2).fill({ name: 'a', type: 'INT64' }) } }],
      ['a number of rows that is a text', { head: { rowCount: '1\r\nX: y' } }],
      ['a negative number of rows', { head: { rowCount: -1 } }],
      ['another number of rows than the body has', { head: { rowCount: 2 } }],
      ['truncated by a text', { head: { isTruncated: 'yes' } }],
      ['of a time that is not digits', { head: { now: 'yesterday' } }],
      ['a state of the data that is a number', { head: { dataState: 1 } }],
      ['kept rows that are null', { head: { kept: null } }],
      ['kept rows without parts', { head: { kept: { spans: [] } } }],
      ['kept rows with another member', keptOf({ rows: 1 })],
      ['a span that is a text', keptOf({ spans: ['0'] })],
      ['a span from a number', keptOf({ spans: [span({ from: 0 })] })],
      ['a span until a text that is not digits', keptOf({ spans: [span({ until: '1e9' })] })],
      ['a span until a hundred digits', keptOf({ spans: [span({ until: '9'.repeat(100) })] })],
      ['a span with minus one row', keptOf({ spans: [span({ rows: -1 })] })],
      ['a span with half a row', keptOf({ spans: [span({ rows: 0.5 })] })],
      ['a span with a million million rows', keptOf({ spans: [span({ rows: 1e12 })] })],
      ['ten thousand spans', keptOf({ spans: Array(10_000).fill(span({})) })],
      ['parts that are a list', keptOf({ parts: ['p'] })],
      ['a million parts', keptOf({ parts: 'p,'.repeat(1_000_000) })],
      ['an unknown member', { head: { headers: { 'Set-Cookie': 'a=b' } } }],
      ['a member of Object.prototype', { text: '{"__proto__":{"columns":[]}}' }],
      ['a ttl of 1e297 seconds', { head: { freshUntil: 1e300 } }],
      ['a ttl of two years', { head: { freshUntil: now + 2 * YEAR_MS } }],
      ['a ttl that is a text', { head: { freshUntil: '9e9' } }],
      ['an end before its begin', { head: { freshUntil: now - 60_000 } }],
      ['an expiry that is null', { head: { keepUntil: null } }],
      ['an expiry in the year 3000', { head: { keepUntil: Date.UTC(3000, 0) } }],
      ['a begin that is null', { head: { storedAt: null } }],
      ['a begin that is infinite', { text: '{"storedAt":1e999}' }],
      ['a begin before 1970', { head: { storedAt: -1 } }],
      ['a begin in the next hour', { head: { storedAt: now + 3_600_000, freshUntil: now + 3_660_000 } }],
      ['no marks of purges', { head: { purges: [] } }],
      ['marks of purges that are numbers', { head: { purges: [1, 1, 1] } }],
      ['a head that is not JSON', { text: '{"columns":' }],
      ['a head that is a list', { text: '[]' }],
      ['a body that is not JSON', { body: 'hello' }],
      ['an empty body', { body: '' }],
      ['a body that is cut', { body: BODY.slice(0, -1) }],
      ['a body with more after its end', { body: `${BODY}x` }],
      ['a body that only begins and ends as JSON', { body: '{"result":[{"a":1}<script>{"a":2}]}' }],
      ['a body with another member', { body: '{"result":[{"a":1}],"next":"http://x"}' }],
      ['a body without rows', { body: '{"rows":[{"a":1}]}' }],
      ['a row that is a list', { body: '{"result":[[1]]}' }],
      ['a row with another column', { body: '{"result":[{"b":1}]}' }],
      ['a row with one column more', { body: '{"result":[{"a":1,"b":1}]}' }],
      ['a body that is not UTF-8', { body: Buffer.from('{"result":[{"a":"\xff"}]}', 'latin1') }],
      ['a body of more than 1 MB', { body: `{"result":[{"a":"${'x'.repeat(1_000_000)}"}]}` }],
      ['a body of 900,000 brackets', { body: '['.repeat(900_000) }],
    ]
    for (const [what, entry] of sampleOf(ENTRIES)) {
      it(`is a miss where an entry has ${what}`, async () => {
        const replica = await openReplica()
        await write(replica, entryOf(entry))
        expect(await failure(replica.shared.get(KEY))).to.match(/^the value (has|is) /)
        expect(replica.memory.get(KEY)).to.equal(undefined)
        await replica.shared.set(KEY, storedResult('{"result":[{"a":9}]}'), 60_000)
        expect(await bodyOf(replica.shared), 'it is overwritten').to.equal('{"result":[{"a":9}]}')
      })
    }

    it('shares no result of more than 1 MB', async () => {
      const replica = await openReplica()
      const large = storedResult(`{"result":[{"a":"${'x'.repeat(1_000_000)}"}]}`)
      expect(await replica.shared.set(KEY, large, 60_000)).to.equal(false)
      expect(await (await openReplica(REDIS_KEY)).shared.set(KEY, large, 60_000)).to.equal(true)
    })

    const failed = (failure: unknown) => ({ type: 'ended', key: KEY, outcome: { kind: 'failed', failure } })
    const MESSAGES: readonly (readonly [what: string, event: unknown])[] = [
      ['null', null],
      ['a text', 'stored'],
      ['an unknown event', { type: 'exit' }],
      ['a stored result without a key', { type: 'stored', storedAt: now }],
      ['a stored result at an impossible time', { type: 'stored', key: KEY, storedAt: 1e300 }],
      ['a run that ended without an outcome', { type: 'ended', key: KEY }],
      ['a run that ended with null', { type: 'ended', key: KEY, outcome: null }],
      ['a failure that is null', failed(null)],
      ['a failure with a status', failed({ code: 'QUERY_FAILED', detail: '', errors: [], status: 200 })],
      ['a failure with headers', failed({ code: 'QUERY_FAILED', detail: '', errors: [], headers: { 'X-A': 'b' } })],
      ['a failure whose detail is an object', failed({ code: 'QUERY_FAILED', detail: {}, errors: [] })],
      ['a failure with a detail of 1 MB', failed({ code: 'QUERY_FAILED', detail: 'x'.repeat(1e6), errors: [] })],
      ['a failure whose errors are texts', failed({ code: 'QUERY_FAILED', detail: '', errors: ['x'] })],
      [
        'a failure with an object in an error',
        failed({ code: 'QUERY_FAILED', detail: '', errors: [{ parameter: {} }] }),
      ],
      ['a failure whose code is not a word', failed({ code: 'a\r\nb', detail: '', errors: [] })],
      ['a purge of an object', { type: 'purged', prefix: {} }],
      ['a purge with another member', { type: 'purged', prefix: '', number: 1 }],
      ['a purge of a part that is a number', { type: 'purged', prefix: '', part: 1 }],
      ['a purge of a part of many letters', { type: 'purged', prefix: '', part: 'x'.repeat(101) }],
    ]
    for (const [what, event] of sampleOf(MESSAGES)) {
      it(`ignores a message with ${what}, with a warning`, async () => {
        const replica = await openReplica()
        await storeAndHear(replica)
        const outcome = replica.shared.replicas.outcome(KEY, new AbortController().signal)
        await publish(replica, messageOf(event))
        await until(() => replica.ignored.length > 0, 'the warning')
        expect(replica.ignored).to.deep.equal([FOREIGN_MESSAGE])
        expect(await outcome).to.deep.equal({ kind: 'unknown' })
        expect(replica.memory.get(KEY)).to.not.equal(undefined)
        expect(await bodyOf(replica.shared)).to.equal(BODY)
      })
    }

    it('ignores messages that are not even texts of a replica', async () => {
      const replica = await openReplica()
      for (const text of ['', ' ', 'x', '{}', `${'A'.repeat(43)} {}`, messageOf({ type: 'purged' }).slice(0, -1)])
        await publish(replica, text)
      await until(() => replica.ignored.length === 6, 'the warnings')
    })

    it('ignores a message that is too long, whatever it says', async () => {
      const replica = await openReplica()
      await storeAndHear(replica)
      const purge = `${' '.repeat(1_000_000)}${JSON.stringify({ type: 'purged', prefix: '' })}`
      await publish(replica, `${new Signer(null).sign(CHANNEL, purge)} ${purge}`)
      await until(() => replica.ignored.length > 0, 'the warning')
      expect(replica.memory.get(KEY)).to.not.equal(undefined)
    })

    it('uses no result where a mark of a purge cannot be one, and stores none', async () => {
      for (const set of [
        ['SET', `${PREFIX}p:{}`, 'x'.repeat(1_001)],
        ['RPUSH', `${PREFIX}p:{}`, 'x'],
      ] as const) {
        redis.server.cli('FLUSHALL')
        redis.server.cli(...set)
        const replica = await openReplica()
        const message = 'Redis does not keep the marks of purges'
        expect(await failure(replica.shared.get(KEY))).to.equal(message)
        expect(await failure(replica.shared.set(KEY, storedResult(BODY), 60_000))).to.equal(message)
        await replica.tiered.purge('')
        expect(await failure(replica.shared.set(KEY, storedResult(BODY), 60_000)), 'a purge mends it').to.equal('none')
        await closeReplicas()
      }
    })

    it('lowers no budget that this process has counted already', async () => {
      const replica = await openReplica()
      const [clock, counters] = [systemClock(), new RedisCounters(replica.link, PREFIX)]
      const budgets = new Budgets({ counters, clock, observe: () => {}, maxBytesBilled: null })
      const payer = { token: 't', bytesPerDay: 100 }
      await budgets.spend(payer, 90)
      const [name] = redis.server.cli('KEYS', `${PREFIX}n:*`).split('\n')
      redis.server.cli('SET', name!, '-1000000', 'KEEPTTL')
      expect(await budgets.allow(payer, null)).to.deep.equal({ maxBytesBilled: 10, isBudget: true })
      await budgets.spend(payer, 10)
      const refused = await budgets.allow(payer, null).catch((error: unknown) => error)
      expect((refused as RunnerError).code).to.equal('BUDGET_EXCEEDED')
    })
  })

  describe('with SLUICE_REDIS_KEY', () => {
    const WRITERS: readonly (readonly [what: string, key: string | null])[] = [
      ['no key', null],
      ['another key', 'another key of more than 32 characters'],
    ]
    for (const [what, key] of sampleOf(WRITERS)) {
      it(`is a miss where an entry was signed with ${what}`, async () => {
        const replica = await openReplica(REDIS_KEY)
        await write(replica, entryOf({}, key))
        expect(await failure(replica.shared.get(KEY))).to.equal(NOT_SIGNED)
        await write(replica, entryOf({}, REDIS_KEY))
        expect(await bodyOf(replica.shared)).to.equal(BODY)
      })

      it(`ignores messages that were signed with ${what}`, async () => {
        const replica = await openReplica(REDIS_KEY)
        await storeAndHear(replica)
        const waiting = replica.shared.replicas.outcome(KEY, new AbortController().signal)
        const failed = { kind: 'failed', failure: { code: 'QUERY_FAILED', detail: 'Log in at http://x', errors: [] } }
        await publish(replica, messageOf({ type: 'ended', key: KEY, outcome: failed }, key))
        await publish(replica, messageOf({ type: 'purged', prefix: '' }, key))
        await until(() => replica.ignored.length === 2, 'the warnings')
        expect(await waiting).to.deep.equal({ kind: 'unknown' })
        expect(replica.memory.get(KEY)).to.not.equal(undefined)
      })
    }

    it('is a miss where any byte of an entry was changed', async () => {
      const replica = await openReplica(REDIS_KEY)
      const entry = entryOf({}, REDIS_KEY)
      for (let at = 0; at < entry.byteLength; at += 1) {
        const changed = Buffer.from(entry)
        changed[at]! ^= 1
        await write(replica, changed)
        const isLineEnd = entry[at] === 10
        const message = isLineEnd ? 'the value is not one of ours' : NOT_SIGNED
        expect(await failure(replica.shared.get(KEY)), `byte ${at}`).to.equal(message)
      }
    })

    it('is a miss where an entry was copied to another key', async () => {
      const [a, b] = [await openReplica(REDIS_KEY), await openReplica(REDIS_KEY)]
      await a.shared.set('e:tenant-1', storedResult(BODY), 60_000)
      redis.server.cli('COPY', `${PREFIX}r8:{e:tenant-1}`, `${PREFIX}r8:{e:tenant-2}`)
      expect(await bodyOf(b.shared, 'e:tenant-1')).to.equal(BODY)
      expect(await failure(b.shared.get('e:tenant-2'))).to.equal(NOT_SIGNED)
    })

    it('is read by replicas that have the same key, messages included', async () => {
      const [a, b] = [await openReplica(REDIS_KEY), await openReplica(REDIS_KEY)]
      const waiting = b.shared.replicas.outcome(KEY, new AbortController().signal)
      await a.tiered.set(KEY, storedResult(BODY), 60_000)
      expect(await waiting).to.deep.equal({ kind: 'stored' })
      await until(async () => (await bodyOf(b.tiered)) === BODY, 'the result')
      await a.tiered.purge('')
      await until(() => b.memory.get(KEY) === undefined, 'the purge')
      expect([...a.ignored, ...b.ignored]).to.deep.equal([])
    })
  })

  it('is a miss while a value comes slowly, and where its end is missing', async () => {
    const writer = await openReplica()
    const rows = `{"result":[{"a":"${'x'.repeat(400_000)}"}]}`
    await writer.shared.set(KEY, storedResult(rows), 60_000)
    const slow = await openReplicaAt({ url: redis.line.url, key: null, commandMs: 40 })
    await until(async () => (await failure(slow.shared.get(KEY))) === 'none', 'an answer')
    redis.line.hold()
    expect(await slow.tiered.get(KEY)).to.equal(undefined)
    expect(slow.events.map(event => event.kind)).to.deep.equal(['store.failed', 'store.failed'])
    expect(slow.memory.get(KEY)).to.equal(undefined)
    redis.line.release()
    await until(async () => (await bodyOf(slow.shared)) === rows, 'the whole value')

    const cut = slow.shared.get(KEY)
    redis.line.cutAfter(100_000)
    expect(await failure(cut)).to.match(/^Redis (does not answer|cannot be used: )/)
    redis.line.cutAfter(Number.POSITIVE_INFINITY)
    await pause(50)
    await until(async () => (await bodyOf(slow.shared)) === rows, 'the whole value again')
  })
})
