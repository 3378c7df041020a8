/** Manifests as test cases: those in ok/ have no diagnostics; each in bad/ has exactly the diagnostics in its .out file. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { tableCatalogue } from '../../googlesql/tables.js'
import { MANIFEST_RULES, SQL_RULES, TEMPLATE_RULES } from '../../runner/manifest/check/rules.js'
import type { SourceText } from '../../runner/manifest/discover.js'
import { type Loaded, loadSources } from '../../runner/manifest/load.js'
import { readTableSchema } from '../../runner/manifest/tables/load.js'
import { checkByTranslation } from './check-by-translation.js'

const CASES = 'test/cases/manifest'
const orders = readTableSchema(textOf(join(CASES, 'tables'), 'shop.orders.json'))
const tables = tableCatalogue([orders.table!])
const partials = readdirSync(join(CASES, 'partials')).map(name => {
  const { text } = textOf(join(CASES, 'partials'), name)
  return { file: `partials/${name}`, text }
})

function textOf(dir: string, name: string): SourceText {
  return { file: name, text: readFileSync(join(dir, name), 'utf8') }
}

/** Loads the manifests with all partials and tables of the cases. */
function load(manifests: readonly SourceText[]): Promise<Loaded> {
  return loadSources(manifests, partials, { tables, checkSql: checkByTranslation(tables) })
}

function lines(loaded: Loaded): string {
  const prefix = { error: '', warning: 'warning: ', hint: 'hint: ' }
  return loaded.diagnostics
    .map(d => `${d.file}:${d.line}:${d.column}: ${prefix[d.severity]}${d.message} [${d.rule}]\n`)
    .join('')
}

describe('sound manifests', () => {
  for (const name of readdirSync(join(CASES, 'ok'))) {
    it(`ok/${name} is silent`, async () => {
      const loaded = await load([textOf(join(CASES, 'ok'), name)])
      expect(lines(loaded)).to.equal('')
      expect(loaded.endpoints).to.have.length(1)
    })
  }
})

describe('manifests with mistakes', () => {
  const dir = join(CASES, 'bad')
  const cases = readdirSync(dir, { withFileTypes: true }).filter(entry => !entry.name.endsWith('.out'))
  for (const entry of cases) {
    const name = entry.name.replace(/\.yaml$/, '')
    it(`bad/${name} has the diagnostics in ${name}.out`, async () => {
      const manifests = entry.isDirectory()
        ? readdirSync(join(dir, name)).map(file => textOf(join(dir, name), file))
        : [textOf(dir, entry.name)]
      const actual = lines(await load(manifests))
      const out = join(dir, `${name}.out`)
      // UPDATE_CASES=1 rewrites the files; read the difference before you keep it.
      if (process.env['UPDATE_CASES'] === '1') writeFileSync(out, actual)
      expect(actual).to.equal(existsSync(out) ? readFileSync(out, 'utf8') : '')
      expect(actual).to.not.equal('')
    })
  }

  it('every rule has a case', () => {
    const told = new Set(
      cases.flatMap(({ name }) => {
        const out = join(dir, name.replace(/(\.yaml)?$/, '.out'))
        return [...readFileSync(out, 'utf8').matchAll(/\[([\w/-]+)\]$/gm)].map(match => match[1]!)
      }),
    )
    const rules = [...MANIFEST_RULES, ...TEMPLATE_RULES, ...SQL_RULES].map(rule => rule.id)
    expect(rules.filter(rule => !told.has(rule))).to.deep.equal([])
  })
})
