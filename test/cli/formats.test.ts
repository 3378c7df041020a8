/** `call` and `query` print, in every format, byte for byte what HTTP sends: the project's endpoints over a few entries. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { tableFromIPC } from 'apache-arrow'
import { expect } from 'chai'
import { RESULT_FORMATS } from '../../runner/formats/index.js'
import type { RunningServer } from '../../runner/http/server/server.js'
import { createRunner, type Runner } from '../../runner/serve/runner.js'
import { type Entry, edge, invoked } from '../endpoints/log-runner.js'
import { arrowRows } from '../formats/arrow-values.js'
import { openParquetReader, type ParquetReader } from '../formats/read-parquet.js'
import { typeOf } from '../formats/read-typed.js'
import { commandBytes, scratch } from './command.js'

const TOKEN = 'unrestricted-token-of-32-letters'
const HOUR_MS = 3_600_000
/** Between 2 and 8 hours ago, so that the windows of all calls hold the entry from the first call of the test to the last. */
const hoursAgo = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString()

const EDGE: readonly Entry[] = [
  edge('a', 'p', { timestamp: hoursAgo(2), event_message: 'comma, "quote"\r\nand 😀' }),
  edge('=1+1', 'p', { timestamp: hoursAgo(3), event_message: null, metadata: [{ request: [] }] }),
  edge('c', 'p', {
    timestamp: hoursAgo(8),
    event_message: '',
    metadata: [
      { request: [{ url: 'https://p.example.test/rest/v1/items', path: '/rest/v1/items' }] },
      { request: [{ url: 'https://p.example.test/auth/v1/token', path: '/auth/v1/token' }] },
    ],
  }),
]
const INVOCATIONS: readonly Entry[] = [200, 404, 500].map((status, i) =>
  invoked('p', hoursAgo(2 + i), { execution_time_ms: 1.5 * i, response: [{ status_code: status }] }),
)

const CALLS: readonly (readonly [name: string, args: Readonly<Record<string, string>>])[] = [
  ['logs.all', { project: 'p', project_tier: 'FREE' }],
  ['functions.invocation-stats', { project: 'p', interval: '1day' }],
  ['usage.api-counts', { project: 'p', interval: 'daily' }],
]

describe('the formats that the program prints', function () {
  this.timeout(200_000)
  const folder = scratch()
  const flags = ['--data', folder.path('data'), '--engine-memory', '256', '--engine-threads', '1']
  let runner: Runner
  let server: RunningServer
  let parquet: ParquetReader

  before(async () => {
    parquet = await openParquetReader()
    mkdirSync(folder.path('data', 'logs'), { recursive: true })
    const write = (stream: string, entries: readonly Entry[]): void =>
      writeFileSync(
        folder.path('data', 'logs', `${stream}.ndjson`),
        entries.map(entry => `${JSON.stringify(entry)}\n`).join(''),
      )
    write('edge', EDGE)
    write('function_edge', INVOCATIONS)
    runner = await createRunner({ port: 0, dataDir: folder.path('data'), token: TOKEN, engineMemoryMb: 256 })
    server = await runner.listen()
  })
  after(async () => {
    await server?.close()
    await runner?.close()
    parquet.close()
    folder.remove()
  })

  async function overHttp(name: string, args: Readonly<Record<string, string>>): Promise<Buffer> {
    const response = await fetch(`${server.url}/api/endpoints/query/${name}?${new URLSearchParams(args)}`, {
      headers: { 'X-API-KEY': TOKEN },
    })
    expect(response.status).to.equal(200)
    expect(Number(response.headers.get('X-Row-Count'))).to.be.above(0)
    return Buffer.from(await response.arrayBuffer())
  }

  for (const [name, args] of CALLS) {
    for (const format of RESULT_FORMATS) {
      it(`call ${name} --format ${format}`, async () => {
        const words = Object.entries(args).map(([key, value]) => `${key}=${value}`)
        const { code, out, err } = await commandBytes(['call', name, ...words, '--format', format, ...flags])
        expect([code, err]).to.deep.equal([0, format === 'json' ? '\n' : ''])
        expect(out.toString('latin1')).to.equal((await overHttp(name, { ...args, format })).toString('latin1'))
      })
    }
  }

  for (const [name, args] of CALLS.slice(0, 1)) {
    for (const format of RESULT_FORMATS) {
      it(`query of the SQL of ${name} --format ${format}`, async () => {
        const { sql, parameters } = await runner.explain(name, args)
        const bound = Object.entries(parameters).flatMap(([key, { type, value }]) =>
          key === 'now' || value === null ? [] : ['-p', `${key}:${type}=${value}`],
        )
        const { code, out } = await commandBytes(['query', sql, ...bound, '--format', format, ...flags])
        expect(code).to.equal(0)
        const sent = await overHttp(name, { ...args, format })
        // The metadata of Arrow and Parquet name the endpoint.
        if (format === 'parquet') {
          const { columns } = await runner.call(name, args)
          const types = columns.map(({ type }) => typeOf(type))
          expect(await parquet.types(out)).to.deep.equal(await parquet.types(sent))
          expect(await parquet.read(out, types)).to.deep.equal(await parquet.read(sent, types))
        } else if (format === 'arrow') {
          const [printed, expected] = [tableFromIPC(out), tableFromIPC(sent)]
          expect(printed.schema.fields.map(String)).to.deep.equal(expected.schema.fields.map(String))
          expect(arrowRows(out)).to.deep.equal(arrowRows(sent))
        } else {
          expect(out.toString('latin1')).to.equal(sent.toString('latin1'))
        }
      })
    }
  }

  it('writes bytes that are not text to standard output', async () => {
    const [name, args] = CALLS[0]!
    const words = Object.entries(args).map(([key, value]) => `${key}=${value}`)
    const argv = ['dist/cli/main.js', 'call', name, ...words, '--format', 'arrow', ...flags]
    const { status, stdout } = spawnSync(process.execPath, argv)
    expect(status).to.equal(0)
    expect(stdout.equals(await overHttp(name, { ...args, format: 'arrow' }))).to.equal(true)
  })
})
