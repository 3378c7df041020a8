/** A real Redis for tests: started on a free port, stopped, killed and started again. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface RedisServer {
  readonly port: number
  readonly url: string
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>
  /** Again on the same port, empty. */
  start(): Promise<void>
  /** Hangs: connections stay, nothing is answered. */
  freeze(): void
  thaw(): void
  /** One command, by redis-cli; what it prints. */
  cli(...command: readonly string[]): string
  close(): Promise<void>
}

/** Why tests that need Redis cannot run here; null when they can. */
export function missingRedis(): string | null {
  const isThere = ['redis-server', 'redis-cli'].every(
    program => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0,
  )
  return isThere ? null : 'redis-server is not installed'
}

/** `options` are those of redis-server: `--requirepass`, `--maxmemory`. Whoever opens it closes it. */
export async function openRedisServer(...options: readonly string[]): Promise<RedisServer> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'sluice-redis-'))
  let child: ChildProcess | null = null

  async function start(): Promise<void> {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
    child = spawn('redis-server', [...args, ...options], { stdio: 'ignore' })
    await untilListening(port)
  }

  async function kill(): Promise<void> {
    const dying = child
    child = null
    if (!dying || dying.exitCode !== null) return
    const ended = new Promise(resolve => dying.once('exit', resolve))
    dying.kill('SIGKILL')
    await ended
  }

  await start()
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    kill,
    start,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    cli: (...command) =>
      spawnSync('redis-cli', ['-p', String(port), '--no-auth-warning', ...command], { encoding: 'utf8' }).stdout.trim(),
    async close() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const isOpen = await new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (isOpen) return
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
