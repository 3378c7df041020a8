/** Arguments in a body, also where a body parser of the surrounding app has read the body before. */
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect } from 'chai'
import express, { type RequestHandler } from 'express'
import { ENDPOINT_ID, handMadeEndpoint, parameter } from '../request/hand-made.js'
import { type Serving, serving, TOKEN } from './serving.js'

const ECHO = '/api/endpoints/query/tests.echo'
const LIST = '/api/endpoints/query/tests.list'
const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

const ENDPOINTS = [
  handMadeEndpoint({ parameters: [parameter('project'), parameter('size', { type: 'int64' })] }),
  handMadeEndpoint({
    id: ENDPOINT_ID.replace('0b', '3b'),
    name: 'tests.list',
    parameters: [parameter('tag', { type: 'array<string>' })],
  }),
]

/** Reads the whole body and keeps nothing of it, as the middleware of a logger may do. */
const swallow: RequestHandler = (req, _res, next) => {
  req.on('end', () => next()).resume()
}

const PARSERS: Readonly<Record<string, readonly RequestHandler[]>> = {
  'express.json and urlencoded': [express.json(), express.urlencoded()],
  'express.urlencoded, extended': [express.json(), express.urlencoded({ extended: true })],
  'express.raw': [express.raw({ type: () => true })],
  'express.text': [express.text({ type: () => true })],
  'what parses other types': [express.json({ type: 'application/other' })],
}

const CALLS: readonly (readonly [name: string, path: string, type: string, body: string])[] = [
  ['a JSON object', ECHO, JSON_TYPE, '{"project":"é","size":2}'],
  ['null for absent', ECHO, JSON_TYPE, '{"project":null,"size":"2"}'],
  ['a form', ECHO, FORM_TYPE, 'project=%C3%A9+x&size=2'],
  ['a list', LIST, JSON_TYPE, '{"tag":["a","b"]}'],
  ['a list in a form', LIST, FORM_TYPE, 'tag=a&tag=b'],
  ['a name that the address has too', `${ECHO}?project=a`, JSON_TYPE, '{"project":"b"}'],
  ['a value of the wrong type', ECHO, JSON_TYPE, '{"project":1,"size":1.5}'],
  ['a nested object', ECHO, JSON_TYPE, '{"project":{"a":1}}'],
  ['a list for a single value', ECHO, JSON_TYPE, '{"project":["a"]}'],
  ['a name twice in a form', ECHO, FORM_TYPE, 'project=a&project=b'],
  ['no object', ECHO, JSON_TYPE, '["a"]'],
  ['no arguments', ECHO, JSON_TYPE, '{}'],
  ['no body', `${ECHO}?project=a`, JSON_TYPE, ''],
]

describe('a body that a parser of the surrounding app has read', () => {
  let s: Serving
  before(async () => {
    s = await serving({ endpoints: ENDPOINTS })
  })
  after(() => s.close())

  async function behind(handlers: readonly RequestHandler[], ask: (url: string) => Promise<unknown>): Promise<void> {
    const app = express()
    for (const handler of handlers) app.use(handler)
    const server = createServer(app.use(s.listener) as RequestListener).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    server.close()
    server.closeAllConnections()
  }

  async function post(url: string, type: string, body: string) {
    const headers = { 'X-API-KEY': TOKEN, 'Content-Type': type, 'X-Request-Id': 'one' }
    const response = await fetch(url, { method: 'POST', headers, body })
    const document = (await response.json()) as Record<string, unknown>
    return { status: response.status, document }
  }

  for (const [parser, handlers] of Object.entries(PARSERS)) {
    for (const [name, path, type, body] of CALLS) {
      it(`${parser}: ${name} means the same as without the parser`, async () => {
        const expected = await post(s.url + path, type, body)
        await behind(handlers, async url => expect(await post(url + path, type, body)).to.deep.equal(expected))
      })
    }
  }

  it('is never treated as missing: a body that was read and not kept is a 500, with the reason in the log', async () => {
    const queries = s.engine.queries.length
    await behind([swallow], async url => {
      const { status, document } = await post(`${url}${ECHO}?size=77`, JSON_TYPE, '{"project":"a"}')
      expect([status, document['code']]).to.deep.equal([500, 'INTERNAL'])
    })
    expect(s.engine.queries).to.have.length(queries)
    const bug = s.events.findLast(event => event.kind === 'bug')
    expect(String(bug?.kind === 'bug' && bug.cause)).to.include('has read the body')
  })
})

describe('a body', () => {
  let s: Serving
  beforeEach(async () => {
    s = await serving({ endpoints: ENDPOINTS })
  })
  afterEach(() => s.close())

  const head = (lines: string) =>
    `POST ${ECHO} HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${TOKEN}\r\nContent-Type: ${JSON_TYPE}\r\n${lines}\r\n`

  /** Sends the bytes and resolves with the received text as soon as it matches `isEnough`. */
  function send(bytes: string, isEnough: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(s.server.port, '127.0.0.1', () => socket.write(bytes))
      let text = ''
      socket.setEncoding('utf8').on('data', chunk => {
        text += chunk
        if (!isEnough.test(text)) return
        socket.destroy()
        resolve(text)
      })
      socket.on('end', () => reject(new Error(`ended with ${text}`)))
      socket.on('error', reject)
    })
  }

  it('that is declared too large is refused before it is sent', async () => {
    expect(await send(head('Content-Length: 999999999\r\n'), /BODY_TOO_LARGE/)).to.match(/^HTTP\/1.1 413 /)
  })

  it('that is declared too large gets no 100 Continue, and its connection is closed', async () => {
    const text = await send(head('Content-Length: 999999999\r\nExpect: 100-continue\r\n'), /BODY_TOO_LARGE/)
    expect(text)
      .to.match(/^HTTP\/1.1 413 /)
      .and.match(/^Connection: close\r$/m)
  })

  it('that is small enough gets a 100 Continue', async () => {
    const text = await send(head('Content-Length: 2\r\nExpect: 100-continue\r\n'), /\r\n\r\n/)
    expect(text).to.equal('HTTP/1.1 100 Continue\r\n\r\n')
  })

  it('that turns out too large is refused while it is still being sent', async () => {
    const chunk = `${(600_000).toString(16)}\r\n${'x'.repeat(600_000)}\r\n`
    const text = await send(head('Transfer-Encoding: chunked\r\n') + chunk + chunk, /BODY_TOO_LARGE/)
    expect(text).to.match(/^HTTP\/1.1 413 /)
  })

  it('that was too large is followed by the next request', async () => {
    const length = 1_048_577
    const next = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'
    const text = await send(head(`Content-Length: ${length}\r\n`) + 'x'.repeat(length) + next, /"ok"/)
    expect(text.match(/HTTP\/1.1 \d+/g)).to.deep.equal(['HTTP/1.1 413', 'HTTP/1.1 200'])
  })

  for (const [name, chunk] of [
    ['at once', 'zz\r\n'],
    ['behind a good one', '2\r\n{"\r\nzz\r\n'],
  ] as const) {
    it(`whose chunks are broken ${name} is a 400, which is logged`, async () => {
      const text = await send(head('Transfer-Encoding: chunked\r\n') + chunk, /REQUEST_INVALID/)
      expect(text)
        .to.match(/^HTTP\/1.1 400 /)
        .and.match(/^Connection: close\r$/m)
      const { status, path, requestId } = await s.done()
      expect({ status, path }).to.deep.equal({ status: 400, path: ECHO })
      expect(text).to.include(requestId)
    })
  }
})
