import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { withFileLock } from '../../authoring/token/file-lock.js'
import { createToken, listTokens, revokeToken } from '../../authoring/token/token-writer.js'
import { SetupError } from '../../runner/model/errors.js'

const MAKE_THREE = `
import { createToken } from './dist/authoring/token/token-writer.js'
const [path, name] = process.argv.slice(-2)
for (const i of [1, 2, 3]) await createToken(path, { name: name + i, allow: ['*'] }, 0)
`

describe('a file lock', () => {
  let folder = ''
  let path = ''
  let lock = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-lock-'))
    path = join(folder, 'tokens.json')
    lock = `${path}.lock`
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const create = (name: string) => createToken(path, { name, allow: ['*'] }, 0)
  const names = async () => (await listTokens(path)).map(token => token.name).sort()

  it('keeps every token when several are created at the same time, and leaves no other file', async () => {
    const wanted = Array.from({ length: 12 }, (_, i) => `t${String(i).padStart(2, '0')}`)
    await Promise.all(wanted.map(create))
    expect(await names()).to.deep.equal(wanted)
    expect(readdirSync(folder)).to.deep.equal(['tokens.json'])
  })

  it('keeps them when several processes create them', async () => {
    const argv = ['--input-type=module', '-e', MAKE_THREE]
    const children = ['a', 'b', 'c'].map(name =>
      spawn(process.execPath, [...argv, path, name], { stdio: ['ignore', 'ignore', 'inherit'] }),
    )
    const codes = await Promise.all(children.map(async child => (await once(child, 'exit'))[0]))
    expect(codes).to.deep.equal([0, 0, 0])
    expect(await names()).to.deep.equal(['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3'])
  })

  it('never restores a token that is revoked while others are created', async () => {
    for (const name of ['old1', 'old2', 'old3']) await create(name)
    await Promise.all(
      ['old1', 'new1', 'old2', 'new2', 'old3'].map(name =>
        /^old/.test(name) ? revokeToken(path, name) : create(name),
      ),
    )
    expect(await names()).to.deep.equal(['new1', 'new2'])
  })

  it('is given back when the work fails', async () => {
    const failing = withFileLock(path, () => Promise.reject(new RangeError('no')))
    expect(await failing.catch((thrown: unknown) => thrown)).to.be.instanceOf(RangeError)
    expect(readdirSync(folder)).to.deep.equal([])
  })

  const leave = (ageMs: number): void => {
    writeFileSync(lock, '')
    const made = new Date(Date.now() - ageMs)
    utimesSync(lock, made, made)
  }

  for (const [what, ageMs] of [
    ['older than ten seconds', 11_000],
    ['from the future', -60_000],
  ] as const) {
    it(`that is ${what} was left by a dead process: it is taken over, by one work at a time`, async () => {
      leave(ageMs)
      let inside = 0
      let most = 0
      const work = async (): Promise<void> => {
        inside += 1
        most = Math.max(most, inside)
        await new Promise(resolve => setTimeout(resolve, 2))
        inside -= 1
      }
      await Promise.all(Array.from({ length: 8 }, () => withFileLock(path, work)))
      expect(most).to.equal(1)
      expect(readdirSync(folder)).to.deep.equal([])
    })
  }

  it('that is younger is waited for', async () => {
    leave(1_000)
    let isDone = false
    const late = withFileLock(path, async () => {
      isDone = true
    })
    await new Promise(resolve => setTimeout(resolve, 100))
    expect([isDone, existsSync(lock)]).to.deep.equal([false, true])
    rmSync(lock)
    await late
    expect(isDone).to.equal(true)
  })

  it('that cannot be made is a mistake that names it and the setting', async () => {
    const error = await withFileLock(join(folder, 'none', 'tokens.json'), async () => 'done').catch(thrown => thrown)
    expect(error).to.be.instanceOf(SetupError)
    expect(error.message).to.match(/^cannot write the lock .*none.tokens\.json\.lock: .*ENOENT.*--tokens/)
  })
})
