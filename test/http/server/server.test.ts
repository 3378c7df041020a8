import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { expect } from 'chai'
import { startServer } from '../../../runner/http/server/server.js'
import { SetupError } from '../../../runner/model/errors.js'
import { systemClock } from '../../../runner/platform/clock.js'
import { until } from '../../until.js'
import { type Serving, serving, TOKEN } from '../serving.js'

/** Sends raw bytes, then `more` every 20 ms, and returns the whole text received until the connection ends. */
function raw(port: number, bytes: string, more = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    const sending = setInterval(() => more !== '' && socket.writable && socket.write(more), 20)
    socket.once('close', () => clearInterval(sending))
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', chunk => {
      text += chunk
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
}

/** Requests a hit: the status or the code of the failure; `isLast` is true where the connection cannot be used again. */
function ask(port: number, agent: Agent): Promise<{ readonly outcome: string; readonly isLast: boolean }> {
  const path = '/api/endpoints/query/tests.echo?project=a'
  return new Promise(resolve => {
    const sent = request({ port, host: '127.0.0.1', path, agent, headers: { 'X-API-KEY': TOKEN } }, response => {
      const isLast = response.headers.connection === 'close'
      response.resume().once('close', () => resolve({ outcome: String(response.statusCode), isLast }))
    })
    sent.once('error', (error: NodeJS.ErrnoException) => resolve({ outcome: error.code ?? '', isLast: true })).end()
  })
}

describe('the server', () => {
  let s: Serving
  afterEach(() => s.close())

  const broken: readonly (readonly [name: string, bytes: string, status: number, code: string])[] = [
    ['what is not HTTP', 'HELO there\r\n\r\n', 400, 'REQUEST_INVALID'],
    [
      'a header of 200 kB',
      `GET / HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${'x'.repeat(200_000)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'REQUEST_INVALID',
    ],
    ['an address that is not in ASCII', 'GET /?tags=é HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'REQUEST_INVALID'],
    ['CONNECT', 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
    [
      'a length beside chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'REQUEST_INVALID',
    ],
  ]
  for (const [name, bytes, status, code] of broken) {
    it(`answers ${name} with a problem, logs and counts it`, async () => {
      s = await serving()
      const [head = '', body = ''] = (await raw(s.server.port, bytes)).split('\r\n\r\n')
      expect(head)
        .to.match(new RegExp(`^HTTP/1.1 ${status} `))
        .and.match(/content-type: application\/problem\+json/i)
      expect(JSON.parse(body)).to.include({ code, status })
      const { requestId, status: logged, error } = await s.done()
      expect([requestId, logged, error?.code]).to.deep.equal([JSON.parse(body).instance.slice(12), status, code])
      const metrics = await (await fetch(`${s.url}/metrics`)).text()
      expect(metrics).to.include(`sluice_requests_total{endpoint="",status="${status}"} 1\n`)
    })
  }

  it('explains the mistake in an address that is not ASCII', async () => {
    s = await serving()
    expect(await raw(s.server.port, 'GET /?tags=é HTTP/1.1\r\nHost: a\r\n\r\n')).to.include('percent-encoded')
  })

  describe('answers a request that takes too long to arrive with a 408, logs and counts it, and closes the connection:', () => {
    const path = '/api/endpoints/query/tests.echo'
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${TOKEN}\r\nContent-Type: application/json\r\n`
    const length = 'Content-Length: 1000\r\n\r\n'
    for (const [name, bytes, logged, more] of [
      ['a body that stops', `${head}${length}{"project":`, path, ''],
      ['a body that comes byte by byte', `${head}${length}{"project":`, path, ' '],
      ['a body in chunks', `${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`, path, ''],
      ['a body that has not begun', head + length, path, ''],
      ['headers that stop', head, '', ''],
    ] as const) {
      it(name, async () => {
        s = await serving({ requestTimeoutMs: 300 })
        const text = await raw(s.server.port, bytes, more)
        const [answered = '', body = ''] = text.split('\r\n\r\n')
        expect(answered)
          .to.match(/^HTTP\/1\.1 408 /)
          .and.match(/connection: close/i)
        expect(JSON.parse(body)).to.include({ code: 'REQUEST_TIMEOUT', status: 408 })
        const { status, path: seen, error } = await s.done()
        expect([status, seen, error?.code]).to.deep.equal([408, logged, 'REQUEST_TIMEOUT'])
        expect(s.engine.queries).to.deep.equal([])
        const metrics = await (await fetch(`${s.url}/metrics`)).text()
        expect(metrics).to.match(/^sluice_requests_total\{endpoint="[^"]*",status="408"\} 1$/m)
      })
    }
  })

  it('answers OPTIONS for the server as a whole', async () => {
    s = await serving()
    const text = await raw(s.server.port, 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(text)
      .to.match(/^HTTP\/1.1 204 /)
      .and.match(/^Allow: GET, HEAD, POST, OPTIONS\r$/m)
  })

  it('marks its answers as the last on their connection from the moment at which it begins to end', async () => {
    s = await serving({ drainDelayMs: 300 })
    await (await s.get('?project=a')).text()
    const release = s.engine.hold()
    const running = s.get('?project=b')
    await until(() => s.engine.queries.length >= 2, 'both queries run', 5)
    const closing = s.server.close()
    for (const path of ['?project=a', '/healthz', '?project=a&size=x']) {
      expect([path, (await s.get(path)).headers.get('Connection')]).to.deep.equal([path, 'close'])
    }
    release()
    expect((await running).headers.get('Connection')).to.equal('close')
    await closing
  })

  for (const drainDelayMs of [0, 200]) {
    it(`answers callers with kept connections until its end, with a drain delay of ${drainDelayMs} ms`, async () => {
      s = await serving({ drainDelayMs })
      const counts = new Map<string, number>()
      const isAsking: boolean[] = []
      const caller = async (_: unknown, i: number): Promise<void> => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 })
        for (let isKept = true; isKept; ) {
          const { outcome, isLast } = await ask(s.server.port, agent)
          isAsking[i] = true
          isKept = !isLast
          if (isLast) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
        }
        agent.destroy()
      }
      const callers = Promise.all(Array.from({ length: 32 }, caller))
      await until(() => isAsking.filter(Boolean).length >= 32, 'all ask', 5)
      await s.server.close()
      await callers
      if (drainDelayMs > 0) expect(Object.fromEntries(counts)).to.deep.equal({ 200: 32 })
      else expect((counts.get('200') ?? 0) + (counts.get('503') ?? 0)).to.equal(32)
    })
  }

  const refused: readonly (readonly [name: string, head: string, status: number, code: string])[] = [
    ['no Host', '', 400, 'REQUEST_INVALID'],
    ['two Hosts', 'Host: a\r\nHost: b\r\n', 400, 'REQUEST_INVALID'],
    ['an expectation that it cannot meet', 'Host: a\r\nExpect: tea\r\n', 417, 'EXPECTATION_FAILED'],
  ]
  for (const [name, head, status, code] of refused) {
    it(`answers a request with ${name} with a problem`, async () => {
      s = await serving()
      const request = `GET /api/endpoints/query/tests.echo?project=a HTTP/1.1\r\nX-API-KEY: ${TOKEN}\r\n`
      const [top = '', body = ''] = (await raw(s.server.port, `${request}${head}Connection: close\r\n\r\n`)).split(
        '\r\n\r\n',
      )
      expect(top).to.match(new RegExp(`^HTTP/1.1 ${status} `))
      expect(JSON.parse(body)).to.include({ code, status })
    })
  }

  it('answers pipelined requests in their order, hits and misses', async () => {
    s = await serving()
    const one = (size: number, last = false) =>
      `GET /api/endpoints/query/tests.echo?project=a&size=${size} HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${TOKEN}\r\n` +
      `X-Request-Id: r${size}\r\n${last ? 'Connection: close\r\n' : ''}\r\n`
    await raw(s.server.port, one(1, true))
    const text = await raw(s.server.port, one(1) + one(2) + one(1) + one(3) + one(1, true))
    const seen = [...text.matchAll(/^X-Request-Id: (\S+)|"size":"(\d)"/gim)].map(([, id, size]) => id ?? size)
    expect(seen).to.deep.equal(['r1', '1', 'r2', '2', 'r1', '1', 'r3', '3', 'r1', '1'])
  })

  it('reports on /readyz that it will end, and goes on for the drain delay', async () => {
    s = await serving({ drainDelayMs: 300 })
    const closing = s.server.close()
    const ready = await fetch(`${s.url}/readyz`)
    expect([ready.status, ((await ready.json()) as { code: string }).code]).to.deep.equal([503, 'DRAINING'])
    expect((await s.get('?project=a')).status).to.equal(200)
    expect((await s.get('?project=a')).headers.get('Cache-Status')).to.include('hit')
    await closing
    expect(await fetch(`${s.url}/healthz`).catch((error: Error) => error.message)).to.equal('fetch failed')
  })

  it('reports when it cannot listen', async () => {
    s = await serving()
    const options = {
      listener: () => {},
      host: '127.0.0.1',
      port: s.server.port,
      drainDelayMs: 0,
      graceMs: 0,
      clock: systemClock(),
      observe: () => {},
      newRequestId: () => 'x',
      onLeaving: () => {},
      onDraining: () => {},
    }
    const error = await startServer(options).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(SetupError)
    expect((error as Error).message).to.include('another program listens there')
  })

  it('ends gracefully: running requests are finished, new requests are refused', async () => {
    s = await serving()
    const release = s.engine.hold()
    const running = s.get('?project=a')
    await until(() => s.engine.queries.length > 0, 'the query runs', 5)
    const socket = connect(s.server.port, '127.0.0.1')
    await new Promise(resolve => socket.once('connect', resolve))
    let answers = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answers += chunk
    })
    // With half a request the connection is not idle. The server has read it once it has answered the one before it.
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /readyz HTTP/1.1\r\nHost: a\r\n')
    await until(() => answers.startsWith('HTTP/1.1 200 '), 'the first request was answered')
    const closing = s.server.close()
    socket.write('\r\n')
    await until(() => answers.includes('DRAINING'), 'the half request was refused')
    expect(answers.slice(answers.lastIndexOf('HTTP/1.1 ')))
      .to.match(/^HTTP\/1.1 503 /)
      .and.match(/Retry-After: 5/i)
    socket.destroy()
    // New connections are accepted for a while; then they are refused, although a request is still running.
    const isRefused = (): Promise<boolean> =>
      fetch(`${s.url}/healthz`).then(
        () => false,
        () => true,
      )
    await until(isRefused, 'a connection is refused', 5)
    release()
    expect((await running).status).to.equal(200)
    await closing
    const kinds = s.events.map(event => event.kind).filter(kind => kind.startsWith('server.'))
    expect(kinds).to.deep.equal(['server.draining', 'server.closed'])
  })

  it('cuts off unfinished requests at the end of the grace period', async () => {
    s = await serving({ graceMs: 50 })
    s.engine.hold()
    const running = s.get('?project=a').catch((error: Error) => error.message)
    await until(() => s.engine.queries.length > 0, 'the query runs', 5)
    await s.server.close()
    expect(await running).to.equal('fetch failed')
    expect(await s.done()).to.include({ status: 499 })
    expect(s.engine.cancelled()).to.equal(1)
  })

  it('ends at once when nothing runs, open connections or not', async () => {
    const graceMs = 3_600_000
    s = await serving({ graceMs })
    await (await s.get('?project=a')).text()
    const silent = connect(s.server.port, '127.0.0.1')
    const ended = new Promise(resolve => silent.once('close', resolve).on('error', () => {}))
    await new Promise(resolve => silent.once('connect', resolve))
    // The grace period is far longer than a test may take.
    await s.server.close()
    await ended
    expect(silent.destroyed).to.equal(true)
    const kinds = s.events.map(event => event.kind).filter(kind => kind.startsWith('server.'))
    expect(kinds).to.deep.equal(['server.draining', 'server.closed'])
  })
})
