/** Finished bytes are used again and again: no answer may show what was written for another one. */
import { connect } from 'node:net'
import { expect } from 'chai'
import { Frame, HEAD_ROOM } from '../../runner/http/frame.js'
import { handMadeEndpoint, parameter } from '../request/hand-made.js'
import { type Serving, serving, TOKEN } from './serving.js'

const LARGE = '/api/endpoints/query/tests.large?project=a'
/** Together more than any socket's buffers hold. */
const PIPELINED = 3_000

describe('a frame', () => {
  const body = Buffer.from('body')
  const textOf = (bytes: Buffer | null): string | undefined => bytes?.toString('latin1')

  it('is its opening, its lines and its body, whatever their lengths were before', () => {
    const frame = new Frame(body)
    frame.setLines('Age: 1\r\n\r\n', 1, 1, 1)
    expect(textOf(frame.open('200 first\r\n', true))).to.equal('200 first\r\nAge: 1\r\n\r\nbody')
    expect(textOf(frame.open('200 other\r\n', true))).to.equal('200 other\r\nAge: 1\r\n\r\nbody')
    expect(textOf(frame.open('200\r\n', true))).to.equal('200\r\nAge: 1\r\n\r\nbody')
    frame.setLines('Age: 10\r\n\r\n', 2, 1, 10)
    expect(textOf(frame.open('200\r\n', true))).to.equal('200\r\nAge: 10\r\n\r\nbody')
    expect(textOf(frame.open('200\r\n', false))).to.equal('200\r\nAge: 10\r\n\r\n')
  })

  it('is stale as soon as one of its numbers is another', () => {
    const frame = new Frame(body)
    expect(frame.isStale(1, 2, 3)).to.equal(true)
    frame.setLines('\r\n', 1, 2, 3)
    expect(frame.isStale(1, 2, 3)).to.equal(false)
    for (const [second, fresh, age] of [
      [2, 2, 3],
      [1, 3, 3],
      [1, 2, 4],
    ] as const) {
      expect(frame.isStale(second, fresh, age)).to.equal(true)
    }
  })

  it('has no room for a head that is too long', () => {
    const frame = new Frame(body)
    frame.setLines('\r\n', 1, 1, 1)
    expect(frame.open('x'.repeat(HEAD_ROOM - 2), true)?.byteLength).to.equal(HEAD_ROOM + body.byteLength)
    expect(frame.open('x'.repeat(HEAD_ROOM - 1), true)).to.equal(null)
    frame.setLines('x'.repeat(HEAD_ROOM + 1), 1, 1, 1)
    expect(frame.open('', true)).to.equal(null)
  })
})

describe('a caller who reads slowly', () => {
  let served: Serving
  before(async () => {
    const text = { type: 'STRING', value: '0123456789'.repeat(500) }
    const large = handMadeEndpoint({
      name: 'tests.large',
      parameters: [parameter('project')],
      render: () => ({ sql: 'SELECT', parameters: { text } }),
    })
    served = await serving({ endpoints: [large] })
    await served.get(LARGE)
  })
  after(() => served.close())

  it('gets every answer as it was made, whatever others have asked meanwhile', async () => {
    const socket = connect(served.server.port, '127.0.0.1').pause()
    for (let i = 0; i < PIPELINED; i += 1) {
      socket.write(`GET ${LARGE} HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${TOKEN}\r\nX-Request-Id: slow-${i}\r\n\r\n`)
      // One by one: of several that come at once, only the first is answered from a frame.
      await new Promise(resolve => setImmediate(resolve))
    }
    await new Promise(resolve => setTimeout(resolve, 100))
    const others = await Promise.all(Array.from({ length: 20 }, (_, i) => served.get(LARGE, { headers: otherId(i) })))
    expect(others.map(answer => answer.headers.get('X-Request-Id'))).to.deep.equal(others.map((_, i) => `other-${i}`))
    const body = await others[0]!.text()
    const ids: string[] = []
    let bodies = 0
    let rest = ''
    for await (const data of socket) {
      rest += (data as Buffer).toString('latin1')
      for (let end = endOf(rest); end >= 0 && rest.length >= end + body.length; end = endOf(rest)) {
        ids.push(/^X-Request-Id: (.*)\r$/m.exec(rest)![1]!)
        if (rest.slice(end, end + body.length) === body) bodies += 1
        rest = rest.slice(end + body.length)
      }
      if (ids.length === PIPELINED) break
    }
    socket.destroy()
    expect(bodies).to.equal(PIPELINED)
    expect(ids).to.deep.equal(ids.map((_, i) => `slow-${i}`))
  })
})

const otherId = (i: number): Record<string, string> => ({ 'X-Request-Id': `other-${i}` })

/** Where the body of the answer at the start begins; -1 while its head is not whole. */
function endOf(text: string): number {
  const end = text.indexOf('\r\n\r\n')
  return end < 0 ? -1 : end + 4
}
