/** An open file stays the same file, whatever its name refers to later, until no query reads it. */
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { OpenFiles } from '../../../../runner/engines/duckdb/tables/open-files.js'
import { FileChangedError } from '../../../../runner/engines/duckdb/tables/steady-copy.js'
import { scratchFolder } from '../raw-engine.js'

describe('an open file of the data folder', () => {
  const scratch = scratchFolder()
  const at = (...names: readonly string[]): string => join(scratch.path, ...names)
  let files: OpenFiles

  before(() => {
    for (const folder of ['data/d', 'data/e', 'outside']) mkdirSync(at(folder), { recursive: true })
    writeFileSync(at('outside/1.parquet'), 'outside')
    files = new OpenFiles({ ownFolder: at('own'), dataDir: at('data'), datasets: [at('data/d'), at('data/e')] })
  })
  after(() => scratch.remove())

  const write = (name: string, text: string): string => {
    writeFileSync(at(name), text)
    return at(name)
  }
  const open = (path: string, stamp: string | null = null) => files.open({ path, stamp, isGiven: false })
  const openHandles = (): number => readdirSync('/proc/self/fd').length

  it('is read under a name that leads to the file that was opened', function () {
    if (process.platform !== 'linux') this.skip()
    const path = write('data/d/1.parquet', 'inside')
    const file = open(path)
    unlinkSync(path)
    symlinkSync(at('outside/1.parquet'), path)
    expect(readFileSync(path, 'utf8')).to.equal('outside')
    expect(readFileSync(file.path, 'utf8')).to.equal('inside')
    expect(file.path.startsWith(`${join(files.root, 'd/1.parquet')}/`)).to.equal(true)
  })

  it('is refused where a link leads out of the datasets: itself, its folder, or a chain', () => {
    mkdirSync(at('data/d/t'))
    symlinkSync(at('outside'), at('data/d/folder'))
    symlinkSync(at('data/d/folder/1.parquet'), at('data/d/t/chain.parquet'))
    symlinkSync(at('data'), at('data/d/up'))
    write('data/tokens.parquet', 'secret')
    for (const path of ['data/d/folder/1.parquet', 'data/d/t/chain.parquet', 'data/d/up/tokens.parquet'])
      expect(() => open(at(path)), path).to.throw(/it is a link, or is in a folder that is one, which leads out/)
  })

  it('may be in another dataset, and in a dataset that is a link itself', () => {
    write('data/e/1.parquet', 'another')
    symlinkSync(at('data/e/1.parquet'), at('data/d/other.parquet'))
    expect(readFileSync(open(at('data/d/other.parquet')).path, 'utf8')).to.equal('another')
    symlinkSync(at('outside'), at('data/linked'))
    const linked = new OpenFiles({ ownFolder: at('own2'), dataDir: at('data'), datasets: [at('data/linked')] })
    const file = linked.open({ path: at('data/linked/1.parquet'), stamp: null, isGiven: false })
    expect(readFileSync(file.path, 'utf8')).to.equal('outside')
    linked.close([file])
  })

  it('must have the state that was seen before', () => {
    expect(() => open(write('data/d/2.parquet', 'later'), '1 2 3 4')).to.throw(/2\.parquet changed while it was read/)
  })

  it('stays open until the queries that run have ended, so that they cannot read another file under its number', async function () {
    if (process.platform !== 'linux') this.skip()
    const tick = () => new Promise(resolve => setImmediate(resolve))
    const before = openHandles()
    const first = open(write('data/d/3.parquet', 'first'))
    const endFirst = files.begin()
    files.close([first])
    const endSecond = files.begin()
    const second = open(write('data/d/4.parquet', 'second'))
    expect(readFileSync(first.path, 'utf8')).to.equal('first')
    endFirst()
    await tick()
    expect(() => readFileSync(first.path)).to.throw(/ENOENT/)
    expect(openHandles()).to.equal(before + 1)
    files.close([second])
    endSecond()
    await tick()
    expect(openHandles()).to.equal(before)
    // An error leaves no file open.
    expect(() => open(at('data/d/gone.parquet'))).to.throw(/no such file/)
    // A query whose file went after its folder was listed begins again.
    expect(() => open(at('data/d/gone.parquet'), 'any')).to.throw(FileChangedError)
    expect(() => open(at('data/d/folder/1.parquet'))).to.throw(/it is a link/)
    expect(openHandles()).to.equal(before)
  })

  it('never waits for the writer of a pipe', async () => {
    const { spawnSync } = await import('node:child_process')
    spawnSync('mkfifo', [at('data/d/pipe.parquet')])
    expect(() => open(at('data/d/pipe.parquet'))).to.throw(/changed while it was read/)
    renameSync(at('data/d/4.parquet'), at('data/d/5.parquet'))
    linkSync(at('data/d/5.parquet'), at('data/d/6.parquet'))
    expect(open(at('data/d/6.parquet')).state.size).to.equal(6n)
  })
})
