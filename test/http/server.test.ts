import { connect } from 'node:net'
import { expect } from 'chai'
import { systemClock } from '../../runner/clock.js'
import { startServer } from '../../runner/http/server.js'
import { SetupError } from '../../runner/model/errors.js'
import { type Serving, serving, TOKEN } from './serving.js'

/** Sends raw bytes and gives back all that comes until the end. */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', chunk => {
      text += chunk
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
}

describe('the server', () => {
  let s: Serving
  afterEach(() => s.close())

  const broken: readonly (readonly [name: string, bytes: string, status: number, code: string])[] = [
    ['what is no HTTP', 'HELO there\r\n\r\n', 400, 'REQUEST_INVALID'],
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
    [
      'a length beside chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'REQUEST_INVALID',
    ],
  ]
  for (const [name, bytes, status, code] of broken) {
    it(`answers ${name} with a problem`, async () => {
      s = await serving()
      const [head = '', body = ''] = (await raw(s.server.port, bytes)).split('\r\n\r\n')
      expect(head)
        .to.match(new RegExp(`^HTTP/1.1 ${status} `))
        .and.match(/content-type: application\/problem\+json/i)
      expect(JSON.parse(body)).to.include({ code, status })
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

  it('says on /readyz that it will end, and goes on for the drain delay', async () => {
    s = await serving({ drainDelayMs: 300 })
    const closing = s.server.close()
    const ready = await fetch(`${s.url}/readyz`)
    expect([ready.status, ((await ready.json()) as { code: string }).code]).to.deep.equal([503, 'DRAINING'])
    expect((await s.get('?project=a')).status).to.equal(200)
    expect((await s.get('?project=a')).headers.get('Cache-Status')).to.include('hit')
    await closing
    expect(await fetch(`${s.url}/healthz`).catch((error: Error) => error.message)).to.equal('fetch failed')
  })

  it('says when it cannot listen', async () => {
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
    expect((error as Error).message).to.include('EADDRINUSE')
  })

  it('ends gracefully: what runs is finished, what comes is refused', async () => {
    s = await serving()
    const release = s.engine.hold()
    const running = s.get('?project=a')
    while (s.engine.queries.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
    const socket = connect(s.server.port, '127.0.0.1')
    await new Promise(resolve => socket.once('connect', resolve))
    socket.write('GET /readyz HTTP/1.1\r\nHost: a\r\n') // half a request keeps the connection from being idle
    await new Promise(resolve => setTimeout(resolve, 30))
    const closing = s.server.close()
    const answer = new Promise<string>(resolve => socket.once('data', chunk => resolve(chunk.toString())))
    socket.write('\r\n')
    expect(await answer)
      .to.match(/^HTTP\/1.1 503 /)
      .and.match(/Retry-After: 5/i)
      .and.include('DRAINING')
    socket.destroy()
    const refused = await fetch(`${s.url}/healthz`).catch((error: Error) => error.message)
    expect(refused).to.equal('fetch failed')
    release()
    expect((await running).status).to.equal(200)
    await closing
    const kinds = s.events.map(event => event.kind).filter(kind => kind.startsWith('server.'))
    expect(kinds).to.deep.equal(['server.draining', 'server.closed'])
  })

  it('cuts off what is not finished when the grace period is over', async () => {
    s = await serving({ graceMs: 50 })
    s.engine.hold()
    const running = s.get('?project=a').catch((error: Error) => error.message)
    while (s.engine.queries.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
    await s.server.close()
    expect(await running).to.equal('fetch failed')
    expect(await s.done()).to.include({ status: 499 })
    expect(s.engine.cancelled()).to.equal(1)
  })

  it('ends at once when nothing runs, open connections or not', async () => {
    s = await serving({ graceMs: 60_000 })
    await (await s.get('?project=a')).text()
    const silent = connect(s.server.port, '127.0.0.1')
    await new Promise(resolve => silent.once('connect', resolve))
    await s.server.close()
    silent.destroy()
  })
})
