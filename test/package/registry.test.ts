/**
 * The package as a registry gives it: published to a registry on loopback, then got by the README's first commands in an empty
 * folder, installed with and without scripts, and called.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readPage } from '../docs/page.js'
import { freePort } from '../free-port.js'
import { need, whyPending } from '../installed/installed.js'
import { isUnreachable } from '../registry.js'
import { type OwnRegistry, openRegistry, ownManifest, publishCheckout, published } from './own-registry.js'

const { name, version } = ownManifest
const MOST_PACKED_BYTES = 3_000_000
/** The README's first commands: the last serves. */
const FIRST = readPage('README.md')
  .blocks.find(({ language }) => language === 'sh')!
  .text.trim()
  .split(' && ')

describe(`the package from a registry${whyPending('Verdaccio')}`, function () {
  this.timeout(900_000)
  let registry: OwnRegistry
  let folder: string
  let serving: ChildProcess | undefined

  /** Runs a command line in a folder below the empty one; a registry that cannot be reached leaves the test pending. */
  function shell(context: Mocha.Context, line: string, below = '') {
    const options = { cwd: join(folder, below), env: { ...registry.env, SLUICE_ENGINE_MEMORY: '256' } }
    const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { ...options, encoding: 'utf8' })
    if (status !== 0 && isUnreachable(stderr)) context.skip()
    return { status, out: stdout, err: stderr }
  }
  function passing(context: Mocha.Context, line: string, below = ''): string {
    const { status, out, err } = shell(context, line, below)
    expect(status, `${line}\n${out}${err}`).to.equal(0)
    return out + err
  }

  before(async function () {
    need(this, 'Verdaccio')
    registry = await openRegistry()
    folder = registry.folder
    publishCheckout(registry)
  })
  after(async () => {
    serving?.kill('SIGKILL')
    await registry?.close()
  })

  it('is packed into at most 3 MB', async () => {
    const { versions } = await published(registry.url, name)
    const tarball = await (await fetch(versions[version]!.dist.tarball)).arrayBuffer()
    expect(tarball.byteLength).to.be.at.most(MOST_PACKED_BYTES)
    writeFileSync(join(folder, 'packed.tgz'), Buffer.from(tarball))
  })

  it('has no script that an installation would run', async () => {
    const { scripts = {} } = (await published(registry.url, name)).versions[version]!
    expect(Object.keys(scripts).filter(script => /^(?:pre|post)?install$/.test(script))).to.deep.equal([])
  })

  it("makes a folder by the README's first command, which depends on the version", function () {
    const printed = passing(this, FIRST[0]!)
    expect(FIRST[0]).to.equal(`npx --yes ${name} init my-api`)
    expect(printed).to.contain('next: cd my-api && npm install && npx sluice serve\n')
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'my-api/package.json'), 'utf8'))
    expect(dependencies).to.deep.equal({ [name]: `^${version}` })
  })

  it("serves by the README's other commands before anything is installed there, and answers a call", async () => {
    expect(FIRST.slice(1)).to.deep.equal(['cd my-api', 'npx sluice serve'])
    const port = await freePort()
    const env = { ...registry.env, PORT: String(port), SLUICE_ENGINE_MEMORY: '256' }
    const line = `${FIRST[1]} && exec ${FIRST[2]}`
    const server = spawn('bash', ['-c', line], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    serving = server
    const ended = new Promise<number | null>(done => server.once('exit', done))
    let out = ''
    let err = ''
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
    await new Promise<void>((done, fail) => {
      server.stdout.setEncoding('utf8').on('data', (text: string) => {
        out += text
        if (/^ready .*\n/m.test(out)) done()
      })
      void ended.then(code => fail(new TypeError(`serve ended with ${code}: ${out}${err}`)))
    })
    expect(existsSync(join(folder, 'my-api/node_modules'))).to.equal(false)
    const [, token] = /^token (\S+)/m.exec(out)!
    const address = `http://127.0.0.1:${port}/api/endpoints/query/shop.top-products?country=DE&top=1`
    const reply = await fetch(address, { headers: { 'X-API-KEY': token! } })
    expect({ status: reply.status, body: await reply.json() }).to.deep.equal({
      status: 200,
      body: { result: [{ product: 'kettle', orders: 2, revenue: '75.8' }] },
    })
    process.kill(-server.pid!, 'SIGTERM')
    await ended
  })

  it('is installed there without any script of its own being run, validates and passes its tests', function () {
    // npm prints the name of each package whose script it runs.
    const printed = passing(this, 'npm install --foreground-scripts --no-audit --no-fund', 'my-api')
    expect(printed).to.not.contain(`> ${name}@`)
    expect(passing(this, 'npx sluice validate', 'my-api')).to.equal('1 manifest, 2 variants: no problems\n')
    expect(passing(this, 'npx sluice test', 'my-api')).to.match(/^3 passed, 0 failed in /)
  })

  it('works where no script of any package may run', function () {
    passing(this, 'rm -rf node_modules && npm ci --ignore-scripts --no-audit --no-fund', 'my-api')
    const printed = passing(this, 'npx sluice call shop.top-products country=FR top=1 --format json', 'my-api')
    expect(JSON.parse(printed)).to.deep.equal({ result: [{ product: 'teapot', orders: 1, revenue: '24.5' }] })
  })

  it('can have another name, which package.json alone says', function () {
    const renamed = '@example/sluice-api'
    mkdirSync(join(folder, 'renamed'))
    passing(this, 'tar -xzf packed.tgz -C renamed --strip-components 1')
    const file = join(folder, 'renamed/package.json')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), name: renamed }))
    passing(this, 'npm publish --ignore-scripts --access public', 'renamed')
    passing(this, `npx --yes ${renamed} init other`)
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'other/package.json'), 'utf8'))
    expect(dependencies).to.deep.equal({ [renamed]: `^${version}` })
    const [line] = readFileSync(join(folder, 'other/endpoints/shop.top-products.yaml'), 'utf8').split('\n')
    expect(line).to.match(new RegExp(`\\$schema=\\.\\./node_modules/${renamed}/schemas/endpoint\\.schema\\.json$`))
  })
})
