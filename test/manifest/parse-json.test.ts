import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parseJson } from '../../runner/manifest/parse-json.js'
import { parseManifest } from '../../runner/manifest/yaml/parse.js'

const SCHEMAS = 'schemas/tables'

/** Texts whose value is that of JSON.parse. */
const SOUND: Readonly<Record<string, string>> = {
  'a scalar': '"a"',
  'an empty list': '[]',
  'an empty map': '{}',
  'a byte order mark': '\ufeff{"a": 1}',
  'tabs between members': '{\n\t"a": 1,\n\t"b":\t2\n}',
  'numbers at the limits': '{"a": -0, "b": 12345678901234567890, "c": 1.50, "d": 1e400, "e": 1E-7}',
  'keys of Object.prototype': '{"toString": 1, "constructor": 2}',
  'one key in two maps': '[{"a": 1}, {"a": {"a": 2}}]',
  'what looks like a key inside a text': '{"a": "\\"b\\": ", "c": "d:"}',
  'an escaped quote in a key': '{"a\\"b": 1}',
  'a space before the colon': '{"a"  : 1, "b"\n: 2}',
  '40 levels': '['.repeat(40) + ']'.repeat(40),
  '41 brackets in a text': JSON.stringify('['.repeat(41)),
  'a line of 20,000 characters': JSON.stringify('x'.repeat(20_000)),
}

/** Texts with a mistake, and what it is. */
const MISTAKEN: Readonly<Record<string, readonly [text: string, told: string]>> = {
  'no text': ['', '1:1: a value is missing before this, or a comma too many [table/syntax]'],
  'an open list': ['[1', '1:1: this "[" is not closed; "]" is missing [table/syntax]'],
  'an open list in a map': ['{"a": [1,\n', '1:7: this "[" is not closed; "]" is missing [table/syntax]'],
  'no value': ['{"a": }', '1:7: a value is missing before this, or a comma too many [table/syntax]'],
  'no value in a list': ['[,1]', '1:2: a value is missing before this, or a comma too many [table/syntax]'],
  'a comma too many': ['[1,,2]', '1:4: a value is missing before this, or a comma too many [table/syntax]'],
  'a comma at the end': ['[1,]', '1:4: a value is missing before this, or a comma too many [table/syntax]'],
  'another bracket': ['{"a": [1}', '1:7: this "[" is not closed; "]" is missing [table/syntax]'],
  'another bracket after a comma': ['[1,}', '1:1: this "[" is not closed; "]" is missing [table/syntax]'],
  'two values': ['{"a": 1} 2', '1:10: there is more text after the last bracket [table/syntax]'],
  'two documents': [
    '[1]\n---\n[2]',
    '2:1: JSON writes texts and keys in double quotes, and has no comments; found - [table/syntax]',
  ],
  'YAML that is not JSON': [
    'a: 1',
    '1:1: JSON writes texts and keys in double quotes, and has no comments; found a [table/syntax]',
  ],
  'a key that is a number': [
    '{1: 2}',
    '1:2: a key in double quotes is missing before this, or a comma too many [table/syntax]',
  ],
  'a comment of a shell': [
    '# a\n[]',
    '1:1: JSON writes texts and keys in double quotes, and has no comments; found # [table/syntax]',
  ],
  'a text in single quotes': [
    "['two words']",
    "1:2: JSON writes texts and keys in double quotes, and has no comments; found 'two [table/syntax]",
  ],
  'a bad escape': ['["a\\\\\\d"]', '1:2: JSON has no such escape; a backslash is written \\\\ [table/syntax]'],
  'an escape with too few digits': ['["\\u12"]', '1:2: four hexadecimal digits follow "\\u" [table/syntax]'],
  'a tab in a text': ['["a\tb"]', '1:2: a tab in a text is written \\t [table/syntax]'],
  'a number that begins with 0': ['[01]', '1:3: a comma is missing before this [table/syntax]'],
  'a number without its end': ['[1.]', '1:2: digits are missing at the end of this number [table/syntax]'],
  'a key that stands twice': [
    '{"a": 1, "b": {"c": 2, "c": 3}}',
    '1:24: the key "c" stands here a second time; delete one of them [yaml/duplicate-key]',
  ],
  'a key that is not a member': ['{"__proto__": {"a": 1}}', '1:2: the key "__proto__" is not allowed [yaml/key]'],
  'an escaped character that is refused': [
    '"\\u202e"',
    '1:1: the text holds the character U+202E, which is not allowed [yaml/odd-character]',
  ],
  'a character that is refused': [
    '["\u202e"]',
    '1:3: the character U+202E is not allowed; delete it or write what is meant [yaml/odd-character]',
  ],
  '41 levels': ['['.repeat(41) + ']'.repeat(41), '1:41: nested more than 40 levels deep [yaml/too-deep]'],
  '500,000 levels': ['['.repeat(500_000), '1:41: nested more than 40 levels deep [yaml/too-deep]'],
}

describe('parseJson', () => {
  for (const [name, text] of Object.entries(SOUND)) {
    it(`reads ${name} as JSON.parse does`, () => {
      const { value, diagnostics } = parseJson('f', text)
      expect([value, diagnostics]).to.deep.equal([JSON.parse(text.replace('\ufeff', '')), []])
    })
  }

  for (const [name, [text, told]] of Object.entries(MISTAKEN)) {
    it(`refuses ${name}`, () => {
      const found = parseJson('f', text).diagnostics
      expect(found.map(one => `${one.line}:${one.column}: ${one.message} [${one.rule}]`)).to.deep.equal([told])
    })
  }

  it('places what every table schema of the project holds where the YAML parser does', () => {
    for (const name of readdirSync(SCHEMAS)) {
      const text = readFileSync(`${SCHEMAS}/${name}`, 'utf8')
      const [json, yaml] = [parseJson('f', text), parseManifest('f', text)]
      expect(json.value).to.deep.equal(yaml.value)
      for (const path of [[], ['schema'], [0, 'name'], ['schema', 'fields', 1, 'type'], ['schema', 'nothing', 5]]) {
        expect(json.source.valueAt(path)).to.deep.equal(yaml.source?.valueAt(path))
        expect(json.source.keyAt(path)).to.deep.equal(yaml.source?.keyAt(path))
      }
    }
  })
})
