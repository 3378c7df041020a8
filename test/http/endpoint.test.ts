import { expect } from 'chai'
import { RunnerError } from '../../runner/model/errors.js'
import { ENDPOINT_ID, handMadeEndpoint, parameter } from '../request/hand-made.js'
import { until } from '../until.js'
import { type Serving, serving, TOKEN } from './serving.js'

const ECHO = '/api/endpoints/query/tests.echo'
/** A text in arguments that must never appear in a log line. */
const SECRET = 'hunter2-argument'

describe('an endpoint over HTTP', () => {
  let s: Serving
  beforeEach(async () => {
    s = await serving({
      endpoints: [
        handMadeEndpoint(),
        handMadeEndpoint({ id: ENDPOINT_ID.replace('0b', '1b'), name: 'tests.uncached', cache: null }),
        handMadeEndpoint({ id: ENDPOINT_ID.replace('0b', '2b'), name: 'tests.cut', maxRows: 0 }),
        handMadeEndpoint({
          id: ENDPOINT_ID.replace('0b', '3b'),
          name: 'tests.list',
          cache: null,
          parameters: [parameter('tag', { type: 'array<string>' })],
        }),
      ],
    })
  })
  afterEach(() => s.close())

  const codeOf = async (response: Response): Promise<string> => ((await response.json()) as { code: string }).code

  const rows = async (response: Response): Promise<Record<string, unknown>> => {
    const document = (await response.json()) as { result: Record<string, unknown>[] }
    expect(Object.keys(document)).to.deep.equal(['result'])
    const { now: _, ...row } = document.result[0] ?? {}
    return row
  }

  it('answers with rows and with the headers for caches', async () => {
    const response = await s.get('?project=a&undeclared=x')
    expect(response.status).to.equal(200)
    expect(await rows(response)).to.deep.equal({ project: 'a', size: null })
    const {
      etag,
      date: _,
      'server-timing': timing,
      'x-request-id': id,
      ...headers
    } = Object.fromEntries(response.headers)
    expect(headers).to.deep.equal({
      'accept-ranges': 'bytes',
      age: '0',
      'cache-control': 'private, max-age=900',
      'cache-status': 'sluice; fwd=miss; stored',
      connection: 'keep-alive',
      'content-length': '65',
      'content-type': 'application/json; charset=utf-8',
      'keep-alive': 'timeout=65',
      vary: 'X-API-KEY, Authorization, Accept, Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'x-ignored-arguments': 'undeclared',
      'x-row-count': '1',
    })
    expect(etag).to.match(/^"[\w-]{27}"$/)
    expect(timing).to.match(/^engine;dur=[\d.]+, total;dur=[\d.]+$/)
    expect(id).to.match(/^[0-9a-f-]{36}$/)
  })

  it('hits the cache by id and by name, in any order of arguments and with any token', async () => {
    const token = await s.token({ allow: ['tests.*'] })
    const bodies = []
    for (const path of [
      '?project=a&size=5',
      '?size=05&project=a',
      '?size=5&project=a&x=y',
      `/api/endpoints/query/${ENDPOINT_ID}?project=a&size=5`,
      `/api/endpoints/query/${ENDPOINT_ID.toUpperCase()}?project=a&size=5`,
    ]) {
      bodies.push(await (await s.get(path)).text())
    }
    const last = await s.get('?project=a&size=5', { headers: { 'X-API-KEY': token } })
    expect(last.headers.get('Cache-Status')).to.match(/^sluice; hit; ttl=(900|899)$/)
    bodies.push(await last.text())
    expect(new Set(bodies).size).to.equal(1)
    expect(s.engine.queries).to.have.length(1)
  })

  it('runs one query for twenty equal concurrent requests', async () => {
    const release = s.engine.hold()
    const asked = Array.from({ length: 20 }, () => s.get('?project=a'))
    await until(() => s.engine.queries.length > 0, 'the query runs', 5)
    await new Promise(resolve => setTimeout(resolve, 100))
    release()
    const statuses = (await Promise.all(asked)).map(response => response.headers.get('Cache-Status'))
    expect(s.engine.queries).to.have.length(1)
    expect(statuses.filter(status => status === 'sluice; fwd=miss; stored')).to.have.length(1)
    // Requests that arrived too late to share the run found its result in the cache.
    expect(statuses.filter(status => status === 'sluice; fwd=miss; collapsed')).to.have.length.above(0)
    expect(statuses.filter(status => /collapsed|hit/.test(status ?? ''))).to.have.length(19)
  })

  it('runs the query each time where it is not cached', async () => {
    for (let i = 0; i < 2; i += 1) {
      const response = await s.get('/api/endpoints/query/tests.uncached?project=a')
      expect(response.headers.get('Cache-Control')).to.equal('private, no-cache')
      expect(response.headers.get('Cache-Status')).to.equal('sluice; fwd=bypass')
      expect(response.headers.get('Age')).to.equal(null)
      expect(response.headers.get('ETag')).to.not.equal(null)
    }
    expect(s.engine.queries).to.have.length(2)
  })

  it('reports when the result was cut, and only then', async () => {
    expect((await s.get('/api/endpoints/query/tests.cut?project=a')).headers.get('X-Truncated')).to.equal('true')
    expect((await s.get('?project=a')).headers.get('X-Truncated')).to.equal(null)
  })

  it('names arguments that it ignores, on misses and hits, which share one result', async () => {
    const ignored = async (query: string): Promise<readonly unknown[]> => {
      const { headers } = await s.get(`?project=a${query}`)
      return [headers.get('X-Ignored-Arguments'), /hit/.test(headers.get('Cache-Status')!)]
    }
    expect(await ignored('&projct=x&a%0D%0Ab=1')).to.deep.equal(['projct,a%0D%0Ab', false])
    expect(await ignored('&projct=x&a%0D%0Ab=1')).to.deep.equal(['projct,a%0D%0Ab', true])
    expect(await ignored('&z=1')).to.deep.equal(['z', true])
    expect(await ignored('&format=json')).to.deep.equal([null, true])
    expect(await ignored('')).to.deep.equal([null, true])
    expect(s.engine.queries).to.have.length(1)
  })

  it('answers HEAD as it answers GET, without the body', async () => {
    const get = await s.get('?project=a')
    const head = await s.get('?project=a', { method: 'HEAD' })
    expect([head.status, await head.text()]).to.deep.equal([200, ''])
    for (const name of ['ETag', 'Content-Length', 'Content-Type', 'X-Row-Count']) {
      expect(head.headers.get(name)).to.equal(get.headers.get(name))
    }
  })

  describe('If-None-Match', () => {
    const rowsOf: readonly (readonly [name: string, tag: (etag: string) => string, status: number])[] = [
      ['its ETag', etag => etag, 304],
      ['its ETag as a weak one', etag => `W/${etag}`, 304],
      ['its ETag in a list', etag => `"a,b", W/"c" , ${etag}`, 304],
      ['anything', () => '*', 304],
      ['another', () => '"other"', 200],
      ['its ETag without quotes', etag => etag.slice(1, -1), 200],
      ['its ETag inside another', etag => `"x${etag.slice(1)}`, 200],
    ]
    for (const [name, tag, status] of rowsOf) {
      it(`of ${name} is a ${status}`, async () => {
        const etag = (await s.get('?project=a')).headers.get('ETag') ?? ''
        const response = await s.get('?project=a', { headers: { 'If-None-Match': tag(etag) } })
        expect(response.status).to.equal(status)
        expect(response.headers.get('ETag')).to.equal(etag)
        expect(response.headers.get('Cache-Control')).to.match(/^private, max-age=\d+$/)
        expect((await response.text()) === '').to.equal(status === 304)
      })
    }
  })

  describe('a fresh result', () => {
    const ask = async (token: string, cacheControl: string) => {
      const headers = { 'X-API-KEY': token, 'Cache-Control': cacheControl }
      return (await s.get('?project=a', { headers })).headers.get('Cache-Status')
    }

    it('is requested with no-cache or max-age=0, as often as the token allows', async () => {
      const token = await s.token({ allow: ['*'], fresh: '3/hour' })
      const statuses: (string | null)[] = []
      for (const directive of ['max-age=60', 'no-cache', 'private, Max-Age="0"', 'no-store', 'max-age=0', 'no-cache']) {
        statuses.push(await ask(token, directive))
      }
      const fresh = 'sluice; fwd=request; stored'
      const hit = 'sluice; hit; ttl=900'
      expect(statuses.map(status => status?.replace('899', '900'))).to.deep.equal([
        'sluice; fwd=miss; stored',
        fresh,
        fresh,
        hit,
        fresh,
        hit,
      ])
      expect(s.engine.queries).to.have.length(4)
      expect(await (await fetch(`${s.url}/metrics`)).text()).to.include(
        'sluice_cache_total{endpoint="tests.echo",outcome="fresh"} 3',
      )
    })

    it('replaces the stored one', async () => {
      const token = await s.token({ allow: ['*'], fresh: '10/min' })
      const first = await (await s.get('?project=a')).text()
      await ask(token, 'no-cache')
      const second = await s.get('?project=a')
      expect(second.headers.get('Cache-Status')).to.include('hit')
      expect(await second.text()).to.not.equal(first)
    })

    it('is refused to a token without the right, and to SLUICE_TOKEN', async () => {
      const token = await s.token({ allow: ['*'] })
      await s.get('?project=a')
      expect(await ask(token, 'no-cache')).to.include('hit')
      expect(await ask(TOKEN, 'no-cache')).to.include('hit')
    })
  })

  describe('POST', () => {
    const post = (body: string, type: string | null = 'application/json', path = ECHO) =>
      s.get(path, {
        method: 'POST',
        body: Buffer.from(body, 'latin1'),
        headers: type === null ? {} : { 'Content-Type': type },
      })

    it('takes a JSON object or a form, and shares the cache with GET', async () => {
      const bodies = [
        await (await post('{"project":"a","size":5}')).text(),
        await (await post('project=a&size=5', 'application/x-www-form-urlencoded')).text(),
        await (await post('size=5', 'application/x-www-form-urlencoded; charset=UTF-8', `${ECHO}?project=a`)).text(),
        await (await s.get('?project=a&size=5')).text(),
        await (await post('', null, `${ECHO}?project=a&size=5`)).text(),
      ]
      expect(new Set(bodies).size).to.equal(1)
      expect(s.engine.queries).to.have.length(1)
    })

    it('takes lists', async () => {
      const response = await post('{"tag":["a","b"]}', 'application/json', '/api/endpoints/query/tests.list')
      expect(await rows(response)).to.deep.equal({ tag: ['a', 'b'] })
      expect(await rows(await s.get('/api/endpoints/query/tests.list?tag=a&tag=b'))).to.deep.equal({ tag: ['a', 'b'] })
    })

    it('accepts longer values than an address can contain', async () => {
      const response = await post(JSON.stringify({ project: 'x'.repeat(32_000) }))
      expect(response.status).to.equal(200)
    })

    const refused: readonly (readonly [
      name: string,
      body: string,
      type: string | null,
      status: number,
      code: string,
    ])[] = [
      ['broken JSON', '{"project":', 'application/json', 400, 'REQUEST_INVALID'],
      ['a JSON array', '["a"]', 'application/json', 400, 'REQUEST_INVALID'],
      ['a name twice', '{"project":"a","project":"b"}', 'application/json', 400, 'REQUEST_INVALID'],
      ['JSON that is not UTF-8', '{"project":"\xff"}', 'application/json', 400, 'REQUEST_INVALID'],
      ['a form that is not UTF-8', 'project=%ff', 'application/x-www-form-urlencoded', 400, 'REQUEST_INVALID'],
      ['another charset', '{"project":"a"}', 'application/json; charset=utf-16', 415, 'BODY_TYPE_UNSUPPORTED'],
      ['plain text', 'project=a', 'text/plain', 415, 'BODY_TYPE_UNSUPPORTED'],
      ['no type', 'project=a', null, 415, 'BODY_TYPE_UNSUPPORTED'],
      ['a megabyte too much', `{"project":"${'x'.repeat(1_048_577)}"}`, 'application/json', 413, 'BODY_TOO_LARGE'],
      ['a value too long', `{"project":"${'x'.repeat(100_000)}"}`, 'application/json', 400, 'ARGUMENT_INVALID'],
    ]
    for (const [name, body, type, status, code] of refused) {
      it(`with ${name} is a ${status}`, async () => {
        const response = await post(body, type)
        expect(response.status).to.equal(status)
        expect(await response.json()).to.include({ status, code })
        expect(s.engine.queries).to.have.length(0)
      })
    }

    it('that is compressed is a 415', async () => {
      const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }
      expect((await s.get(ECHO, { method: 'POST', body: 'x', headers })).status).to.equal(415)
    })
  })

  describe('hostile text', () => {
    for (const text of [
      "p1' OR '1'='1",
      '`logs.edge`',
      '{{project}}',
      '{{{project}}}',
      '@project',
      '__proto__',
      'constructor',
      '"; DROP TABLE x; --',
      '\r\nSet-Cookie: a=b',
      '%00',
      '\u202e😀',
    ]) {
      it(`${JSON.stringify(text)} is bound and given back as it is, never part of the SQL`, async () => {
        const response = await s.get(`?project=${encodeURIComponent(text)}`)
        expect(response.status).to.equal(200)
        expect(await rows(response)).to.deep.equal({ project: text, size: null })
        expect(s.engine.queries.map(query => query.sql)).to.deep.equal(['SELECT @project AS project'])
      })
    }

    const refused: readonly (readonly [path: string, status: number, code: string])[] = [
      ['?project=a%00b', 400, 'ARGUMENT_INVALID'],
      ['?project=a&project=b', 400, 'ARGUMENT_INVALID'],
      ['?__proto__[project]=a', 400, 'ARGUMENT_INVALID'],
      ['?project[]=a', 400, 'ARGUMENT_INVALID'],
      ['?project=%', 400, 'REQUEST_INVALID'],
      ['?project=%c3%28', 400, 'REQUEST_INVALID'],
      ['?project=a&%ff=x', 400, 'REQUEST_INVALID'],
      [`?project=${'x'.repeat(100_000)}`, 414, 'URI_TOO_LONG'],
      [`?project=${'x'.repeat(200_000)}`, 431, 'HEADERS_TOO_LARGE'],
      ['/api/endpoints/query/%ff', 400, 'REQUEST_INVALID'],
      ['/api/endpoints/query/__proto__', 404, 'ENDPOINT_UNKNOWN'],
      ['/api/endpoints/query/constructor', 404, 'ENDPOINT_UNKNOWN'],
      ['/api/endpoints/query/..%2f..%2fetc%2fpasswd', 404, 'ENDPOINT_UNKNOWN'],
      ['/api/endpoints/toString', 404, 'ENDPOINT_UNKNOWN'],
      ['/problems/__proto__', 404, 'NOT_FOUND'],
    ]
    for (const [path, status, code] of refused) {
      it(`${path.slice(0, 50)} is a ${status}`, async () => {
        const response = await s.get(path)
        expect(response.status).to.equal(status)
        expect(response.headers.get('Content-Type')).to.equal('application/problem+json')
        expect(await response.json()).to.include({ status, code })
        expect(s.engine.queries).to.have.length(0)
      })
    }
  })

  it('reports all bad arguments at once, in a problem of the known form', async () => {
    const response = await s.get('?size=x', { headers: { 'X-Request-Id': 'my-id.1' } })
    expect(response.status).to.equal(400)
    expect(response.headers.get('X-Request-Id')).to.equal('my-id.1')
    expect(response.headers.get('Cache-Control')).to.equal('no-store')
    expect(await response.json()).to.deep.equal({
      type: '/problems/argument-invalid',
      title: 'Invalid arguments',
      status: 400,
      detail: 'These arguments are not valid: project, size.',
      instance: 'urn:request:my-id.1',
      code: 'ARGUMENT_INVALID',
      errors: [
        { parameter: 'project', detail: 'is required' },
        { parameter: 'size', detail: 'must be an integer' },
      ],
    })
  })

  it('refuses a call that accepts no available coding before any query is run; without a valid token it is only a 401', async () => {
    for (const refused of ['*;q=0', 'identity;q=0']) {
      const response = await s.get('?project=a', { headers: { 'Accept-Encoding': refused } })
      expect([response.status, await codeOf(response)]).to.deep.equal([406, 'NOT_ACCEPTABLE'])
      const headers = { 'Accept-Encoding': refused, 'X-API-KEY': 'nonsense' }
      expect((await s.get('?project=a', { headers })).status).to.equal(401)
    }
    expect(s.engine.queries).to.have.length(0)
  })

  it('never reports a longer engine time than total time, however late a caller joins a query', async () => {
    const release = s.engine.hold()
    const first = s.get('?project=a')
    await new Promise(resolve => setTimeout(resolve, 50))
    const second = s.get('?project=a')
    await new Promise(resolve => setTimeout(resolve, 300))
    release()
    for (const response of await Promise.all([first, second])) {
      const [, engine, total] = /^engine;dur=([\d.]+), total;dur=([\d.]+)$/.exec(
        response.headers.get('Server-Timing') ?? '',
      ) as RegExpExecArray
      expect(Number(engine)).to.be.at.most(Number(total))
    }
  })

  it('names its formats to a caller that accepts only another type', async () => {
    const response = await s.get('?project=a', { headers: { Accept: 'text/html' } })
    expect(response.status).to.equal(406)
    expect(await response.json()).to.include({
      code: 'NOT_ACCEPTABLE',
      detail:
        'This can be had as: json (application/json), ndjson (application/x-ndjson), csv (text/csv), excel (CSV for Excel), ' +
        'table (application/vnd.sluice.table+json), arrow (application/vnd.apache.arrow.stream), ' +
        'parquet (application/vnd.apache.parquet), ' +
        'xlsx (application/vnd.openxmlformats-officedocument.spreadsheetml.sheet).',
    })
  })

  it('does not reveal why the engine failed', async () => {
    const cause = new TypeError('no such table: logs.secret in /srv/data')
    s.engine.fail(new RunnerError('QUERY_FAILED', { cause }))
    const response = await s.get('?project=a')
    expect(response.status).to.equal(502)
    expect(await response.text()).to.not.match(/logs\.secret|srv|SELECT/)
    s.engine.fail(null)
    expect((await s.get('?project=a')).status, 'errors are not stored').to.equal(200)
  })

  it('does not reveal a bug', async () => {
    s.engine.fail(new TypeError('x is undefined at /srv/app.js') as unknown as RunnerError)
    const response = await s.get('?project=a')
    expect(response.status).to.equal(500)
    expect(await response.text()).to.not.match(/undefined|srv/)
    expect(s.events.filter(event => event.kind === 'bug')).to.have.length(1)
  })

  it('observes each request once, without its arguments or its token', async () => {
    await (await s.get(`?project=${SECRET}&size=x`)).text()
    const done = await s.done()
    expect(done).to.include({
      method: 'GET',
      path: ECHO,
      endpoint: 'tests.echo',
      token: 'SLUICE_TOKEN',
      status: 400,
      cache: null,
    })
    await (await s.get(`?project=${SECRET}`)).text()
    await (await s.get(`/nope/?project=${SECRET}`)).text()
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(s.events.filter(event => event.kind === 'request.done')).to.have.length(3)
    expect(JSON.stringify(s.events)).to.not.include(SECRET)
    expect(JSON.stringify(s.events)).to.not.include(TOKEN)
  })

  it('cancels the query of a caller who aborts, which is only logged', async () => {
    s.engine.hold()
    const leaving = new AbortController()
    const asked = s.get('?project=a', { signal: leaving.signal }).catch((error: Error) => error.name)
    await until(() => s.engine.queries.length > 0, 'the query runs', 5)
    leaving.abort()
    expect(await asked).to.equal('AbortError')
    expect(await s.done()).to.include({ status: 499, endpoint: 'tests.echo' })
    expect(s.engine.cancelled()).to.equal(1)
    expect(s.events.filter(event => event.kind === 'bug')).to.deep.equal([])
  })
})
