/** Requests and responses of a server of our own, and the road that is taken where Node has not what they use. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { PreparedRequest, PreparedResponse } from '../../runner/http/prepared-response.js'
import { type RawAnswer, rawRequest } from './raw-request.js'
import { type Serving, serving, TOKEN } from './serving.js'

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
      listener(req, res as PreparedResponse),
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
})
