/** Exports over HTTP, by the embedded engine: whole ones, and those that readers, limits or the engine's death break off. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { createToken } from '../../authoring/token/token-writer.js'
import type { RunningServer } from '../../runner/http/server/server.js'
import type { Event } from '../../runner/model/events.js'
import { openRunner, type Runner } from '../../runner/serve/runner.js'
import { itInAll, sampleOf } from '../sample-size.js'
import { until } from '../until.js'
import { rawRequest } from './raw-request.js'

const TOKEN = 'unrestricted-token-of-32-letters'
const KEY = { 'X-API-KEY': TOKEN }

const manifest = (
  n: number,
  name: string,
  settings: string,
  sql: string,
): string => `id: 0b7d7f0e-6f7a-4c55-9a0d-3f4a0f6f1c1${n}
name: ${name}
description: Made-up rows.
parameters:
  thousands: { type: int64, required: true, description: How many. }
  project: { type: string, default: abc, description: Whose. }
settings: { max_rows: 100000, timeout_seconds: 300${settings} }
sql: |
  ${sql}
`
const from = 'FROM UNNEST(GENERATE_ARRAY(1, @thousands)) AS a CROSS JOIN UNNEST(GENERATE_ARRAY(1, 1000)) AS b'
const rows = `SELECT a * 1000 + b AS id, FORMAT('of "%s", %d', @project, b) AS text, IF(b = 3, NULL, '') AS s, a / 8 AS f ${from}`
const lists = `SELECT a AS id, [@project] AS l ${from}`
const MANIFESTS = [
  manifest(6, 'rows.paged', ', export: {}, pages: {}', rows),
  manifest(1, 'rows.all', ', export: {}', rows),
  manifest(7, 'rows.lists', ', export: {}', lists),
  manifest(2, 'rows.few', ', export: { max_rows: 50000 }', rows),
  manifest(3, 'rows.slow', ', export: { timeout_seconds: 6 }', rows),
  manifest(4, 'rows.none', '', rows),
  manifest(
    5,
    'rows.failing',
    ', export: {}',
    `SELECT IF(a = @thousands AND b = 900, ERROR('late'), a) AS id, @project AS p ${from}`,
  ),
]

/** Far more than the system takes for a reader that takes nothing. */
const MANY = 10_000

type Done = Extract<Event, { kind: 'request.done' }>

describe('exports over HTTP', function () {
  this.timeout(120_000)
  let folder: string
  let runner: Runner
  let server: RunningServer
  let pinned: string
  let unable: string
  const events: Event[] = []
  const sockets: Socket[] = []

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-exports-'))
    const [endpointsDir, dataDir] = [join(folder, 'endpoints'), join(folder, 'data')]
    for (const dir of [endpointsDir, dataDir]) mkdirSync(dir)
    for (const [i, text] of MANIFESTS.entries()) writeFileSync(join(endpointsDir, `${i}.yaml`), text)
    const tokensFile = join(folder, 'tokens.json')
    const now = Date.now()
    pinned = await createToken(tokensFile, { name: 'pinned', allow: ['*'], pin: { project: 'xyz' }, export: true }, now)
    unable = await createToken(tokensFile, { name: 'unable', allow: ['*'] }, now)
    const settings = { endpointsDir, dataDir, tokensFile, tablesDir: join(folder, 'none'), token: TOKEN }
    const more = { port: 0, writeIdleSeconds: 1, maxExports: 2, maxQueries: 1, strict: true } as const
    const observe = (event: Event): void => void events.push(event)
    runner = (await openRunner({ ...settings, ...more, logLevel: 'silent' }, { observe })).runner
    server = await runner.listen()
  })
  after(async () => {
    await server?.close()
    await runner?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await until(() => events.filter(({ kind }) => kind === 'request.done').length >= asked, 'each request ends')
  })

  let asked = 0
  const address = (path: string): string => `${server.url}/api/endpoints/${path}`
  const get = (path: string, headers: Readonly<Record<string, string>> = KEY, method = 'GET', body?: string) => {
    asked += 1
    return rawRequest(address(path), method, headers, body)
  }
  const lastDone = (): Done => events.findLast(({ kind }) => kind === 'request.done') as Done
  const problemOf = async (work: ReturnType<typeof get>) => {
    const { status, headers, body } = await work
    return { status, retry: headers['retry-after'], code: JSON.parse(body.toString()).code as string }
  }
  /** Sends a request whose answer is read by hand. */
  function ask(path: string, { version = '1.1', key = TOKEN } = {}) {
    asked += 1
    const { port } = server
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.write(`GET /api/endpoints/${path} HTTP/${version}\r\nHost: x\r\nX-API-KEY: ${key}\r\n\r\n`)
    const answer = { socket, head: '', text: '', isClosed: false }
    socket.on('data', data => {
      answer.head = (answer.head + data.toString('latin1')).slice(0, 2_000)
      answer.text = (answer.text + data.toString('latin1')).slice(-500)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      answer.isClosed = true
    })
    return answer
  }
  /** Asks, reads the first bytes, and then nothing more. */
  async function stall(path: string, options = {}) {
    const answer = ask(path, options)
    await until(() => answer.text !== '', 'an export begins')
    answer.socket.pause()
    return answer
  }

  for (const [format, type] of sampleOf([
    ['ndjson', 'application/x-ndjson'],
    ['csv', 'text/csv; charset=utf-8; header=present'],
    ['arrow', 'application/vnd.apache.arrow.stream'],
    ['parquet', 'application/vnd.apache.parquet'],
  ] as const)) {
    it(`give the bytes and the type of a result in ${format}, beyond max_rows`, async () => {
      // DuckDB writes the rows without lists, and Parquet in its own way.
      const name = format === 'parquet' ? 'rows.lists' : 'rows.all'
      const result = await get(`query/${name}?thousands=3&format=${format}`)
      const { status, headers, body } = await get(`export/${name}?thousands=3&format=${format}`)
      expect(status).to.equal(200)
      expect(headers['content-type']).to.equal(type)
      expect(headers['content-disposition']).to.equal(result.headers['content-disposition'])
      expect(headers).to.include({ 'cache-control': 'no-store', 'transfer-encoding': 'chunked' })
      expect(headers).not.to.have.any.keys('etag', 'content-length', 'accept-ranges')
      expect(body.equals(result.body)).to.equal(true)
      const { status: logged, rows } = lastDone()
      expect({ logged, rows }).to.deep.equal({ logged: 200, rows: 3_000 })
    })
  }

  it('have more rows than max_rows, each once', async () => {
    const { body } = await get('export/rows.all?thousands=110')
    const ids = body
      .toString()
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).id)
    expect(new Set(ids).size).to.equal(110_000)
    expect(ids).to.have.length(110_000)
  })
  it('choose the format by Accept, and arguments by a body', async () => {
    const headers = { ...KEY, Accept: 'text/csv, */*;q=0.1', 'Content-Type': 'application/json' }
    const { headers: told, body } = await get('export/rows.all', headers, 'POST', '{"thousands": 1, "more": 2}')
    expect(told['content-type']).to.match(/^text\/csv/)
    expect(told['x-ignored-arguments']).to.equal('more')
    expect(body.toString().split('\r\n')).to.have.length(1_002)
  })
  it('are compressed as they come where the caller takes gzip', async () => {
    const plain = await get('export/rows.all?thousands=5')
    const { headers, body } = await get('export/rows.all?thousands=5', { ...KEY, 'Accept-Encoding': 'br, gzip' })
    expect(headers['content-encoding']).to.equal('gzip')
    expect(gunzipSync(body).equals(plain.body)).to.equal(true)
    const binary = await get('export/rows.all?thousands=1&format=arrow', { ...KEY, 'Accept-Encoding': 'gzip' })
    expect(binary.headers['content-encoding']).to.equal(undefined)
  })
  it('keep to the pins of a token', async () => {
    const mine = { 'X-API-KEY': pinned }
    const { body } = await get('export/rows.all?thousands=1', mine)
    expect(body.toString().split('\n')[0]).to.contain('of \\"xyz\\"')
    expect(await problemOf(get('export/rows.all?thousands=1&project=abc', mine))).to.include({ status: 403 })
  })

  it('are refused before the first byte, with a problem', async () => {
    const problems = [
      await problemOf(get('export/rows.none?thousands=1')),
      await problemOf(get('export/rows.unknown?thousands=1')),
      await problemOf(get('export/rows.all?thousands=1', { 'X-API-KEY': unable })),
      await problemOf(get('export/rows.all?thousands=x')),
      await problemOf(get('export/rows.paged?thousands=1&page_size=10')),
      await problemOf(get('export/rows.all?thousands=1&format=json')),
      await problemOf(get('export/rows.failing?thousands=1')),
      await problemOf(get('export/rows.all?thousands=1', {})),
    ]
    expect(problems.map(({ status, code }) => `${status} ${code}`)).to.deep.equal([
      '404 ENDPOINT_UNKNOWN',
      '404 ENDPOINT_UNKNOWN',
      '403 TOKEN_NOT_ALLOWED',
      '400 ARGUMENT_INVALID',
      '400 ARGUMENT_INVALID',
      '406 NOT_ACCEPTABLE',
      '502 QUERY_FAILED',
      '401 TOKEN_MISSING',
    ])
    expect((await get('export/rows.all?thousands=1', KEY, 'HEAD')).status).to.equal(405)
  })
  it('are refused over HTTP/1.0, in which a cut answer looks whole', async () => {
    const answer = ask('export/rows.all?thousands=1', { version: '1.0' })
    await until(() => answer.isClosed, 'it is answered')
    expect(answer.head).to.match(/^HTTP\/1\.1 505 /)
    expect(answer.head).to.contain('HTTP_VERSION_TOO_OLD').and.to.contain('proxy_http_version 1.1')
  })

  /** An answer that was broken off: its chunks have no end. */
  async function brokenOff(answer: ReturnType<typeof ask>): Promise<Done> {
    answer.socket.resume()
    await until(() => answer.isClosed, 'the connection is closed')
    expect(answer.head).to.match(/^HTTP\/1\.1 200 /)
    expect(answer.text).not.to.match(/\r\n0\r\n\r\n$/)
    await until(() => events.filter(({ kind }) => kind === 'request.done').length >= asked, 'it is logged')
    return lastDone()
  }
  const faults = [
    ['the query fails', 'rows.failing?thousands=300', 502, 'QUERY_FAILED'],
    ['there are more rows than max_rows', 'rows.few?thousands=100', 502, 'RESULT_TOO_LARGE'],
    ['its time is over', `rows.slow?thousands=${MANY}`, 504, 'QUERY_TIMEOUT'],
  ] as const
  for (const [fault, path, status, code] of faults) {
    const declare = code === 'QUERY_TIMEOUT' ? itInAll : it
    declare(`are broken off where ${fault} after the first bytes, and the log says why`, async () => {
      const answer = ask(`export/${path}`)
      const done = await brokenOff(answer)
      expect({ status: done.status, code: done.error?.code }).to.deep.equal({ status, code })
    })
  }
  it('are failures of fetch where they are broken off', async () => {
    asked += 1
    const headers = { ...KEY, 'Accept-Encoding': 'gzip' }
    const fetched = await fetch(address('export/rows.failing?thousands=300'), { headers })
    const outcome = await fetched.arrayBuffer().then(
      () => 'whole',
      () => 'cut',
    )
    expect([fetched.status, outcome]).to.deep.equal([200, 'cut'])
  })

  it('hold back the engine while their reader stalls, and drop it', async () => {
    const answer = await stall(`export/rows.all?thousands=${MANY}`)
    await until(() => events.filter(({ kind }) => kind === 'request.done').length >= asked, 'it is dropped')
    expect((await brokenOff(answer)).status).to.equal(499)
    await until(() => kindsOf('query.failed').length > 0, 'the query ends')
  })
  const kindsOf = (kind: Event['kind']): readonly Event[] => events.filter(event => event.kind === kind)

  it('go on while their reader takes a little at a time', async () => {
    const answer = ask('export/rows.all?thousands=50')
    const timer = setInterval(() => answer.socket.pause() && setTimeout(() => answer.socket.resume(), 20), 40)
    await until(() => answer.text.endsWith('\r\n0\r\n\r\n'), 'all is read')
    clearInterval(timer)
  })

  itInAll('are dropped, and their query ended, where their reader takes one byte a second', async () => {
    asked += 1
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined)
    sockets.push(socket)
    const [failedBefore, read] = [kindsOf('query.failed').length, [] as Buffer[]]
    socket.write(
      `GET /api/endpoints/export/rows.all?thousands=${MANY} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${TOKEN}\r\n\r\n`,
    )
    const timer = setInterval(() => {
      const byte = socket.read(1) as Buffer | null
      if (byte) read.push(byte)
    }, 1_000)
    socket.on('readable', () => undefined) // Without a listener nothing would be read from the system.
    await until(() => kindsOf('query.failed').length > failedBefore, 'the query ends')
    await until(() => events.filter(({ kind }) => kind === 'request.done').length >= asked, 'it is dropped')
    clearInterval(timer)
    expect(lastDone().status).to.equal(499)
    expect(Buffer.concat(read).toString()).to.match(/^H/)
    // What the system had taken for it has no end.
    socket.removeAllListeners('readable')
    socket.on('data', data => void read.push(data)).resume()
    await until(() => socket.closed || socket.readableEnded, 'the connection is closed')
    expect(Buffer.concat(read).toString('latin1')).not.to.match(/\r\n0\r\n\r\n$/)
  })

  it('end with their caller: one at a time for a token, and as many as --max-exports for all', async () => {
    const mine = await stall(`export/rows.all?thousands=${MANY}`)
    expect(await problemOf(get('export/rows.all?thousands=1'))).to.deep.include({
      status: 429,
      code: 'RATE_LIMITED',
      retry: '10',
    })
    const others = await stall(`export/rows.all?thousands=${MANY}`, { key: pinned })
    const third = await createToken(
      join(folder, 'tokens.json'),
      { name: 'third', allow: ['*'], export: true },
      Date.now(),
    )
    const refused = await problemOf(get('export/rows.all?thousands=1', { 'X-API-KEY': third }))
    expect(refused).to.deep.include({ status: 503, code: 'OVERLOADED', retry: '10' })
    // Exports take none of the places of queries, of which there is one.
    expect((await get('query/rows.all?thousands=1')).status).to.equal(200)
    mine.socket.destroy()
    others.socket.destroy()
    await until(async () => (await get('export/rows.all?thousands=1')).status === 200, 'the place is free')
  })

  it('are broken off where the engine dies, and the next one works', async () => {
    const before = kindsOf('engine.died').length
    const answer = await stall(`export/rows.all?thousands=${MANY}`)
    for (const pid of lowestPriority()) process.kill(pid, 'SIGKILL')
    const done = await brokenOff(answer)
    expect({ status: done.status, code: done.error?.code }).to.deep.equal({ status: 502, code: 'ENGINE_UNAVAILABLE' })
    expect(kindsOf('engine.died').length).to.be.above(before)
    expect((await get('export/rows.all?thousands=1')).status).to.equal(200)
  })

  /** The engine's processes for exports: the children of this process that run at the lowest priority. */
  function lowestPriority(): readonly number[] {
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(process.pid)])
      .toString()
      .trim()
      .split(/\s+/)
    const niceOf = (pid: string): string => {
      try {
        return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[16]!
      } catch {
        return '' // It was ps itself.
      }
    }
    const lowest = Math.max(...children.map(pid => Number(niceOf(pid))))
    return children.filter(pid => Number(niceOf(pid)) === lowest).map(Number)
  }
})
