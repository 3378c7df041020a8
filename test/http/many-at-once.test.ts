/** What many connections of one caller ask for or give up at the same time is done in several turns of the event loop. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { OpenApiDocuments } from '../../runner/http/openapi-documents.js'
import { endWith } from '../../runner/http/send.js'
import type { Endpoint } from '../../runner/model/endpoint.js'
import type { Caller } from '../../runner/model/ports.js'
import type { Pattern } from '../../runner/model/re2.js'
import { systemClock } from '../../runner/platform/clock.js'
import { indexEndpoints } from '../../runner/request/route.js'
import { handMadeEndpoint, parameter } from '../request/hand-made.js'
import { until } from '../until.js'
import { serving, TOKEN } from './serving.js'

const COUNT = 12

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${TOKEN}\r\n\r\n`

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  await new Promise(resolve => socket.once('connect', resolve))
  return socket
}

/** Calls back in each turn of the event loop until the work has ended. */
async function inEachTurn<T>(work: Promise<T>, look: () => void): Promise<T> {
  let isDone = false
  const turn = (): void => {
    look()
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  try {
    return await work
  } finally {
    isDone = true
  }
}

describe('many at once', () => {
  for (const [name, addressOf] of [
    ['hits whose calls must be planned', (path: string, i: number) => `${path}&x=${i}`],
    ['hits that are sent ahead', (path: string) => path],
  ] as const) {
    it(`${name} wait for their turn, and a hit that was asked for before does not`, async () => {
      let ticks = 0
      // So each plan takes as long as a turn may.
      const s = await serving({
        clock: {
          ...systemClock(),
          ticksMs: () => {
            ticks += 6
            return ticks
          },
        },
      })
      const path = '/api/endpoints/query/tests.echo?project=a'
      const [many, one] = [await connected(s.server.port), await connected(s.server.port)]
      for (let i = 0; i < 2; i++) {
        one.write(request(path))
        await new Promise(resolve => one.once('data', resolve))
      }
      let answered = 0
      many.on('data', data => {
        answered += data.toString('latin1').split('HTTP/1.1 200').length - 1
      })
      const answer = new Promise<number>(resolve => one.once('data', () => resolve(answered)))
      many.write(Array.from({ length: COUNT }, (_, i) => request(addressOf(path, i))).join(''))
      one.write(request(path))
      expect(await answer).to.be.below(COUNT)
      await until(() => answered === COUNT, 'the others are answered')
      expect(s.slowPathCalls()).to.equal(1)
      for (const socket of [many, one]) socket.destroy()
      await s.close()
    })
  }

  it('requests of callers who leave end one after the other', async () => {
    const s = await serving()
    const head = `POST /api/endpoints/query/tests.echo HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${TOKEN}\r\nContent-Length: 9\r\n\r\n`
    const sockets: Socket[] = []
    for (let i = 0; i < COUNT; i++) sockets.push(await connected(s.server.port))
    const before = s.slowPathCalls()
    for (const socket of sockets) socket.write(head)
    await until(() => s.slowPathCalls() - before === COUNT, 'all have begun')
    const ended = (): number => s.events.filter(({ kind }) => kind === 'request.done').length
    let latest = ended()
    let most = 0
    for (const socket of sockets) socket.resetAndDestroy()
    await inEachTurn(
      until(() => ended() === COUNT, 'all have ended'),
      () => {
        const now = ended()
        most = Math.max(most, now - latest)
        latest = now
      },
    )
    expect(most).to.be.within(1, 2)
    await s.close()
  })

  it('bodies that arrive at once are parsed one after the other, each in a turn of its own', async () => {
    const s = await serving()
    const body = '{"project":"a"}'
    const head = `POST /api/endpoints/query/tests.echo HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    const sockets: Socket[] = []
    for (let i = 0; i < COUNT; i++) sockets.push(await connected(s.server.port))
    // The first of them runs the query. The others are hits of the app, which end in the turn in which their body is parsed.
    expect((await s.get('?project=a')).status).to.equal(200)
    const before = s.slowPathCalls()
    for (const socket of sockets) socket.write(head)
    await until(() => s.slowPathCalls() - before === COUNT, 'all have begun')
    const parsed = (): number => s.events.filter(({ kind }) => kind === 'request.done').length
    const first = parsed()
    let latest = first
    let most = 0
    for (const socket of sockets) socket.write(body)
    await inEachTurn(
      until(() => parsed() - first === COUNT, 'all are answered'),
      () => {
        const now = parsed()
        most = Math.max(most, now - latest)
        latest = now
      },
    )
    expect(most).to.be.within(1, 2)
    for (const socket of sockets) socket.destroy()
    await s.close()
  })

  it('large bodies are not sent in a turn that has taken long', async () => {
    const body = Buffer.alloc(3_000_000, 'x')
    const waiting: ServerResponse[] = []
    const server = createServer((_, res) => waiting.push(res)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const answers = [1, 2].map(() => fetch(`http://127.0.0.1:${port}`))
    await until(() => waiting.length === 2, 'both have asked')
    const sent = waiting.map(res => {
      endWith(res, body)
      for (const began = performance.now(); performance.now() - began < 10; );
      return res.headersSent
    })
    const bodies = await Promise.all(answers.map(async answer => Buffer.from(await (await answer).arrayBuffer())))
    server.close()
    server.closeAllConnections()
    expect(sent).to.deep.equal([true, false])
    for (const received of bodies) expect(received.equals(body)).to.equal(true)
  })

  it('the arguments of a body are bound in one turn, and its query begins in a later one', async () => {
    let turn = 0
    const turns: number[] = []
    const pattern = { source: 'x', matches: () => turns.push(turn) > 0 } as unknown as Pattern
    const made = handMadeEndpoint({ parameters: [parameter('project', { pattern })], cache: null })
    const render: Endpoint['render'] = (...args) => {
      turns.push(turn)
      return made.render(...args)
    }
    const s = await serving({ endpoints: [{ ...made, render }] })
    const headers = { 'Content-Type': 'application/json' }
    turns.length = 0
    await inEachTurn(s.get('', { method: 'POST', headers, body: '{"project":"a"}' }), () => {
      turn += 1
    })
    const [bound, rendered] = turns
    expect(rendered).to.be.greaterThan(bound!)
    await s.close()
  })

  it('an OpenAPI document of many endpoints is made in turns, and each that is sent again has a turn', async () => {
    const idOf = (i: number): string => `0b7d7f0e-6f7a-4c55-9a0d-${String(i).padStart(12, '0')}`
    const all = Array.from({ length: 300 }, (_, i) => handMadeEndpoint({ name: `tests.echo-${i}`, id: idOf(i) }))
    const index = indexEndpoints(all)
    const documents = new OpenApiDocuments()
    const caller = { pinned: {}, allTenants: true, mayCall: () => true } as unknown as Caller
    const order = { version: '3.1', allFormats: true, serverUrl: 'https://x.example', engine: 'duckdb' } as const
    let turns = 0
    const count = (): void => {
      turns += 1
    }
    const { body } = await inEachTurn(Promise.resolve(documents.find(index, caller, order)), count)
    expect(turns).to.be.at.least(4)
    const document = JSON.parse(body().toString())
    expect(Object.keys(document.paths)).to.have.length(300)
    expect(document.servers).to.deep.equal([{ url: 'https://x.example' }])
    turns = 0
    await inEachTurn(Promise.all(all.map(() => documents.find(index, caller, order))), count)
    expect(turns).to.be.at.least(300)
  })
})
