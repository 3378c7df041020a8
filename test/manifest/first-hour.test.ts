/**
 * Mistakes of a first hour, each made in a sound file. Each has exactly one diagnostic, on the line of the mistake,
 * that says what to write. UPDATE_CASES=1 rewrites the expectations; read each as a newcomer would.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse, stringify } from 'yaml'
import { readTests } from '../../authoring/test/files/load.js'
import { tableCatalogue } from '../../googlesql/tables.js'
import { loadSources } from '../../runner/manifest/load.js'
import { readTableSchema } from '../../runner/manifest/tables/load.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import { checkByTranslation } from './check-by-translation.js'

interface Mistake {
  /** What the file has, and what a newcomer writes in its place. */
  readonly right: string
  readonly wrong: string
  /** `line:column: message [rule]` */
  readonly told: string
}

interface FirstHour {
  readonly sound: string
  readonly mistakes: readonly Mistake[]
}

const CASES = 'test/cases/manifest'
const orders = readTableSchema({
  file: 'shop.orders.json',
  text: readFileSync(`${CASES}/tables/shop.orders.json`, 'utf8'),
})
const tables = tableCatalogue([orders.table!])

const KINDS: readonly {
  readonly of: string
  readonly file: string
  told(text: string): Promise<readonly Diagnostic[]>
}[] = [
  {
    of: 'a manifest',
    file: `${CASES}/first-hour.yaml`,
    async told(text) {
      const options = { tables, checkSql: checkByTranslation(tables) }
      return (await loadSources([{ file: 'a.yaml', text }], [], options)).diagnostics
    },
  },
  {
    of: 'a table schema',
    file: `${CASES}/first-hour-tables.yaml`,
    told: text => Promise.resolve(readTableSchema({ file: 'schemas/tables/shop.orders.json', text }).diagnostics),
  },
  {
    of: 'a test file',
    file: `${CASES}/first-hour-tests.yaml`,
    told: text => Promise.resolve(readTests({ file: 'shop.by-day.test.yaml', text }, tables).diagnostics),
  },
]

for (const { of, file, told } of KINDS) {
  describe(`the mistakes of a first hour in ${of}`, () => {
    const { sound, mistakes } = parse(readFileSync(file, 'utf8')) as FirstHour
    const actual: Mistake[] = []
    const lines = async (text: string): Promise<readonly string[]> =>
      (await told(text)).map(({ line, column, message, rule }) => `${line}:${column}: ${message} [${rule}]`)

    it('are made in texts without mistakes', async () => {
      expect(await lines(sound)).to.deep.equal([])
    })

    for (const mistake of mistakes) {
      const { right, wrong, told: expected } = mistake
      it(`${JSON.stringify(wrong)} for ${JSON.stringify(right)} has one diagnostic, on its line`, async () => {
        expect(sound.split(right), 'stands once').to.have.length(2)
        const found = await lines(sound.replace(right, () => wrong))
        actual.push({ ...mistake, told: found.join('\n') })
        const at = sound.slice(0, sound.indexOf(right)).split('\n').length
        if (process.env['UPDATE_CASES'] !== '1') expect(found).to.deep.equal([expected])
        // What is not closed is reported where it begins. What is missing, or differs between two places, is reported at the other place.
        if (
          wrong === '' ||
          /is not closed/.test(String(found[0])) ||
          /columns\/mismatch|parameter\/unused/.test(String(found[0]))
        )
          return
        expect(Number(found[0]?.split(':')[0]), String(found[0])).to.be.within(at - 1, at + wrong.split('\n').length)
      })
    }

    after(() => {
      if (process.env['UPDATE_CASES'] !== '1') return
      const header = /^(?:#.*\n)*/.exec(readFileSync(file, 'utf8'))![0]
      writeFileSync(file, header + stringify({ sound, mistakes: actual }, { lineWidth: 0, blockQuote: 'literal' }))
    })
  })
}

it('the mistakes of a first hour in manifests are forty and more', () => {
  const { mistakes } = parse(readFileSync(KINDS[0]!.file, 'utf8')) as FirstHour
  expect(mistakes.length).to.be.at.least(40)
})
