import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { RunnerError } from '../../runner/model/errors.js'
import { ENDPOINT_ID, handMadeEndpoint, parameter } from '../request/hand-made.js'
import { type RawHeaders, rawRequest } from './raw-request.js'
import { type Serving, serving, TOKEN } from './serving.js'

describe('access', () => {
  let s: Serving
  let confined = ''
  before(async () => {
    const other = { id: ENDPOINT_ID.replace('0b', '1b'), name: 'other.endpoint', parameters: [parameter('x')] }
    const tenants = { id: ENDPOINT_ID.replace('0b', '3b'), name: 'third.tenants', tenant: 'project' }
    const unpinned = { ...other, id: ENDPOINT_ID.replace('0b', '2b'), name: 'tests.unpinned' }
    s = await serving({ endpoints: [{}, other, unpinned, tenants].map(rest => handMadeEndpoint(rest)) })
    confined = await s.token({ allow: ['tests.*'], pin: { project: 'abc' } })
  })
  after(() => s.close())

  const PATH = '/api/endpoints/query/tests.echo?project=abc'
  const bare = (path: string, headers: Record<string, string> = {}) => fetch(s.url + path, { headers })

  const accepted: readonly (readonly [name: string, headers: Record<string, string>])[] = [
    ['X-API-KEY', { 'X-API-KEY': TOKEN }],
    ['Authorization: Bearer', { Authorization: `Bearer ${TOKEN}` }],
    ['Authorization: bearer', { Authorization: `bearer ${TOKEN}` }],
    ['both, where they are the same', { 'X-API-KEY': TOKEN, Authorization: `Bearer ${TOKEN}` }],
    ['X-API-KEY beside the password of a proxy', { 'X-API-KEY': TOKEN, Authorization: 'Basic YTpi' }],
    ['an empty X-API-KEY beside a bearer token', { 'X-API-KEY': '', Authorization: `Bearer ${TOKEN}` }],
  ]
  for (const [name, headers] of accepted) {
    it(`is given for a token in ${name}`, async () => expect((await bare(PATH, headers)).status).to.equal(200))
  }

  it('is given for one token twice, in either header', async () => {
    const twice: readonly RawHeaders[] = [
      { 'X-API-KEY': [TOKEN, TOKEN] },
      { Authorization: [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`] },
      { 'X-API-KEY': [TOKEN, TOKEN], Authorization: [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`] },
    ]
    for (const headers of twice) {
      for (const path of [PATH, '/api/endpoints'])
        expect([path, headers, (await rawRequest(s.url + path, 'GET', headers)).status]).to.deep.equal([
          path,
          headers,
          200,
        ])
    }
  })

  const refused: readonly (readonly [name: string, path: string, headers: Record<string, string>, code: string])[] = [
    ['no token', PATH, {}, 'TOKEN_MISSING'],
    [
      'a token in the address',
      `${PATH}&api_key=${TOKEN}&X-API-KEY=${TOKEN}&access_token=${TOKEN}`,
      {},
      'TOKEN_MISSING',
    ],
    ['another scheme', PATH, { Authorization: `Basic ${TOKEN}` }, 'TOKEN_MISSING'],
    ['an unknown token', PATH, { 'X-API-KEY': 'nonsense' }, 'TOKEN_UNKNOWN'],
    ['no token and an unknown endpoint', '/api/endpoints/query/nope', {}, 'TOKEN_MISSING'],
    ['no token and an unknown address', '/api/nope', {}, 'TOKEN_MISSING'],
    ['no token, for the list', '/api/endpoints', {}, 'TOKEN_MISSING'],
    ['no token, for a description', '/api/endpoints/tests.echo', {}, 'TOKEN_MISSING'],
  ]
  for (const [name, path, headers, code] of refused) {
    it(`is refused for ${name}`, async () => {
      const response = await bare(path, headers)
      expect(response.status).to.equal(401)
      expect(response.headers.get('WWW-Authenticate')).to.match(/^Bearer realm="sluice"/)
      const text = await response.text()
      expect(JSON.parse(text)).to.include({ code, status: 401 })
      expect(text).to.not.include('nonsense').and.not.include(TOKEN)
    })
  }

  it('is a 400 with two different credentials, whichever of them is good, also where the answer is stored', async () => {
    const both: readonly RawHeaders[] = [
      { 'X-API-KEY': 'nonsense', Authorization: `Bearer ${TOKEN}` },
      { 'X-API-KEY': TOKEN, Authorization: 'Bearer nonsense' },
      { 'X-API-KEY': [TOKEN, 'nonsense'] },
      { Authorization: [`Bearer ${TOKEN}`, 'Bearer nonsense'] },
    ]
    for (const headers of both) {
      for (const [method, path] of [
        ['GET', PATH],
        ['HEAD', PATH],
        ['GET', '/api/endpoints'],
        ['GET', '/openapi.json'],
        ['POST', '/mcp'],
        ['POST', '/api/endpoints/tests.echo/purge'],
      ] as const) {
        const answer = await rawRequest(s.url + path, method, headers)
        expect([path, answer.status]).to.deep.equal([path, 400])
        if (method === 'HEAD') continue
        const text = answer.body.toString()
        expect(JSON.parse(text)).to.include({ code: 'REQUEST_INVALID' })
        expect(text).to.not.include(TOKEN)
      }
    }
  })

  it('of a limited token is a 403 for every other name and id, whether it exists or not', async () => {
    const limited = await s.token({ allow: ['tests.echo'], purge: true, explain: true, allTenants: true })
    const open = await s.token({ allow: ['*'], purge: true, explain: true, allTenants: true })
    const names = ['other.endpoint', ENDPOINT_ID.replace('0b', '1b'), 'no.such', ENDPOINT_ID.replace('0b', '9b')]
    for (const [method, path] of [
      ['GET', '/api/endpoints/query/NAME'],
      ['GET', '/api/endpoints/NAME'],
      ['GET', '/api/endpoints/explain/NAME'],
      ['POST', '/api/endpoints/NAME/purge'],
    ] as const) {
      const ask = async (name: string, token: string) => {
        const headers = { 'X-API-KEY': token }
        const response = await fetch(s.url + path.replace('NAME', name), { method, headers })
        const { instance: _, ...problem } = (await response.json()) as Record<string, unknown>
        return problem
      }
      const problems = await Promise.all(names.map(name => ask(name, limited)))
      for (const problem of problems) expect(problem).to.deep.equal(problems[0])
      expect(problems[0]).to.include({ status: 403, code: 'TOKEN_NOT_ALLOWED' })
      for (const name of names.slice(2)) expect(await ask(name, open)).to.include({ status: 404 })
    }
    const tool = async (name: string) => {
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }
      const headers = { 'X-API-KEY': limited, 'Content-Type': 'application/json', Accept: 'application/json' }
      const response = await fetch(`${s.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(call) })
      return (await response.text()).replaceAll(name, 'NAME')
    }
    expect(await tool('other_endpoint')).to.equal(await tool('no_such'))
  })

  it('to purge reaches the results of its own tenant alone', async () => {
    const pinned = await s.token({ allow: ['*'], pin: { project: 'abc' }, purge: true })
    const QUERY = '/api/endpoints/query/third.tenants'
    const calls = ['?project=abc', '?project=abc&size=5', '?project=def'] as const
    const states = () =>
      Promise.all(
        calls.map(async call =>
          (await bare(QUERY + call, { 'X-API-KEY': TOKEN })).headers.get('Cache-Status')?.slice(8, 11),
        ),
      )
    const purge = (name: string, token: string) =>
      fetch(`${s.url}/api/endpoints/${name}/purge`, { method: 'POST', headers: { 'X-API-KEY': token } })
    await states()
    expect(await states()).to.deep.equal(['hit', 'hit', 'hit'])
    expect((await purge('third.tenants', pinned)).status).to.equal(200)
    expect(await states()).to.deep.equal(['fwd', 'fwd', 'hit'])
    expect((await purge('third.tenants', TOKEN)).status).to.equal(200)
    expect(await states()).to.deep.equal(['fwd', 'fwd', 'fwd'])
    // Without a tenant, nothing tells its results from those of others.
    const id = randomUUID()
    const headers = { 'X-API-KEY': pinned, 'X-Request-Id': id }
    const refusal = await fetch(`${s.url}/api/endpoints/tests.echo/purge`, { method: 'POST', headers })
    expect([refusal.status, (await s.done(id)).error?.refusal?.rule]).to.deep.equal([403, 'purge'])
  })

  it('is refused before a body is read', async () => {
    const body = 'x'.repeat(2_000_000)
    const response = await fetch(s.url + PATH, { method: 'POST', body, headers: { 'X-API-KEY': 'nonsense' } })
    expect(response.status).to.equal(401)
  })

  /** `rule` is the rule in the log; null where the token is not the reason of the refusal. */
  const confinedRows: readonly (readonly [name: string, path: string, status: number, rule: string | null])[] = [
    ['its endpoint, with the pin', PATH, 200, null],
    ['its endpoint, without the argument', '/api/endpoints/query/tests.echo', 200, null],
    ['its endpoint with another argument', '/api/endpoints/query/tests.echo?project=abd', 403, 'pin'],
    ['its endpoint with both', `${PATH}&project=abd`, 403, 'pin'],
    ['another endpoint', '/api/endpoints/query/other.endpoint', 403, 'scope'],
    ['the description of another endpoint', '/api/endpoints/other.endpoint', 403, 'scope'],
    ['an endpoint that does not declare the pin', '/api/endpoints/query/tests.unpinned', 403, 'pin'],
    ['an unknown endpoint', '/api/endpoints/query/nope', 403, 'scope'],
    ['an unknown endpoint that its patterns name', '/api/endpoints/query/tests.nope', 404, null],
  ]
  for (const [name, path, status, rule] of confinedRows) {
    it(`of a confined token to ${name} is a ${status}${rule === null ? '' : `, for its ${rule}`}`, async () => {
      const id = randomUUID()
      const response = await bare(path, { 'X-API-KEY': confined, 'X-Request-Id': id })
      expect(response.status).to.equal(status)
      expect((await s.done(id)).error?.refusal?.rule ?? null).to.equal(rule)
      if (rule === null || path.includes('tests.echo')) return
      expect(await response.json()).to.include({ detail: 'The token does not allow this endpoint.' })
    })
  }

  it('runs with the pin as the argument', async () => {
    const response = await bare('/api/endpoints/query/tests.echo', { 'X-API-KEY': confined })
    expect(await response.json()).to.have.nested.property('result[0].project', 'abc')
  })

  it('limits the list to endpoints that may be called', async () => {
    const names = async (token: string) => {
      const document = (await (await bare('/api/endpoints', { 'X-API-KEY': token })).json()) as {
        endpoints: { name: string }[]
      }
      return document.endpoints.map(endpoint => endpoint.name)
    }
    expect(await names(TOKEN)).to.deep.equal(['other.endpoint', 'tests.echo', 'tests.unpinned', 'third.tenants'])
    expect(await names(confined)).to.deep.equal(['tests.echo'])
  })

  it('to an endpoint of tenants is given to tokens that pin the tenant or are for all tenants, such as SLUICE_TOKEN', async () => {
    const allow = ['third.*']
    const open = [TOKEN, await s.token({ allow, allTenants: true }), await s.token({ allow, pin: { project: 'abc' } })]
    const closed = [await s.token({ allow }), await s.token({ allow, pin: { size: '5' } })]
    for (const [keys, status] of [
      [open, 200],
      [closed, 403],
    ] as const) {
      for (const key of keys) {
        for (const path of ['query/third.tenants?project=abc', 'third.tenants']) {
          // Where the answer is cached, the second call reads it from the cache.
          for (let i = 0; i < 2; i += 1) {
            const id = randomUUID()
            const response = await bare(`/api/endpoints/${path}`, { 'X-API-KEY': key, 'X-Request-Id': id })
            expect(response.status).to.equal(status)
            const { error } = await s.done(id)
            expect(error?.refusal?.rule).to.equal(status === 403 ? 'tenant' : undefined)
            const body = (await response.json()) as { detail?: string }
            if (status === 403) expect(body.detail).to.equal('The token does not allow this endpoint.')
          }
        }
        const list = (await (await bare('/api/endpoints', { 'X-API-KEY': key })).json()) as { endpoints: unknown[] }
        expect(JSON.stringify(list).includes('third.tenants')).to.equal(status === 200)
      }
    }
  })

  it('to the purge of an endpoint of tenants is a 403 for its tenant, even if the token may purge', async () => {
    const key = await s.token({ allow: ['third.*'], purge: true })
    const id = randomUUID()
    const headers = { 'X-API-KEY': key, 'X-Request-Id': id }
    const response = await fetch(`${s.url}/api/endpoints/third.tenants/purge`, { method: 'POST', headers })
    expect([response.status, (await s.done(id)).error?.refusal?.rule]).to.deep.equal([403, 'tenant'])
  })

  it('shows which parameter identifies the tenant', async () => {
    const response = await bare('/api/endpoints/third.tenants', { 'X-API-KEY': TOKEN })
    expect(await response.json()).to.include({ name: 'third.tenants', tenant: 'project' })
  })

  it('shows the contract of an endpoint and not its SQL', async () => {
    const response = await bare(`/api/endpoints/${ENDPOINT_ID}`, { 'X-API-KEY': TOKEN })
    expect(response.headers.get('Cache-Control')).to.equal('private, no-cache')
    expect(await response.json()).to.deep.equal({
      id: ENDPOINT_ID,
      name: 'tests.echo',
      description: 'Gives its arguments back.',
      parameters: [
        { name: 'project', type: 'string', required: true, description: 'The project.' },
        { name: 'size', type: 'int64', required: false, description: 'The size.' },
      ],
      columns: ['project', 'size', 'now'].map(name => ({
        ...{ name, type: 'STRING', description: `The ${name}.`, required: false },
      })),
      settings: { max_rows: 1000, cache: { ttl_seconds: 900 } },
      pinned: {},
    })
  })

  it('is limited to the rate of the token', async () => {
    const token = await s.token({ allow: ['*'], rate: '2/hour' })
    const responses = []
    for (let i = 0; i < 3; i += 1) responses.push(await bare(PATH, { 'X-API-KEY': token }))
    expect(responses.map(response => response.status)).to.deep.equal([200, 200, 429])
    expect(Number(responses[2]?.headers.get('Retry-After'))).to.be.within(1790, 1800)
  })
})

describe('the other addresses', () => {
  let s: Serving
  before(async () => {
    s = await serving({ corsOrigins: ['https://app.example.com'] })
  })
  after(() => s.close())

  it('report without a token that the process is alive and ready', async () => {
    for (const [path, body] of [
      ['/healthz', { status: 'ok' }],
      ['/readyz', { status: 'ready' }],
    ] as const) {
      const response = await fetch(s.url + path)
      expect([response.status, await response.json()]).to.deep.equal([200, body])
    }
  })

  it('report when the engine does not answer, without the reason', async () => {
    s.engine.fail(new RunnerError('ENGINE_UNAVAILABLE', { detail: 'socket /srv/engine is gone' }))
    const response = await fetch(`${s.url}/readyz`)
    s.engine.fail(null)
    expect([response.status, response.headers.get('Retry-After')]).to.deep.equal([503, '5'])
    const text = await response.text()
    expect(JSON.parse(text)).to.include({ code: 'NOT_READY' })
    expect(text).to.not.include('srv')
    expect((await fetch(`${s.url}/healthz`)).status).to.equal(200)
  })

  it('explain an error code at the address in its problems', async () => {
    const problem = (await (await s.get('?')).json()) as { type: string }
    expect(await (await fetch(s.url + problem.type)).json()).to.include({
      type: '/problems/argument-invalid',
      code: 'ARGUMENT_INVALID',
      status: 400,
      title: 'Invalid arguments',
    })
  })

  const methods: readonly (readonly [method: string, path: string, allowed: string])[] = [
    ['PUT', '/api/endpoints/query/tests.echo', 'GET, HEAD, POST, OPTIONS'],
    ['DELETE', '/api/endpoints/query/tests.echo', 'GET, HEAD, POST, OPTIONS'],
    ['PATCH', '/api/endpoints/tests.echo', 'GET, HEAD, OPTIONS'],
    ['POST', '/api/endpoints', 'GET, HEAD, OPTIONS'],
    ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
  ]
  for (const [method, path, allowed] of methods) {
    it(`refuse ${method} ${path} and name the allowed methods`, async () => {
      const response = await s.get(path, { method })
      expect([response.status, response.headers.get('Allow')]).to.deep.equal([405, allowed])
      const options = await fetch(s.url + path, { method: 'OPTIONS' })
      expect([options.status, options.headers.get('Allow')]).to.deep.equal([204, allowed])
    })
  }

  it('do not name the server software', async () => {
    expect((await s.get('/')).headers.get('X-Powered-By')).to.equal(null)
  })

  for (const [given, isTaken] of [
    ['abc-123', true],
    ['x'.repeat(128), true],
    ['x'.repeat(129), false],
    ['a b', false],
    ['<script>', false],
  ] as const) {
    it(`${isTaken ? 'take' : 'replace'} the request id ${given.slice(0, 20)}`, async () => {
      const id = (await s.get('/healthz', { headers: { 'X-Request-Id': given } })).headers.get('X-Request-Id')
      expect(id === given).to.equal(isTaken)
      expect(id).to.not.equal('')
    })
  }

  describe('and another origin', () => {
    const preflight = (origin: string) =>
      fetch(`${s.url}/api/endpoints/query/tests.echo`, {
        method: 'OPTIONS',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'GET',
          'Access-Control-Request-Headers': 'x-api-key',
        },
      })

    it('that is configured may send a preflight request', async () => {
      const response = await preflight('https://app.example.com')
      expect(response.status).to.equal(204)
      expect(response.headers.get('Access-Control-Allow-Origin')).to.equal('https://app.example.com')
      expect(response.headers.get('Access-Control-Allow-Methods')).to.include('GET')
      expect(response.headers.get('Access-Control-Allow-Headers')?.split(', ')).to.have.members([
        ...['X-API-KEY', 'Authorization', 'Accept', 'Content-Type'],
        ...['Cache-Control', 'If-Match', 'If-None-Match', 'Range', 'If-Range', 'X-Request-Id'],
        ...['Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id'],
      ])
    })

    it('that is configured may read answers, errors and their headers', async () => {
      for (const path of ['?project=a', '?', '/nope', '/api/endpoints/query/%ff']) {
        const response = await s.get(path, { headers: { Origin: 'https://app.example.com' } })
        expect(response.headers.get('Access-Control-Allow-Origin')).to.equal('https://app.example.com')
        expect(response.headers.get('Access-Control-Expose-Headers')?.split(', ')).to.include.members([
          ...['ETag', 'Age', 'Cache-Status', 'Server-Timing', 'X-Request-Id', 'X-Row-Count', 'X-Truncated'],
          ...['Retry-After', 'WWW-Authenticate', 'Allow'],
        ])
        expect(response.headers.get('Vary')).to.include('Origin')
      }
    })

    it('that is not may not', async () => {
      for (const origin of ['https://evil.example.com', 'https://app.example.com.evil.com', 'null']) {
        for (const response of [await preflight(origin), await s.get('?project=a', { headers: { Origin: origin } })]) {
          expect(response.headers.get('Access-Control-Allow-Origin')).to.equal(null)
        }
      }
    })
  })

  it('send no CORS headers where no origin is configured', async () => {
    const closed = await serving()
    const response = await closed.get('?project=a', { headers: { Origin: 'https://app.example.com' } })
    expect(response.headers.get('Access-Control-Allow-Origin')).to.equal(null)
    expect(response.headers.get('Vary')).to.not.include('Origin')
    await closed.close()
  })
})
