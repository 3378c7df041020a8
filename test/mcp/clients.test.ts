/** The SDK's clients of both generations, as agents have them; each answer is checked against its tool's output schema. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { serveEveryType } from '../openapi/every-type.js'
import { type AgentServer, INJECTION, type Json, serveAgents, TOKEN } from './agent-server.js'

const ME = { name: 'test', version: '1' }

/** What the tests use of a client. */
interface AnyClient {
  listTools(): Promise<Json>
  callTool(call: { readonly name: string; readonly arguments: object }): Promise<Json>
  listResources(): Promise<Json>
  readResource(which: { readonly uri: string }): Promise<Json>
  close(): Promise<void>
}

async function connect(url: string, revision: string | null): Promise<AnyClient> {
  const [address, options] = [new URL(`${url}/mcp`), { requestInit: { headers: { 'X-API-KEY': TOKEN } } }]
  if (revision === null) {
    const client = new OldClient(ME)
    // Its types leave out `undefined` in members that its transport may not have.
    await client.connect(new OldTransport(address, options) as Parameters<OldClient['connect']>[0])
    return client as AnyClient
  }
  const mode = revision === '2025-11-25' ? 'legacy' : { pin: revision }
  const client = new Client(ME, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(address, options))
  expect(client.getNegotiatedProtocolVersion()).to.equal(revision)
  return client as AnyClient
}

const CLIENTS = [
  ['of the first generation', null],
  ['of the second, 2025-11-25', '2025-11-25'],
  ['of the second, 2026-07-28', '2026-07-28'],
] as const

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })

/** The answer, once it is what the tool has promised. */
async function held(client: AnyClient, name: string, args: object): Promise<Json> {
  const { tools } = await client.listTools()
  const { outputSchema } = tools.find((tool: Json) => tool.name === name)
  const answer = await client.callTool({ name, arguments: args })
  const validate = ajv.compile(outputSchema)
  expect(validate(answer.structuredContent), JSON.stringify(validate.errors)).to.equal(true)
  expect(answer.structuredContent).to.deep.equal(JSON.parse(answer.content[0].text))
  return answer
}

for (const [which, revision] of CLIENTS) {
  describe(`mcp: a client ${which}`, () => {
    let http: AgentServer
    let client: AnyClient
    before(async () => {
      http = await serveAgents()
      client = await connect(http.url, revision)
    })
    after(async () => {
      await client.close()
      await http.close()
    })

    it('reads what an endpoint is', async () => {
      const { resources } = await client.listResources()
      expect(resources[2]).to.deep.equal({
        uri: 'sluice://endpoints/shop.orders',
        name: 'shop.orders',
        description: 'Orders, numbered from 1.',
        mimeType: 'text/markdown',
      })
      const { contents } = await client.readResource(resources[2])
      expect(contents[0].mimeType).to.equal('text/markdown')
      expect(contents[0].text.split('\n')).to.include.members([
        '# shop.orders',
        '- `count` (int64, required): How many. At least `0`. At most `100000`.',
        '- `size` (int64, optional): The characters of a text. Without it `1`.',
        '- `search` (string, optional): A pattern. An RE2 regular expression. At most 1024 characters.',
        '- `weight` (NUMERIC, never NULL, in kg): What it weighs.',
      ])
    })

    it('gets all rows where all fit, with every digit in the text', async () => {
      const { content, structuredContent } = await held(client, 'shop_orders', { count: 2 })
      expect(structuredContent).to.include({ row_count: 2, truncated: false }).and.not.have.property('note')
      const exact = [
        '"weight":12345678901234567890.123456789',
        '"big":"9007199254740993"',
        '"exact":12345678901234567890',
      ]
      for (const digits of exact) expect(content[0].text).to.include(digits)
      expect(content).to.have.length(1)
    })

    it('is told what is left out, and where all of it is', async () => {
      const { content, structuredContent } = await held(client, 'shop_orders', { count: 900, search: 's&t|o' })
      const uri = `${http.url}/api/endpoints/query/shop.orders?count=900&search=s%26t%7Co&format=csv`
      expect(structuredContent).to.include({ row_count: 900, truncated: true })
      expect(structuredContent.result).to.have.length(50)
      const note = `50 of 900 rows; ask with narrower arguments, or fetch all: GET ${uri}`
      expect(structuredContent.note).to.equal(note)
      expect(content[1]).to.deep.equal({ type: 'resource_link', uri, name: 'shop.orders', mimeType: 'text/csv' })
      const all = await fetch(content[1].uri, { headers: { 'X-API-KEY': TOKEN } })
      expect(all.headers.get('X-Row-Count')).to.equal('900')
    })

    it('is told of rows that the result itself leaves out', async () => {
      const { structuredContent } = await held(client, 'shop_orders', { count: 1001, rows: 200 })
      expect(structuredContent.note).to.match(/^200 of 1000 rows; .*\. The result itself is cut after 1000 rows/)
      const own = await held(client, 'shop_own-words', { rows: 5 })
      expect(own.structuredContent).to.deep.equal({
        result: [{ n: 1 }, { n: 2 }],
        row_count: 2,
        truncated: true,
        note: '2 of more than 2 rows; ask with narrower arguments',
      })
    })

    it('gets whole rows, of 64 KiB in all', async () => {
      const { content, structuredContent } = await held(client, 'shop_orders', { count: 100, size: 3000, rows: 100 })
      const { note, result } = structuredContent
      const bytes = Buffer.byteLength(content[0].text) - Buffer.byteLength(`,"note":${JSON.stringify(note)}`)
      expect(bytes).to.be.within(65_536 - 4_000, 65_536)
      expect(result.length).to.be.within(19, 21)
      expect(note).to.match(new RegExp(`^${result.length} of 100 rows; `))
      const none = await held(client, 'shop_orders', { count: 2, size: 100_000 })
      expect(none.structuredContent.result).to.deep.equal([])
      expect(none.structuredContent.note).to.match(/^0 of 2 rows; /)
    })

    it('gets rows as data, whatever they say', async () => {
      const { structuredContent } = await held(client, 'shop_messages', { project: 'a' })
      expect(structuredContent.result).to.deep.equal([{ project: 'a', text: INJECTION }])
    })

    it('gets mistakes as answers', async () => {
      const answer = await client.callTool({ name: 'shop_orders', arguments: {} })
      expect(answer.isError).to.equal(true)
      expect(answer.content[0].text).to.equal('These arguments are not valid: count.\ncount: is required')
    })
  })
}

describe('mcp: every type of column and parameter', () => {
  it('keeps to the output schema, and takes what the input schema describes', async () => {
    const server = await serveEveryType()
    const client = await connect(server.url, '2026-07-28')
    try {
      const args = { text: 'abc', period: 'week', whole: 2, real: 1.5, flag: false, day: '2026-01-31' }
      const more = { civil: '2026-01-31 12:00:00', moment: '2026-01-31T12:00:00Z', words: ['a', 'b'], numbers: [3] }
      const { tools } = await client.listTools()
      const { inputSchema } = tools.find((tool: Json) => tool.name === 'every_type')
      const withFormats = { ...inputSchema, properties: withoutFormats(inputSchema.properties) }
      expect(ajv.validate(withFormats, { ...args, ...more }), ajv.errorsText()).to.equal(true)
      const { structuredContent } = await held(client, 'every_type', { ...args, ...more, search: '(?i)z' })
      expect(structuredContent.result[0]).to.include({ text: 'abc', days: 7, flag: false })
      await held(client, 'logs_all', { project: 'p', project_tier: 'PRO' })
      await held(client, 'functions_invocation-stats', { project: 'p', interval: '1day' })
      await held(client, 'usage_api-counts', { project: 'p', interval: 'daily' })
    } finally {
      await client.close()
      await server.close()
    }
  })
})

/** ajv alone knows no formats; test/mcp/tools.test.ts compiles them. */
const withoutFormats = (properties: Json): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([name, { format: _, ...schema }]: [string, Json]) => [name, schema]),
  )
