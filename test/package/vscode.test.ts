/** The extension for VS Code: what it calls, and that it compiles and is packed as the release does. VS Code itself is not started. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { callOf, endpointIn, folderOf, wordsOf } from '../../editors/vscode/call.js'
import { command } from '../cli/command.js'
import { need, whyPending } from '../installed/installed.js'
import { ownManifest, UNCOVERED } from './own-registry.js'

const EXTENSION = JSON.parse(readFileSync('editors/vscode/package.json', 'utf8'))

describe('a run of the open manifest', () => {
  it('finds the name of the endpoint, and its line', () => {
    expect(endpointIn('# a\nid: x\nname: shop.top-products # best\nsql: |\n  name: no\n')).to.deep.equal({
      name: 'shop.top-products',
      line: 2,
    })
    expect(endpointIn('name: "shop.orders"\r\n')).to.deep.equal({ name: 'shop.orders', line: 0 })
    expect(endpointIn('  name: nested\nnames: x\n')).to.equal(null)
  })

  it('runs in the folder that holds the endpoints', () => {
    expect(folderOf('/work/services/shop/endpoints/a/b.yaml')).to.equal('/work/services/shop')
    expect(folderOf('C:\\shop\\endpoints\\b.yaml')).to.equal('C:\\shop')
    expect(folderOf('/endpoints/b.yaml')).to.equal('/')
    expect(folderOf('/work/compose.yaml')).to.equal(null)
  })

  it('takes arguments as a shell would, without running any', () => {
    expect(wordsOf(` country=DE  note="two words" other='a "b"' x=$(id) `)).to.deep.equal([
      'country=DE',
      'note=two words',
      'other=a "b"',
      'x=$(id)',
    ])
    expect(wordsOf('  ')).to.deep.equal([])
  })

  it('is a command line that the program takes', async () => {
    const words = callOf('usage.api-counts', 'project=abc interval=daily', { endpoints: 'endpoints', data: tmpdir() })
    const { code, out, err } = await command([...words, '--explain'])
    expect({ code, err }).to.deep.equal({ code: 0, err: '' })
    expect(out).to.contain('interval=daily')
  })
})

describe(`the extension for VS Code${whyPending('vsce')}`, function () {
  this.timeout(180_000)
  let root = ''
  let files: readonly string[]

  before(function () {
    need(this, 'vsce')
    root = mkdtempSync(join(tmpdir(), 'sluice-vscode-'))
    mkdirSync(join(root, 'editors'))
    for (const file of ['schemas', 'package.json', 'LICENSE', 'tsconfig.json', 'editors/vscode']) {
      const isOfSource = (path: string) => !path.includes('node_modules')
      cpSync(file, join(root, file), { recursive: true, filter: isOfSource })
    }
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
    symlinkSync(resolve('.cache/vscode-extension/npm/node_modules'), join(root, 'editors/vscode/node_modules'))
  })
  after(() => rmSync(root, { recursive: true, force: true }))

  it('compiles', () => {
    const { stdout } = spawnSync('node_modules/.bin/tsc', ['-p', join(root, 'editors/vscode')], { encoding: 'utf8' })
    expect(stdout).to.equal('')
  })

  it('is packed by the command of the release', () => {
    const { jobs } = parse(readFileSync('.github/workflows/release.yml', 'utf8'))
    const { run } = jobs.notes.steps.find(({ name }: { name?: string }) => name === 'extension for VS Code')
    const script = run.replace(/^npm ci .*$/m, '')
    const env = { ...process.env, ...UNCOVERED, RUNNER_TEMP: root }
    const packed = spawnSync('bash', ['-eo', 'pipefail', '-c', script], { cwd: root, env, encoding: 'utf8' })
    expect(packed.status, packed.stdout + packed.stderr).to.equal(0)
    const file = join(root, `sluice-${ownManifest.version}.vsix`)
    const listed = spawnSync('python3', ['-m', 'zipfile', '-l', file], { encoding: 'utf8' })
    files = listed.stdout.split('\n').flatMap(line => /^extension\/(\S+)/.exec(line)?.[1] ?? [])
    expect(statSync(file).size).to.be.lessThan(1_000_000)
  })

  it('holds its bundle and the schemas that it names, and no sources', () => {
    const { yamlValidation, jsonValidation } = EXTENSION.contributes
    const named = [...yamlValidation, ...jsonValidation].map(({ url }: { url: string }) => url.slice('./'.length))
    expect([...files].sort()).to.deep.equal(
      [...named, EXTENSION.main.slice('./'.length), 'package.json', 'readme.md', 'LICENSE.txt'].sort(),
    )
    for (const file of named) expect(existsSync(file.replace('dist', 'schemas')), file).to.equal(true)
  })

  it('is asked for under the version of Sluice, and declares each command that it registers', () => {
    const source = readFileSync('editors/vscode/extension.ts', 'utf8')
    const registered = [...source.matchAll(/registerCommand\('([^']+)'/g)].map(match => match[1])
    const declared = EXTENSION.contributes.commands.map((one: { command: string }) => one.command)
    expect(declared).to.deep.equal(registered)
  })
})
