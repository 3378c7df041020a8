/**
 * One mistake has one diagnostic, on its line: mistakes of many kinds, each made at a place that a seed chooses, in the
 * manifests that are shipped and those of the cases.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { tableCatalogue } from '../../googlesql/tables.js'
import type { SourceText } from '../../runner/manifest/discover.js'
import { loadSources } from '../../runner/manifest/load.js'
import { loadTableSchemas } from '../../runner/manifest/tables/load.js'
import type { Diagnostic } from '../../runner/model/diagnostic.js'
import { type Random, randomOf } from '../../tools/fuzz/random.js'
import { sampleSize } from '../sample-size.js'
import { checkByTranslation } from './check-by-translation.js'

/** Folders of manifests, and of the tables and partials that they name. */
const FOLDERS: readonly { readonly manifests: string; readonly tables: string; readonly partials: string | null }[] = [
  { manifests: 'endpoints', tables: 'schemas/tables', partials: 'endpoints/partials' },
  { manifests: 'templates/init/endpoints', tables: 'templates/init/schemas/tables', partials: null },
  {
    manifests: 'test/cases/manifest/ok',
    tables: 'test/cases/manifest/tables',
    partials: 'test/cases/manifest/partials',
  },
]

/** In the place of what `sluice init` fills in. */
const ID = 'aaaaaaaa-0000-4000-8000-000000000001'
const PER_KIND = Number(process.env['MISTAKES'] ?? sampleSize(12))

interface Sound {
  readonly folder: number
  readonly file: string
  readonly text: string
  /** Where the SQL begins. */
  readonly sqlAt: number
}

interface Place {
  readonly at: number
  readonly found: string
}

/** The matches of the pattern's first group, or of all of it. */
function places(text: string, pattern: RegExp, from = 0, to = text.length): readonly Place[] {
  return [...text.matchAll(pattern)]
    .map(match => {
      const found = match[1] ?? match[0]
      return { at: match.index + match[0].lastIndexOf(found), found }
    })
    .filter(({ at, found }) => at >= from && at < to && (found === "'" || !isInComment(text, at)))
}

const isInComment = (text: string, at: number): boolean =>
  /(?:^|\s)#|--|^[^']*'(?:[^']*'[^']*')*[^']*$/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))

/** Two neighbouring letters of the word change places, or one is left out. */
function misspell(word: string, { between, chance }: Random): string {
  const at = between(1, word.length - 2)
  const swapped = word.slice(0, at) + word[at + 1]! + word[at]! + word.slice(at + 2)
  return chance(0.5) && swapped !== word ? swapped : word.slice(0, at) + word.slice(at + 1)
}

const KEYS =
  'parameters|settings|lookups|columns|constants|description|type|required|default|examples|minimum|maximum|max_rows|cache|ttl_seconds|rows|enum|pattern|max_length'

interface Kind {
  readonly of: string
  /** What may be wrong there. */
  readonly where: (sound: Sound) => readonly Place[]
  readonly wrong: (found: string, random: Random) => string
  /** Whether the diagnostic may be on another line, since what is not closed goes on. */
  readonly endsElsewhere?: true
}

const inYaml = (pattern: RegExp) => (sound: Sound) => places(sound.text, pattern, 0, sound.sqlAt)
const inSql = (pattern: RegExp) => (sound: Sound) => places(sound.text, pattern, sound.sqlAt)

const KINDS: readonly Kind[] = [
  { of: 'a key', where: inYaml(new RegExp(`(?<=^ *(?:- )?|[{,] )(?:${KEYS})(?=: |:$)`, 'gm')), wrong: misspell },
  {
    of: 'the case of a key',
    where: inYaml(new RegExp(`(?<=^ *)(?:${KEYS}|id|name)(?=: |:$)`, 'gm')),
    wrong: key => key.toUpperCase(),
  },
  {
    of: 'a key of the first level',
    where: inYaml(/^(?:id|name|parameters|settings|lookups|columns)(?=:)/gm),
    wrong: key => key.replace(/^./, letter => letter.toUpperCase()),
  },
  { of: 'the type of a parameter', where: inYaml(/(?<=type: )(?:string|int64|float64|timestamp)\b/g), wrong: misspell },
  {
    of: 'the type of a column',
    where: inYaml(/(?<=type: )(?:STRING|INT64|FLOAT64|TIMESTAMP|DATETIME)\b/g),
    wrong: misspell,
  },
  {
    of: 'a number',
    where: inYaml(/(?<=(?:max_rows|ttl_seconds|minimum|maximum|max_length): )\d+/g),
    wrong: () => 'many',
  },
  { of: 'a boolean', where: inYaml(/(?<=required: )true/g), wrong: () => 'yes' },
  { of: 'a map', where: inYaml(/(?<=^settings:\n)(?: +.*\n)+/gm), wrong: () => '  none\n' },
  { of: 'the colon of a key', where: inYaml(/(?<=^ *(?:max_rows|type|required|by|default)): /gm), wrong: () => ' ' },
  { of: 'a comma in braces', where: inYaml(/(?<=\{[^}\n]*\w), (?=\w+: )/g), wrong: () => ' ' },
  { of: 'a closing brace', where: inYaml(/(?<=\{[^{}\n]*) \}$/gm), wrong: () => '', endsElsewhere: true },
  { of: 'the parameter of a lookup', where: inYaml(/(?<=^ +by: )\w{4,}/gm), wrong: misspell },
  { of: 'the default of a lookup', where: inYaml(/(?<=^ {4}default: )(?!reject)\w{4,}/gm), wrong: misspell },
  { of: 'the tenant', where: inYaml(/(?<=^tenant: )\w{4,}/gm), wrong: misspell },
  { of: 'the SQL block', where: ({ text, sqlAt }) => places(text, /\|(?=\n)/g, sqlAt - 3, sqlAt), wrong: () => '>' },
  { of: 'a parameter in SQL', where: inSql(/(?<=@)(?!now\b)\w{4,}/g), wrong: misspell },
  { of: 'a parameter in braces', where: inSql(/@(?!now\b|index|first|last)(\w{4,})/g), wrong: name => `{{${name}}}` },
  { of: 'a table', where: inSql(/(?<=`)\w+\.\w+(?=`)/g), wrong: misspell },
  { of: 'a keyword', where: inSql(/\b(?:SELECT|FROM|WHERE|GROUP BY|ORDER BY)\b/g), wrong: misspell },
  {
    of: 'a function',
    where: inSql(/\b(?:COUNT|COALESCE|TIMESTAMP_SUB|TIMESTAMP_TRUNC|REGEXP_CONTAINS|SUM)(?=\()/g),
    wrong: misspell,
  },
  { of: 'a field of a lookup', where: inSql(/(?<=\{\{\w+\.)\w{4,}(?=\}\})/g), wrong: misspell },
  { of: 'a parameter that is asked about', where: inSql(/(?<=given\.)\w{4,}/g), wrong: misspell },
  { of: 'a closing tag', where: inSql(/\{\{\/(?:if|each)\}\}/g), wrong: () => '', endsElsewhere: true },
  { of: 'a brace of a tag', where: inSql(/\}(?=\}$|\} )/gm), wrong: () => '' },
  { of: 'a partial', where: inSql(/(?<=\{\{> )[\w-]{4,}/g), wrong: misspell },
  { of: 'an argument of a partial', where: inSql(/(?<=\{\{>.* )\w{4,}(?==)/g), wrong: misspell },
  { of: 'a parenthesis', where: inSql(/(?<=\w)\)(?= AS | FROM|$)/gm), wrong: () => '', endsElsewhere: true },
  { of: 'a comma between columns', where: inSql(/(?<=AS \w+),(?=$| \w+\()/gm), wrong: () => '', endsElsewhere: true },
  { of: 'a quote in SQL', where: inSql(/(?<='[^'\n]*)'(?=\)|$| )/gm), wrong: () => '' },
  { of: 'a double equals sign', where: inSql(/ = (?=@|')/g), wrong: () => ' == ' },
]

describe('one mistake', () => {
  const sounds = FOLDERS.flatMap(({ manifests }, folder) =>
    readdirSync(manifests)
      .filter(name => name.endsWith('.yaml') && !name.endsWith('.test.yaml'))
      .map((name): Sound => {
        const text = readFileSync(join(manifests, name), 'utf8').replaceAll('\r\n', '\n').replace(/%\w+%/g, ID)
        return { folder, file: name, text, sqlAt: text.search(/(?<=^sql: \|)/m) }
      }),
  )
  const loaders: ((source: SourceText) => Promise<readonly Diagnostic[]>)[] = []
  const check = async ({ folder, file }: Sound, text: string) =>
    (await loaders[folder]!({ file, text })).map(({ line, column, message, rule }) => ({
      line,
      shown: `${line}:${column}: ${message} [${rule}]`,
    }))

  before(async () => {
    for (const { tables: schemas, partials } of FOLDERS) {
      const tables = tableCatalogue((await loadTableSchemas(schemas)).tables)
      const options = { tables, checkSql: checkByTranslation(tables) }
      const texts = (partials === null ? [] : readdirSync(partials)).map(name => ({
        file: `partials/${name}`,
        text: readFileSync(join(partials!, name), 'utf8'),
      }))
      loaders.push(async source => (await loadSources([source], texts, options)).diagnostics)
    }
  })

  it('is made in texts without mistakes', async () => {
    for (const sound of sounds) expect(await check(sound, sound.text), sound.file).to.deep.equal([])
    expect(sounds.length).to.be.greaterThan(7)
  })

  for (const { of, where, wrong, endsElsewhere } of KINDS) {
    it(`in ${of} has one diagnostic, on its line`, async () => {
      const all = sounds.flatMap(sound => where(sound).map(place => ({ sound, ...place })))
      expect(all, 'places').not.to.deep.equal([])
      for (let seed = 0; seed < PER_KIND; seed++) {
        const random = randomOf(of, seed)
        const { sound, at, found } = random.pick(all)
        const written = wrong(found, random)
        if (written === found) continue
        const text = sound.text.slice(0, at) + written + sound.text.slice(at + found.length)
        const told = await check(sound, text)
        const line = sound.text.slice(0, at).split('\n').length
        const says = `seed ${seed}: ${sound.file}:${line}: ${JSON.stringify(found)} became ${JSON.stringify(written)}:\n${told.map(one => one.shown).join('\n')}\n`
        expect(told.length, says).to.equal(1)
        if (!endsElsewhere) expect(told[0]!.line, says).to.equal(line)
      }
    })
  }
})
