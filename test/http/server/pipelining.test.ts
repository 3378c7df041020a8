/** Requests that are sent ahead on one connection, and bodies in very small pieces. */
import { connect } from 'node:net'
import { expect } from 'chai'
import { type RunningServer, startServer } from '../../../runner/http/server/server.js'
import type { Event } from '../../../runner/model/events.js'
import { systemClock } from '../../../runner/platform/clock.js'
import { until } from '../../until.js'
import { type Serving, serving, TOKEN } from '../serving.js'

/** Sends these bytes, and returns what came back until the server ended the connection. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise(resolve => {
    let answered = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', chunk => {
      answered += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answered))
  })
}

describe('requests that are sent ahead', () => {
  const request = 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n'
  const last = 'GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  let server: RunningServer
  let begun = 0
  let closed = 0
  let events: Event[]

  beforeEach(async () => {
    begun = 0
    closed = 0
    events = []
    server = await startServer({
      listener: (req, res) => {
        begun += 1
        res.on('close', () => {
          closed += 1
        })
        if (req.url !== '/never') res.end('answered')
      },
      host: '127.0.0.1',
      port: 0,
      drainDelayMs: 0,
      graceMs: 1_000,
      clock: systemClock(),
      observe: event => events.push(event),
      newRequestId: () => 'an-id',
      onLeaving: () => undefined,
      onDraining: () => undefined,
    })
  })
  afterEach(() => server.close())

  it('are answered where they are 16', async () => {
    const answered = await exchange(server.port, request.repeat(15) + last)
    expect(answered.match(/HTTP\/1.1 200/g)).to.have.lengthOf(16)
    expect(events).to.deep.equal([])
  })

  it('end their connection where they are more at once, and the log says so once', async () => {
    await exchange(server.port, request.repeat(2_000))
    expect(begun).to.be.within(16, 32) // The system may hand them over in two pieces.
    const refusals = events.map(event => (event.kind === 'request.done' ? [event.path, event.status] : event.kind))
    expect(refusals).to.deep.equal([['/x', 400]])
  })

  it('end their connection also where each waits for 100 Continue', async () => {
    const waiting = 'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nExpect: 100-continue\r\n\r\n'
    await exchange(server.port, waiting.repeat(400))
    expect(begun).to.be.within(16, 32)
  })

  it('end their connection where they are more than 16 after some time, and none is answered', async () => {
    const socket = connect(server.port, '127.0.0.1')
    const ended = new Promise(resolve => socket.on('close', resolve))
    socket.resume().on('error', () => undefined)
    socket.write(request.replace('/x', '/never'))
    for (let sent = 1; !socket.destroyed && sent < 100; sent += 1) {
      await new Promise(resolve => setTimeout(resolve, 5))
      socket.write(request)
    }
    await ended
    expect(begun).to.equal(17)
    await until(() => closed === 17, 'the answers that waited were closed too')
  })

  it('are closed with their connection, whether they have been answered or wait', async () => {
    const socket = connect(server.port, '127.0.0.1')
    socket.write(request.replace('/x', '/never') + request.repeat(5))
    await until(() => begun === 6, 'all have begun')
    expect(closed).to.equal(0)
    socket.destroy()
    await until(() => closed === 6, 'all were closed')
  })

  it('are counted anew when they have been answered', async () => {
    const answered = await new Promise<number>((resolve, reject) => {
      let text = ''
      const socket = connect(server.port, '127.0.0.1', () => socket.write(request.repeat(10)))
      socket.on('data', chunk => {
        const before = count(text)
        text += chunk.toString('latin1')
        const now = count(text)
        if (now === 100) socket.end(() => resolve(now))
        else if (now % 10 === 0 && now > before) socket.write(request.repeat(10))
      })
      socket.on('close', () => reject(new Error(`closed after ${count(text)} answers`)))
    })
    expect(answered).to.equal(100)
  })
})

const count = (text: string): number => text.match(/answered/g)?.length ?? 0

describe('a body in pieces of one byte', () => {
  let s: Serving
  beforeEach(async () => {
    s = await serving()
  })
  afterEach(() => s.close())

  const post = (blanks: number): string =>
    [
      'POST /api/endpoints/query/tests.echo HTTP/1.1',
      'Host: x',
      `X-API-KEY: ${TOKEN}`,
      'Content-Type: application/json',
      'Connection: close',
      'Transfer-Encoding: chunked',
      '',
      `e\r\n{"project":"a"\r\n${'1\r\n \r\n'.repeat(blanks)}1\r\n}\r\n0\r\n\r\n`,
    ].join('\r\n')

  it('is read where they are few', async () => {
    expect(await exchange(s.server.port, post(2_000))).to.match(/^HTTP\/1.1 200/)
  })

  it('ends its connection where they are many, and the log says why', async () => {
    expect(await exchange(s.server.port, post(5_000))).to.equal('')
    const { status, error } = await s.done()
    expect([status, error?.detail]).to.deep.equal([499, 'A body may arrive in at most 2048 pieces.'])
  })
})
