/** The README is held against what really happens: its examples run, and its tables list what the code has. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { allFunctions } from '../googlesql/functions/all.js'
import { FORMS, AGGREGATE_FORMS as MORE_FORMS } from '../googlesql-duckdb/functions/all.js'
import { openEmbeddedEngine } from '../runner/compose/engine.js'
import { createRunner, type Runner } from '../runner/compose/runner.js'
import { openMetrics } from '../runner/observe/metrics.js'
import { busiestProject, sampleLines } from '../runner/sample/generate.js'
import { command } from './cli/command.js'

const README = readFileSync('README.md', 'utf8')
const TOKEN = 'unrestricted-token-of-32-letters'
const SEED = 1
/** Two ends of the sample, for what the README shows must not hang on when it was written. */
const NEWEST = [1_769_860_800_000_000n, 1_784_122_662_123_000n] as const

/** The text of the fenced blocks of this language, in order. */
const blocks = (language: string): readonly string[] =>
  [...README.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(match => match[1]!)

/** The first cells of the table below this heading, without their code marks. */
function firstCells(heading: string): readonly string[] {
  const section = README.split(/^#+ /m).find(text => text.startsWith(`${heading}\n`))!
  return [...section.matchAll(/^\| (.+?) \|/gm)].map(match => match[1]!).filter(cell => cell.startsWith('`'))
}

const sources = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => readFileSync(join(folder, file), 'utf8'))

const MANIFEST = blocks('yaml')[0]!
const SLIPS = blocks('yaml')[1]!

describe("the README's first manifest", () => {
  let folder = ''
  let runner: Runner
  let url = ''
  let close: () => Promise<void>

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-readme-'))
    mkdirSync(join(folder, 'endpoints'))
    mkdirSync(join(folder, 'data/logs'), { recursive: true })
    writeFileSync(join(folder, 'endpoints/projects.busiest.yaml'), MANIFEST)
    runner = await createRunner({
      port: 0,
      endpointsDir: join(folder, 'endpoints'),
      dataDir: join(folder, 'data'),
      token: TOKEN,
      engineMemoryMb: 256,
      engineThreads: 1,
    })
    const server = await runner.listen()
    url = server.url
    close = server.close
  })
  after(async () => {
    await close()
    await runner.close()
    rmSync(folder, { recursive: true })
  })

  it('has twelve lines', () => {
    expect(MANIFEST.split('\n')).to.have.length(13)
  })

  for (const nowMicros of NEWEST) {
    it(`gives the reply that is shown, over sample data that ends at ${nowMicros}`, async () => {
      const lines = [...sampleLines('edge', { count: 10_000, seed: SEED, nowMicros })]
      writeFileSync(join(folder, 'data/logs/edge.ndjson'), lines.join(''))
      const [, path] = /'http:\/\/127\.0\.0\.1:8080(\S+)'/.exec(blocks('sh')[0]!)!
      const response = await fetch(url + path, { headers: { 'X-API-KEY': TOKEN } })
      expect(`${await response.text()}\n`).to.equal(blocks('json')[0])
      const { body } = await runner.call('projects.busiest', { top: '2' }, { nowMicros })
      expect(`${Buffer.from(body)}\n`).to.equal(blocks('json')[0])
    })
  }

  it('has slips that make the diagnostics that are shown, to the letter', async () => {
    const lines = MANIFEST.split('\n')
    lines.splice(5, 3, ...SLIPS.trimEnd().split('\n'))
    mkdirSync(join(folder, 'broken/endpoints'), { recursive: true })
    writeFileSync(join(folder, 'broken/endpoints/projects.busiest.yaml'), lines.join('\n'))
    // Beside the manifests of a fresh clone, and asked for as the README says.
    cpSync('endpoints', join(folder, 'broken/endpoints'), { recursive: true })
    const [, path] = /`make validate ARGS=(\S+)` says to them/.exec(README)!
    const file = join(folder, 'broken', path!)
    const { code, out, err } = await command(['validate', file, '--endpoints', join(folder, 'broken/endpoints')])
    expect((err + out).replaceAll(`${join(folder, 'broken')}/`, '')).to.equal(blocks('text')[0])
    expect(code).to.equal(1)
  })
})

describe('what the README says of running', () => {
  it('names the project that the sample names', () => {
    const named = [...README.matchAll(/(?:the busiest project is |[?&]project=)([a-z]{20})/g)].map(match => match[1])
    expect(named).to.have.length.greaterThan(3)
    expect([...new Set(named)]).to.deep.equal([busiestProject(SEED)])
  })

  it('uses targets that the Makefile has', () => {
    const targets = new Set([...readFileSync('Makefile', 'utf8').matchAll(/^([a-z]+):/gm)].map(match => match[1]))
    const used = [...README.matchAll(/\bmake ([a-z]+)/g)].map(match => match[1]!)
    expect(used).to.include.members(['serve', 'validate', 'test', 'build', 'check', 'bench'])
    expect(used.filter(target => !targets.has(target) && target !== 'another')).to.deep.equal([])
  })

  it('lists the commands that there are, with flags that they have', async () => {
    const listed = new Map(
      [...README.matchAll(/^\| `sluice ([a-z]+(?: [a-z]+)?)[^`]*` \| (.*) \|$/gm)].map(match => [
        match[1]!,
        [...match[2]!.matchAll(/`(?:[^`]* )?(--?[a-z-]+)/g)].map(flag => flag[1]!),
      ]),
    )
    const helpOf = async (...words: readonly string[]) => (await command([...words, '--help'])).out
    const namesIn = (help: string) =>
      [...(help.split('Commands:')[1] ?? '').matchAll(/^ {2}([a-z]+)/gm)]
        .map(match => match[1]!)
        .filter(name => name !== 'help')
    const commands: string[] = []
    for (const name of namesIn(await helpOf())) {
      const below = namesIn(await helpOf(name))
      commands.push(...(below.length === 0 ? [name] : below.map(member => `${name} ${member}`)))
    }
    expect([...listed.keys()]).to.have.members(commands)
    for (const [name, flags] of listed) {
      const help = await helpOf(...name.split(' '))
      expect(flags.filter(flag => !help.includes(`${flag} `) && !help.includes(`${flag},`))).to.deep.equal([], name)
    }
  })

  it('names every file that it speaks of as it is', () => {
    const named = [
      ...README.matchAll(/`((?:googlesql|googlesql-duckdb|runner|test|schemas|endpoints|bench)\/[\w./-]*)`/g),
    ].map(match => match[1]!)
    // What the reader makes, and what `make bench` does.
    const made = /^(?:endpoints\/projects\.busiest|bench\/data\/)/
    const missing = named.filter(path => !made.test(path) && !existsSync(path))
    expect(named).to.have.length.greaterThan(5)
    expect(missing).to.deep.equal([])
  })
})

describe("the README's tables", () => {
  it('list the rules that there are, and no others', () => {
    const rules = new Set<string>()
    const areas = 'yaml|schema|manifest|parameter|lookup|constants|cache|columns|template|sql|table|tenant'
    for (const text of [...sources('runner/manifest'), ...sources('runner/template')]) {
      for (const [, rule] of text.matchAll(new RegExp(`'((?:${areas})/[a-z-]+)'`, 'g'))) rules.add(rule!)
      if (text.includes('`manifest/duplicate-')) {
        for (const member of ['id', 'name']) rules.add(`manifest/duplicate-${member}`)
      }
    }
    expect(firstCells('Diagnostics')).to.have.members([...rules].map(rule => `\`${rule}\``))
  })

  it('list the members of a manifest', () => {
    const schema = JSON.parse(readFileSync('schemas/endpoint.schema.json', 'utf8'))
    const settings = Object.keys(schema.$defs.settings.properties).map(name => `settings.${name}`)
    const members = Object.keys(schema.properties).filter(name => name !== 'settings')
    const listed = firstCells('Manifests')
      .flatMap(cell => cell.split(', '))
      .map(cell => cell.replaceAll('`', ''))
    expect(listed).to.have.members([...members, ...settings])
    for (const name of Object.keys(schema.$defs.parameter.properties)) expect(README).to.include(`\`${name}`)
  })

  it('list every route', () => {
    const routes = [
      ...readFileSync('runner/http/app.ts', 'utf8').matchAll(/app\.route\('([^']+)'\)\.all\(allow\('(\w+)'/g),
    ]
    const listed = routes.map(([, path, method]) => {
      return `\`${method} ${path!.replace(':ref', '<id or name>').replace(':name', '<code>')}\``
    })
    expect(routes).to.have.length.greaterThan(5)
    expect(firstCells('HTTP').filter(cell => /^`(GET|POST) /.test(cell))).to.have.members(listed)
  })

  it('list every header of a result', () => {
    const names = ['representation/result-head', 'representation/send-result', 'request-context', 'hits/fast-path']
    const files = names.map(name => `runner/http/${name}.ts`)
    const text = files.map(file => readFileSync(file, 'utf8')).join('')
    const headers = [...text.matchAll(/\bset(?:Header)?\('([\w-]+)'/g)].map(match => match[1]!)
    const listed = firstCells('HTTP').join(', ')
    expect(headers).to.include.members(['ETag', 'X-Row-Count', 'X-Request-Id'])
    const common = ['Content-Type', 'Content-Length']
    expect(headers.filter(name => !common.includes(name) && !listed.includes(`\`${name}\``))).to.deep.equal([])
  })

  it('list the metrics that there are', async () => {
    const names = [...(await openMetrics().text()).matchAll(/^# HELP (\w+)/gm)].map(match => match[1]!)
    expect(firstCells('Metrics')).to.have.members(names.map(name => `\`${name}\``))
  })

  it('count the functions of the embedded engine, and name those that it lacks', () => {
    const named = allFunctions().filter(({ name }) => !name.startsWith('$'))
    const lacking = named.filter(({ name }) => !FORMS.has(name) && !MORE_FORMS.has(name))
    const row = /^\| Functions \| (\d+): .*? \| (.*) \|$/m.exec(README)!
    expect(Number(row[1])).to.equal(named.length - lacking.length)
    for (const { name } of lacking) expect(row[2]).to.include(name.startsWith('HLL_COUNT.') ? 'HLL_COUNT.*' : name)
  })
})

describe("the README's library", () => {
  it('answers the query that is shown', async () => {
    const engine = await openEmbeddedEngine({
      tables: { 'shop.orders': { schema: [{ name: 'id', type: 'INT64' }], rows: [{ id: 1 }, { id: 2 }] } },
    })
    try {
      const [, sql] = /engine\.query\('([^']+)'/.exec(blocks('ts')[0]!)!
      const { columns, rows } = await engine.query(sql!, { least: { type: 'INT64', value: 1 } })
      expect([columns, rows]).to.deep.equal([[{ name: 'id', type: 'INT64' }], [[2]]])
    } finally {
      await engine.close()
    }
  })
})
