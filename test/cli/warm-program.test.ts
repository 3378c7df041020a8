/** A command of the program that is loaded once prints, byte for byte and to the same stream, what a process of its own prints. */
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { scratch } from './command.js'
import { openWarmProgram, type WarmProgram } from './warm-program.js'

/** A value of a variable that has what separates variables elsewhere. */
const DATA = 'a\nb=c'

describe('the warm program', () => {
  const folder = scratch()
  let warm: WarmProgram
  before(async () => {
    mkdirSync(folder.path(DATA))
    warm = await openWarmProgram(folder.path('program.sock'))
  })
  after(() => {
    warm.close()
    folder.remove()
  })

  async function bash(script: string, words: readonly string[]) {
    const child = spawn('bash', ['-c', script, 'bash', ...words], {
      cwd: folder.path(),
      env: { PATH: process.env['PATH'], HOME: folder.path(), SLUICE_ENGINE_THREADS: '1', SLUICE_DATA: DATA },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const code = new Promise(done => child.once('close', done))
    child.stdout.setEncoding('latin1')
    return { out: await text(child.stdout), err: await text(child.stderr), code: await code }
  }

  const COMMANDS: readonly (readonly string[])[] = [
    ['--version'],
    ['call', '--nosuch'],
    ['tables', 'describe', "it's %s \\ é"],
    ['query', "SELECT '%s \\\\ \\'é' AS a", '--format', 'parquet'],
  ]
  for (const words of COMMANDS) {
    it(words.join(' '), async () => {
      const own = await bash(`exec '${process.execPath}' '${resolve('dist/cli/main.js')}' "$@"`, words)
      expect(await bash(warm.script, words)).to.deep.equal(own)
    })
  }
})
