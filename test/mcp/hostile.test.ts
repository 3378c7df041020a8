/** Requests that no client sends, against a server that goes on answering. */

import { expect } from 'chai'
import fc from 'fast-check'
import { anyText } from '../any-text.js'
import { sampleSize } from '../sample-size.js'
import { type AgentServer, ENVELOPE, type Json, modernHeaders, serveAgents, TOKEN } from './agent-server.js'

/** Bodies that are not JSON-RPC, or not of the protocol. */
const BODIES: readonly (readonly [what: string, body: string])[] = [
  ['nothing', ''],
  ['no JSON', '{"jsonrpc":'],
  ['a number', '1'],
  ['null', 'null'],
  ['a text', '"ping"'],
  ['an empty batch', '[]'],
  ['a batch of nothing', '[null,1,[]]'],
  ['a batch within a batch', '[[{"jsonrpc":"2.0","id":1,"method":"ping"}]]'],
  ['no version', '{"id":1,"method":"ping"}'],
  ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
  ['an id of another type', '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}'],
  ['a method of another type', '{"jsonrpc":"2.0","id":1,"method":["ping"]}'],
  ['parameters of another type', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"shop_orders"}'],
  ['a tool without a name', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}'],
  [
    'arguments of another type',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shop_orders","arguments":[1]}}',
  ],
  ['a method of prototypes', '{"jsonrpc":"2.0","id":1,"method":"constructor"}'],
  [
    'a tool of prototypes',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__","arguments":{}}}',
  ],
  [
    'a resource of another kind',
    '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}',
  ],
  [
    'a resource above the others',
    '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"sluice://endpoints/../tokens"}}',
  ],
  ['a deep list', '['.repeat(100_000)],
  ['a deep list that closes', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  [
    'a batch of very many',
    `[${Array.from({ length: 11 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`).join()}]`,
  ],
  ['an answer', '{"jsonrpc":"2.0","id":1,"result":{}}'],
]

describe('mcp: hostile requests', () => {
  let http: AgentServer
  before(async () => {
    http = await serveAgents()
  })
  after(() => http.close())

  for (const [what, body] of BODIES) {
    it(`refuses ${what}`, async () => {
      for (const headers of [{}, modernHeaders('tools/call', 'x')]) {
        const response = await http.post(body, headers)
        const text = await response.text()
        expect(response.status, text).to.be.oneOf([200, 202, 400, 404])
        if (response.status === 200) expect(text).to.include('"error"')
        expect(text).not.to.match(/\bat .*\.ts:|node_modules|TypeError/)
      }
    })
  }

  it('refuses a body that is too large, before and while it arrives', async () => {
    const large = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'ping',
      params: { _meta: { x: 'y'.repeat(1_100_000) } },
    })
    expect((await http.post(large)).status).to.equal(413)
    const chunks = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 30; i++) controller.enqueue(new TextEncoder().encode(large.slice(0, 50_000)))
        controller.close()
      },
    })
    const headers = { 'X-API-KEY': TOKEN, 'Content-Type': 'application/json' }
    const sent = { method: 'POST', headers, body: chunks, duplex: 'half' } as RequestInit
    const status = await fetch(`${http.url}/mcp`, sent).then(({ status }) => status)
    expect(status).to.equal(413)
  })

  it('refuses very many members and arguments', async () => {
    const call = (count: number) => {
      const args = Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, 1]))
      return http.post({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'shop_orders', arguments: args },
      })
    }
    expect(await (await call(1_001)).text()).to.include('at most 1000 different arguments')
    expect(await (await call(1_000)).text()).to.include('is not an argument of this tool')
    const refused = await call(4_000)
    expect([refused.status, await refused.text()].join(' ')).to.match(/^400 .*at most 4000 members/)
  })

  const batchOf = (count: number, method: string, params = {}) => ({
    body: Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method, params })),
    headers: { 'MCP-Protocol-Version': null },
  })

  for (const method of ['tools/list', 'resources/list']) {
    it(`refuses a batch that asks twice for ${method}`, async () => {
      const twice = batchOf(2, method)
      expect((await http.post(twice.body, twice.headers)).status).to.equal(400)
      const once = batchOf(1, method)
      expect((await http.post(once.body, once.headers)).status).to.equal(200)
    })
  }

  it('leaves a turn of the event loop to others after each message of a batch', async () => {
    let turns = 0
    let isDone = false
    const countTurns = (): void => {
      turns += 1
      if (!isDone) setImmediate(countTurns)
    }
    const { body, headers } = batchOf(10, 'resources/read', { uri: 'sluice://endpoints/shop.orders' })
    setImmediate(countTurns)
    const answers = (await (await http.post(body, headers)).json()) as readonly unknown[]
    isDone = true
    expect(answers).to.have.lengthOf(10)
    expect(turns).to.be.at.least(10)
  })

  it('refuses other types, codings and charsets', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16', null]) {
      expect((await http.post(ping, { 'Content-Type': type })).status, `${type}`).to.equal(415)
    }
    expect((await http.post(ping, { 'Content-Encoding': 'gzip' })).status).to.equal(415)
    const broken = await fetch(`${http.url}/mcp`, {
      method: 'POST',
      headers: { 'X-API-KEY': TOKEN, 'Content-Type': 'application/json' },
      body: Buffer.from([0x7b, 0xff, 0x7d]),
    })
    expect(broken.status).to.equal(400)
  })

  it('takes names of prototypes for what they are: no arguments', async () => {
    const args = '{"count":1,"__proto__":{"count":9},"constructor":{"prototype":{"polluted":1}},"toString":1}'
    const params = `{"name":"shop_orders","arguments":${args}}`
    const response = await http.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`)
    const { result } = (await response.json()) as Json
    expect(result.isError).to.equal(true)
    expect(result.content[0].text)
      .to.match(/constructor: is not an argument/)
      .and.match(/toString: is not an argument/)
    expect(({} as Json).polluted).to.equal(undefined)
  })

  it('binds arguments, and never reads them as SQL', async () => {
    const search = "' OR 1=1; DROP TABLE x; -- {{count}} @count"
    const { structuredContent } = await http.call('shop_orders', { count: 5, search })
    expect(structuredContent).to.deep.equal({ result: [], row_count: 0, truncated: false })
  })

  it('answers any arguments with rows or with a mistake, and never fails', async function () {
    this.timeout(60_000)
    const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.integer(), fc.double(), anyText())
    const name = fc.oneof(fc.constantFrom('count', 'size', 'search', 'rows', '__proto__', 'constructor'), fc.string())
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value, { maxKeys: 4 }), async args => {
        // Other tests send large counts and texts.
        for (const one of ['count', 'size']) if (Number(args[one]) > 50) args[one] = 50
        const { result, error } = await http.ask('tools/call', { name: 'shop_orders', arguments: args })
        expect(error, JSON.stringify(error)).to.equal(undefined)
        if (result.isError) expect(result.content[0].text).to.match(/^These arguments are not valid: /)
        else expect(result.structuredContent.result).to.be.an('array')
      }),
      { numRuns: sampleSize(200) },
    )
    expect(http.events.filter(({ kind }) => kind === 'bug')).to.deep.equal([])
  })

  it('takes an envelope for what it is: data', async () => {
    const forged = { ...ENVELOPE, __proto__: { x: 1 }, 'io.modelcontextprotocol/clientInfo': { name: 1 } }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: forged } }
    const response = await http.post(message, modernHeaders('tools/list'))
    expect(response.status).to.equal(400)
    expect(http.events.filter(({ kind }) => kind === 'bug')).to.deep.equal([])
  })
})
