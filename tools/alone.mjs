/** One process at a time: `make serve` and `make test`, begun at once in a fresh clone, would install and build over each other. */
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Runs `work` while no other process does so in this folder, and returns what it returns.
 * The lock is a socket that listens. The system refuses connections to the socket of a process that has ended.
 */
export async function alone(work) {
  const folder = createHash('sha256').update(process.cwd()).digest('hex').slice(0, 16)
  const path = join(tmpdir(), `sluice-${process.getuid?.() ?? ''}-${folder}.sock`)
  let unlock = await lock(path)
  while (unlock === null) {
    await untilReleased(path)
    unlock = await lock(path)
  }
  try {
    return await work()
  } finally {
    unlock()
  }
}

/** What releases the lock; null while another process has it. */
function lock(path) {
  return new Promise(resolve => {
    const waiting = []
    const server = createServer(socket => void waiting.push(socket.on('error', () => {})))
    // Where no socket can be made, the work goes on without a lock: only two at once can fail.
    server.once('error', ({ code }) => resolve(code === 'EADDRINUSE' ? null : () => {}))
    server.listen(path, () =>
      resolve(() => {
        server.close()
        for (const socket of waiting) socket.destroy()
      }),
    )
  })
}

/** Resolves when the process that has the lock releases it or ends. */
function untilReleased(path) {
  return new Promise(resolve => {
    const socket = connect(path)
    socket.once('error', ({ code }) => {
      if (code === 'ECONNREFUSED') rmSync(path, { force: true })
    })
    socket.once('close', () => resolve()).resume()
  })
}
