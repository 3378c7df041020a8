/** Callers who do not take their answers: each gets its own bytes later, or is reported as gone. */
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { handMadeEndpoint, parameter } from '../request/hand-made.js'
import { pause, until } from '../until.js'
import { type Serving, serving, TOKEN } from './serving.js'

/** Lengths of texts. */
const LENGTHS = [16_000, 80_000]
const largeEndpoint = (length: number) =>
  handMadeEndpoint({
    name: 'tests.large',
    parameters: [parameter('project')],
    render: args => ({
      sql: 'SELECT',
      parameters: { text: { type: 'STRING', value: String(args['project']).repeat(length) } },
    }),
  })

/** Requests on another connection, one after the other: some more than it takes until the first request is read. */
const LATER = 50
/** The kernel lets some 100 ms pass before it takes more than the first 128 kB for a reader who is slow. */
const KERNEL_MS = 1_000

describe('callers who read slowly', () => {
  /**
   * Sends one request after the other without reading answers, until the kernel accepts only a part of an answer. Returns the
   * number of requests sent.
   */
  async function askUntilStuck(served: Serving, socket: Socket, letter: string): Promise<number> {
    for (let asked = 1; asked < 10_000; asked += 1) {
      const id = `${letter}-${asked}`
      const isAnswered = (): boolean =>
        served.events.some(event => event.kind === 'request.done' && event.requestId === id)
      socket.write(requestOf(letter, id))
      // If the kernel accepts the whole answer, its event comes before later requests are answered.
      const end = performance.now() + KERNEL_MS
      for (let later = 0; (later < LATER || performance.now() < end) && !isAnswered(); later += 1) {
        await (await fetch(`${served.url}/healthz`)).arrayBuffer()
        if (later >= LATER) await pause(10)
      }
      if (!isAnswered()) return asked
    }
    throw new TypeError('the kernel takes more than there is')
  }

  for (const length of LENGTHS) {
    it(`get every byte unchanged, whatever other callers request meanwhile: ${length} letters`, async () => {
      const letters = ['a', 'b', 'c']
      const s = await serving({ endpoints: [largeEndpoint(length)] })
      for (const letter of letters) await s.get(pathOf(letter))
      const sockets = letters.map(() => connect(s.server.port, '127.0.0.1').pause())
      try {
        const asked: number[] = []
        for (const [i, letter] of letters.entries()) asked.push(await askUntilStuck(s, sockets[i]!, letter))
        for (const [i, letter] of letters.entries()) await expectAnswers(sockets[i]!, letter, length, asked[i]!)
      } finally {
        for (const socket of sockets) socket.destroy()
        await s.close()
      }
    })
  }

  const leaving: readonly (readonly [way: string, isSlowPathOnly: boolean, length: number])[] = [
    ['before the app', false, LENGTHS[0]!],
    ['before the app, in two parts', false, LENGTHS[1]!],
    ['by the app', true, LENGTHS[0]!],
  ]
  for (const [way, isSlowPathOnly, length] of leaving) {
    it(`are reported as gone where they leave before the end of an answer, ${way}`, async () => {
      const s = await serving({ endpoints: [largeEndpoint(length)], isSlowPathOnly })
      await s.get(pathOf('z'))
      const socket = connect(s.server.port, '127.0.0.1').pause()
      const asked = await askUntilStuck(s, socket, 'z')
      socket.destroy()
      const statusOf = (n: number): number | undefined => {
        const done = s.events.find(event => event.kind === 'request.done' && event.requestId === `z-${n}`)
        return done?.kind === 'request.done' ? done.status : undefined
      }
      await until(() => statusOf(asked) !== undefined, 'the answer ends')
      expect([statusOf(asked - 1), statusOf(asked)]).to.deep.equal([200, 499])
      await s.close()
    })
  }
})

const bodyOf = (letter: string, length: number): string => JSON.stringify({ result: [{ text: letter.repeat(length) }] })
const pathOf = (letter: string): string => `/api/endpoints/query/tests.large?project=${letter}`

function requestOf(letter: string, id: string): string {
  return `GET ${pathOf(letter)} HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${TOKEN}\r\nX-Request-Id: ${id}\r\n\r\n`
}

/** Reads `count` answers, which must be the answers to `letter-1`, `letter-2` and so on. */
async function expectAnswers(socket: Socket, letter: string, length: number, count: number): Promise<void> {
  socket.setTimeout(60_000, () => socket.destroy(new TypeError('no more comes')))
  const body = bodyOf(letter, length)
  let rest = ''
  let seen = 0
  for await (const data of socket) {
    rest += (data as Buffer).toString('latin1')
    for (let end = endOf(rest); end >= 0 && rest.length >= end + body.length; end = endOf(rest)) {
      seen += 1
      expect(/^X-Request-Id: (.*)\r$/m.exec(rest.slice(0, end))?.[1]).to.equal(`${letter}-${seen}`)
      expect(rest.slice(end, end + body.length) === body, rest.slice(end, end + 100)).to.equal(true)
      rest = rest.slice(end + body.length)
    }
    if (seen === count) return
  }
}

/** The offset of the first answer's body in the text; -1 while its headers are not complete. */
function endOf(text: string): number {
  const end = text.indexOf('\r\n\r\n')
  return end < 0 ? -1 : end + 4
}
