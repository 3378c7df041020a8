/** How long a server of ours keeps connections that nobody asks anything on. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { type RunningServer, startServer } from '../../../runner/http/server/server.js'
import { type ManualClock, manualClock } from '../../cache/manual-clock.js'
import { type Serving, serving, TOKEN } from '../serving.js'

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

describe('a connection that is kept', () => {
  let clock: ManualClock
  let server: RunningServer
  let client: Socket
  let asked = 0
  /** The server's end. */
  let socket: Socket
  let answer: RequestListener

  beforeEach(async () => {
    clock = manualClock()
    asked = 0
    answer = (_req, res) => res.end('answer')
    server = await startServer({
      listener: (req, res) => {
        asked += 1
        socket = req.socket
        answer(req, res)
      },
      host: '127.0.0.1',
      port: 0,
      drainDelayMs: 0,
      graceMs: 0,
      clock,
      observe: () => {},
      newRequestId: randomUUID,
      onLeaving: () => {},
      onDraining: () => {},
    })
    client = connect(server.port, '127.0.0.1')
    await once(client, 'connect')
  })
  afterEach(async () => {
    client.destroy()
    await server.close()
  })

  async function ask(): Promise<string> {
    client.write(REQUEST)
    const [data] = (await once(client, 'data')) as [Buffer]
    return data.toString()
  }

  /** Whoever waits for an answer has it before node:http has done with it. */
  const settled = () => new Promise(resolve => setTimeout(resolve, 5))

  it('may be idle for 65 seconds, as it is told, and is closed then', async () => {
    expect(await ask()).to.match(/^Connection: keep-alive\r\nKeep-Alive: timeout=65\r$/m)
    await settled()
    await clock.advance(1_000)
    expect(socket.timeout).to.equal(65_000)
    socket.emit('timeout') // what Node does by then
    await once(client, 'close')
  })

  it('is not idle once it is asked on again, for as long as that takes', async () => {
    await ask()
    await settled()
    await clock.advance(1_000)
    let end = (): void => {}
    answer = (_req, res) => {
      end = () => void res.end('late')
    }
    const late = ask()
    while (asked < 2) await settled()
    await clock.advance(600_000)
    expect(socket.timeout).to.equal(0)
    end()
    expect(await late).to.include('late')
    await settled()
    expect(socket.timeout).to.equal(0)
    await clock.advance(1_000)
    expect(socket.timeout).to.equal(65_000)
  })

  it('is looked at no more once the server has closed', async () => {
    await ask()
    const closing = server.close()
    while (clock.pending() < 3) await settled() // until it lingers
    await clock.advance(100)
    await closing
    expect(clock.pending()).to.equal(0)
  })
})

describe('a connection of the runner', () => {
  let s: Serving
  beforeEach(async () => {
    s = await serving()
  })
  afterEach(() => s.close())

  for (const [name, path] of [
    ['a hit', '/api/endpoints/query/tests.echo?project=a'],
    ['an answer of the app', '/healthz'],
  ] as const) {
    it(`is told after ${name} how long it is kept`, async () => {
      await (await s.get(path)).text()
      const { headers } = await fetch(s.url + path, { headers: { 'X-API-KEY': TOKEN } })
      expect([headers.get('Connection'), headers.get('Keep-Alive')]).to.deep.equal(['keep-alive', 'timeout=65'])
    })
  }
})
