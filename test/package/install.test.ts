/**
 * The package as a stranger gets it: docs/tutorial.md gets it from a registry, here one on loopback, and tries its commands. Then
 * it is looked through, serves, and is compiled against.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { expect } from 'chai'
import ts from 'typescript'
import { type Checkout, openEmptyFolder } from '../docs/console.js'
import { readPage } from '../docs/page.js'
import { describeCommands } from '../docs/page-commands.js'
import { type OwnRegistry, openRegistry, ownManifest, publishCheckout, published } from './own-registry.js'

let registry: OwnRegistry | undefined

async function openTutorial() {
  registry = await openRegistry()
  publishCheckout(registry)
  return openEmptyFolder(registry)
}

describeCommands(readPage('docs/tutorial.md'), openTutorial, furtherTests, ['Verdaccio'])

function furtherTests(checkout: () => Checkout): void {
  let folder = ''
  let paths: readonly string[]
  let serving: ChildProcess | undefined

  it('install the package', async () => {
    folder = await checkout().enter('printf %s "$PWD"')
    const { versions } = await published(registry!.url, ownManifest.name)
    const tarball = await fetch(versions[ownManifest.version]!.dist.tarball)
    const input = Buffer.from(await tarball.arrayBuffer())
    const { stdout } = spawnSync('tar', ['-tz'], { input, encoding: 'utf8' })
    paths = stdout
      .trimEnd()
      .split('\n')
      .map(path => path.slice('package/'.length))
    expect(existsSync(join(folder, 'node_modules/sluice/package.json'))).to.equal(true)
  })
  after(async () => {
    serving?.kill('SIGKILL')
    await registry?.close()
  })

  it('have packed the licence, the schemas and the templates, and no tests or source maps', () => {
    expect(paths).to.include.members([
      'LICENSE',
      'README.md',
      'schemas/endpoint.schema.json',
      'schemas/table.schema.json',
      'templates/init/_gitignore',
      'templates/sample.yaml',
      'dist/cli/main.js',
    ])
    expect(paths.filter(path => /^test\/|\.map$|\.built$/.test(path))).to.deep.equal([])
  })

  it('have packed the licences of the packages that it has bundled', () => {
    const path = 'dist/THIRD-PARTY-LICENSES.txt'
    expect(paths).to.include(path)
    const text = readFileSync(path, 'utf8')
    for (const name of ['@duckdb/node-api', '@preact/signals', '@tanstack/virtual-core', 'preact', 'uplot']) {
      expect(text).to.match(new RegExp(`^${name} \\d+\\.\\S+ \\(MIT\\)\n\n[\\s\\S]*?Copyright`, 'm'))
    }
  })

  it('have packed every page, picture and schema that its pages link to', () => {
    const pages = paths.filter(path => path.endsWith('.md') && !path.startsWith('templates/'))
    const broken = pages.flatMap(page =>
      [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#:\s]+\.(?:md|svg|png|json))(?:#[^)]*)?\)/g)]
        .map(match => posix.join(posix.dirname(page), match[1]!))
        .filter(target => !paths.includes(target))
        .map(target => `${page}: ${target}`),
    )
    expect(pages).to.include('README.md')
    expect(broken).to.deep.equal([])
  })

  it('install a program that serves the endpoints, and the explorer', async () => {
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
        const ready = /^ready (\S+) endpoints=4 engine=duckdb$/m.exec(out)
        if (ready) resolve(ready[1]!)
      })
      void ended.then(code => reject(new TypeError(`serve ended with ${code}: ${out}${err}`)))
    })
    const token = await checkout().enter('printf %s "$TOKEN"')
    const path = '/api/endpoints/query/sales.revenue?country=DE&days=1'
    const reply = await fetch(url + path, { headers: { 'X-API-KEY': token } })
    expect({ status: reply.status, body: await reply.json() }).to.deep.equal({
      status: 200,
      body: { result: [{ day: '2026-01-06', revenue: 4250, orders: 1 }] },
    })
    const page = await fetch(`${url}/explorer/`)
    const [, script] = /src="([^"]+\.js)"/.exec(await page.text())!
    const loaded = await fetch(new URL(script!, page.url))
    expect([page.status, loaded.status, loaded.headers.get('Content-Encoding')]).to.deep.equal([200, 200, 'gzip'])
    server.kill('SIGTERM')
    expect(await ended, err).to.equal(0)
  })

  it('install types with which strict programs compile that use each export', () => {
    writeFileSync(join(folder, 'program.mts'), readFileSync('test/package/program.txt'))
    writeFileSync(join(folder, 'exports.mts'), importAll(folder))
    expect(diagnose([join(folder, 'program.mts'), join(folder, 'exports.mts')])).to.equal('')
  })
}

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
  // A class can be exported as a type alone.
  if (symbol.declarations?.some(ts.isTypeOnlyExportDeclaration)) return false
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  return (target.flags & ts.SymbolFlags.Value) !== 0
}
