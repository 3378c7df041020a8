/** Runs the reference implementation's server, on loopback only. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { freePort } from '../../test/free-port.js'

export interface ReferenceServer {
  readonly address: string
  readonly stop: () => void
}

/** The reference has no build for this machine, or does not start. */
class ReferenceUnavailableError extends Error {
  override readonly name = 'ReferenceUnavailableError'
}

const BUILDS: Readonly<Record<string, string>> = {
  'linux x64': 'remote_server.so',
  'linux arm64': 'remote_server_arm.so',
  'darwin x64': 'remote_server',
  'darwin arm64': 'remote_server_arm',
}

/** Resolves when the server listens. @throws ReferenceUnavailableError */
export async function startReference(folder: string): Promise<ReferenceServer> {
  const machine = `${process.platform} ${process.arch}`
  const build = BUILDS[machine]
  if (!build) throw new ReferenceUnavailableError(`The reference implementation has no build for ${machine}`)
  // The server does not report a port that the system chooses, so it gets one that was free a moment ago.
  const port = await freePort()
  const program = join(folder, build)
  const child = spawn(program, ['127.0.0.1', String(port)], { stdio: ['ignore', 'pipe', 'ignore'] })
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', code => reject(new ReferenceUnavailableError(`${program} ended with ${code}`)))
    child.stdout.on('data', (text: Buffer) => {
      if (text.includes('listening')) resolve()
    })
  })
  return { address: `127.0.0.1:${port}`, stop: () => child.kill() }
}
