/** Requests as bytes on the wire, of every revision of the protocol. */
import { expect } from 'chai'
import { type AgentServer, ENVELOPE, type Json, modernHeaders, serveAgents } from './agent-server.js'

/** Those with an `initialize`. */
const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25']
const LINES = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }

describe('mcp: revisions of the protocol', () => {
  let http: AgentServer
  before(async () => {
    http = await serveAgents()
  })
  after(() => http.close())

  for (const revision of REVISIONS) {
    it(`answers ${revision}: initialize, a notification, a list, a call`, async () => {
      const version = { 'MCP-Protocol-Version': revision === '2025-03-26' ? null : revision }
      const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
      const begun = await http.ask('initialize', params, { 'MCP-Protocol-Version': null })
      expect(begun.result.protocolVersion).to.equal(revision)
      expect(begun.result.capabilities).to.deep.equal({ tools: {}, resources: {} })
      expect(begun.result.serverInfo).to.include({ name: 'sluice', title: 'Sluice' })
      expect(begun.result.instructions).to.be.a('string')
      const told = await http.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, version)
      expect([told.status, await told.text()]).to.deep.equal([202, ''])
      expect((await http.ask('ping', {}, version)).result).to.deep.equal({})
      const { tools } = (await http.ask('tools/list', {}, version)).result
      expect(tools.map((tool: Json) => tool.name)).to.deep.equal([
        'shop_broken',
        'shop_messages',
        'shop_orders',
        'shop_own-words',
        'shop_pages',
        'shop_slow',
      ])
      const answer = await http.call('shop_orders', { count: 3, rows: 2 }, version)
      expect(answer.structuredContent.result.map((row: Json) => row.id)).to.deep.equal([1, 2])
      expect(answer.structuredContent).to.deep.equal(JSON.parse(answer.content[0].text))
      // Results of 2025-03-26 have no links; clients of then refuse what they do not know.
      const types = revision === '2025-03-26' ? ['text'] : ['text', 'resource_link']
      expect(answer.content.map((block: Json) => block.type)).to.deep.equal(types)
    })
  }

  it('offers the newest of those to a client of an unknown revision', async () => {
    const params = { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
    const begun = await http.ask('initialize', params, { 'MCP-Protocol-Version': null })
    expect(begun.result.protocolVersion).to.equal('2025-11-25')
    const refused = await http.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'MCP-Protocol-Version': '1999-01-01' })
    expect(refused.status).to.equal(400)
  })

  it('answers a batch of 2025-03-26', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 'a', method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 'b', method: 'tools/call', params: { name: 'shop_orders', arguments: { count: 1 } } },
      { jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'shop_orders', arguments: { count: 2 } } },
    ]
    const response = await http.post(batch, { 'MCP-Protocol-Version': null })
    expect(response.status).to.equal(200)
    const answers = (await response.json()) as Json[]
    expect(answers.map(({ id }) => id)).to.have.members(['a', 'b', 'c'])
    const counts = ['b', 'c'].map(
      id => answers.find(answer => answer.id === id).result.structuredContent.row_count as number,
    )
    expect(counts).to.deep.equal([1, 2])
  })

  describe('2026-07-28', () => {
    const askModern = async (method: string, params: object = {}, name?: string): Promise<Json> => {
      const message = { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: ENVELOPE } }
      const response = await http.post(message, modernHeaders(method, name))
      expect(response.headers.get('Content-Type')).to.equal('application/json')
      return response.json()
    }

    it('is discovered without a session', async () => {
      const { result } = await askModern('server/discover')
      expect(result.supportedVersions).to.deep.equal(['2026-07-28'])
      expect(result.capabilities).to.deep.equal({ tools: {}, resources: {} })
      expect(result.instructions).to.be.a('string')
    })

    it('lists tools and resources, and says for how long they may be kept, and by whom', async () => {
      for (const method of ['tools/list', 'resources/list', 'resources/templates/list']) {
        const { result } = await askModern(method)
        expect(result, method).to.include({ ttlMs: 60_000, cacheScope: 'private' })
      }
      const uri = 'sluice://endpoints/shop.orders'
      const { result } = await askModern('resources/read', { uri }, uri)
      expect(result).to.include({ ttlMs: 60_000, cacheScope: 'private' })
    })

    it('calls a tool', async () => {
      const args = { name: 'shop_orders', arguments: { count: 60 } }
      const { id, result } = await askModern('tools/call', args, 'shop_orders')
      expect(id).to.equal(7)
      expect(result.structuredContent).to.include({ row_count: 60, truncated: true })
      expect(result.structuredContent).to.deep.equal(JSON.parse(result.content[0].text))
      expect(result.content[1]).to.include({ type: 'resource_link', mimeType: 'text/csv' })
    })

    it('refuses headers that differ from the body, and an unknown revision', async () => {
      const params = { name: 'shop_orders', arguments: { count: 1 }, _meta: ENVELOPE }
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      expect((await http.post(message, modernHeaders('tools/call', 'shop_broken'))).status).to.equal(400)
      expect((await http.post(message, modernHeaders('tools/list'))).status).to.equal(400)
      const later = { ...ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '2027-01-01' }
      const unknown = { ...message, params: { ...params, _meta: later } }
      const headers = { ...modernHeaders('tools/call', 'shop_orders'), 'MCP-Protocol-Version': '2027-01-01' }
      const refused = await http.post(unknown, headers)
      expect(refused.status).to.equal(400)
      expect(((await refused.json()) as Json).error.data.supported).to.deep.equal(['2026-07-28'])
    })

    it('ends a subscription at once, as nothing is ever announced', async () => {
      const method = 'subscriptions/listen'
      const params = { notifications: { toolsListChanged: true }, _meta: ENVELOPE }
      const response = await http.post({ jsonrpc: '2.0', id: 1, method, params }, modernHeaders(method))
      expect(await response.text()).to.include('"resultType":"complete"')
    })
  })

  it('knows no other method, and no unknown tool or resource', async () => {
    expect((await http.ask('prompts/list')).error.code).to.equal(-32601)
    const unknown = await http.ask('tools/call', { name: 'logs_all', arguments: {} })
    expect(unknown.error).to.deep.include({ code: -32602, message: 'Unknown tool: logs_all' })
    const uri = 'sluice://endpoints/logs.all'
    const missing = await http.ask('resources/read', { uri })
    expect(missing.error).to.deep.equal({ code: -32602, message: `Resource not found: ${uri}`, data: { uri } })
  })

  it('takes POST alone', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await fetch(`${http.url}/mcp`, { method, headers: { Accept: 'text/event-stream' } })
      expect([method, response.status]).to.deep.equal([method, 405])
      expect(response.headers.get('Allow')).to.equal('POST, OPTIONS')
    }
  })

  it('answers in JSON to a client that takes JSON, and refuses others', async () => {
    for (const Accept of ['application/json', '*/*', null, 'application/json, text/event-stream']) {
      expect((await http.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { Accept })).status, `${Accept}`).to.equal(200)
    }
    for (const Accept of ['text/html', 'text/event-stream', 'application/json;q=0']) {
      const refused = await http.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { ...LINES, Accept })
      expect(refused.status, Accept).to.equal(406)
      expect(((await refused.json()) as Json).code).to.equal('NOT_ACCEPTABLE')
    }
  })

  it('is nowhere with --mcp off', async () => {
    const without = await serveAgents({ mcp: 'off' })
    const response = await without.post({ jsonrpc: '2.0', id: 1, method: 'ping' })
    await without.close()
    expect(response.status).to.equal(404)
  })
})
