/** The programs in docs/library.md run, over the files of the tutorial. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { freePort } from '../free-port.js'
import { type Checkout, openTutorialFolder } from './console.js'
import { readPage } from './page.js'

const TSX = pathToFileURL(resolve('node_modules/tsx/dist/loader.mjs')).href
const EXPORTS: Readonly<Record<string, string>> = {
  sluice: 'dist/runner/index.js',
  'sluice/googlesql': 'dist/googlesql/index.js',
  'sluice/googlesql-duckdb': 'dist/googlesql-duckdb/index.js',
}

describe('the programs of docs/library.md', function () {
  this.timeout(120_000)
  let checkout: Checkout
  before(async () => {
    checkout = await openTutorialFolder()
  })
  after(() => checkout.close())

  const programs = readPage('docs/library.md').blocks.filter(({ language }) => language === 'ts')
  for (const [i, { text }] of programs.entries()) {
    it(`run: ${text.split('\n').find(line => line.includes("'sluice"))}`, async () => {
      const port = await freePort()
      const source = text
        .replace(/from '(sluice[\w/-]*)'/g, (_, name: string) => `from '${pathToFileURL(resolve(EXPORTS[name]!))}'`)
        .replace('8080', String(port))
      const file = join(checkout.folder, `program-${i}.mts`)
      writeFileSync(file, source)
      const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', TSX, file], {
        cwd: checkout.folder,
        encoding: 'utf8',
      })
      expect([status, stderr]).to.deep.equal([0, ''])
      const [, shown] = /^console\.log\(.*\) \/\/ (.*)$/m.exec(text) ?? []
      if (shown !== undefined) expect(stdout.trim()).to.equal(shown)
    })
  }
})
