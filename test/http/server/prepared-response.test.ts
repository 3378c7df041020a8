/** Requests and responses of a server of our own, and the road that is taken where Node has not what they use. */
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, type RequestOptions, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { PreparedRequest, PreparedResponse } from '../../../runner/http/server/prepared-response.js'
import { type RawAnswer, rawRequest } from '../raw-request.js'
import { type Serving, serving, TOKEN } from '../serving.js'

const HIT = '/api/endpoints/query/tests.echo?project=a'
const HEADERS = { 'X-API-KEY': TOKEN, 'X-Request-Id': 'mine', Connection: 'keep-alive' }

describe('the responses of our server', () => {
  let s: Serving
  beforeEach(async () => {
    s = await serving()
    await s.get(HIT)
  })
  afterEach(() => s.close())

  /** What a server answers that has ours of both. */
  async function answerOf(
    path: string,
    listener: (req: IncomingMessage, res: PreparedResponse) => void,
  ): Promise<RawAnswer> {
    const ours = { IncomingMessage: PreparedRequest, ServerResponse: PreparedResponse as typeof ServerResponse }
    const server = createServer({ ...ours, keepAliveTimeout: 65_000 }, (req, res) =>
      listener(req, res as unknown as PreparedResponse),
    ).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    try {
      return await rawRequest(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, 'GET', HEADERS)
    } finally {
      server.close()
      server.closeAllConnections()
    }
  }

  const comparable = ({ status, headers, body }: RawAnswer) => {
    const { date: _, 'server-timing': __, ...rest } = headers
    return { status, headers: rest, body: body.toString() }
  }

  it('are prepared by way of slots that this Node has', async () => {
    let mayBePrepared: boolean | null = null
    await answerOf(HIT, (_req, res) => {
      mayBePrepared = res.mayBePrepared
      res.end()
    })
    expect(mayBePrepared).to.equal(true)
  })

  for (const slot of ['_header', '_headerSent']) {
    it(`are made by node:http where it has no ${slot}, and are the same`, async () => {
      let mayBePrepared: boolean | null = null
      const other = await answerOf(HIT, (req, res) => {
        const own = Object.getOwnPropertyDescriptor(res, slot)!
        Reflect.deleteProperty(res, slot)
        mayBePrepared = res.mayBePrepared
        // Node itself needs it: it comes back under another answer to the question.
        Object.defineProperty(res, slot, own)
        Object.defineProperty(res, 'mayBePrepared', { value: mayBePrepared })
        s.listener(req, res)
      })
      expect(mayBePrepared).to.equal(false)
      const own = await rawRequest(s.url + HIT, 'GET', HEADERS)
      expect(own.headers['cache-status']).to.include('hit')
      expect(comparable(other)).to.deep.equal(comparable(own))
    })
  }

  for (const path of ['/healthz', '/api/endpoints', '/nowhere', `${HIT}&size=bad`]) {
    it(`keep their prototypes in the app, as the requests do: ${path}`, async () => {
      const before = s.longWay()
      let prototypes: readonly unknown[] = []
      await answerOf(path, (req, res) => {
        s.listener(req, res)
        prototypes = [Object.getPrototypeOf(req), Object.getPrototypeOf(res)]
      })
      expect(s.longWay() - before).to.equal(1)
      expect(prototypes[0]).to.equal(PreparedRequest.prototype)
      expect(prototypes[1]).to.equal(PreparedResponse.prototype)
    })
  }

  it('tell whether the kernel has taken a response of two parts', async () => {
    const head = (length: number): Buffer => Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`)
    for (const [length, isTakenAtOnce] of [
      [5_000, true],
      [50_000_000, false],
    ] as const) {
      let isTaken: boolean | null = null
      const { body } = await answerOf(HIT, (_req, res) => {
        isTaken = res.sendPair(200, head(length), Buffer.alloc(length, 'x'))
      })
      expect([isTaken, body.equals(Buffer.alloc(length, 'x'))]).to.deep.equal([isTakenAtOnce, true])
    }
  })
})

describe('the requests of our server', () => {
  let s: Serving
  beforeEach(async () => {
    s = await serving()
    await s.get(HIT)
  })
  afterEach(() => s.close())

  /** Asks for a hit, behind this. */
  async function hitBehind(before: (req: IncomingMessage) => void): Promise<IncomingMessage> {
    let seen: IncomingMessage | null = null
    const ours = { IncomingMessage: PreparedRequest, ServerResponse: PreparedResponse as typeof ServerResponse }
    const server = createServer(ours, (req, res) => {
      seen = req
      before(req)
      s.listener(req, res)
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    const longWay = s.longWay()
    const { status } = await rawRequest(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}${HIT}`,
      'GET',
      HEADERS,
    )
    expect([status, s.longWay() - longWay]).to.deep.equal([200, 0])
    await new Promise(resolve => setImmediate(resolve))
    server.close()
    server.closeAllConnections()
    return seen!
  }

  it('count as read once a hit has been sent, so that nothing waits for their end', async () => {
    const request = await hitBehind(() => {})
    expect([request.complete, request.readableEnded, request.listenerCount('end')]).to.deep.equal([true, true, 0])
    expect(request.readableFlowing, 'read by anybody').to.equal(null)
  })

  for (const event of ['end', 'close']) {
    it(`come to their ${event} where somebody listens to it`, async () => {
      let heard = 0
      await hitBehind(req => req.on(event, () => (heard += 1)))
      expect(heard).to.equal(1)
    })
  }

  it('may be of every kind on one connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const headers = { 'X-API-KEY': TOKEN }
    const ask = async (init: RequestOptions, body?: string): Promise<string> => {
      const sent = request(s.url + HIT, { agent, headers, ...init })
      sent.end(body)
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      let text = `${answer.statusCode} `
      for await (const chunk of answer) text += chunk
      return text
    }
    const plain = await s.get(HIT)
    const whole = `200 ${await plain.text()}`
    const form = { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' }
    for (let round = 0; round < 3; round += 1) {
      expect(await ask({})).to.equal(whole)
      expect(
        await ask({ method: 'POST', path: '/api/endpoints/query/tests.echo', headers: form }, 'project=a'),
      ).to.equal(whole)
      expect(await ask({ method: 'HEAD' })).to.equal('200 ')
      expect(await ask({ headers: { ...headers, 'If-None-Match': plain.headers.get('ETag')! } })).to.equal('304 ')
      expect(await ask({ path: '/nowhere' })).to.match(/^404 /)
      expect(await ask({ headers: { ...headers, Expect: '100-continue' } })).to.equal(whole)
    }
    expect(Object.values(agent.freeSockets).flat()).to.have.length(1)
    agent.destroy()
  })
})
