/** Standard output and standard error when their reader closes the pipe, or when the device is full. */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { scratch } from './command.js'

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly err: string
}

type Left = 'out' | 'err' | 'both'

/** Runs the built program to its end; the readers of the named streams close them before the program has begun to write. */
function runUnread(argv: readonly string[], left: Left, out: 'pipe' | number = 'pipe'): Promise<Ended> {
  const child = spawn(process.execPath, ['dist/cli/main.js', ...argv], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', out, 'pipe'],
  })
  if (left !== 'err') child.stdout?.destroy()
  let err = ''
  if (left !== 'out') child.stderr!.destroy()
  else
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
  return new Promise(resolve => void child.once('close', (code, signal) => resolve({ code, signal, err })))
}

describe('a reader that leaves', () => {
  const folder = scratch()
  const rows = (count: number) => `SELECT n FROM UNNEST(GENERATE_ARRAY(1, ${count})) AS n`
  const data = ['--data', folder.path('data')]

  before(() => {
    mkdirSync(folder.path('data'))
    mkdirSync(folder.path('bad'))
    writeFileSync(folder.path('bad', 'a.yaml'), 'nothing: here\n')
  })
  after(() => folder.remove())

  const commands: readonly { readonly argv: readonly string[]; readonly code: number }[] = [
    { argv: ['query', rows(100_000), '--max-rows', '100000', ...data], code: 0 },
    { argv: ['query', rows(100_000), '--max-rows', '100000', '--format', 'ndjson', ...data], code: 0 },
    { argv: ['query', '--functions'], code: 0 },
    { argv: ['query', 'SELECT 1 / 0', ...data], code: 1 },
    { argv: ['call', 'logs.all', 'project=a', 'project_tier=PRO', '--format', 'csv', ...data], code: 0 },
    { argv: ['call', 'logs.all', '--explain', 'project=a', 'project_tier=PRO', ...data], code: 0 },
    { argv: ['validate', '--format', 'json', '--endpoints', folder.path('bad')], code: 1 },
    { argv: ['validate', '--endpoints', folder.path('bad')], code: 1 },
    { argv: ['tables', 'ddl'], code: 0 },
    { argv: ['token', 'create', '--name', 'a', '--allow', '*', '--tokens', folder.path('tokens.json')], code: 0 },
    { argv: ['token', 'list', '--tokens', folder.path('tokens.json')], code: 0 },
    { argv: ['sample', '--count', '10', '--data', folder.path('sampled')], code: 0 },
    { argv: ['--help'], code: 0 },
    { argv: ['serve', '--nonsense'], code: 2 },
  ]
  for (const { argv, code } of commands) {
    const shown = argv.filter(word => !word.includes('/')).join(' ')
    it(`${shown}: ends quietly with ${code}`, async () => {
      expect(await runUnread(argv, 'both')).to.deep.equal({ code, signal: null, err: '' })
    })
  }

  it('does not change the messages on standard error, nor the work', async () => {
    const { code, err } = await runUnread(['query', rows(2), ...data], 'out')
    expect([code, err]).to.deep.equal([0, '2 rows\n'])
    const sampled = folder.path('sampled-too')
    expect((await runUnread(['sample', '--count', '10', '--data', sampled], 'out')).code).to.equal(0)
    expect(existsSync(`${sampled}/logs/edge.ndjson`)).to.equal(true)
  })

  it('is different from a full disk, for which there is a message', async function () {
    if (!existsSync('/dev/full')) this.skip()
    const full = openSync('/dev/full', 'w')
    try {
      const { code, err } = await runUnread(['query', rows(2), ...data], 'out', full)
      const message = 'sluice: standard output cannot be written: no space is left on the device (ENOSPC)\n'
      expect([code, err]).to.deep.equal([3, `2 rows\n${message}`])
    } finally {
      closeSync(full)
    }
  })
})
