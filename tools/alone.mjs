/**
 * Lets only one process at a time install or build: `make serve` and `make test`, started together in a fresh clone, would
 * overwrite each other's files.
 */
import { createHash } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

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

/** Resolves to a function that releases the lock; to null while another process has the lock. */
function lock(path) {
  return new Promise(resolve => {
    const waiting = []
    const server = createServer(socket => void waiting.push(socket.on('error', () => {})))
    // Where no socket can be created, the work runs without a lock: it can fail only if two processes run at once.
    server.once('error', ({ code }) => resolve(code === 'EADDRINUSE' ? null : () => {}))
    server.listen(path, () =>
      resolve(() => {
        server.close()
        for (const socket of waiting) socket.destroy()
      }),
    )
  })
}

/** Resolves when the process that has the lock may have released it, or has ended. */
async function untilReleased(path) {
  const dead = inodeOf(path)
  // A process that is about to listen also refuses connections, for a moment.
  for (let refusals = 0; refusals < 20; refusals += 1) {
    if ((await connection(path)) !== 'ECONNREFUSED' || inodeOf(path) !== dead) return
    await setTimeout(100)
  }
  if (inodeOf(path) === dead) rmSync(path, { force: true })
}

const inodeOf = path => statSync(path, { throwIfNoEntry: false })?.ino

/** Connects, and resolves when the connection ends: to the code of the error, or to undefined. */
function connection(path) {
  return new Promise(resolve => {
    const socket = connect(path)
    socket.once('error', ({ code }) => resolve(code))
    socket.once('close', () => resolve(undefined)).resume()
  })
}
