/** A client that requests one URL over persistent connections, as fast as the answers come. */
import { connect } from 'node:net'

export interface Load {
  readonly perSecond: number
  readonly milliseconds: readonly number[]
}

export interface LoadOptions {
  readonly connections: number
  readonly seconds: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Each connection has one request at a time; any status but 200 ends the run with an error. */
export async function load(address: string, { connections, seconds, headers = {} }: LoadOptions): Promise<Load> {
  const { hostname, port, pathname, search, host } = new URL(address)
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = Buffer.from(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`)
  const milliseconds: number[] = []
  const began = performance.now()
  const until = began + seconds * 1000
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let sent = 0
      let missing = -1
      let head = ''
      const socket = connect(Number(port), hostname, () => send())
      const send = (): void => {
        sent = performance.now()
        missing = -1
        head = ''
        socket.write(request)
      }
      socket.setNoDelay(true)
      socket.on('error', reject)
      socket.on('data', data => {
        let length = data.byteLength
        if (missing < 0) {
          head += data.toString('latin1')
          const end = head.indexOf('\r\n\r\n')
          if (end < 0) return
          const size = /^content-length: (\d+)/im.exec(head)
          if (!head.startsWith('HTTP/1.1 200') || !size) return void socket.destroy(new TypeError(head.slice(0, 500)))
          missing = Number(size[1])
          length = head.length - end - 4
        }
        missing -= length
        if (missing > 0) return
        const now = performance.now()
        milliseconds.push(now - sent)
        if (now < until) return send()
        socket.end()
        resolve()
      })
    })
  await Promise.all(Array.from({ length: connections }, one))
  return { perSecond: milliseconds.length / ((performance.now() - began) / 1000), milliseconds }
}
