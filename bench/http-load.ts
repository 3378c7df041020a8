/** A client that sends requests over persistent connections, either as fast as the answers come or at a given rate. */
import { connect, type Socket } from 'node:net'

export interface Answers {
  readonly perSecond: number
  /** For each request, the milliseconds from the time when it was due until its answer was complete. */
  readonly milliseconds: readonly number[]
}

export interface HttpLoad {
  readonly connections: number
  readonly seconds: number
  /** The paths to request, in turn. */
  readonly paths: readonly string[]
  readonly method?: 'GET' | 'HEAD'
  readonly headers?: Readonly<Record<string, string>>
  /** The expected status; any other one ends the run with an error. @default 200 */
  readonly status?: number
  /** The number of requests after which the run ends. @default no limit */
  readonly total?: number
  /** Requests per second over all connections: requests are due at fixed times, whether or not earlier ones are answered. */
  readonly rate?: number
}

/** @throws TypeError when an answer has another status, or a connection is closed */
export async function httpLoad(url: string, load: HttpLoad): Promise<Answers> {
  const { connections, seconds, paths, method = 'GET', headers = {}, rate, total = Number.POSITIVE_INFINITY } = load
  const { hostname, port, host } = new URL(url)
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const requests = paths.map(path => Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`))
  const milliseconds: number[] = []
  const began = performance.now()
  const until = began + seconds * 1000
  let asked = 0

  const one = async (offset: number): Promise<void> => {
    const socket = await open(Number(port), hostname)
    const answer = answersOf(socket, method === 'HEAD', load.status ?? 200)
    const gap = rate === undefined ? 0 : (connections / rate) * 1000
    let due = rate === undefined ? performance.now() : began + offset * gap
    while (due < until && asked < total) {
      const wait = due - performance.now()
      if (wait > 0.5) await new Promise(resolve => setTimeout(resolve, wait))
      const from = rate === undefined ? performance.now() : Math.min(due, performance.now())
      socket.write(requests[asked++ % requests.length]!)
      await answer()
      const now = performance.now()
      milliseconds.push(now - from)
      due = rate === undefined ? now : due + gap
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: connections }, (_, i) => one(i / connections)))
  return { perSecond: milliseconds.length / ((performance.now() - began) / 1000), milliseconds }
}

function open(port: number, hostname: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, hostname, () => resolve(socket))
    socket.setNoDelay(true)
    socket.once('error', reject)
  })
}

/** Returns a function; each call of it resolves when the next answer is complete. */
function answersOf(socket: Socket, isHead: boolean, status: number): () => Promise<void> {
  let head = ''
  let missing = -1
  let settle: { resolve: () => void; reject: (error: Error) => void } | null = null
  socket.on('error', error => settle?.reject(error))
  socket.on('close', () => settle?.reject(new TypeError('the connection was closed')))
  socket.on('data', data => {
    let length = data.byteLength
    if (missing < 0) {
      head += data.toString('latin1', 0, 4096)
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return
      if (!head.startsWith(`HTTP/1.1 ${status} `)) return settle?.reject(new TypeError(head.slice(0, 500)))
      missing = isHead || status === 304 ? 0 : Number(/^content-length: (\d+)/im.exec(head)![1])
      length -= end + 4
    }
    missing -= length
    if (missing > 0) return
    head = ''
    missing = -1
    settle?.resolve()
  })
  return () =>
    new Promise((resolve, reject) => {
      settle = { resolve, reject }
    })
}
