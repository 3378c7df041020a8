/** A real Redis for tests: started on a free port, stopped, killed and started again. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../free-port.js'
import { whyPending } from '../../../installed/installed.js'

export interface RedisServer {
  readonly port: number
  /** The id of the server's process; undefined while it does not run. */
  readonly pid: () => number | undefined
  readonly url: string
  /** Ends the server at once, as a crash would. */
  kill(): Promise<void>
  /** Starts the server again, empty, on the same port. */
  start(): Promise<void>
  /** Stops the process without ending it: connections stay open, no command is answered. */
  freeze(): void
  thaw(): void
  /** Runs one command with redis-cli and returns its output. */
  cli(...command: readonly string[]): string
  close(): Promise<void>
}

/**
 * Called inside a suite: true where Redis or one of these programs is missing. It then adds a pending test that names the
 * missing programs, and the suite must add no other test.
 */
export function isPendingWithoutRedis(...programs: readonly string[]): boolean {
  const why = whyPending('redis-server', 'redis-cli', ...programs)
  if (why !== '') it.skip(`is tested with a real server${why}`)
  return why !== ''
}

/** The files of a certificate authority, and of a server certificate for `localhost` that it has signed. */
export interface Certificates {
  readonly authority: string
  /** The options that make redis-server use the certificates and listen with TLS on `port`. */
  options(port: number): readonly string[]
  remove(): void
}

/** Creates new certificates with openssl; the caller removes them. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-certificates-'))
  const at = (name: string): string => join(folder, name)
  const openssl = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' })
    if (status !== 0) throw new TypeError(`openssl ${args[0]}: ${stderr}`)
  }
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const authority = at('authority.pem')
  const signer = ['-CA', authority, '-CAkey', at('authority.key'), '-CAcreateserial', '-copy_extensions', 'copy']
  openssl('req', '-x509', ...key, '-days', '2', '-subj', '/CN=test', '-keyout', at('authority.key'), '-out', authority)
  openssl('req', ...key, ...names, '-keyout', at('server.key'), '-out', at('server.csr'))
  openssl('x509', '-req', '-days', '2', '-in', at('server.csr'), ...signer, '-out', at('server.pem'))
  const files = [
    '--tls-cert-file',
    at('server.pem'),
    '--tls-key-file',
    at('server.key'),
    '--tls-ca-cert-file',
    authority,
  ]
  return {
    authority,
    options: port => ['--tls-port', String(port), '--tls-auth-clients', 'no', ...files],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Starts redis-server with these options, such as `--requirepass` and `--maxmemory`. The caller must close it. */
export function openRedisServer(...options: readonly string[]): Promise<RedisServer> {
  return openServer(() => options)
}

/** Starts redis-server on a port on which another program has listened before. */
export function openRedisServerAt(port: number): Promise<RedisServer> {
  return openServer(() => [], port)
}

/** The slots listed one by one, since Redis takes ranges only from version 7 on. */
const slots = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, i) => String(from + i))

/** A cluster of one node, which holds all slots. */
export async function openRedisCluster(): Promise<RedisServer> {
  const server = await openRedisServer('--cluster-enabled', 'yes')
  server.cli('CLUSTER', 'ADDSLOTS', ...slots(0, 16_384))
  while (!server.cli('CLUSTER', 'INFO').includes('cluster_state:ok')) {
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return server
}

/** A cluster of `count` nodes, each with a part of the slots. `more` returns the options of the first node, the second, … */
export async function openRedisNodes(
  count: number,
  more: (node: number) => readonly string[] = () => [],
): Promise<readonly RedisServer[]> {
  const nodes: RedisServer[] = []
  for (let i = 0; i < count; i += 1)
    nodes.push(await openRedisServer('--cluster-enabled', 'yes', '--cluster-node-timeout', '2000', ...more(i)))
  for (const [i, { cli, port }] of nodes.entries()) {
    const [from, to] = [i, i + 1].map(part => Math.floor((part * 16_384) / count)) as [number, number]
    cli('CLUSTER', 'SET-CONFIG-EPOCH', String(i + 1))
    cli('CLUSTER', 'ADDSLOTS', ...slots(from, to))
    for (const other of nodes) {
      const bus = /@(\d+)/.exec(other.cli('CLUSTER', 'NODES'))![1]!
      if (other.port !== port) cli('CLUSTER', 'MEET', '127.0.0.1', String(other.port), bus)
    }
  }
  for (const { cli } of nodes) {
    while (!/cluster_state:ok[\s\S]*cluster_slots_ok:16384/.test(cli('CLUSTER', 'INFO'))) {
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }
  return nodes
}

/** Starts redis-server with TLS, at `rediss://localhost`. */
export function openTlsServer(certificates: Certificates, ...options: readonly string[]): Promise<RedisServer> {
  return openServer(port => ['--port', '0', ...certificates.options(port), ...options])
}

async function openServer(optionsAt: (port: number) => readonly string[], givenPort?: number): Promise<RedisServer> {
  const port = givenPort ?? (await freePort())
  const options = optionsAt(port)
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
    pid: () => child?.pid,
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
