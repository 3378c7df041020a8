/** The watchdog ends a process whose event loop stands still, and no other. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { until } from '../until.js'
import { endLeftovers, scratch, startServe } from './command.js'

const PROCESS = fileURLToPath(new URL('watchdog-process.mjs', import.meta.url))

interface Watched {
  readonly child: ChildProcess
  /** Resolves with the name of the signal that has ended it. */
  readonly ended: Promise<string | null>
  lines(): readonly Record<string, unknown>[]
}

/** A process that stands still in this way, whose beats have this length; the watchdog waits for fifteen. */
async function watched(way: string, beatMs: number): Promise<Watched> {
  const child = spawn(process.execPath, [PROCESS, way, String(beatMs)])
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const ended = once(child, 'close').then(([, signal]) => signal as string | null)
  await once(child.stdout, 'data')
  const lines = () => log.split('\n').flatMap(line => (line.startsWith('{') ? [JSON.parse(line)] : []))
  return { child, ended, lines }
}

describe('the watchdog', function () {
  this.timeout(240_000)
  after(endLeftovers)

  for (const [way, name] of [
    ['spin', 'spinForEver'],
    ['regexp', 'backtrackForEver'],
  ] as const) {
    it(`ends a process in an endless ${way}, and names the function and its file`, async () => {
      const { ended, lines } = await watched(way, 100)
      expect(await ended).to.equal('SIGKILL')
      const [line] = lines()
      expect(line).to.include({ level: 'error', stalledSeconds: 1.5, msg: 'process.stalled' })
      expect(String(line?.['where'])).to.match(new RegExp(`^${name} \\(\\S*watchdog-process`))
    })
  }

  it('ends a process that waits in native code, and says so', async () => {
    const { ended, lines } = await watched('child', 100)
    expect(await ended).to.equal('SIGKILL')
    expect(lines()[0]).to.include({ msg: 'process.stalled' })
    expect(lines()[0]?.['reason']).to.match(/native code/)
  })

  it('does not end a process that was stopped, and goes on', async () => {
    const { child, ended, lines } = await watched('nothing', 100)
    child.kill('SIGSTOP')
    await new Promise(resolve => setTimeout(resolve, 4_000))
    child.kill('SIGCONT')
    await new Promise(resolve => setTimeout(resolve, 3_000))
    expect([child.exitCode, child.signalCode, lines()]).to.deep.equal([null, null, []])
    child.kill('SIGTERM')
    expect(await ended).to.equal('SIGTERM')
  })

  it('watches serve', async () => {
    const folder = scratch()
    const block = "data:text/javascript,process.on('SIGUSR2',function spinForEver(){for(;;);})"
    const options = { NODE_OPTIONS: `--import "${block}"`, SLUICE_TOKEN: 'unrestricted-token-of-32-letters' }
    const server = await startServe(['--port', '0', '--data', folder.path()], options)
    server.signal('SIGUSR2')
    await until(() => server.err().includes('process.stalled'), 'the watchdog has found the standstill')
    expect(server.err()).to.match(/"where":\["spinForEver \(data:/)
    expect(await server.end('SIGKILL')).to.equal(null)
    folder.remove()
  })
})
