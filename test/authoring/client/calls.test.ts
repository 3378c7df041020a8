/** Calls that the client in TypeScript makes, in this Node, to servers: results, problems, waits, renewed tokens, aborts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { RunnerError } from '../../../runner/model/errors.js'
import { type Serving, serving, TOKEN } from '../../http/serving.js'
import { handMadeEndpoint, parameter as madeParameter } from '../../request/hand-made.js'
import { until } from '../../until.js'
import { clientModule } from './described.js'

type Meta = Readonly<Record<'rowCount' | 'truncated' | 'etag' | 'ageSeconds' | 'cache' | 'requestId', unknown>>
interface Result {
  readonly rows: readonly Record<string, unknown>[] | null
  readonly meta: Meta
}
interface Options {
  readonly signal?: AbortSignal
  readonly etag?: string | null
}
type Call = (name: string, args?: object, options?: Options) => Promise<Result>
type CreateSluice = (options: { url: string; token: string | (() => string | Promise<string>) }) => { call: Call }

interface Failure extends Error {
  readonly code: string
  readonly status: number
  readonly errors: readonly object[]
  readonly requestId: string | null
}

/** What the promise rejects with. */
const failureOf = (promise: Promise<unknown>): Promise<Failure> =>
  promise.then(
    () => expect.fail('the call did not fail'),
    (thrown: Failure) => thrown,
  )

describe('calls of the client in TypeScript', function () {
  this.timeout(30_000)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-client-'))
  let createSluice: CreateSluice
  let s: Serving
  let call: Call

  before(async () => {
    const file = join(folder, 'client.mjs')
    writeFileSync(file, clientModule('tests.echo'))
    ;({ createSluice } = (await import(pathToFileURL(file).href)) as { createSluice: CreateSluice })
    const parameters = [
      madeParameter('project', { isRequired: true }),
      madeParameter('size', { type: 'int64' }),
      madeParameter('tags', { type: 'array<string>' }),
    ]
    s = await serving({ endpoints: [handMadeEndpoint({ parameters })] })
    ;({ call } = createSluice({ url: s.url, token: TOKEN }))
  })
  after(async () => {
    await s.close()
    rmSync(folder, { recursive: true })
  })

  it('gives the rows, and what the headers say of them', async () => {
    const first = await call('tests.echo', { project: 'a' })
    expect(first.rows?.[0]?.['project']).to.equal('a')
    const { etag, requestId, ...facts } = first.meta
    expect(facts).to.deep.equal({ rowCount: 1, truncated: false, ageSeconds: 0, cache: 'miss' })
    expect(etag).to.match(/^"[^"]+"$/)
    expect(requestId).to.match(/^[0-9a-f-]{36}$/)
    const again = await createSluice({ url: `${s.url}/`, token: async () => TOKEN }).call('tests.echo', {
      project: 'a',
    })
    expect([again.rows, again.meta.cache]).to.deep.equal([first.rows, 'hit'])
  })

  it('gives null for rows that the caller has already', async () => {
    const { meta } = await call('tests.echo', { project: 'etag' })
    const same = await call('tests.echo', { project: 'etag' }, { etag: meta.etag as string })
    expect(same.rows).to.equal(null)
    expect([same.meta.rowCount, same.meta.etag, same.meta.cache]).to.deep.equal([1, meta.etag, 'hit'])
    const other = await call('tests.echo', { project: 'other' }, { etag: meta.etag as string })
    expect(other.rows).to.have.length(1)
  })

  const ARGUMENTS: readonly (readonly [says: string, given: object, echoed: object])[] = [
    ['texts of any characters', { project: 'a b&c=d+e%/?#ä🦥' }, { project: 'a b&c=d+e%/?#ä🦥' }],
    ['numbers', { project: 'n', size: -5 }, { project: 'n', size: '-5' }],
    ['integers beyond 2^53', { project: 'n', size: 9007199254740993n }, { project: 'n', size: '9007199254740993' }],
    ['lists by repetition', { project: 'l', tags: ['a', 'b,c'] }, { project: 'l', tags: ['a', 'b,c'] }],
    ['a list with an empty text', { project: 'l', tags: ['a', ''] }, { project: 'l', tags: ['a', ''] }],
    ['a list of an empty text', { project: 'l', tags: [''] }, { project: 'l', tags: [''] }],
    ['a list of one element with a comma', { project: 'l', tags: ['a,b'] }, { project: 'l', tags: ['a,b'] }],
    ['a list of one element that looks like JSON', { project: 'l', tags: ['[1]'] }, { project: 'l', tags: ['[1]'] }],
    ['no empty list', { project: 'l', tags: [] }, { project: 'l' }],
    ['no undefined arguments', { project: 'u', size: undefined, tags: null }, { project: 'u' }],
    ['texts that are too long for an address', { project: 'ä'.repeat(9_000) }, { project: 'ä'.repeat(9_000) }],
  ]
  for (const [says, given, echoed] of ARGUMENTS) {
    it(`sends ${says}`, async () => {
      const { rows } = await call('tests.echo', given)
      const { now: _, ...row } = rows![0]!
      expect(row).to.deep.equal({ size: null, tags: [], ...echoed })
    })
  }

  it('throws problems with their code, status and arguments', async () => {
    const failure = await failureOf(call('tests.echo', { size: 'x' }))
    expect(failure).to.be.an('error')
    expect(failure.name).to.equal('SluiceError')
    expect([failure.code, failure.status]).to.deep.equal(['ARGUMENT_INVALID', 400])
    expect(failure.errors).to.deep.equal([
      { parameter: 'project', detail: 'is required' },
      { parameter: 'size', detail: 'must be an integer' },
    ])
    expect(failure.message).to.equal(
      'ARGUMENT_INVALID: These arguments are not valid: project, size.; project is required; size must be an integer',
    )
    expect(failure.requestId).to.match(/^[0-9a-f-]{36}$/)
    const unknown = await failureOf(call('tests.other', {}))
    expect([unknown.code, unknown.status, unknown.errors]).to.deep.equal(['ENDPOINT_UNKNOWN', 404, []])
    const stranger = await failureOf(createSluice({ url: s.url, token: 'x' }).call('tests.echo', { project: 'a' }))
    expect([stranger.code, stranger.status]).to.deep.equal(['TOKEN_UNKNOWN', 401])
  })

  it('waits as long as a 429 says, and gets its rows', async () => {
    const token = await s.token({ allow: ['*'], rate: '1/s' })
    const limited = createSluice({ url: s.url, token })
    await limited.call('tests.echo', { project: 'rate' })
    const began = performance.now()
    const { rows } = await limited.call('tests.echo', { project: 'rate' })
    expect(rows).to.have.length(1)
    expect(performance.now() - began).to.be.greaterThan(900)
  })

  it('tries a 503 twice more, and then throws it', async () => {
    s.engine.fail(new RunnerError('OVERLOADED', { headers: { 'Retry-After': '0' } }))
    const before = s.engine.queries.length
    const failure = await failureOf(call('tests.echo', { project: 'busy' }))
    s.engine.fail(null)
    expect([failure.code, failure.status, s.engine.queries.length - before]).to.deep.equal(['OVERLOADED', 503, 3])
  })

  it('does not wait for what would take more than a minute', async () => {
    const token = await s.token({ allow: ['*'], rate: '1/hour' })
    const limited = createSluice({ url: s.url, token })
    await limited.call('tests.echo', { project: 'hour' })
    const failure = await failureOf(limited.call('tests.echo', { project: 'hour' }))
    expect([failure.code, failure.status]).to.deep.equal(['RATE_LIMITED', 429])
  })

  it('does not try other failures again', async () => {
    s.engine.fail(new RunnerError('QUERY_FAILED'))
    const before = s.engine.queries.length
    const failure = await failureOf(call('tests.echo', { project: 'broken' }))
    s.engine.fail(null)
    expect([failure.code, failure.status, s.engine.queries.length - before]).to.deep.equal(['QUERY_FAILED', 502, 1])
  })

  it('ends a call with its signal, and the query with it', async () => {
    const release = s.engine.hold()
    const before = s.engine.cancelled()
    const controller = new AbortController()
    const queries = s.engine.queries.length
    const failing = failureOf(call('tests.echo', { project: 'held' }, { signal: controller.signal }))
    await until(() => s.engine.queries.length > queries, 'the query runs')
    controller.abort()
    expect((await failing).name).to.equal('AbortError')
    await until(() => s.engine.cancelled() > before, 'the query is cancelled')
    release()
  })

  it('ends a wait with its signal', async () => {
    s.engine.fail(new RunnerError('OVERLOADED', { headers: { 'Retry-After': '50' } }))
    const began = performance.now()
    const failure = await failureOf(call('tests.echo', { project: 'wait' }, { signal: AbortSignal.timeout(200) }))
    s.engine.fail(null)
    expect(failure.name).to.equal('TimeoutError')
    expect(performance.now() - began).to.be.lessThan(20_000)
    const ended = AbortSignal.abort(new TypeError('too late'))
    expect((await failureOf(call('tests.echo', { project: 'a' }, { signal: ended }))).message).to.equal('too late')
  })

  describe('of something else than Sluice', () => {
    /** The answers in turn; the last one is given again. */
    let answers: ((res: ServerResponse) => void)[] = []
    const asked: { url: string; headers: IncomingHttpHeaders }[] = []
    let server: Server
    let url: string
    before(async () => {
      server = createServer((req, res) => {
        asked.push({ url: req.url ?? '', headers: req.headers })
        const answer = answers.length > 1 ? answers.shift()! : answers[0]!
        answer(res)
      }).listen(0, '127.0.0.1')
      await new Promise(resolve => server.once('listening', resolve))
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    })
    beforeEach(() => {
      asked.length = 0
    })
    after(() => {
      server.close()
      server.closeAllConnections()
    })

    const answer =
      (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
      (res: ServerResponse): void =>
        void res.writeHead(status, headers).end(body)
    const rows = answer(200, '{"result":[]}')
    const expired = answer(401, '{"code":"TOKEN_EXPIRED","detail":"over"}')

    it('asks for another token once where the token has expired', async () => {
      const tokens = ['first', 'second', 'third']
      answers = [expired, rows]
      const token = async () => tokens.shift()!
      expect((await createSluice({ url, token }).call('tests.echo')).rows).to.deep.equal([])
      expect(asked.map(({ headers }) => headers['x-api-key'])).to.deep.equal(['first', 'second'])
      answers = [expired]
      const failure = await failureOf(createSluice({ url, token: () => 'old' }).call('tests.echo'))
      expect([failure.code, failure.status, asked.length]).to.deep.equal(['TOKEN_EXPIRED', 401, 4])
    })

    it('does not send the same token again', async () => {
      answers = [expired]
      const failure = await failureOf(createSluice({ url, token: 'old' }).call('tests.echo'))
      expect([failure.code, asked.length]).to.deep.equal(['TOKEN_EXPIRED', 1])
    })

    it('asks for another token after a wait, too', async () => {
      answers = [answer(503, '', { 'Retry-After': '0' }), expired, answer(429, '', { 'Retry-After': '0' }), rows]
      expect((await createSluice({ url, token: () => 'x' }).call('tests.echo')).rows).to.deep.equal([])
      expect(asked).to.have.length(4)
    })

    it('sends the token to no other address', async () => {
      answers = [answer(302, '', { Location: `${url}/elsewhere` })]
      const failure = await failureOf(createSluice({ url, token: 'x' }).call('tests.echo'))
      expect([failure.code, failure.status, asked.length]).to.deep.equal(['UNKNOWN', 302, 1])
    })

    it('keeps the path of the address, and asks for JSON', async () => {
      answers = [rows]
      await createSluice({ url: `${url}/base/`, token: 'x' }).call('tests.echo', { a: 1 })
      expect(asked[0]?.url).to.equal('/base/api/endpoints/query/tests.echo?a=1')
      expect(asked[0]?.headers.accept).to.equal('application/json')
    })

    const STRANGE: readonly (readonly [
      says: string,
      status: number,
      body: string,
      headers?: Record<string, string>,
    ])[] = [
      ['a page of a proxy', 502, '<h1>Bad Gateway</h1>'],
      ['a page instead of a result', 200, '<h1>Please log in</h1>'],
      ['another document', 200, '{"rows":[]}'],
      ['null', 500, 'null'],
      ['a 503 without Retry-After', 503, ''],
      ['a Retry-After that says nothing', 503, '', { 'Retry-After': 'soon' }],
    ]
    for (const [says, status, body, headers] of STRANGE) {
      it(`throws ${says} as UNKNOWN`, async () => {
        answers = [answer(status, body, headers)]
        const failure = await failureOf(createSluice({ url, token: 'x' }).call('tests.echo'))
        expect([failure.name, failure.code, failure.status, failure.errors, asked.length]).to.deep.equal([
          ...['SluiceError', 'UNKNOWN'],
          ...[status, [], 1],
        ])
      })
    }

    it('waits until a date', async () => {
      const soon = new Date(Date.now() - 1_000).toUTCString()
      answers = [answer(503, '', { 'Retry-After': soon }), rows]
      expect((await createSluice({ url, token: 'x' }).call('tests.echo')).rows).to.deep.equal([])
    })

    const STATUSES: readonly (readonly [header: string, cache: string | null])[] = [
      ['sluice; hit; ttl=5', 'hit'],
      ['sluice; fwd=miss; stored', 'miss'],
      ['sluice; fwd=miss; collapsed', 'collapsed'],
      ['sluice; fwd=stale', 'stale'],
      ['sluice; fwd=request; stored', 'request'],
      ['sluice; fwd=bypass', 'bypass'],
      ['sluice; hit; ttl=5, proxy; fwd=miss', 'hit'],
      ['proxy; hit', null],
    ]
    for (const [header, cache] of STATUSES) {
      it(`reads ${header} as ${cache}`, async () => {
        answers = [answer(200, '{"result":[]}', { 'Cache-Status': header, Age: '7', 'X-Truncated': 'true' })]
        const { meta } = await createSluice({ url, token: 'x' }).call('tests.echo')
        expect([meta.cache, meta.ageSeconds, meta.truncated]).to.deep.equal([cache, 7, true])
      })
    }
  })
})
