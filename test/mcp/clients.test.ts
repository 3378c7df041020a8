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

    it('goes from page to page, whatever part of each is shown, and gets every row once', async () => {
      for (const args of [{ count: 120 }, { count: 100, page_size: 99, size: 3000 }, { count: 450, page_size: 200 }]) {
        const numbers: number[] = []
        let calls = 0
        for (let next: string | null | undefined; next !== null; calls++) {
          const page = next === undefined ? args : { count: args.count, size: args.size, cursor: next }
          const { content, structuredContent } = await held(client, 'shop_pages', page)
          const { result, note } = structuredContent
          next = structuredContent.next
          numbers.push(...result.map(({ n }: Json) => n))
          expect(structuredContent).to.include({ row_count: args.count, truncated: next !== null })
          if (next === null) expect([content.length, note]).to.deep.equal([1, undefined])
          else expect(note).to.match(new RegExp(`^${result.length} of ${args.count} rows; send next as cursor, `))
          if (next !== null) expect(content[1].uri).not.to.match(/cursor|page_size/)
        }
        expect(numbers).to.deep.equal(Array.from({ length: args.count }, (_, i) => i + 1))
        expect(calls).to.be.within(3, 6)
      }
    })

    it('is told of what no page has', async () => {
      const left = await held(client, 'shop_pages', { count: 3, large: 2, page_size: 1 })
      const second = { count: 3, large: 2, cursor: left.structuredContent.next }
      const { structuredContent: none } = await held(client, 'shop_pages', second)
      expect(none).to.deep.include({ result: [], truncated: true })
      expect(none.note).to.match(/^A row is left out: it alone is too large for an answer\. 0 of 3 rows; send next/)
      const { structuredContent: third } = await held(client, 'shop_pages', { ...second, cursor: none.next })
      expect([third.result[0].n, third.next]).to.deep.equal([3, null])
      const { structuredContent: last } = await held(client, 'shop_pages', { count: 1, large: 1 })
      expect(last).to.deep.include({ result: [], next: null, truncated: true })
      expect(last.note).to.match(/^A row is left out: .*, or fetch all: GET http/)
      const { structuredContent: cut } = await held(client, 'shop_pages', { count: 501, page_size: 200 })
      expect(cut.note).to.match(/^200 of 500 rows; .*\. The result itself is cut after 500 rows: the query has more$/)
    })

    it('goes on where plain HTTP began with a longer page', async () => {
      const address = `${http.url}/api/endpoints/query/shop.pages?count=500&page_size=250`
      const { next } = (await (await fetch(address, { headers: { 'X-API-KEY': TOKEN } })).json()) as Json
      const { structuredContent: page } = await held(client, 'shop_pages', { count: 500, cursor: next })
      const numbers = page.result.map(({ n }: Json) => n)
      expect([numbers.length, numbers[0]]).to.deep.equal([200, 251])
      const { structuredContent: rest } = await held(client, 'shop_pages', { count: 500, cursor: page.next })
      expect([rest.result.length, rest.result[0].n, rest.next]).to.deep.equal([50, 451, null])
    })

    it('gets mistakes about pages as answers', async () => {
      const refused = async (args: object): Promise<string> => {
        const answer = await client.callTool({ name: 'shop_pages', arguments: args })
        expect(answer.isError).to.equal(true)
        return answer.content[0].text
      }
      expect(await refused({ count: 3, page_size: 201, rows: 2 })).to.match(
        /\nrows: is not an argument of this tool.*\npage_size: must be a whole number from 1 to 200$/,
      )
      expect(await refused({ count: 3, cursor: 'made-up' })).to.match(
        /\ncursor: must be one that this endpoint has given/,
      )
      expect(await refused({ count: 3, cursor: ['a'] })).to.match(/\ncursor: must be a single value/)
      const faulty = { count: 3, faulty: true, page_size: 1 }
      const { structuredContent } = await held(client, 'shop_pages', faulty)
      const purge = { method: 'POST', headers: { 'X-API-KEY': TOKEN } }
      const purged = await fetch(`${http.url}/api/endpoints/shop.pages/purge`, purge)
      expect(purged.ok).to.equal(true)
      expect(await refused({ ...faulty, cursor: structuredContent.next })).to.equal(
        'The data has changed since the first page was given; begin again without cursor.',
      )
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
