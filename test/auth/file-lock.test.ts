import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { withFileLock } from '../../runner/auth/file-lock.js'
import { createToken, listTokens, revokeToken } from '../../runner/auth/token-file.js'
import { SetupError } from '../../runner/model/errors.js'

const BITS = '0123456789abcdef'
const MAKE_THREE = `
import { createToken } from './runner/auth/token-file.js'
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
  /** The id of a process that has ended. */
  const deadPid = (): number => spawnSync(process.execPath, ['-e', '0']).pid

  it('keeps every token when several are created at the same time, and leaves no other file', async () => {
    const wanted = Array.from({ length: 12 }, (_, i) => `t${String(i).padStart(2, '0')}`)
    await Promise.all(wanted.map(create))
    expect(await names()).to.deep.equal(wanted)
    expect(readdirSync(folder)).to.deep.equal(['tokens.json'])
  })

  it('keeps them when several processes create them', async () => {
    const argv = ['--import', 'tsx', '--input-type=module', '-e', MAKE_THREE]
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

  it('that a dead process has left behind is taken over, by one process at a time', async () => {
    writeFileSync(lock, `${hostname()} ${deadPid()} ${BITS}`)
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

  it('that a dead process has left behind is not taken over by a second process that has seen it too', async () => {
    // The marker file gives a first process the right to remove the lock; that process has not removed it yet.
    writeFileSync(lock, `${hostname()} ${deadPid()} ${BITS}`)
    writeFileSync(`${lock}.${BITS}`, '')
    const error = await withFileLock(path, async () => 'done', 2).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(SetupError)
    expect(existsSync(lock)).to.equal(true)
  })

  const live: readonly (readonly [name: string, text: () => string, owner: RegExp])[] = [
    ['a living process', () => `${hostname()} ${process.pid} ${BITS}`, new RegExp(`process ${process.pid} of `)],
    ['a process of another host', () => `elsewhere.invalid ${deadPid()} ${BITS}`, /of elsewhere\.invalid/],
    ['a process that has not yet written its id', () => '', /another process/],
  ]
  for (const [name, text, owner] of live) {
    it(`held by ${name} is waited for, but not for ever`, async () => {
      writeFileSync(lock, text())
      const before = readFileSync(lock, 'utf8')
      const error = await withFileLock(path, async () => 'done', 2).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(SetupError)
      expect((error as Error).message)
        .to.match(owner)
        .and.include(`remove ${lock}`)
      expect(readFileSync(lock, 'utf8')).to.equal(before)
      const late = withFileLock(path, async () => 'done')
      rmSync(lock)
      expect(await late).to.equal('done')
    })
  }
})
