import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { sourceState } from '../../../runner/manifest/watch/source-state.js'

describe('the state of sources', () => {
  let root = ''
  const at = (name: string): string => join(root, name)
  const state = (): Promise<string> =>
    sourceState({ endpointsDir: at('endpoints'), tablesDir: at('tables'), functionsDir: at('functions') })
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'sluice-state-'))
    for (const name of ['endpoints/partials', 'endpoints/deep', 'tables', 'functions', 'elsewhere']) {
      mkdirSync(at(name), { recursive: true })
    }
    for (const name of ['endpoints/a.yaml', 'endpoints/deep/b.yaml', 'endpoints/partials/p.sql', 'tables/d.t.json']) {
      writeFileSync(at(name), 'one')
    }
    writeFileSync(at('elsewhere/c.yaml'), 'one')
    symlinkSync('../elsewhere', at('endpoints/link'))
    symlinkSync('../endpoints', at('endpoints/loop'))
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  const CHANGES: readonly (readonly [what: string, change: () => void])[] = [
    ['another function', () => writeFileSync(at('functions/d.f.sql'), 'one')],
    ['another text', () => writeFileSync(at('endpoints/a.yaml'), 'other')],
    ['a text of the same length', () => writeFileSync(at('endpoints/deep/b.yaml'), 'two')],
    [
      'a text of the same length and the same time of change',
      () => {
        writeFileSync(at('endpoints/a.yaml'), 'two')
        utimesSync(at('endpoints/a.yaml'), 0, 0)
      },
    ],
    ['a text behind a link', () => writeFileSync(at('elsewhere/c.yaml'), 'two')],
    ['a partial', () => writeFileSync(at('endpoints/partials/p.sql'), 'two')],
    ['a table schema', () => writeFileSync(at('tables/d.t.json'), 'two')],
    ['a new file', () => writeFileSync(at('endpoints/deep/n.yaml'), 'one')],
    ['a file that is gone', () => rmSync(at('endpoints/a.yaml'))],
    ['another name', () => renameSync(at('endpoints/a.yaml'), at('endpoints/z.yaml'))],
    ['a link that leads nowhere', () => symlinkSync('nowhere', at('endpoints/n.yaml'))],
    ['a file that may be read by others', () => chmodSync(at('endpoints/a.yaml'), 0o600)],
    ['a folder that is gone', () => rmSync(at('endpoints'), { recursive: true })],
    ['table schemas that are gone', () => rmSync(at('tables'), { recursive: true })],
  ]
  for (const [what, change] of CHANGES) {
    it(`changes with ${what}`, async () => {
      // The file is old, as most files are.
      utimesSync(at('endpoints/a.yaml'), 0, 0)
      const before = await state()
      expect(await state()).to.equal(before)
      change()
      expect(await state()).to.not.equal(before)
    })
  }

  it('is the same whatever happens to other files', async () => {
    const before = await state()
    for (const name of ['endpoints/a.test.yaml', 'endpoints/.a.yaml', 'endpoints/a.sql', 'tables/readme.md']) {
      writeFileSync(at(name), 'one')
    }
    mkdirSync(at('endpoints/.git'))
    writeFileSync(at('endpoints/.git/a.yaml'), 'one')
    expect(await state()).to.equal(before)
  })
})
