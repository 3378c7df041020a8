/** Every document is held against the project: links, names of files, commands, flags, and the blocks of each language. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { expect } from 'chai'
import type { Command } from 'commander'
import { parseAllDocuments } from 'yaml'
import { makeProgram } from '../../cli/program.js'
import { METRICS } from '../../runner/observe/metrics.js'
import { SETTINGS } from '../../runner/settings/settings.js'
import { SILENT_IO } from '../../tools/silent-io.js'
import { command } from '../cli/command.js'
import { sampleOf } from '../sample-size.js'
import { anchorsOf, linksOf, type Page, pageFiles, proseOf, readPage } from './page.js'

const PAGES = pageFiles().map(readPage)
/** The pages whose table schemas the manifests of others read. */
const WITH_TABLES = ['docs/tutorial.md', 'docs/formats.md'].map(readPage)
const blocksOf = (page: Page, ...languages: readonly string[]): readonly string[] =>
  page.blocks.filter(block => languages.includes(block.language)).map(block => block.text)

const LANGUAGES = [
  ...['console', 'csv', 'dockerfile', 'ini', 'json', 'mermaid', 'nginx'],
  ...['lua', 'ndjson', 'python', 'sh', 'sql', 'text', 'toml', 'ts', 'yaml'],
]
/** Files that a reader makes, that other programs have, or that `make` writes. */
const MADE =
  /^(?:endpoints\/(?:partials\/)?(?:billing|projects|sales|shop)\.|endpoints\/orders|schemas\/tables\/(?:billing|sales)\.|bench\/data\/)/
const MAKEFILE = new Set([...readFileSync('Makefile', 'utf8').matchAll(/^([a-z]+):/gm)].map(match => match[1]!))

/** Those of a fresh clone, those that `sluice init` writes, and those that documents show. */
const ENDPOINTS = new Set(
  [
    ...['endpoints', 'examples/ga4/endpoints', 'templates/init/endpoints'].flatMap(folder =>
      readdirSync(folder, { encoding: 'utf8' })
        .filter(name => name.endsWith('.yaml'))
        .map(name => readFileSync(join(folder, name), 'utf8')),
    ),
    ...PAGES.flatMap(page => blocksOf(page, 'yaml')),
  ].flatMap(text => /^name: (\S+)$/m.exec(text)?.[1] ?? []),
)

/** A command with its flags; null for words that are not a command. */
function commandNamed(words: readonly string[]): Command | null {
  let found: Command = makeProgram(SILENT_IO, () => undefined)
  for (const word of words) {
    const below: Command | undefined = found.commands.find(one => one.name() === word)
    if (!below) break
    found = below
  }
  return found.parent === null ? null : found
}

/** Command lines of the page, as words: in blocks, and between backticks. */
function commandLines(page: Page): readonly (readonly string[])[] {
  const blocks = blocksOf(page, 'console', 'sh', 'yaml', 'ini', 'dockerfile').join('\n').replaceAll('\\\n', ' ')
  const inline = [...proseOf(page).matchAll(/`([^`\n]+)`/g)].map(match => match[1]!)
  return [...blocks.split('\n'), ...inline]
    .flatMap(line => line.split(/\||&&|;|\$\(/))
    .map(line => /(?:^|\s)(?:npx )?sluice ((?:[a-z]+\b).*)$/.exec(line)?.[1])
    .filter(rest => rest !== undefined)
    .map(rest => rest.split(/\s+/))
}

for (const page of PAGES) {
  describe(page.file, () => {
    it('has links that lead to files and headings', () => {
      const broken = linksOf(page).filter(link => {
        if (/^https?:/.test(link)) return false
        const [path, anchor] = link.split('#')
        const target = path === '' ? page.file : normalize(join(dirname(page.file), path!))
        if (!existsSync(target)) return true
        return anchor !== undefined && !anchorsOf(readPage(target)).includes(anchor)
      })
      expect(broken).to.deep.equal([])
    })

    it('links to files that are in the package', () => {
      const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: readonly string[] }
      const missing = linksOf(page)
        .filter(link => !/^(?:https?:|#)/.test(link))
        .map(link => normalize(join(dirname(page.file), link.split('#')[0]!)))
        .filter(path => path !== 'README.md' && !files.some(file => `${path}/`.startsWith(`${file}/`)))
      expect(missing).to.deep.equal([])
    })

    it('names files as they are', () => {
      const folders = 'googlesql|googlesql-duckdb|runner|authoring|cli|test|tools|schemas|endpoints|bench|docs'
      const named = [...page.text.matchAll(new RegExp(`\`((?:${folders})/[\\w./-]*)\``, 'g'))].map(match => match[1]!)
      expect(named.filter(path => !MADE.test(path) && !existsSync(path))).to.deep.equal([])
    })

    it('uses targets, commands and flags that there are', () => {
      const lines = [...page.text.matchAll(/(?:^|`|\$ )make ([a-z]+)/gm)].map(match => match[1]!)
      expect(lines.filter(target => !MAKEFILE.has(target))).to.deep.equal([])
      const unknown = commandLines(page).flatMap(words => {
        const found = commandNamed(words)
        if (found === null) return words[0] === 'query' ? [] : [words.join(' ')]
        const flags = found.options.flatMap(({ long, short }) => [long, short])
        return words
          .filter(word => /^--?[a-z]/.test(word) && !['--help', '--version'].includes(word))
          .map(word => word.split('=')[0]!)
          .filter(flag => !flags.includes(flag))
          .map(flag => `${found.name()} ${flag}`)
      })
      expect(unknown).to.deep.equal([])
    })

    it('names flags, metrics and variables that there are', () => {
      const flags = allFlags()
      const named = [...proseOf(page).matchAll(/`(--[a-z][a-z-]+)/g)].map(match => match[1]!)
      expect(named.filter(flag => !flags.has(flag) && !OF_OTHERS.has(flag))).to.deep.equal([])
      const metrics: readonly string[] = Object.keys(METRICS)
      const counted = [...page.text.matchAll(/\bsluice_[a-z_]+\b/g)].map(([name]) => name)
      expect(counted.filter(name => !metrics.includes(name))).to.deep.equal([])
      const variables = new Set(SETTINGS.map(row => row.variable))
      const read = [...page.text.matchAll(/\b(SLUICE_[A-Z_]+)\b/g)].map(match => match[1]!)
      expect(read.filter(name => !variables.has(name) && !name.startsWith('SLUICE_TEST_'))).to.deep.equal([])
    })

    it('has commands that a shell can read', () => {
      const commands = [
        ...blocksOf(page, 'sh'),
        ...blocksOf(page, 'console').flatMap(text => [...text.matchAll(/^\$ (.*)$/gm)].map(match => match[1]!)),
      ]
      const { stderr } = spawnSync('bash', ['-n'], { input: commands.join('\n'), encoding: 'utf8' })
      expect(stderr).to.equal('')
    })

    it('calls endpoints that there are', () => {
      const called = [...page.text.matchAll(/\/api\/endpoints\/query\/([a-z][\w.-]*)/g)].map(match => match[1]!)
      expect(called.filter(name => !ENDPOINTS.has(name))).to.deep.equal([])
    })

    it('has blocks of known languages, whose JSON and YAML can be read', () => {
      expect(page.blocks.map(block => block.language).filter(one => !LANGUAGES.includes(one))).to.deep.equal([])
      for (const text of blocksOf(page, 'json')) JSON.parse(text)
      for (const text of blocksOf(page, 'ndjson')) for (const line of text.trimEnd().split('\n')) JSON.parse(line)
      // A block that begins within a map is a part of a file.
      for (const text of blocksOf(page, 'yaml').filter(one => !one.startsWith(' '))) {
        for (const document of parseAllDocuments(text)) expect(document.errors, text).to.deep.equal([])
      }
    })

    it('has units that systemd takes', function () {
      const units = blocksOf(page, 'ini').filter(text => text.includes('[Service]'))
      if (units.length === 0) return
      if (spawnSync('systemd-analyze', ['--version']).status !== 0) this.skip()
      const folder = mkdtempSync(join(tmpdir(), 'sluice-unit-'))
      try {
        const file = join(folder, 'sluice.service')
        // The program is where the reader has put it.
        writeFileSync(file, units[0]!.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
        const { stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
        expect(stderr.split('\n').filter(line => line.includes('sluice.service'))).to.deep.equal([])
      } finally {
        rmSync(folder, { recursive: true })
      }
    })
  })
}

describe('the tree in docs/architecture.md', () => {
  it('says what each folder of the code is for', () => {
    const { text } = readPage('docs/architecture.md').blocks.find(block => block.text.includes('\nrunner/ '))!
    const above: string[] = []
    const described = text.split('\n').flatMap(line => {
      const [, indent, name] = /^( *)(\S+)\/ +\S/.exec(line) ?? []
      if (indent === undefined || name === undefined) return []
      above.splice(indent.length / 2, above.length, name)
      return [above.join('/')]
    })
    const houses = ['cli', 'authoring', 'runner', 'googlesql', 'googlesql-duckdb', 'explorer', 'tools', 'bench']
    const folders = houses.flatMap(house => [
      house,
      ...readdirSync(house, { withFileTypes: true, recursive: true })
        .filter(entry => entry.isDirectory())
        .map(({ parentPath, name }) => join(parentPath, name)),
    ])
    const ours = folders.filter(folder => !/^bench\/|node_modules/.test(folder))
    expect(ours.filter(folder => !described.includes(folder))).to.deep.equal([])
    expect(described.filter(folder => houses.includes(folder.split('/')[0]!) && !ours.includes(folder))).to.deep.equal(
      [],
    )
  })
})

describe('the manifests in the documents', () => {
  it('validate, but for those that a page shows as wrong', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-docs-'))
    try {
      for (const { path, text } of WITH_TABLES.flatMap(({ blocks }) => blocks)) {
        if (path?.startsWith('schemas/')) write(join(folder, path), text)
      }
      for (const name of ['edge', 'auth']) {
        const schema = `schemas/tables/logs.${name}.json`
        write(join(folder, schema), readFileSync(schema, 'utf8'))
      }
      const wrong: string[] = []
      for (const page of sampleOf(PAGES)) {
        for (const [i, block] of page.blocks.entries()) {
          if (block.language !== 'yaml' || !/^id: /m.test(block.text)) continue
          const endpoints = join(folder, `${page.file}-${i}`)
          for (const { path, text } of page.blocks) {
            if (path?.startsWith('endpoints/partials/')) write(join(endpoints, path.slice('endpoints/'.length)), text)
          }
          write(join(endpoints, 'one.yaml'), block.text)
          const flags = ['--endpoints', endpoints, '--tables', join(folder, 'schemas/tables'), '--engine-memory', '256']
          const { code, err } = await command(['validate', ...flags])
          if (code !== 0) wrong.push(`${page.file}: ${err.replaceAll(folder, '')}`)
        }
      }
      expect(wrong.filter(text => !text.includes('Unrecognized name: cnets'))).to.deep.equal([])
    } finally {
      rmSync(folder, { recursive: true })
    }
  }).timeout(120_000)
})

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Flags of make's tools and of other programs that pages speak of. */
const OF_OTHERS = new Set(['--help', '--version', '--heap', '--size', '--http', '--bigquery', '--process', '--unions'])
for (const flag of [
  '--seed',
  '--count',
  '--family',
  '--from',
  '--print',
  '--planning',
  '--arithmetic',
  '--minutes',
  '--faults',
  '--matching',
]) {
  OF_OTHERS.add(flag)
}

function allFlags(): ReadonlySet<string> {
  const flags = (one: Command): readonly string[] => [
    ...one.options.flatMap(({ long }) => long ?? []),
    ...one.commands.flatMap(flags),
  ]
  return new Set(flags(makeProgram(SILENT_IO, () => undefined)))
}
