/** Connections that the system has accepted and the process has not yet, when it gets SIGTERM: they are answered. */
import { mkdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { endLeftovers, scratch, startServe } from '../cli/command.js'

/** Nearly as many connections as the system's queue for one server holds: node:http requests 511. */
const CONNECTIONS = 450

const REQUEST =
  'GET /api/endpoints HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer unrestricted-token-of-32-letters\r\n\r\n'

describe('connections that wait to be accepted at SIGTERM', function () {
  this.timeout(600_000)
  const folder = scratch()
  before(() => mkdirSync(folder.path('data')))
  after(() => {
    endLeftovers()
    folder.remove()
  })

  it('are answered, all of them', async () => {
    const environment = { SLUICE_TOKEN: 'unrestricted-token-of-32-letters' }
    const server = await startServe(['--port', '0', '--data', folder.path('data')], environment)
    const port = Number(new URL(server.url).port)
    server.signal('SIGSTOP')
    const opened = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(port)))
    const answers = opened.map(answerOn)
    const ended = server.end('SIGTERM')
    server.signal('SIGCONT')
    const statuses = new Set(await Promise.all(answers))
    expect([...statuses]).to.deep.equal(['HTTP/1.1 200 OK'])
    expect(await ended).to.equal(0)
  })
})

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket)).once('error', reject)
  })
}

/** Sends a request: the first line of the answer, or the code of the failure. */
function answerOn(socket: Socket): Promise<string> {
  return new Promise(resolve => {
    let text = ''
    socket.write(REQUEST)
    socket.on('data', part => {
      text += String(part)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
    socket.once('close', () => resolve(text.split('\r\n', 1)[0]!))
  })
}
