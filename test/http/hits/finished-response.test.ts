/** Hits by way of Node's private members, and the same by the documented API where a response is not as Node made it. */
import { once } from 'node:events'
import { Agent, createServer, IncomingMessage, type RequestOptions, request, ServerResponse } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { expect } from 'chai'
import { createSendFinished } from '../../../runner/http/hits/finished-response.js'
import { type RawAnswer, rawRequest } from '../raw-request.js'
import { type Serving, serving, TOKEN } from '../serving.js'

const HIT = '/api/endpoints/query/tests.echo?project=a'
const HEADERS = { 'X-API-KEY': TOKEN, 'X-Request-Id': 'mine', Connection: 'keep-alive' }

type Answer = (req: IncomingMessage, res: ServerResponse) => void

async function answerOf(path: string, listener: Answer): Promise<RawAnswer> {
  const server = createServer({ keepAliveTimeout: 65_000 }, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await rawRequest(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, 'GET', HEADERS)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

describe('a finished response', () => {
  const send = createSendFinished()
  const head = (length: number): string => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`

  it('can be sent with the private members that this Node has', async () => {
    let isSent: boolean | null = null
    const { status } = await answerOf('/', (req, res) => {
      isSent = send(req, res, 200, head(0), null)
    })
    expect([isSent, status]).to.deep.equal([true, 200])
  })

  for (const length of [5_000, 50_000, 50_000_000]) {
    it(`is sent whole, head and body: ${length} bytes`, async () => {
      const { body } = await answerOf(
        '/',
        (req, res) => void send(req, res, 200, head(length), Buffer.alloc(length, 'x')),
      )
      expect(body.equals(Buffer.alloc(length, 'x'))).to.equal(true)
    })
  }

  for (const slot of ['_header', '_headerSent']) {
    it(`is declined where Node has no ${slot}`, () => {
      const req = new IncomingMessage(new Socket())
      const res = new ServerResponse(req)
      res.assignSocket(req.socket)
      Reflect.deleteProperty(res, slot)
      expect(send(req, res, 200, head(0), null)).to.equal(false)
      expect(res.writableEnded).to.equal(false)
    })
  }
})

describe('a hit', () => {
  let s: Serving
  beforeEach(async () => {
    s = await serving()
    await s.get(HIT)
  })
  afterEach(() => s.close())

  const comparable = ({ status, headers, body }: RawAnswer) => {
    const { date: _, 'server-timing': __, ...rest } = headers
    return { status, headers: rest, body: body.toString() }
  }

  for (const method of ['writeHead', 'write', 'end'] as const) {
    it(`goes through the ${method} that a middleware has put in place, and is the same`, async () => {
      let calls = 0
      const other = await answerOf(HIT, (req, res) => {
        const before = res[method] as (...args: unknown[]) => unknown
        Object.assign(res, {
          [method](...args: unknown[]) {
            calls += 1
            return before.apply(res, args)
          },
        })
        s.listener(req, res)
      })
      const own = await rawRequest(s.url + HIT, 'GET', HEADERS)
      expect(own.headers['cache-status']).to.include('hit')
      expect(comparable(other)).to.deep.equal(comparable(own))
      expect(calls).to.equal(method === 'write' ? 0 : 1)
    })
  }

  /** Requests a hit, after `before` has run on the request. */
  async function hitBehind(before: (req: IncomingMessage) => void): Promise<IncomingMessage> {
    let seen: IncomingMessage | null = null
    const slowPathCalls = s.slowPathCalls()
    const { status } = await answerOf(HIT, (req, res) => {
      seen = req
      before(req)
      s.listener(req, res)
    })
    expect([status, s.slowPathCalls() - slowPathCalls]).to.deep.equal([200, 0])
    await new Promise(resolve => setImmediate(resolve))
    return seen!
  }

  it('ends its request, so that nothing waits for its end', async () => {
    const req = await hitBehind(() => {})
    expect([req.complete, req.readableEnded, req.listenerCount('end')]).to.deep.equal([true, true, 0])
    expect(req.readableFlowing, 'read as a stream').to.equal(null)
  })

  for (const event of ['end', 'close']) {
    it(`has its request come to its ${event} where something listens to it`, async () => {
      let heard = 0
      await hitBehind(req => req.on(event, () => (heard += 1)))
      expect(heard).to.equal(1)
    })
  }

  it('may stand between requests of every kind on one connection', async () => {
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
