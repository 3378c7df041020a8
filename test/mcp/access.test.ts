/** Who may call which tools, what a call counts as, and what callers are told when one fails. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect } from 'chai'
import { causeText } from '../../runner/model/cause-text.js'
import { RunnerError } from '../../runner/model/errors.js'
import type { Event } from '../../runner/model/events.js'
import { TOKEN as HAND_MADE_TOKEN, serving } from '../http/serving.js'
import { pause, until } from '../until.js'
import { type AgentServer, INJECTION, type Json, serveAgents, TOKEN } from './agent-server.js'

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const NAMES = (result: Json): readonly string[] => result.tools.map((tool: Json) => tool.name)

describe('mcp: access', () => {
  let http: AgentServer
  before(async () => {
    http = await serveAgents()
  })
  after(() => http.close())

  it('needs a token, in a header', async () => {
    for (const key of [null, 'x'.repeat(43)]) {
      const refused = await http.post(PING, { 'X-API-KEY': key })
      expect(refused.status).to.equal(401)
      expect(refused.headers.get('WWW-Authenticate')).to.match(/^Bearer realm="sluice"/)
      expect(((await refused.json()) as Json).code).to.equal(key === null ? 'TOKEN_MISSING' : 'TOKEN_UNKNOWN')
    }
    const bearer = await http.post(PING, { 'X-API-KEY': null, Authorization: `Bearer ${TOKEN}` })
    expect(bearer.status).to.equal(200)
    const inAddress = await fetch(`${http.url}/mcp?token=${TOKEN}`, { method: 'POST', body: JSON.stringify(PING) })
    expect(inAddress.status).to.equal(401)
  })

  it('announces no server to log in at, as there is none: a client says that its token is refused', async () => {
    const refused = await http.post(PING, { 'X-API-KEY': null })
    expect(refused.headers.get('WWW-Authenticate')).to.equal('Bearer realm="sluice"')
    for (const name of ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration']) {
      for (const path of [`/.well-known/${name}/mcp`, `/.well-known/${name}`, `/mcp/.well-known/${name}`]) {
        const unknown = await fetch(http.url + path)
        expect([unknown.status, unknown.headers.get('Content-Type')], path).to.deep.equal([
          404,
          'application/problem+json',
        ])
      }
    }
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(`${http.url}/mcp`), {
      requestInit: { headers: { 'X-API-KEY': 'another-token-of-thirty-two-letters' } },
    })
    const failure = await client.connect(transport).then(
      () => expect.fail('the client has connected'),
      (thrown: Error) => thrown.message,
    )
    expect(failure).to.match(/TOKEN_UNKNOWN|401/)
  })

  it('refuses pages of other origins', async () => {
    const { port } = new URL(http.url)
    for (const Origin of ['https://evil.example', 'null', `http://evil.example:${port}`, 'http://127.0.0.1']) {
      const refused = await http.post(PING, { Origin })
      expect(refused.status, Origin).to.equal(403)
      expect(((await refused.json()) as Json).code).to.equal('ORIGIN_NOT_ALLOWED')
    }
    expect((await http.post(PING, { Origin: http.url })).status).to.equal(200)
  })

  it('offers only what the token may call, without its pins', async () => {
    const token = await http.token({ allow: ['shop.messages', 'shop.orders'], pin: { project: 'a' } })
    const headers = { 'X-API-KEY': token }
    // shop.orders does not declare what the token pins.
    const { result } = await http.ask('tools/list', {}, headers)
    expect(NAMES(result)).to.deep.equal(['shop_messages'])
    expect(Object.keys(result.tools[0].inputSchema.properties)).to.deep.equal(['rows'])
    const { resources } = (await http.ask('resources/list', {}, headers)).result
    expect(resources.map((one: Json) => one.uri)).to.deep.equal(['sluice://endpoints/shop.messages'])
    const read = await http.ask('resources/read', { uri: 'sluice://endpoints/shop.messages' }, headers)
    expect(read.result.contents[0].text).not.to.include('`project` (string')
    for (const uri of ['sluice://endpoints/shop.orders', 'sluice://endpoints/shop.nothing']) {
      expect((await http.ask('resources/read', { uri }, headers)).error.code).to.equal(-32602)
    }
    for (const name of ['shop_orders', 'shop_slow', 'shop.messages', 'nothing']) {
      const { error } = await http.ask('tools/call', { name, arguments: {} }, headers)
      expect(error).to.deep.include({ code: -32602, message: `Unknown tool: ${name}` })
    }
  })

  it('never shows a pinned token the rows of another tenant, whatever it sends', async () => {
    const token = await http.token({ allow: ['*'], pin: { project: 'a' } })
    const headers = { 'X-API-KEY': token }
    const own = await http.call('shop_messages', {}, headers)
    expect(own.structuredContent.result).to.deep.equal([{ project: 'a', text: INJECTION }])
    const attempts = [{ project: 'b' }, { project: ['b'] }, { project: 'a' }, { Project: 'b' }, { 'project[]': 'b' }]
    for (const args of [...attempts, { __proto__x: { project: 'b' } }, { constructor: { project: 'b' } }]) {
      const answer = await http.call('shop_messages', args, headers)
      expect(answer.isError, JSON.stringify(args)).to.equal(true)
      expect(answer.content[0].text).to.include(`${Object.keys(args)[0]}: is not an argument of this tool`)
      expect(JSON.stringify(answer)).not.to.include('secret of b')
    }
    const polluted = '{"name":"shop_messages","arguments":{"__proto__":{"project":"b"}}}'
    const response = await http.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${polluted}}`, headers)
    expect(await response.text()).not.to.include('secret of b')
    const whole = await http.token({ allow: ['*'], allTenants: true })
    const other = await http.call('shop_messages', { project: 'b' }, { 'X-API-KEY': whole })
    expect(other.structuredContent.result[0].text).to.equal('secret of b')
  })

  it('offers no tool of a tenant to a token that pins none, and none of a pin that is not a value', async () => {
    const free = await http.token({ allow: ['shop.messages'] })
    expect(NAMES((await http.ask('tools/list', {}, { 'X-API-KEY': free })).result)).to.deep.equal([])
    const wrong = await http.token({ allow: ['shop.orders'], pin: { count: 'many' } })
    expect(NAMES((await http.ask('tools/list', {}, { 'X-API-KEY': wrong })).result)).to.deep.equal([])
  })

  it('counts each message against the rate of the token: those of a batch too', async () => {
    const token = await http.token({ allow: ['*'], rate: '4/day' })
    // The one that found the token known was the first.
    const batch = [PING, { ...PING, id: 2 }, { ...PING, id: 3 }, { ...PING, id: 4 }]
    const refused = await http.post(batch, { 'X-API-KEY': token, 'MCP-Protocol-Version': null })
    expect(refused.status).to.equal(429)
    expect(Number(refused.headers.get('Retry-After'))).to.be.greaterThan(0)
    expect(((await refused.json()) as Json).code).to.equal('RATE_LIMITED')
  })

  it('tells every mistake of the model at once, for it to mend', async () => {
    const answer = await http.call('shop_orders', { count: 'x', sise: 1, rows: 201, constructor: 1 })
    expect(answer.isError).to.equal(true)
    expect(answer.content).to.deep.equal([
      {
        type: 'text',
        text: [
          'These arguments are not valid: sise, constructor, rows, count.',
          'sise: is not an argument of this tool; did you mean "size"?',
          'constructor: is not an argument of this tool; it takes count, size, search, rows',
          'rows: must be a whole number from 1 to 200',
          'count: must be an integer',
        ].join('\n'),
      },
    ])
    for (const rows of [0, 1.5, '50', -1, true, []]) {
      const wrong = await http.call('shop_orders', { count: 1, rows })
      expect(wrong.content[0].text, JSON.stringify(rows)).to.include('rows: must be a whole number from 1 to 200')
    }
    const missing = await http.call('shop_orders')
    expect(missing.content[0].text).to.include('count: is required')
    const regex = await http.call('shop_orders', { count: 1, search: '(' })
    expect(regex.content[0].text).to.match(/^These arguments are not valid: search\.\nsearch: /)
  })

  it('says of a failure of the server its code alone; the log and the metrics have all of it', async () => {
    const answer = await http.call('shop_broken', {}, { 'X-Request-Id': 'broken-1' })
    expect(answer).to.deep.equal({ content: [{ type: 'text', text: 'QUERY_FAILED' }], isError: true })
    const done = await http.done({ requestId: 'broken-1' })
    expect(done).to.include({ via: 'mcp', endpoint: 'shop.broken', status: 502, path: '/mcp' })
    expect(causeText(done.error?.cause)).to.include('division by zero')
    const metrics = await (await fetch(`${http.url}/metrics`)).text()
    expect(metrics).to.include('sluice_requests_total{endpoint="shop.broken",status="502"} 1')
  })

  it('logs a call once, with its endpoint, its outcome and `via`', async () => {
    await http.call('shop_orders', { count: 4 }, { 'X-Request-Id': 'call-1' })
    await http.call('shop_orders', { count: 4 }, { 'X-Request-Id': 'call-2' })
    const [first, second] = [await http.done({ requestId: 'call-1' }), await http.done({ requestId: 'call-2' })]
    expect(first).to.include({ via: 'mcp', endpoint: 'shop.orders', status: 200, cache: 'miss', rows: 4 })
    expect(second).to.include({ via: 'mcp', cache: 'hit', rows: 4, token: 'SLUICE_TOKEN' })
    await http.ask('tools/list', {}, { 'X-Request-Id': 'list-1' })
    expect(await http.done({ requestId: 'list-1' })).to.include({ via: 'mcp', endpoint: null, status: 200 })
    const all = http.events.filter(event => event.kind === 'request.done' && event.requestId === 'call-1')
    expect(all).to.have.length(1)
  })

  it('shares results with plain HTTP: one query for both', async () => {
    const before = http.events.filter(({ kind }) => kind === 'query.started').length
    await http.call('shop_orders', { count: 77 })
    const address = `${http.url}/api/endpoints/query/shop.orders?count=77&format=csv`
    const plain = await fetch(address, { headers: { 'X-API-KEY': TOKEN } })
    expect(plain.headers.get('Cache-Status')).to.match(/^sluice; hit/)
    expect(http.events.filter(({ kind }) => kind === 'query.started')).to.have.length(before + 1)
  })

  it('asks the engine once for agents and other callers at the same time', async () => {
    const before = http.events.filter(({ kind }) => kind === 'query.started').length
    const plain = (format: string): Promise<Response> =>
      fetch(`${http.url}/api/endpoints/query/shop.orders?count=88&format=${format}`, {
        headers: { 'X-API-KEY': TOKEN },
      })
    const agents = Array.from({ length: 10 }, () => http.call('shop_orders', { count: 88 }))
    const others = ['json', 'csv', 'ndjson', 'table', 'excel'].map(plain)
    for (const { structuredContent } of await Promise.all(agents)) expect(structuredContent.row_count).to.equal(88)
    for (const { status } of await Promise.all(others)) expect(status).to.equal(200)
    expect(http.events.filter(({ kind }) => kind === 'query.started')).to.have.length(before + 1)
  })

  it('cancels the query of a caller who leaves', async () => {
    const gone = new AbortController()
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'shop_slow', arguments: {} } }
    const asked = fetch(`${http.url}/mcp`, {
      method: 'POST',
      headers: { 'X-API-KEY': TOKEN, 'Content-Type': 'application/json' },
      body: JSON.stringify(message),
      signal: gone.signal,
    }).catch((error: Error) => error.name)
    const isSlow = (event: Event): boolean => event.kind === 'query.started' && event.endpoint === 'shop.slow'
    await until(() => http.events.some(isSlow), 'the query runs')
    gone.abort()
    expect(await asked).to.equal('AbortError')
    expect(await http.done({ endpoint: 'shop.slow' })).to.include({ status: 499, via: 'mcp' })
  })
})

describe('mcp: refusals of the whole request', () => {
  it('are HTTP where the budget of the token is used up', async () => {
    const http = await serving()
    http.engine.fail(new RunnerError('BUDGET_EXCEEDED', { headers: { 'Retry-After': '60' } }))
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'tests_echo', arguments: { project: 'a' } },
    }
    const headers = { 'X-API-KEY': HAND_MADE_TOKEN, 'Content-Type': 'application/json' }
    const refused = await fetch(`${http.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) })
    const done = await http.done()
    await http.close()
    expect([refused.status, refused.headers.get('Retry-After')]).to.deep.equal([429, '60'])
    expect(((await refused.json()) as Json).code).to.equal('BUDGET_EXCEEDED')
    expect(done).to.include({ status: 429, endpoint: 'tests.echo', via: 'mcp' })
  })

  it('are 503 while the server shuts down; a call that runs is finished', async () => {
    const http = await serving()
    const release = http.engine.hold()
    const message =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tests_echo","arguments":{"project":"a"}}}'
    const headers = { 'X-API-KEY': HAND_MADE_TOKEN, 'Content-Type': 'application/json' }
    const running = fetch(`${http.url}/mcp`, { method: 'POST', headers, body: message })
    await until(() => http.engine.queries.length > 0, 'the call runs')
    const socket = connect(http.server.port, '127.0.0.1')
    await once(socket, 'connect')
    // With half a request the connection is not idle, so it is not closed.
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${HAND_MADE_TOKEN}\r\nContent-Length: ${message.length}\r\n`,
    )
    await pause(30)
    const closing = http.close()
    await until(() => http.events.some(({ kind }) => kind === 'server.draining'), 'it drains')
    await pause(50)
    const answer = once(socket, 'data')
    socket.write(`Content-Type: application/json\r\n\r\n${message}`)
    expect(String((await answer)[0]))
      .to.match(/^HTTP\/1.1 503 /)
      .and.include('DRAINING')
    socket.destroy()
    release()
    expect((await running).status).to.equal(200)
    await closing
  })

  it('admit the origins of --cors-origins, and of --public-url alone', async () => {
    const corsOrigins = ['https://app.example.com']
    const http = await serving({ corsOrigins, publicUrl: 'https://data.example.com' })
    const statusOf = async (Origin: string): Promise<number> => {
      const headers = { 'X-API-KEY': HAND_MADE_TOKEN, 'Content-Type': 'application/json', Origin }
      const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
      return (await fetch(`${http.url}/mcp`, { method: 'POST', headers, body })).status
    }
    const statuses = [await statusOf('https://app.example.com'), await statusOf('https://data.example.com')]
    const foreign = await statusOf(http.url)
    const asked = await fetch(`${http.url}/mcp`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' },
    })
    await http.close()
    expect([...statuses, foreign]).to.deep.equal([200, 200, 403])
    const allowed = asked.headers.get('Access-Control-Allow-Headers')
    for (const name of ['Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name']) expect(allowed).to.include(name)
  })
})
