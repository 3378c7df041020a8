/** The fast lane may answer a hit before Express runs; the answer must not show which path it came from. */
import { createHash } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import express from 'express'
import type { Event } from '../../runner/model/events.js'
import { type ManualClock, manualClock } from '../cache/manual-clock.js'
import { ENDPOINT_ID, handMadeEndpoint, parameter } from '../request/hand-made.js'
import { type RawAnswer, type RawHeaders, rawRequest } from './raw-request.js'
import { type Serving, serving, TOKEN } from './serving.js'

const ECHO = '/api/endpoints/query/tests.echo'
const LARGE = '/api/endpoints/query/tests.large'
const ORIGIN = 'https://app.example.com'

const hashOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex')
const idOf = (first: string): string => first + ENDPOINT_ID.slice(2)

const ENDPOINTS = [
  handMadeEndpoint(),
  handMadeEndpoint({
    id: idOf('1b'),
    name: 'tests.large',
    parameters: [parameter('project')],
    render: () => ({ sql: 'SELECT', parameters: { text: { type: 'STRING', value: 'é0123456789'.repeat(500) } } }),
  }),
  handMadeEndpoint({ id: idOf('2b'), name: 'tests.uncached', cache: null }),
  handMadeEndpoint({
    id: idOf('5b'),
    name: 'tests.stale',
    cache: {
      ttlMs: 900_000,
      warmMs: null,
      staleIfErrorMs: 0,
      staleWhileRevalidateMs: 3_600_000,
      untilDataChanges: false,
      settledMs: null,
    },
  }),
  handMadeEndpoint({ id: idOf('3b'), name: 'tests.cut', maxRows: 0 }),
  handMadeEndpoint({
    id: idOf('4b'),
    name: 'tests.typed',
    parameters: [
      parameter('n', { type: 'int64' }),
      parameter('at', { type: 'timestamp' }),
      parameter('tags', { type: 'array<string>' }),
      parameter('ratio', { type: 'float64', default: 1.5 }),
    ],
  }),
]

interface Call {
  readonly path: string
  readonly method?: string
  readonly headers?: RawHeaders
  readonly body?: string
  /** The token of the call. @default the unrestricted token */
  readonly as?: 'pinned' | 'nobody' | 'bearer' | 'stranger'
}

/** Each call is sent twice, so that the second may be a hit. `isFast`: the fast lane answers the second call. */
const CALLS: readonly (readonly [name: string, call: Call, isFast: boolean])[] = [
  ['a hit', { path: `${ECHO}?project=a` }, true],
  ['a hit by id', { path: `/api/endpoints/query/${ENDPOINT_ID}?project=a` }, true],
  ['a hit by id in capitals', { path: `/api/endpoints/query/${ENDPOINT_ID.toUpperCase()}?project=a` }, true],
  ['a hit with arguments in another order', { path: `${ECHO}?size=5&project=a` }, true],
  ['a hit with an argument spelled otherwise', { path: `${ECHO}?size=%2B05&project=%61` }, true],
  ['a hit with undeclared arguments', { path: `${ECHO}?x=1&project=a&x=2` }, true],
  ['typed arguments', { path: '/api/endpoints/query/tests.typed?n=007&at=2026-01-31&tags=b&tags=a&ratio=2.50' }, true],
  ['no arguments, where none are needed', { path: '/api/endpoints/query/tests.typed' }, true],
  ['an empty query string', { path: '/api/endpoints/query/tests.typed?' }, true],
  ['a hit of a result that was cut', { path: '/api/endpoints/query/tests.cut?project=a' }, true],
  ['HEAD', { path: `${ECHO}?project=a`, method: 'HEAD' }, true],
  ['HEAD, compressed', { path: LARGE, method: 'HEAD', headers: { 'Accept-Encoding': 'gzip' } }, true],
  ['a bearer token', { path: `${ECHO}?project=a`, as: 'bearer' }, true],
  ['a pinned token', { path: ECHO, as: 'pinned' }, true],
  ['a pinned token with its own argument', { path: `${ECHO}?project=pin`, as: 'pinned' }, true],
  ['a pinned token with another argument', { path: `${ECHO}?project=a`, as: 'pinned' }, false],
  ['a pinned token, elsewhere', { path: LARGE, as: 'pinned' }, false],
  ['no token', { path: `${ECHO}?project=a`, as: 'nobody' }, false],
  ['an unknown token', { path: `${ECHO}?project=a`, as: 'stranger' }, false],
  ['two tokens', { path: `${ECHO}?project=a`, headers: { 'X-API-KEY': [TOKEN, TOKEN] }, as: 'nobody' }, false],
  ['Accept of anything', { path: `${ECHO}?project=a`, headers: { Accept: 'text/html, */*;q=0.1' } }, true],
  ['Accept of what there is not', { path: `${ECHO}?project=a`, headers: { Accept: 'text/html' } }, false],
  ['Accept of CSV', { path: `${ECHO}?project=a`, headers: { Accept: 'text/csv' } }, true],
  ['format=csv', { path: `${ECHO}?project=a&format=csv` }, true],
  ['format=excel', { path: `${ECHO}?project=a&format=excel` }, true],
  ['format=ndjson, HEAD', { path: `${ECHO}?project=a&format=ndjson`, method: 'HEAD' }, true],
  ['format=table', { path: `${ECHO}?project=a&format=table` }, true],
  ['format=table of a result that was cut', { path: '/api/endpoints/query/tests.cut?project=a&format=table' }, true],
  ['format=arrow', { path: `${ECHO}?project=a&format=arrow` }, true],
  ['format=parquet', { path: `${ECHO}?project=a&format=parquet` }, true],
  ['format=csv, compressed', { path: `${LARGE}?format=csv`, headers: { 'Accept-Encoding': 'br' } }, true],
  [
    'format=csv, small, that must be compressed',
    { path: `${ECHO}?project=a&format=csv`, headers: { 'Accept-Encoding': 'gzip, identity;q=0' } },
    true,
  ],
  ['format=csv with If-None-Match', { path: `${ECHO}?project=a&format=csv`, headers: { 'If-None-Match': '*' } }, true],
  ['a range', { path: `${ECHO}?project=a`, headers: { Range: 'bytes=2-5' } }, false],
  ['an unknown format', { path: `${ECHO}?project=a&format=xml` }, false],
  ['If-None-Match of anything', { path: `${ECHO}?project=a`, headers: { 'If-None-Match': '*' } }, true],
  ['If-None-Match of another', { path: `${ECHO}?project=a`, headers: { 'If-None-Match': '"x", W/"y"' } }, true],
  ['If-None-Match with HEAD', { path: ECHO, method: 'HEAD', headers: { 'If-None-Match': '*' }, as: 'pinned' }, true],
  ['If-Match of another', { path: `${ECHO}?project=a`, headers: { 'If-Match': '"x", W/"y"' } }, false],
  ['If-Match of anything', { path: `${ECHO}?project=a`, headers: { 'If-Match': '*' } }, false],
  ['a large body', { path: LARGE }, true],
  ['gzip', { path: LARGE, headers: { 'Accept-Encoding': 'gzip, deflate' } }, true],
  ['br', { path: LARGE, headers: { 'Accept-Encoding': 'gzip, deflate, br' } }, true],
  ['gzip liked better than br', { path: LARGE, headers: { 'Accept-Encoding': 'br;q=0.5, gzip;q=0.8' } }, true],
  ['br refused', { path: LARGE, headers: { 'Accept-Encoding': 'br;q=0, *' } }, true],
  ['identity liked better', { path: LARGE, headers: { 'Accept-Encoding': 'gzip;q=0.5, identity' } }, true],
  ['a coding that there is not', { path: LARGE, headers: { 'Accept-Encoding': 'compress' } }, true],
  ['no coding that can be had', { path: LARGE, headers: { 'Accept-Encoding': 'identity;q=0' } }, false],
  ['a small body, which is not compressed', { path: `${ECHO}?project=a`, headers: { 'Accept-Encoding': 'br' } }, true],
  [
    'a small body that must not come as it is',
    { path: `${ECHO}?project=a`, headers: { 'Accept-Encoding': 'gzip, identity;q=0' } },
    true,
  ],
  ['a request id', { path: `${ECHO}?project=a`, headers: { 'X-Request-Id': 'mine-1' } }, true],
  ['an invalid request id', { path: `${ECHO}?project=a`, headers: { 'X-Request-Id': '<script>' } }, true],
  ['Connection: close', { path: `${ECHO}?project=a`, headers: { Connection: 'close' } }, true],
  ['no-cache of a token that may not', { path: `${ECHO}?project=a`, headers: { 'Cache-Control': 'no-cache' } }, true],
  ['another origin', { path: `${ECHO}?project=a`, headers: { Origin: ORIGIN } }, false],
  ['an origin that is not allowed', { path: `${ECHO}?project=a`, headers: { Origin: 'https://evil.example' } }, false],
  ['an expectation', { path: `${ECHO}?project=a`, headers: { Expect: 'the-impossible' } }, false],
  ['a GET with a body', { path: `${ECHO}?project=a`, headers: { 'Content-Length': '2' }, body: 'xx' }, false],
  [
    'POST',
    { path: ECHO, method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"project":"a"}' },
    false,
  ],
  ['PUT', { path: `${ECHO}?project=a`, method: 'PUT' }, false],
  ['what is not cached', { path: '/api/endpoints/query/tests.uncached?project=a' }, false],
  ['a missing argument', { path: ECHO }, false],
  ['a bad argument', { path: `${ECHO}?project=a&size=x` }, false],
  ['an argument twice', { path: `${ECHO}?project=a&project=a` }, false],
  ['a broken encoding', { path: `${ECHO}?project=%` }, false],
  ['an unknown endpoint', { path: '/api/endpoints/query/nope?project=a' }, false],
  ['an endpoint named like a member of every object', { path: '/api/endpoints/query/__proto__' }, false],
  ['a slash behind the name', { path: `${ECHO}/?project=a` }, false],
  ['a name with an encoded letter', { path: '/api/endpoints/query/tests%2eecho?project=a' }, false],
  ['a long address', { path: `${ECHO}?project=a&x=${'y'.repeat(2_000)}` }, false],
  ['a description', { path: '/api/endpoints/tests.echo' }, false],
  ['health', { path: '/healthz' }, false],
]

describe('a hit that is answered before the app', () => {
  let fast: Serving
  let long: Serving
  let clocks: readonly ManualClock[] = []
  const pinned = new Map<Serving, string>()

  before(async () => {
    const start = async (isSlowPathOnly: boolean, clock: ManualClock) => {
      const s = await serving({ endpoints: ENDPOINTS, corsOrigins: [ORIGIN], clock, isSlowPathOnly })
      pinned.set(s, await s.token({ allow: ['tests.echo'], pin: { project: 'pin' } }))
      return s
    }
    clocks = [manualClock(), manualClock()]
    fast = await start(false, clocks[0]!)
    long = await start(true, clocks[1]!)
  })
  after(async () => {
    await fast.close()
    await long.close()
  })

  function send(s: Serving, { path, method = 'GET', headers = {}, body, as }: Call): Promise<RawAnswer> {
    const tokens = {
      pinned: { 'X-API-KEY': pinned.get(s)! },
      nobody: {},
      bearer: { Authorization: `Bearer ${TOKEN}` },
      stranger: { 'X-API-KEY': 'nonsense' },
    } as const
    const token = as === undefined ? { 'X-API-KEY': TOKEN } : tokens[as]
    return rawRequest(s.url + path, method, { ...token, ...headers }, body)
  }

  /** The parts of an answer that must be equal on both paths: everything except values made for each request. */
  function comparable({ status, headers, body }: RawAnswer, call: Call) {
    const { date, 'x-request-id': id, 'server-timing': timing, ...rest } = headers
    const problem = headers['content-type'] === 'application/problem+json'
    return {
      status,
      headers: rest,
      hasDate: date !== undefined,
      id: call.headers?.['X-Request-Id'] === id ? id : /^[0-9a-f-]{36}$/.test(String(id)),
      timings: timing === undefined ? null : String(timing).replaceAll(/[\d.]+/g, '_'),
      body: problem ? { ...JSON.parse(body.toString() || '{}'), instance: '' } : hashOf(body),
    }
  }

  const lastDone = (s: Serving) => {
    const {
      requestId: _,
      durationMs: __,
      ...facts
    } = s.events.findLast(event => event.kind === 'request.done') as Extract<Event, { kind: 'request.done' }>
    return { ...facts, error: facts.error?.code ?? null }
  }

  const settled = () => new Promise(resolve => setTimeout(resolve, 2))

  for (const [name, call, isFast] of CALLS) {
    it(`is the same by both ways: ${name}`, async () => {
      for (const s of [fast, long]) await send(s, call)
      for (const clock of clocks) await clock.advance(1_700)
      const before = fast.slowPathCalls()
      const answers = [comparable(await send(fast, call), call), comparable(await send(long, call), call)]
      await settled()
      expect(answers[0]).to.deep.equal(answers[1])
      expect(lastDone(fast)).to.deep.equal(lastDone(long))
      expect(fast.slowPathCalls() - before).to.equal(isFast ? 0 : 1)
    })
  }

  it('is a 304 for the ETag that was sent, and for no other coding', async () => {
    for (const [encoding, unpack] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
      ['identity', (body: Buffer) => body],
    ] as const) {
      const whole = await send(fast, { path: LARGE, headers: { 'Accept-Encoding': encoding } })
      expect(unpack(whole.body).toString()).to.include('é0123456789é')
      const tag = { 'If-None-Match': String(whole.headers.etag) }
      for (const s of [fast, long]) {
        const same = await send(s, { path: LARGE, headers: { 'Accept-Encoding': encoding, ...tag } })
        expect([same.status, same.body.byteLength, same.headers.etag]).to.deep.equal([304, 0, whole.headers.etag])
        expect(same.headers).to.not.have.any.keys('content-type', 'content-length', 'content-encoding')
        expect(same.headers).to.include.keys('cache-control', 'vary', 'age', 'cache-status')
        const other = await send(s, { path: LARGE, headers: { 'Accept-Encoding': 'zip', ...tag } })
        expect(other.status).to.equal(encoding === 'identity' ? 304 : 200)
      }
    }
  })

  it('is a 412 for If-Match that does not name its ETag, which only a strong one does', async () => {
    const { headers } = await send(fast, { path: `${ECHO}?project=a` })
    const tag = String(headers.etag)
    for (const [ifMatch, status] of [
      [tag, 200],
      [`"x", ${tag}`, 200],
      ['*', 200],
      ['"x"', 412],
      [`W/${tag}`, 412],
      ['nonsense', 412],
    ] as const) {
      for (const s of [fast, long]) {
        const answer = await send(s, { path: `${ECHO}?project=a`, headers: { 'If-Match': ifMatch } })
        expect([ifMatch, answer.status]).to.deep.equal([ifMatch, status])
      }
    }
    const both = { 'If-Match': tag, 'If-None-Match': tag }
    expect((await send(fast, { path: `${ECHO}?project=a`, headers: both })).status).to.equal(304)
  })

  it('ends with its ttl', async () => {
    await send(fast, { path: `${ECHO}?project=ttl` })
    await clocks[0]!.advance(899_000)
    const last = await send(fast, { path: `${ECHO}?project=ttl` })
    expect([last.headers['cache-control'], last.headers.age]).to.deep.equal(['private, max-age=900', '899'])
    await clocks[0]!.advance(1_000)
    expect((await send(fast, { path: `${ECHO}?project=ttl` })).headers['cache-status']).to.include('fwd=miss')
  })

  it('says the whole ttl as max-age, and what is gone of it as Age, in every form', async () => {
    const forms = ['json', 'table', 'ndjson', 'csv', 'excel', 'arrow', 'parquet', 'xlsx'].map(
      format => `format=${format}`,
    )
    for (const s of [fast, long]) {
      const ask = async (form: string, method: string, headers: RawHeaders = {}) => {
        const answer = await send(s, { path: `${ECHO}?project=whole&${form}`, method, headers })
        return { answer, head: [answer.status, answer.headers['cache-control'], answer.headers.age] }
      }
      const first = await ask('', 'GET')
      expect(first.head).to.deep.equal([200, 'private, max-age=900', '0'])
      for (const form of forms) await ask(form, 'GET')
      await clocks[s === fast ? 0 : 1]!.advance(100_000)
      for (const form of forms) {
        const { answer, head } = await ask(form, 'GET')
        expect([form, ...head]).to.deep.equal([form, 200, 'private, max-age=900', '100'])
        expect((await ask(form, 'HEAD')).head).to.deep.equal(head)
        const { head: same } = await ask(form, 'GET', { 'If-None-Match': String(answer.headers.etag) })
        expect(same).to.deep.equal([304, 'private, max-age=900', '100'])
      }
    }
  })

  it('says them of a stale result, too', async () => {
    for (const s of [fast, long]) {
      const call = { path: '/api/endpoints/query/tests.stale?project=a' }
      await send(s, call)
      await clocks[s === fast ? 0 : 1]!.advance(950_000)
      const { headers } = await send(s, call)
      expect(headers).to.include({
        'cache-status': 'sluice; fwd=stale',
        'cache-control': 'private, max-age=900',
        age: '950',
      })
    }
  })

  it('is limited to the rate of its token', async () => {
    const token = await fast.token({ allow: ['*'], rate: '3/hour' })
    await clocks[0]!.advance(200)
    const statuses = []
    for (let i = 0; i < 5; i += 1) {
      const headers = { 'X-API-KEY': token }
      statuses.push((await send(fast, { path: `${ECHO}?project=rate`, headers, as: 'nobody' })).status)
    }
    expect(statuses).to.deep.equal([200, 200, 200, 429, 429])
  })

  it('is not served any more once the endpoint has changed', async () => {
    const call = { path: `${ECHO}?project=change` }
    await send(fast, call)
    expect((await send(fast, call)).headers['cache-status']).to.include('hit')
    fast.replaceEndpoints(ENDPOINTS.map(endpoint => ({ ...endpoint, revision: 'r2' })))
    expect((await send(fast, call)).headers['cache-status']).to.include('fwd=miss')
    fast.replaceEndpoints(ENDPOINTS.filter(endpoint => endpoint.name !== 'tests.echo'))
    expect((await send(fast, call)).status).to.equal(404)
    fast.replaceEndpoints(ENDPOINTS)
  })
})

describe('a hit of a listener that is mounted elsewhere', () => {
  const path = `${ECHO}?project=a`
  const headers = { 'X-API-KEY': TOKEN, 'X-Request-Id': 'mine', Connection: 'keep-alive' }

  const mounts: readonly (readonly [name: string, mount: (listener: RequestListener) => RequestListener])[] = [
    ['in a server of node:http', listener => listener],
    [
      'in Express, behind what sets headers',
      listener =>
        express().use((_req, res, next) => {
          res.setHeader('X-Own', 'kept')
          next()
        }, listener),
    ],
  ]
  for (const [name, mount] of mounts) {
    it(`${name} is the same as in a server of our own`, async () => {
      const s = await serving({ clock: manualClock() })
      const other = createServer(mount(s.listener)).listen(0, '127.0.0.1')
      await new Promise(resolve => other.once('listening', resolve))
      const { port } = other.address() as AddressInfo
      await rawRequest(s.url + path, 'GET', headers)
      const before = s.slowPathCalls()
      const own = await rawRequest(s.url + path, 'GET', headers)
      const mounted = await rawRequest(`http://127.0.0.1:${port}${path}`, 'GET', headers)
      // The app combines its headers with those that are there.
      expect(s.slowPathCalls() - before).to.equal(name.includes('Express') ? 1 : 0)
      const { date: _, 'keep-alive': __, 'server-timing': ___, ...expected } = own.headers
      expect(mounted.headers).to.include(expected)
      expect(mounted.headers['x-own']).to.equal(name.includes('Express') ? 'kept' : undefined)
      expect(mounted.body.equals(own.body)).to.equal(true)
      other.close()
      other.closeAllConnections()
      await s.close()
    })
  }
})

describe('the Vary header of the app around a listener', () => {
  for (const [name, corsOrigins] of [
    ['without CORS', []],
    ['with CORS', [ORIGIN]],
  ] as const) {
    it(`is combined with ours, in a miss and in a hit, ${name}`, async () => {
      const s = await serving({ corsOrigins })
      const app = express().use((_req, res, next) => {
        res.vary('Origin').vary('X-Tenant')
        next()
      }, s.listener)
      const other = createServer(app).listen(0, '127.0.0.1')
      await new Promise(resolve => other.once('listening', resolve))
      const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}${ECHO}?project=a`
      const seen = []
      for (let i = 0; i < 2; i += 1) {
        const { headers } = await rawRequest(url, 'GET', { 'X-API-KEY': TOKEN })
        seen.push([/hit/.test(String(headers['cache-status'])), headers.vary])
      }
      const vary = 'Origin, X-Tenant, X-API-KEY, Authorization, Accept, Accept-Encoding'
      expect(seen).to.deep.equal([
        [false, vary],
        [true, vary],
      ])
      other.close()
      other.closeAllConnections()
      await s.close()
    })
  }
})

describe('a hit', () => {
  it('is refused a moment after its token was revoked or has expired', async () => {
    const s = await serving()
    const path = '/api/endpoints/query/tests.echo?project=a'
    const token = await s.token({ allow: ['*'] })
    const status = async () => (await rawRequest(s.url + path, 'GET', { 'X-API-KEY': token })).status
    expect([await status(), await status()]).to.deep.equal([200, 200])
    await s.revoke('token-1')
    expect(await status()).to.equal(401)
    await s.close()
  })
})

describe('a large result', () => {
  it('that is not stored is not compressed, unless it must be', async () => {
    const [, large] = ENDPOINTS
    const s = await serving({ endpoints: [{ ...large!, cache: null }] })
    const ask = (encoding: string) =>
      rawRequest(s.url + LARGE, 'GET', { 'X-API-KEY': TOKEN, 'Accept-Encoding': encoding })
    expect((await ask('gzip, br')).headers['content-encoding']).to.equal(undefined)
    expect((await ask('gzip, identity;q=0')).headers['content-encoding']).to.equal('gzip')
    await s.close()
  })

  it('is compressed once for ten callers at the same time', async () => {
    const s = await serving({ endpoints: ENDPOINTS })
    const ask = () => rawRequest(s.url + LARGE, 'GET', { 'X-API-KEY': TOKEN, 'Accept-Encoding': 'br' })
    const answers = await Promise.all(Array.from({ length: 10 }, ask))
    expect(new Set(answers.map(({ body }) => hashOf(body))).size).to.equal(1)
    expect(s.engine.queries).to.have.length(1)
    await s.close()
  })
})
