import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { installedFrom } from '../../authoring/write/installed-from.js'
import { ownPackage } from '../../runner/platform/own-package.js'
import { createRunner } from '../../runner/serve/runner.js'
import { command, scratch } from './command.js'

const WRITTEN = [
  '.github/workflows/validate.yml',
  '.gitignore',
  'README.md',
  'data/shop/orders.ndjson',
  'endpoints/shop.top-products.test.yaml',
  'endpoints/shop.top-products.yaml',
  'package.json',
  'schemas/tables/shop.orders.json',
]

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter(entry => !entry.isDirectory())
    .map(entry => relative(folder, `${entry.parentPath}/${entry.name}`))
    .sort()

describe('sluice init', () => {
  const folder = scratch()
  const at = folder.path
  const made = at('made')
  const flags = ['--endpoints', at('made/endpoints'), '--tables', at('made/schemas/tables'), '--data', at('made/data')]
  const packageJson = (name: string) => JSON.parse(readFileSync(at(name, 'package.json'), 'utf8'))

  before(async () => {
    const { code, out, err } = await command(['init', made])
    expect({ code, err }).to.deep.equal({ code: 0, err: '' })
    expect(out).to.contain(`next: cd ${made} && npm install && npx sluice serve\n`)
  })
  after(() => folder.remove())

  it('writes an endpoint, its table and data, a package.json, a workflow and a page', () => {
    expect(filesIn(made)).to.deep.equal(WRITTEN)
  })

  it('leaves no placeholder in what it writes', () => {
    for (const file of WRITTEN) expect(readFileSync(at('made', file), 'utf8'), file).to.not.match(/%[A-Z]+%/)
  })

  it('writes manifests that validate', async () => {
    const { code, out, err } = await command(['validate', ...flags])
    expect({ code, text: out + err }).to.deep.equal({ code: 0, text: '1 manifest, 2 variants: no problems\n' })
  })

  it('writes tests that pass and leave nothing out', async () => {
    const { code, out, err } = await command(['test', '--min-coverage', '100', ...flags.slice(0, 4)])
    expect(err).to.equal('')
    expect(out).to.match(/coverage 100 %\n3 passed, 0 failed in /)
    expect(code).to.equal(0)
  })

  it('writes data that the endpoint answers from', async () => {
    const { code, out } = await command(['call', 'shop.top-products', 'country=DE', '--format', 'json', ...flags])
    expect(code).to.equal(0)
    expect(JSON.parse(out).result[0]).to.deep.equal({ product: 'kettle', orders: 2, revenue: '75.8' })
  })

  it('writes an endpoint that is served', async () => {
    const token = 'unrestricted-token-of-32-letters'
    const [endpointsDir, tablesDir, dataDir] = [at('made/endpoints'), at('made/schemas/tables'), at('made/data')]
    const runner = await createRunner({ port: 0, endpointsDir, tablesDir, dataDir, token, engineMemoryMb: 256 })
    try {
      const { url, close } = await runner.listen()
      const path = '/api/endpoints/query/shop.top-products?top=2'
      const { result } = (await (await fetch(url + path, { headers: { 'X-API-KEY': token } })).json()) as {
        result: unknown[]
      }
      expect(result).to.have.length(2)
      await close()
    } finally {
      await runner.close()
    }
  })

  it('points editors at the schema of the package', () => {
    const [line] = readFileSync(at('made/endpoints/shop.top-products.yaml'), 'utf8').split('\n')
    const path = /\$schema=\.\.\/node_modules\/sluice\/(\S+)$/.exec(line!)![1]!
    expect(existsSync(path), path).to.equal(true)
  })

  it('gives each folder an id of its own', async () => {
    await command(['init', at('other')])
    const id = (name: string) => parse(readFileSync(at(name, 'endpoints/shop.top-products.yaml'), 'utf8')).id
    expect(id('made')).to.match(/^[0-9a-f-]{36}$/)
    expect(id('other')).to.not.equal(id('made'))
  })

  it('writes a workflow that validates', () => {
    const { jobs } = parse(readFileSync(at('made/.github/workflows/validate.yml'), 'utf8'))
    const steps = jobs.validate.steps.map((step: { run?: string; uses?: string }) => step.run ?? step.uses)
    expect(steps).to.include.members(['npm install --no-audit --no-fund', 'npx sluice validate --format github'])
  })

  for (const [name, expected] of [
    ['with spaces', 'with-spaces'],
    ['v1.2.x', 'v1.2.x'],
    ['.hidden', 'hidden'],
    ['Übersicht', 'ubersicht'],
    ['日本', 'my-endpoints'],
    ["it's $HOME", 'it-s-home'],
    ['sluice', 'sluice-endpoints'],
    ['a/b/deep', 'deep'],
  ] as const) {
    it(`makes ${name}, a package of the name ${expected}`, async () => {
      const { code } = await command(['init', at('names', name)])
      expect(code).to.equal(0)
      expect(packageJson(`names/${name}`).name).to.equal(expected)
      expect(filesIn(at('names', name))).to.deep.equal(WRITTEN)
    })
  }

  it('names a folder so that a shell takes it for one word', async () => {
    const { out } = await command(['init', at("quo'te d")])
    expect(out).to.contain(`next: cd '${at("quo'\\''te d")}' && npm install`)
  })

  it('goes into a folder that holds other files', async () => {
    mkdirSync(at('used/endpoints'), { recursive: true })
    writeFileSync(at('used/endpoints/mine.yaml'), '')
    writeFileSync(at('used/LICENSE'), '')
    expect((await command(['init', at('used')])).code).to.equal(0)
    expect(filesIn(at('used'))).to.have.members([...WRITTEN, 'endpoints/mine.yaml', 'LICENSE'])
  })

  it('writes nothing where one of its files exists, and names each', async () => {
    mkdirSync(at('full'))
    writeFileSync(at('full/README.md'), 'mine')
    writeFileSync(at('full/package.json'), '{}')
    const { code, out, err } = await command(['init', at('full')])
    expect({ code, out }).to.deep.equal({ code: 1, out: '' })
    expect(err).to.equal(
      `sluice: ${at('full/README.md')} exists already\nsluice: ${at('full/package.json')} exists already\n` +
        'sluice: nothing was written\n',
    )
    expect(filesIn(at('full'))).to.deep.equal(['README.md', 'package.json'])
    expect(readFileSync(at('full/README.md'), 'utf8')).to.equal('mine')
  })

  it('keeps a package.json that names Sluice already', async () => {
    mkdirSync(at('installed'))
    const text = '{ "dependencies": { "sluice": "^0.1.0" } }'
    writeFileSync(at('installed/package.json'), text)
    const { code, out } = await command(['init', at('installed')])
    expect(code).to.equal(0)
    expect(out).to.contain(`kept ${at('installed/package.json')}\n`)
    expect(out).to.contain(`next: cd ${at('installed')} && npx sluice serve\n`)
    expect(readFileSync(at('installed/package.json'), 'utf8')).to.equal(text)
  })

  it('writes nothing where a file or a link to nothing stands for a folder', async () => {
    mkdirSync(at('odd'))
    writeFileSync(at('odd/endpoints'), '')
    symlinkSync(at('nowhere'), at('odd/data'))
    const { code, err } = await command(['init', at('odd')])
    expect(code).to.equal(1)
    expect(err)
      .to.contain(`${at('odd/endpoints')} exists already`)
      .and.contain(`${at('odd/data')} exists already`)
    expect(filesIn(at('odd'))).to.deep.equal(['data', 'endpoints'])
  })

  it('is 1 where the folder itself is a file, 3 where it cannot be made, 2 without a folder', async () => {
    writeFileSync(at('file'), '')
    expect((await command(['init', at('file')])).code).to.equal(1)
    const { code, err } = await command(['init', at('file/below')])
    expect(code).to.equal(3)
    expect(err).to.match(/^sluice: cannot write \S+\/file\/below\/README\.md: .*\(ENOTDIR\)\n$/)
    expect((await command(['init'])).code).to.equal(2)
  })

  it('names a clone by its path', () => {
    expect(packageJson('made').dependencies).to.deep.equal({ sluice: `file:${relative(made, process.cwd())}` })
    expect(basename(process.cwd())).to.equal(basename(packageJson('made').dependencies.sluice))
  })
})

describe('where Sluice was installed from', () => {
  const folder = scratch()
  const root = folder.path('project/node_modules/sluice')
  const { version } = ownPackage()

  before(() => mkdirSync(root, { recursive: true }))
  after(() => folder.remove())

  const named = (manifest: unknown, below = 'project/mine'): string => {
    writeFileSync(folder.path('project/package.json'), JSON.stringify(manifest))
    return installedFrom(root, folder.path(below))
  }

  for (const [written, expected] of [
    ['^0.0.9', `^${version}`],
    ['latest', `^${version}`],
    ['https://files.example/builds/sluice.tgz', 'https://files.example/builds/sluice.tgz'],
    ['git+ssh://git@git.example/team/sluice.git#0f1e2d', 'git+ssh://git@git.example/team/sluice.git#0f1e2d'],
    ['github:team/sluice', 'github:team/sluice'],
    ['file:sluice-1.2.3.tgz', 'file:../sluice-1.2.3.tgz'],
    ['file:../packed/sluice-1.2.3.tgz', 'file:../../packed/sluice-1.2.3.tgz'],
  ] as const) {
    it(`is ${expected} where the package.json says ${written}`, () => {
      expect(named({ dependencies: { sluice: written } })).to.equal(expected)
      expect(named({ devDependencies: { sluice: written } })).to.equal(expected)
    })
  }

  it('is relative to the new folder', () => {
    const manifest = { dependencies: { sluice: 'file:sluice-1.2.3.tgz' } }
    expect(named(manifest, 'project')).to.equal('file:./sluice-1.2.3.tgz')
    expect(named(manifest, 'elsewhere')).to.equal('file:../project/sluice-1.2.3.tgz')
  })

  it('is the version where nothing says it', () => {
    expect(named({})).to.equal(`^${version}`)
  })
})
