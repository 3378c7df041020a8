/** `sluice mcp` as agents start it: a process of its own, without a server and without a token. */
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { command, scratch } from '../cli/command.js'
import { until } from '../until.js'
import { PROGRAM, startAgent } from './agent-process.js'
import type { Json } from './agent-server.js'

const ME = { name: 'test', version: '1' }
const ORDERS = `id: aaaaaaaa-1111-4111-8111-111111111111
name: shop.orders
description: The orders.
parameters:
  least: { type: int64, default: 0, description: At least. }
sql: |
  SELECT id, payload FROM \`shop.orders\` WHERE id >= @least ORDER BY id
`
const SCHEMA = [
  { name: 'id', type: 'INTEGER', mode: 'REQUIRED', description: 'The number.' },
  { name: 'payload', type: 'JSON' },
]

describe('sluice mcp', function () {
  this.timeout(120_000)
  const folder = scratch()
  const { path } = folder
  const flags = ['--endpoints', path('endpoints'), '--tables', path('tables'), '--data', path('data')]
  const server = { command: process.execPath, args: [PROGRAM, 'mcp', ...flags, '--log-level', 'silent'] }

  before(() => {
    for (const name of ['endpoints', 'tables', 'data/shop']) mkdirSync(path(name), { recursive: true })
    writeFileSync(path('endpoints/shop.orders.yaml'), ORDERS)
    writeFileSync(path('tables/shop.orders.json'), JSON.stringify(SCHEMA))
    const rows = Array.from({ length: 60 }, (_, i) => `{"id":${i},"payload":{"exact":12345678901234567${i}}}\n`)
    writeFileSync(path('data/shop/orders.ndjson'), rows.join(''))
  })
  after(() => folder.remove())

  describe('with a client', () => {
    let client: Client
    before(async () => {
      client = new Client(ME, { versionNegotiation: { mode: 'auto' } })
      await client.connect(new StdioClientTransport(server))
    })
    after(() => client.close())
    const call = (name: string, args: Record<string, unknown> = {}): Promise<Json> =>
      client.callTool({ name, arguments: args })

    it('speaks the newest revision, and offers endpoints and the tools of authors', async () => {
      expect(client.getNegotiatedProtocolVersion()).to.equal('2026-07-28')
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).to.deep.equal(['shop_orders', 'describe_tables', 'run_query'])
      for (const { annotations } of tools) {
        expect(annotations).to.deep.equal({ readOnlyHint: true, idempotentHint: true, openWorldHint: false })
      }
    })

    it('runs endpoints, and says how to have all rows without an address', async () => {
      const { content, structuredContent } = await call('shop_orders', { least: 5 })
      expect(content).to.have.length(1)
      expect(content[0].text).to.include('{"id":5,"payload":{"exact":123456789012345675}}')
      expect(structuredContent.note).to.equal('50 of 55 rows; ask with narrower arguments')
    })

    it('describes tables', async () => {
      const { structuredContent } = await call('describe_tables')
      expect(structuredContent).to.deep.equal({
        tables: [
          {
            name: 'shop.orders',
            columns: [
              { name: 'id', type: 'INT64', required: true, description: 'The number.' },
              { name: 'payload', type: 'JSON', required: false },
            ],
          },
        ],
      })
      const wrong = await call('describe_tables', { tables: ['shop.order'] })
      expect(wrong.content[0].text).to.include('there is no table shop.order; did you mean "shop.orders"?')
      const bare = await call('describe_tables', { tables: ['orders'] })
      expect(bare.content[0].text).to.include('there is no table orders; did you mean "shop.orders"?')
    })

    it('runs SQL, with its types and every digit', async () => {
      const sql = 'SELECT id, payload, @now AS moment FROM `shop.orders` ORDER BY id DESC'
      const { content, structuredContent } = await call('run_query', { sql, rows: 1 })
      expect(structuredContent.columns).to.deep.equal([
        { name: 'id', type: 'INT64' },
        { name: 'payload', type: 'JSON' },
        { name: 'moment', type: 'TIMESTAMP' },
      ])
      expect(structuredContent).to.include({ row_count: 60, truncated: true })
      expect(structuredContent.note).to.equal('1 of 60 rows; ask with narrower arguments')
      expect(content[0].text).to.include('"exact":1234567890123456759')
      const { tools } = await client.listTools()
      const { outputSchema } = tools.find(tool => tool.name === 'run_query') as Json
      const validate = new Ajv2020({ strict: true }).compile(outputSchema)
      expect(validate(structuredContent), JSON.stringify(validate.errors)).to.equal(true)
    })

    it('places mistakes in SQL, and tells an author why a query failed', async () => {
      const mistakes: readonly (readonly [sql: string, text: string | RegExp])[] = [
        [
          'SELECT\n  payloda FROM `shop.orders`',
          '2:3: Unrecognized name: payloda; Did you mean payload?\n  payloda FROM `shop.orders`\n  ^',
        ],
        [
          'SELECT id\r\nFROM `shop.orders` WHERE NOW() > @now',
          '2:26: Function not found: NOW; write @now\nFROM `shop.orders` WHERE NOW() > @now\n                         ^',
        ],
        ['SELECT id AS order FROM `shop.orders`', /; ORDER is a reserved word: as a name it is quoted with backticks/],
        ['DELETE FROM `shop.orders` WHERE TRUE', /^1:1: /],
        ["SELECT * FROM read_csv('/etc/passwd')", /^1:15: Table function not found: read_csv/],
        ['SELECT 1; SELECT 2', /^1:\d+: /],
        ['SELECT * FROM `shop.other`', /^1:15: Table not found: shop\.other/],
        ['SELECT 1/0', /^QUERY_FAILED: .*\ndivision by zero/],
        ['', 'These arguments are not valid: sql.\nsql: is required, as text'],
      ]
      for (const [sql, text] of mistakes) {
        const answer = await call('run_query', { sql })
        expect(answer.isError, sql).to.equal(true)
        if (typeof text === 'string') expect(answer.content[0].text).to.equal(text)
        else expect(answer.content[0].text).to.match(text)
      }
    })

    it('cancels a query whose call is cancelled, and goes on', async () => {
      const large = 'UNNEST(GENERATE_ARRAY(1, 1000000))'
      const sql = `SELECT COUNT(*) FROM ${large} AS a, ${large} AS b WHERE MOD(a * b, 7) = 1`
      const off = new AbortController()
      const asked = client
        .callTool({ name: 'run_query', arguments: { sql } }, { signal: off.signal })
        .catch(() => 'off')
      setTimeout(() => off.abort(), 300)
      expect(await asked).to.equal('off')
      expect((await call('run_query', { sql: 'SELECT 1 AS one' })).structuredContent.result).to.deep.equal([{ one: 1 }])
    })

    it('sees manifests as they are edited', async () => {
      const other = ORDERS.replace(/aaaaaaaa/, 'bbbbbbbb').replace('shop.orders\n', 'shop.other\n')
      writeFileSync(path('endpoints/shop.other.yaml'), other)
      await until(
        async () => {
          const { tools } = await client.listTools({}, { cacheMode: 'bypass' } as object)
          return tools.some(({ name }) => name === 'shop_other')
        },
        'the new endpoint is a tool',
        100,
      )
    })
  })

  it('serves a client of the first generation', async () => {
    const client = new OldClient(ME)
    await client.connect(new OldTransport(server))
    const answer = (await client.callTool({ name: 'shop_orders', arguments: { least: 59 } })) as Json
    expect(answer.structuredContent).to.include({ row_count: 1, truncated: false })
    await client.close()
  })

  it('writes nothing but messages to standard output, and its log to standard error', async () => {
    const agent = startAgent(flags)
    agent.send('no JSON')
    agent.send(
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}',
    )
    agent.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    agent.send(
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"shop_orders","arguments":{"least":59}}}',
    )
    expect((await agent.answer(2)).result.structuredContent.row_count).to.equal(1)
    expect(await agent.end()).to.equal(0)
    for (const line of agent.lines()) expect(JSON.parse(line)).to.include({ jsonrpc: '2.0' })
    expect(agent.lines()).to.have.length(2)
    expect(agent.err()).to.include('"via":"mcp"').and.include('"endpoint":"shop.orders"')
  })

  it('ends with its input, with a signal, and with what keeps it from starting', async () => {
    expect(await startAgent(flags).end()).to.equal(0)
    const running = startAgent(flags)
    running.send('{"jsonrpc":"2.0","id":1,"method":"ping"}')
    await running.answer(1)
    running.signal('SIGTERM')
    expect(await running.ended).to.equal(0)
    const missing = startAgent(['--data', path('nowhere')])
    expect(await missing.ended).to.equal(3)
    expect(missing.err()).to.include('nowhere')
    const warehouse = await command(['mcp'], { SLUICE_ENGINE: 'bigquery' })
    expect([warehouse.code, warehouse.err]).to.deep.equal([
      2,
      'sluice: mcp runs on the embedded engine only: --engine duckdb, found bigquery\n',
    ])
  })

  it('needs neither the tokens of a server nor its store', async () => {
    const broken = path('broken-tokens.json')
    writeFileSync(broken, '{broken')
    const agent = startAgent(flags, { SLUICE_TOKENS: broken, REDIS_URL: 'redis://127.0.0.1:1' })
    agent.send('{"jsonrpc":"2.0","id":1,"method":"ping"}')
    expect(await agent.answer(1)).to.deep.include({ result: {} })
    await agent.end()
    expect(agent.err()).not.to.match(/redis|tokens/i)
  })

  it('writes nothing', async () => {
    const copy = scratch()
    cpSync(path('.'), copy.path('all'), { recursive: true })
    const files = (): readonly string[] => readdirSync(copy.path('all'), { recursive: true, encoding: 'utf8' }).sort()
    const before = files()
    const own = ['endpoints', 'tables', 'data'].flatMap(name => [`--${name}`, copy.path(`all/${name}`)])
    const agent = startAgent(own)
    agent.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shop_orders","arguments":{}}}')
    await agent.answer(1)
    await agent.end()
    expect(files()).to.deep.equal(before)
    copy.remove()
  })
})
