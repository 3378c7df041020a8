/** Callers that ask for results and do not take them. */
import { once } from 'node:events'
import { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { ENDPOINT_ID, handMadeEndpoint } from '../request/hand-made.js'
import { itInAll } from '../sample-size.js'
import { until } from '../until.js'
import { type Serving, type ServingOptions, serving, TOKEN } from './serving.js'

/** More than the kernel takes for a reader that takes nothing. */
const BODY_BYTES = 12_000_000
const LIMIT_BYTES = 30_000_000

const large = {
  render: () => ({ sql: 'SELECT', parameters: { text: { type: 'STRING', value: 'x'.repeat(BODY_BYTES) } } }),
  parameters: [],
}
const ENDPOINTS = [
  handMadeEndpoint({ ...large, name: 'tests.uncached', cache: null }),
  handMadeEndpoint({ ...large, name: 'tests.stored', id: ENDPOINT_ID.replace('0b', '1b') }),
  handMadeEndpoint({ name: 'tests.small', id: ENDPOINT_ID.replace('0b', '2b'), parameters: [] }),
]
const UNCACHED = '/api/endpoints/query/tests.uncached'
const STORED = '/api/endpoints/query/tests.stored'
const IDENTITY = { 'Accept-Encoding': 'identity' }

/** Notes the most bytes that any response is given at once. */
function mostWritten(): { stop(): number } {
  const { write, end } = ServerResponse.prototype
  let most = 0
  const noting = (send: (...args: never[]) => unknown) =>
    function (this: ServerResponse, ...args: never[]) {
      const [chunk] = args as unknown[]
      if (chunk instanceof Uint8Array) most = Math.max(most, chunk.byteLength)
      return send.apply(this, args)
    }
  Object.assign(ServerResponse.prototype, { write: noting(write), end: noting(end) })
  return {
    stop() {
      Object.assign(ServerResponse.prototype, { write, end })
      return most
    },
  }
}

describe('slow readers', function () {
  this.timeout(120_000)
  let s: Serving
  const sockets: Socket[] = []
  let reading: NodeJS.Timeout | undefined

  async function start(options: ServingOptions): Promise<void> {
    s = await serving({ endpoints: ENDPOINTS, cacheBytes: 100_000_000, graceMs: 0, ...options })
  }
  afterEach(async () => {
    clearInterval(reading)
    for (const socket of sockets.splice(0)) socket.destroy()
    await s.close()
  })

  /** Asks, and takes no more than the begin of the answer. */
  async function asks(path: string, token = TOKEN): Promise<Socket> {
    const socket = connect(Number(new URL(s.url).port), '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${token}\r\n\r\n`)
    socket.read(0) // fills the stream's own buffer, and no more
    await until(() => socket.readableLength > 0, 'an answer begins')
    return socket
  }

  const statusOf = (socket: Socket): string => String(socket.read()).slice(9, 12)
  const abandoned = (): number => s.events.filter(event => event.kind === 'request.done' && event.status === 499).length

  itInAll('hold no more bytes than the limit: further calls are a 503 until they are gone', async () => {
    await start({ unsent: { maxUnsentBytes: LIMIT_BYTES } })
    const readers = [await asks(UNCACHED), await asks(UNCACHED), await asks(UNCACHED)]
    expect(readers.map(statusOf)).to.deep.equal(['200', '200', '503'])
    const refused = await s.get(UNCACHED)
    const { code } = (await refused.json()) as { code: string }
    expect([refused.status, code, refused.headers.get('Retry-After')]).to.deep.equal([503, 'OVERLOADED', '1'])
    expect((await s.get('/api/endpoints/query/tests.small')).status).to.equal(200)
    for (const socket of sockets) socket.destroy()
    await until(async () => (await s.get(UNCACHED)).status === 200, 'there is room again')
  })

  it('are disconnected when they take no byte for a while, and no other caller is', async () => {
    await start({ unsent: { maxUnsentBytes: LIMIT_BYTES, writeIdleMs: 2_000 } })
    const steady = await asks(UNCACHED)
    let taken = 0
    // Slow enough for the reading to last longer than a stalled reader may wait.
    reading = setInterval(() => {
      taken += (steady.read() as Buffer | null)?.byteLength ?? 0
    }, 20)
    const stalled = await asks(UNCACHED)
    const waiting = await asks('/api/endpoints/query/tests.small')
    await until(() => abandoned() === 1, 'the stalled reader is disconnected')
    await until(() => taken >= BODY_BYTES, 'the steady reader has taken all')
    expect(abandoned()).to.equal(1)
    stalled.resume()
    await until(() => stalled.destroyed, 'its connection is closed')
    expect([steady.destroyed, waiting.destroyed]).to.deep.equal([false, false])
  })

  itInAll('share the bytes of a stored result, which count once', async () => {
    await start({ unsent: { maxUnsentBytes: LIMIT_BYTES, writeIdleMs: 4_000 } })
    await (await s.get(STORED, { headers: IDENTITY })).arrayBuffer()
    for (let i = 0; i < 5; i += 1) expect(statusOf(await asks(STORED))).to.equal('200')
    expect(statusOf(await asks(UNCACHED))).to.equal('200')
    expect((await s.get(UNCACHED)).status).to.equal(503)
    await until(() => abandoned() === 6, 'all are disconnected')
    expect((await s.get(UNCACHED)).status).to.equal(200)
  })

  it('are sent a large stored result in pieces', async () => {
    await start({})
    const ask = async () => Buffer.from(await (await s.get(STORED, { headers: IDENTITY })).arrayBuffer())
    const first = await ask()
    const before = s.slowPathCalls()
    const writes = mostWritten()
    expect((await ask()).equals(first)).to.equal(true)
    expect(writes.stop()).to.be.at.most(524_288 + 2_048)
    expect(s.slowPathCalls() - before).to.equal(1)
  })

  it('are refused a stored result that has no room, too', async () => {
    await start({ unsent: { maxUnsentBytes: 15_000_000 } })
    await (await s.get(STORED, { headers: IDENTITY })).arrayBuffer()
    await asks(UNCACHED)
    expect((await s.get(STORED, { headers: IDENTITY })).status).to.equal(503)
    expect((await s.get(STORED, { method: 'HEAD', headers: IDENTITY })).status).to.equal(200)
  })

  it('leave no bytes behind where they go before their format is made', async () => {
    await start({ unsent: { maxUnsentBytes: LIMIT_BYTES } })
    await (await s.get(STORED, { headers: IDENTITY })).arrayBuffer()
    for (const format of ['csv', 'ndjson', 'arrow']) {
      const ended = s.events.length
      const leaving = new AbortController()
      setTimeout(() => leaving.abort(), 30)
      const left = s.get(`${STORED}?format=${format}`, { headers: IDENTITY, signal: leaving.signal })
      expect(await left.then(String, ({ name }: Error) => name)).to.equal('AbortError')
      await until(() => s.events.length > ended, 'the call has ended')
      expect((await s.get(`${STORED}?format=${format}`, { method: 'HEAD', headers: IDENTITY })).status).to.equal(200)
    }
    expect((await s.get(UNCACHED)).status).to.equal(200)
  })

  itInAll('leave room for another token: the oldest of the one with more than half is disconnected', async () => {
    await start({ unsent: { maxUnsentBytes: LIMIT_BYTES } })
    const [greedy, other] = [await s.token({ allow: ['*'] }), await s.token({ allow: ['*'] })]
    await asks(UNCACHED, greedy)
    await asks(UNCACHED, greedy)
    expect(statusOf(await asks(UNCACHED, greedy))).to.equal('503')
    expect(statusOf(await asks(UNCACHED, other))).to.equal('200')
    await until(() => abandoned() === 1, 'the oldest is disconnected')
    expect((await s.done()).token).to.equal('token-1')
    // Each has less than half now.
    expect(statusOf(await asks(UNCACHED, other))).to.equal('503')
  })

  it('are bounded in answers to agents, lists and metrics', async () => {
    await start({ unsent: { maxUnsentBytes: 100 } })
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
    const answers = [
      await s.get('/mcp', { method: 'POST', body, headers }),
      await s.get('/api/endpoints'),
      await s.get('/openapi.json'),
      await s.get('/metrics'),
    ]
    expect(answers.map(({ status }) => status)).to.deep.equal([503, 503, 503, 503])
  })
})
