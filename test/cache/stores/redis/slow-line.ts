/** A proxy between a client and a server that can delay data, and hold back what the server sends. */
import { connect, createServer, type Socket } from 'node:net'

export interface Line {
  readonly url: string
  /** Sets the delay of each direction, in milliseconds, for data sent from now on. */
  delay(toServerMs: number, fromServerMs: number): void
  /** Holds back all data from the server until `release` delivers it in one piece. */
  hold(): void
  release(): void
  /** Closes a connection once the server has sent this many bytes on it from now on, of which the client gets no more. */
  cutAfter(bytes: number): void
  /** Leads later connections to the server on this port. */
  leadTo(port: number): void
  close(): Promise<void>
}

/** Opens a proxy to the server on this port. The caller must close it. */
export async function openLine(port: number): Promise<Line> {
  const sockets = new Set<Socket>()
  const held: { readonly to: Socket; readonly data: Buffer }[] = []
  let delays = [0, 0] as const as readonly [toServer: number, fromServer: number]
  let isHeld = false
  let target = port
  let uncut = Number.POSITIVE_INFINITY

  const later = (ms: number, action: () => void): void => {
    if (ms === 0) action()
    else setTimeout(action, ms)
  }
  const server = createServer(client => {
    const upstream = connect(target, '127.0.0.1')
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {}).on('close', () => other.destroy())
    }
    client.on('data', data => later(delays[0], () => upstream.write(data)))
    upstream.on('data', data => {
      const isCut = data.byteLength > uncut
      uncut -= data.byteLength
      if (isCut) client.end(data.subarray(0, Math.max(0, uncut + data.byteLength)))
      else if (isHeld) held.push({ to: client, data })
      else later(delays[1], () => client.write(data))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as { readonly port: number }
  return {
    url: `redis://127.0.0.1:${address.port}`,
    delay(toServerMs, fromServerMs) {
      delays = [toServerMs, fromServerMs]
    },
    hold() {
      isHeld = true
    },
    release() {
      isHeld = false
      const pieces = held.splice(0)
      for (const to of new Set(pieces.map(piece => piece.to))) {
        to.write(Buffer.concat(pieces.filter(piece => piece.to === to).map(({ data }) => data)))
      }
    },
    cutAfter(bytes) {
      uncut = bytes
    },
    leadTo(other) {
      target = other
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
