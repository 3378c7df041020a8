/**
 * Forty mistakes of a first hour, each made in a sound manifest. Each has exactly one diagnostic, on the line of the mistake,
 * that says what to write. UPDATE_CASES=1 rewrites the expectations; read each as a newcomer would.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse, stringify } from 'yaml'
import { tableCatalogue } from '../../googlesql/tables.js'
import { loadSources } from '../../runner/manifest/load.js'
import { readTableSchema } from '../../runner/manifest/tables/load.js'
import { checkByTranslation } from './check-by-translation.js'

const FILE = 'test/cases/manifest/first-hour.yaml'

interface Mistake {
  /** What the manifest has, and what a newcomer writes in its place. */
  readonly right: string
  readonly wrong: string
  /** `line:column: message [rule]` */
  readonly told: string
}

interface FirstHour {
  readonly sound: string
  readonly mistakes: readonly Mistake[]
}

const read = (): FirstHour => parse(readFileSync(FILE, 'utf8')) as FirstHour
const schema = 'test/cases/manifest/tables/shop.orders.json'
const orders = readTableSchema({ file: 'shop.orders.json', text: readFileSync(schema, 'utf8') })
const tables = tableCatalogue([orders.table!])

async function told(text: string): Promise<readonly string[]> {
  const options = { tables, checkSql: checkByTranslation(tables) }
  const { diagnostics } = await loadSources([{ file: 'a.yaml', text }], [], options)
  return diagnostics.map(({ line, column, message, rule }) => `${line}:${column}: ${message} [${rule}]`)
}

describe('the mistakes of a first hour', () => {
  const { sound, mistakes } = read()
  const actual: Mistake[] = []

  it('are made in a manifest that is sound, and are forty', async () => {
    expect(await told(sound)).to.deep.equal([])
    expect(mistakes.length).to.be.at.least(40)
  })

  for (const mistake of mistakes) {
    const { right, wrong, told: expected } = mistake
    it(`${JSON.stringify(wrong)} for ${JSON.stringify(right)} has one diagnostic, on its line`, async () => {
      expect(sound.split(right), 'stands once').to.have.length(2)
      const lines = await told(sound.replace(right, () => wrong))
      actual.push({ ...mistake, told: lines.join('\n') })
      const at = sound.slice(0, sound.indexOf(right)).split('\n').length
      if (process.env['UPDATE_CASES'] !== '1') expect(lines).to.deep.equal([expected])
      // What is missing, and what two places say otherwise, is told at the other place.
      if (wrong === '' || /columns\/mismatch|parameter\/unused/.test(String(lines[0]))) return
      expect(Number(lines[0]?.split(':')[0]), String(lines[0])).to.be.within(at, at + wrong.split('\n').length)
    })
  }

  after(() => {
    if (process.env['UPDATE_CASES'] !== '1') return
    const header = /^(?:#.*\n)*/.exec(readFileSync(FILE, 'utf8'))![0]
    writeFileSync(FILE, header + stringify({ sound, mistakes: actual }, { lineWidth: 0, blockQuote: 'literal' }))
  })
})
