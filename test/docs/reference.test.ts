/** Pages that are made from the code are up to date, and tables that are written by hand list what the code has. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { allFunctions } from '../../googlesql/functions/all.js'
import { AGGREGATE_WRITERS as MORE_FORMS, WRITERS } from '../../googlesql-duckdb/functions/all.js'
import { csv } from '../../runner/formats/csv.js'
import { agingHeaders, storedHeaders } from '../../runner/http/headers.js'
import type { StoredResult } from '../../runner/model/ports.js'
import { METRICS, Metrics } from '../../runner/observe/metrics.js'
import { dataText, limitsText, PAGES, ruleTexts } from '../../tools/generate-reference.js'
import { linksOf, readPage } from './page.js'

/** The first cells of the table below this heading, where they are code. */
function firstCells(file: string, heading: string): readonly string[] {
  const section = readFileSync(file, 'utf8')
    .split(/^#+ /m)
    .find(text => text.startsWith(`${heading}\n`))!
  return [...section.matchAll(/^\| (.+?) \|/gm)]
    .map(match => match[1]!)
    .filter(cell => cell.startsWith('`'))
    .flatMap(cell => cell.split(', '))
    .map(cell => cell.replaceAll('`', ''))
}

describe('docs/reference', () => {
  for (const [name, text] of Object.entries(PAGES)) {
    it(`has in ${name} what the code has; else run \`npm run generate\``, () => {
      expect(readFileSync(join('docs/reference', name), 'utf8')).to.equal(text())
    })
  }

  it('has in docs/limits.md the limits that the code holds; else run `npm run generate`', () => {
    expect(readFileSync('docs/limits.md', 'utf8')).to.equal(limitsText())
  })

  it('has in docs/data.md what columns take of text files; else run `npm run generate`', () => {
    const written = readFileSync('docs/data.md', 'utf8')
    expect(written).to.equal(dataText(written)).and.to.include('| NUMERIC |')
  })

  it('has every metric that /metrics shows, and no other', async () => {
    const names = [...(await new Metrics().text()).matchAll(/^# HELP (\w+)/gm)].map(match => match[1]!)
    expect(names).to.have.members(Object.keys(METRICS))
  })

  it('has every rule that the code names, and no other', () => {
    const areas = [...new Set([...ruleTexts().keys()].map(id => id.split('/')[0]))].join('|')
    const named = ['runner/manifest', 'runner/template', 'authoring', 'cli'].flatMap(folder =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter(file => file.endsWith('.ts') && !file.startsWith('diff/'))
        .map(file => readFileSync(join(folder, file), 'utf8'))
        .flatMap(text => [...text.matchAll(new RegExp(`'((?:${areas})/[a-z-]+)'`, 'g'))].map(match => match[1]!)),
    )
    const made = ['manifest/duplicate-id', 'manifest/duplicate-name']
    const ids = new Set([...named, ...made].filter(id => id !== 'sql/estimate'))
    expect([...ids]).to.have.members([...ruleTexts().keys()])
  })

  it('says of each rule whether it is a warning, as the cases show', () => {
    const rules = ruleTexts()
    const folder = 'test/cases/manifest/bad'
    for (const file of readdirSync(folder).filter(name => name.endsWith('.out'))) {
      for (const line of readFileSync(join(folder, file), 'utf8').trimEnd().split('\n')) {
        const [, warning, id] = /^\S+:\d+:\d+: (warning: )?.* \[([\w/-]+)\]$/.exec(line) ?? []
        if (id !== undefined) expect(rules.get(id)?.severity === 'warning', line).to.equal(warning !== undefined)
      }
    }
  })

  it('is linked from the README, page by page', () => {
    const links = linksOf(readPage('README.md'))
    const pages = [...Object.keys(PAGES), 'functions.md'].map(name => `docs/reference/${name}`)
    expect(links).to.include.members(pages)
  })
})

describe('tables in the guides', () => {
  it('list the members of a manifest', () => {
    const schema = JSON.parse(readFileSync('schemas/endpoint.schema.json', 'utf8'))
    const settings = Object.keys(schema.$defs.settings.properties).map(name => `settings.${name}`)
    const members = Object.keys(schema.properties).filter(name => name !== 'settings')
    expect(firstCells('docs/manifests.md', 'Members')).to.have.members([...members, ...settings])
    expect(firstCells('docs/manifests.md', 'Parameters')).to.have.members(
      Object.keys(schema.$defs.parameter.properties),
    )
  })

  it('list every route', () => {
    const routes = [
      ...readFileSync('runner/http/app.ts', 'utf8').matchAll(/app\.route\('([^']+)'\)\.all\(allow\('(\w+)'/g),
    ]
    const listed = routes.map(([, path, method]) => {
      return `${method} ${path!.replace(':ref', '<id or name>').replace(':name', '<code>').replace(':table', '<table>')}`
    })
    expect(routes).to.have.length.greaterThan(5)
    // The page and its files are one route, in a file of their own.
    expect(firstCells('docs/http.md', 'Addresses')).to.have.members([...listed, 'GET /explorer/'])
  })

  it('list every header of a result', () => {
    const page = { next: 'c', totalRows: 2 }
    const result = { rowCount: 1, isTruncated: true, storedAt: 0, freshUntil: 1, page } as StoredResult
    const representation = { etag: '"e"', coding: 'br', body: new Uint8Array() }
    const lists = [
      storedHeaders(200, {
        result,
        representation,
        isCacheable: true,
        format: csv,
        endpoint: 'e',
        hasRanges: true,
        url: '/',
        ignored: 'a',
      }),
      agingHeaders({ isCacheable: true, outcome: 'hit', isStored: true, freshSeconds: 1, ageSeconds: 1 }),
      ['X-Request-Id', '', 'Server-Timing', '', 'Content-Range', ''],
    ]
    const headers = lists.flat().filter((_, i) => i % 2 === 0)
    const listed = firstCells('docs/http.md', 'Headers of a result')
    expect(headers).to.include.members(['ETag', 'X-Row-Count', 'X-Request-Id'])
    const common = ['Content-Type', 'Content-Length']
    expect(headers.filter(name => !common.includes(name) && !listed.includes(name))).to.deep.equal([])
  })

  it('count the functions of the embedded engine', () => {
    const named = allFunctions().filter(({ name }) => !name.startsWith('$'))
    const running = named.filter(({ name }) => WRITERS.has(name) || MORE_FORMS.has(name))
    const [, count] = /^- (\d+) functions/m.exec(readFileSync('docs/dialect.md', 'utf8'))!
    expect(Number(count)).to.equal(running.length)
  })
})
