/** The quick reader of plain YAML reads what the whole parser reads, or nothing. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { parseDocument, stringify } from 'yaml'
import { findOddCharacter } from '../../../runner/manifest/yaml/characters.js'
import { readPlainYaml } from '../../../runner/manifest/yaml/plain-yaml.js'
import { readNode } from '../../../runner/manifest/yaml/read-node.js'

/** What the whole parser makes of it; undefined for a mistake. */
function wholly(text: string): unknown {
  const document = parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false })
  let isRight = document.errors.length === 0
  const value = readNode(document.contents as Parameters<typeof readNode>[0], () => {
    isRight = false
  })
  return isRight ? value : undefined
}

/** Reads it like the whole parser, or not at all. Order counts. */
function expectSame(text: string): void {
  const plain = readPlainYaml(text)
  if (plain !== null) expect(JSON.stringify(plain.value), JSON.stringify(text)).to.equal(JSON.stringify(wholly(text)))
}

const PLAIN: Readonly<Record<string, readonly [text: string, value: unknown]>> = {
  'maps in maps': ['a:\n  b: x\n  c:\n    d: y\ne: z\n', { a: { b: 'x', c: { d: 'y' } }, e: 'z' }],
  'a member without a value': ['a:\nb: x\n', { a: null, b: 'x' }],
  'a list below a member, or beside it': ['a:\n  - x\n  - 1\nb:\n- y\n', { a: ['x', 1], b: ['y'] }],
  'maps in a list': ['a:\n  - b: 1\n    c: 2\n  - b: 3\n', { a: [{ b: 1, c: 2 }, { b: 3 }] }],
  'flow style': [
    "a: { b: [x, 'it''s', \"z\"], c: -1.5, d: {} } # e\n",
    { a: { b: ['x', "it's", 'z'], c: -1.5, d: {} } },
  ],
  'scalars of the core schema': [
    'a: true\nb: ~\nc: yes\nd: 12:30\ne: 007x\n',
    { a: true, b: null, c: 'yes', d: '12:30', e: '007x' },
  ],
  'a literal block': ['sql: |\n  SELECT 1 # one\n\n    , 2\n\nb: x\n', { sql: 'SELECT 1 # one\n\n  , 2\n', b: 'x' }],
  'a folded text': ['a: >-\n  one\n  two\nb: x\n', { a: 'one two', b: 'x' }],
  'comments and blank lines': ['# one\n\na: x # two\n  # three\nb: y\n', { a: 'x', b: 'y' }],
  JSON: ['{\n  "a": [\n    { "b": 1 },\n    null\n  ]\n}', { a: [{ b: 1 }, null] }],
}

const LEFT: Readonly<Record<string, string>> = {
  anchors: 'a: &x 1\nb: *x\n',
  tags: 'a: !!str 1\n',
  'a second member of the name': 'a: 1\na: 2\n',
  'a member that is a number': '1: a\n',
  'merge keys': '<<: { a: 1 }\n',
  'a prototype': '__proto__: { a: 1 }\n',
  'a text over several lines': 'a: one\n  two\n',
  'a colon in a text': 'a: b: c\n',
  'numbers in other forms': 'a: 0x1F\n',
  'numbers with too many digits': 'a: 12345678901234567890\n',
  escapes: 'a: "\\u202e"\n',
  tabs: 'a:\tx\n',
  'Windows line ends': 'a: x\r\n',
  'white space that JavaScript trims and YAML keeps': 'a: x\u00a0\n',
  'the same where there is no value': 'a:  \u3000\n',
  'the same behind a flow': 'a: [x]\n\u00a0\n',
  'keys that are longer than YAML allows': `${'k'.repeat(1_025)}: x\n`,
  'the same in a flow': `a: { ${'k'.repeat(1_025)}: x }\n`,
  'the same in quotes': `{ "${'k'.repeat(1_025)}": 1 }\n`,
  'two documents': 'a: x\n---\nb: y\n',
  'a directive': '%YAML 1.1\n---\na: x\n',
  'wrong indentation': 'a:\n    b: x\n  c: y\n',
  'a bracket that is not closed': 'a: [x\n',
  'a flow over several lines': 'a: [x,\n  y]\n',
  'a literal block with a header': 'a: |2\n   x\n',
}

describe('plain YAML', () => {
  for (const [name, [text, value]] of Object.entries(PLAIN)) {
    it(`has ${name}`, () => {
      expect(readPlainYaml(text)?.value).to.deep.equal(value)
      expectSame(text)
    })
  }
  for (const [name, text] of Object.entries(LEFT)) {
    it(`leaves ${name} to the whole parser`, () => expect(readPlainYaml(text)).to.equal(null))
  }

  it('tells whether the SQL is a literal block', () => {
    expect(readPlainYaml('sql: |\n  SELECT 1\n')?.isSqlLiteral).to.equal(true)
    for (const text of ['sql: SELECT 1\n', 'sql: >-\n  SELECT 1\n', 'a:\n  sql: |\n    SELECT 1\n']) {
      expect(readPlainYaml(text)?.isSqlLiteral, text).to.equal(false)
    }
  })

  it('is what the shipped manifests and table schemas are written in', () => {
    for (const folder of ['endpoints', 'schemas/tables']) {
      for (const name of readdirSync(folder).filter(
        name => /\.(?:yaml|json)$/.test(name) && !name.includes('.test.'),
      )) {
        expect(readPlainYaml(readFileSync(join(folder, name), 'utf8')), name).not.to.equal(null)
      }
    }
  })

  it('means the same as for the whole parser in any text that is written by a program', () => {
    const word = fc.stringMatching(/^[ a-z0-9_.:#'"{}[\],|>&*!?~-]{0,8}$/)
    const value = fc.letrec(tie => ({
      any: fc.oneof(
        { depthSize: 'small' },
        word,
        fc.integer(),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        tie('list'),
        tie('map'),
      ),
      list: fc.array(tie('any'), { maxLength: 3 }),
      map: fc.dictionary(fc.oneof(word, fc.stringMatching(/^[a-z]{1,5}$/)), tie('any'), { maxKeys: 4 }),
    })).map
    fc.assert(
      fc.property(value, fc.boolean(), (map, isFlow) => {
        expectSame(stringify(map, { collectionStyle: isFlow ? 'flow' : 'any' }))
        expectSame(JSON.stringify(map, null, 2))
      }),
      { numRuns: 500 },
    )
  })

  it('means the same, or is not plain, however a manifest is spoilt', () => {
    const folder = join('test', 'cases', 'manifest', 'ok')
    const texts = readdirSync(folder)
      .filter(name => name.endsWith('.yaml'))
      .map(name => readFileSync(join(folder, name), 'utf8'))
    const whole = texts.filter(text => findOddCharacter(text) === null)
    const piece = fc.constantFrom(
      ' ',
      '  ',
      '\n',
      '\n  ',
      '- ',
      ': ',
      ':',
      '#',
      ' # c',
      '{',
      '}',
      '[',
      ']',
      ', ',
      '"',
      "'",
      '|',
      '>-',
      '&a ',
      '-',
      '? ',
      '~',
      '0x1',
      '1e3',
      'a: b\n',
      '- a: 1\n',
      '---',
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...whole),
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), piece, fc.nat(3)), {
          minLength: 1,
          maxLength: 3,
        }),
        (text, edits) => {
          let spoilt = text
          for (const [where, inserted, dropped] of edits) {
            const at = Math.floor(where * spoilt.length)
            spoilt = spoilt.slice(0, at) + inserted + spoilt.slice(at + dropped)
          }
          expectSame(spoilt)
        },
      ),
      { numRuns: 1_000 },
    )
  })
})
