/**
 * Mistakes in commands: what each prints on standard error, exactly, and its exit code. UPDATE_CASES=1 rewrites the
 * expectations; read each as a newcomer would, who must know what to write after reading it once.
 */
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { parse, stringify } from 'yaml'
import { sampleOf } from '../sample-size.js'
import { command, scratch } from './command.js'

interface Mistake {
  /** The command line after `sluice`; words are separated by spaces, and quotes hold words together. */
  readonly command: string
  /** Files that it needs, by path. */
  readonly files?: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
  readonly code: number
  /** All of standard error. */
  readonly told: string
}

const FILE = 'test/cases/command-mistakes.yaml'

const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!)

describe('a mistake in a command', () => {
  const text = readFileSync(FILE, 'utf8')
  const mistakes = parse(text) as readonly Mistake[]
  const actual: Mistake[] = []
  const folder = scratch()
  const home = process.cwd()

  before(async () => {
    await command(['init', folder.path('shop')])
    process.chdir(folder.path('shop'))
  })
  after(() => {
    process.chdir(home)
    folder.remove()
    if (process.env['UPDATE_CASES'] !== '1') return
    const header = /^(?:#.*\n)*/.exec(text)![0]
    writeFileSync(FILE, header + stringify(actual, { lineWidth: 0, blockQuote: 'literal' }))
  })

  for (const mistake of sampleOf(mistakes)) {
    it(`is told by: sluice ${mistake.command}`, async () => {
      // The files of a mistake are there for those that follow, too.
      const upToIt = mistakes.slice(0, mistakes.indexOf(mistake) + 1)
      for (const [path, content] of upToIt.flatMap(one => Object.entries(one.files ?? {}))) {
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, content)
      }
      const found = await command(wordsOf(mistake.command), mistake.environment, mistake.input)
      const { code, err } = { ...found, err: found.err.replaceAll(realpathSync('..'), '/home/me') }
      actual.push({ ...mistake, code, told: err })
      if (process.env['UPDATE_CASES'] !== '1')
        expect({ code, told: err }).to.deep.equal({ code: mistake.code, told: mistake.told })
      expect(err).not.to.equal('')
    })
  }
})
