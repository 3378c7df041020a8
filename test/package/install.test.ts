/** The package as a stranger gets it: packed, installed in an empty folder, tried by its commands, and compiled against. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix, resolve } from 'node:path'
import { expect } from 'chai'
import ts from 'typescript'
import { isUnreachable } from '../registry.js'

interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

const INSTALL = [
  'install',
  '--prefer-offline',
  '--omit=dev',
  '--no-audit',
  '--no-fund',
  '--no-package-lock',
  '--loglevel=error',
]

describe('the packed package', function () {
  this.timeout(900_000)
  let folder = ''
  let packed: Packed
  let serving: ChildProcess | undefined

  const npm = (args: readonly string[], cwd: string) =>
    spawnSync('npm', [...args], { cwd, encoding: 'utf8', timeout: 800_000, maxBuffer: 1e8 })
  const sluice = (...args: readonly string[]) => {
    const program = join(folder, 'node_modules/.bin/sluice')
    const { status, stdout, stderr } = spawnSync(program, [...args], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 300_000,
    })
    return { status, stdout, stderr }
  }

  before(function () {
    // Real: npm resolves links, and compares what it finds with the path that it was given.
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice package ')))
    // Without scripts: prepack would build dist/ anew under the feet of other tests. It is there, since the suite needs it.
    const pack = npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder], '.')
    expect(pack.status, pack.stderr).to.equal(0)
    const answer = JSON.parse(pack.stdout)
    // npm 11 gives a list, later ones an object by name.
    packed = (Array.isArray(answer) ? answer : Object.values(answer))[0]
    const install = npm([...INSTALL, '--prefix', folder, join(folder, packed.filename)], folder)
    if (install.status === 0) return
    if (!isUnreachable(install.stderr)) expect(install.status, install.stderr).to.equal(0)
    this.test!.parent!.title += ' (not tried: the package registry cannot be reached)'
    this.skip()
  })
  after(() => {
    serving?.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  it('holds the licence, the schemas and the templates, and no tests or source maps', () => {
    const paths = packed.files.map(file => file.path)
    expect(paths).to.include.members([
      'LICENSE',
      'README.md',
      'schemas/endpoint.schema.json',
      'schemas/table.schema.json',
      'templates/init/_gitignore',
      'dist/runner/main.js',
    ])
    expect(paths.filter(path => /^test\/|\.map$|\.built$/.test(path))).to.deep.equal([])
  })

  it('holds the licences of the packages that it has bundled', () => {
    const path = 'dist/THIRD-PARTY-LICENSES.txt'
    expect(packed.files.map(file => file.path)).to.include(path)
    const text = readFileSync(path, 'utf8')
    for (const name of ['@duckdb/node-api', '@preact/signals', '@tanstack/virtual-core', 'preact', 'uplot']) {
      expect(text).to.match(new RegExp(`^${name} \\d+\\.\\S+ \\(MIT\\)\n\n[\\s\\S]*?Copyright`, 'm'))
    }
  })

  it('holds every page, picture and schema that its pages link to', () => {
    const paths = new Set(packed.files.map(file => file.path))
    const pages = [...paths].filter(path => path.endsWith('.md') && !path.startsWith('templates/'))
    const broken = pages.flatMap(page =>
      [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#:\s]+\.(?:md|svg|png|json))(?:#[^)]*)?\)/g)]
        .map(match => posix.join(posix.dirname(page), match[1]!))
        .filter(target => !paths.has(target))
        .map(target => `${page}: ${target}`),
    )
    expect(pages).to.include('README.md')
    expect(broken).to.deep.equal([])
  })

  it('makes a folder that names the tarball', () => {
    const { status, stdout, stderr } = sluice('init', 'mine')
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' })
    expect(stdout).to.contain('next: cd mine && npm install && npx sluice serve\n')
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'mine/package.json'), 'utf8'))
    expect(dependencies).to.deep.equal({ sluice: `file:../${packed.filename}` })
    expect(existsSync(join(folder, 'mine/.gitignore'))).to.equal(true)
  })

  it('makes its files where it was installed too, and they validate and answer', () => {
    expect(sluice('init', '.')).to.include({ status: 0, stderr: '' })
    expect(sluice('validate')).to.deep.include({ status: 0, stdout: '1 manifest, 2 variants: no problems\n' })
    const call = sluice('call', 'shop.top-products', 'country=DE', '--format', 'csv')
    expect(call.status, call.stderr).to.equal(0)
    expect(call.stdout).to.match(/^product,orders,revenue\r?\nkettle,2,75\.8\r?\n/)
  })

  it('serves them', async () => {
    const server = spawn(join(folder, 'node_modules/.bin/sluice'), ['serve', '--port', '0', '--engine-memory', '256'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    serving = server
    let out = ''
    let err = ''
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text
    })
    const ended = new Promise(resolve => server.once('exit', resolve))
    const url = await new Promise<string>((resolve, reject) => {
      server.stdout.setEncoding('utf8').on('data', (text: string) => {
        out += text
        const ready = /^ready (\S+) endpoints=1 engine=duckdb$/m.exec(out)
        if (ready) resolve(ready[1]!)
      })
      void ended.then(code => reject(new TypeError(`serve ended with ${code}: ${out}${err}`)))
    })
    const token = /^token (\S+)/m.exec(out)![1]!
    const path = '/api/endpoints/query/shop.top-products?top=1'
    const reply = await fetch(url + path, { headers: { 'X-API-KEY': token } })
    expect({ status: reply.status, body: await reply.json() }).to.deep.equal({
      status: 200,
      body: { result: [{ product: 'kettle', orders: 3, revenue: '115.7' }] },
    })
    const page = await fetch(`${url}/explorer/`)
    const [, script] = /src="([^"]+\.js)"/.exec(await page.text())!
    const loaded = await fetch(new URL(script!, page.url))
    expect([page.status, loaded.status, loaded.headers.get('Content-Encoding')]).to.deep.equal([200, 200, 'gzip'])
    server.kill('SIGTERM')
    expect(await ended, err).to.equal(0)
  })

  it('compiles with strict programs that use each export', () => {
    writeFileSync(join(folder, 'program.mts'), readFileSync('test/package/program.txt'))
    writeFileSync(join(folder, 'exports.mts'), importAll(folder))
    expect(diagnose([join(folder, 'program.mts'), join(folder, 'exports.mts')])).to.equal('')
  })
})

const STRICT: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: false,
  noEmit: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  // What a consumer installs beside the package: `npm install --save-dev @types/node`.
  typeRoots: [resolve('node_modules/@types')],
  types: ['node'],
}

/** Errors of these files and of every declaration of the package that they reach, as the compiler prints them. */
function diagnose(files: readonly string[]): string {
  const program = ts.createProgram(files, STRICT)
  const ours = program.getSourceFiles().filter(({ fileName }) => /\/node_modules\/sluice\/|\.mts$/.test(fileName))
  expect(ours.length).to.be.greaterThan(files.length)
  const diagnostics = [
    ...program.getOptionsDiagnostics(),
    ...ours.flatMap(file => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ]
  return ts.formatDiagnostics(diagnostics, {
    getCanonicalFileName: name => name,
    getCurrentDirectory: () => process.cwd(),
    getNewLine: () => '\n',
  })
}

/** A program that names each export of each entry of the installed package, types as types and values as values. */
function importAll(folder: string): string {
  const root = join(folder, 'node_modules/sluice')
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>
  }
  const entries = Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [{ name: `sluice${path.slice(1)}`, file: join(root, target.types) }],
  )
  const program = ts.createProgram(
    entries.map(entry => entry.file),
    { ...STRICT, noLib: true, types: [] },
  )
  const checker = program.getTypeChecker()
  return entries
    .map(({ name, file }, i) => {
      const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!)
      const [values, types] = [true, false].map(isValue =>
        symbols.filter(symbol => isValue === isValueSymbol(symbol, checker)).map(symbol => symbol.name),
      ) as [string[], string[]]
      expect(values, name).to.not.have.length(0)
      const local = (symbol: string) => `${symbol} as ${symbol}_${i}`
      return [
        `import { ${values.map(local).join(', ')} } from '${name}'`,
        `export type { ${types.map(local).join(', ')} } from '${name}'`,
        `export const values_${i}: readonly unknown[] = [${values.map(value => `${value}_${i}`).join(', ')}]`,
      ].join('\n')
    })
    .join('\n')
}

function isValueSymbol(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  return (target.flags & ts.SymbolFlags.Value) !== 0
}
