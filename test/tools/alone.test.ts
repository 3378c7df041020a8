import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { pause, until } from '../until.js'

/** Works alone for 200 ms, in which it does not answer; `begin` and `end` go to the file. */
const SCRIPT = `
  const [module, file] = process.argv.slice(1)
  const { appendFileSync } = await import('node:fs')
  const { alone } = await import(module)
  await alone(() => {
    appendFileSync(file, 'begin\\n')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(process.env.WORK_MS))
    appendFileSync(file, 'end\\n')
  })
`

describe('alone', function () {
  this.timeout(60_000)
  let folder = ''
  const started: ChildProcess[] = []
  const log = (): string => {
    try {
      return readFileSync(join(folder, 'log'), 'utf8')
    } catch {
      return ''
    }
  }
  const start = (workMs: number): ChildProcess => {
    const argv = ['--input-type=module', '-e', SCRIPT, resolve('tools/alone.mjs'), join(folder, 'log')]
    const env = { ...process.env, WORK_MS: String(workMs), TMPDIR: folder }
    const child = spawn(process.execPath, argv, { cwd: folder, env, stdio: 'inherit' })
    started.push(child)
    return child
  }
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'alone-'))
  })
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })

  it('has one process at a time do its work', async () => {
    const exits = await Promise.all([1, 2, 3, 4].map(() => once(start(200), 'exit')))
    expect(exits.map(([code]) => code)).to.deep.equal([0, 0, 0, 0])
    expect(log()).to.equal('begin\nend\n'.repeat(4))
  })

  it('goes on when the process that works is killed', async () => {
    const first = start(3_600_000)
    await until(() => log() === 'begin\n', 'the first to work')
    const second = start(0)
    await pause(300) // It waits by now, but for a busy machine.
    first.kill('SIGKILL')
    expect(await once(second, 'exit')).to.deep.equal([0, null])
    expect(log()).to.equal('begin\nbegin\nend\n')
  })
})
