import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parseManifest } from '../../../runner/manifest/yaml/parse.js'
import { parseJson } from '../../../runner/manifest/yaml/parse-json.js'

const SCHEMAS = 'schemas/tables'

/** Texts that the two parsers could take differently. */
const TEXTS: Readonly<Record<string, string>> = {
  'a scalar': '"a"',
  'an empty list': '[]',
  'an empty map': '{}',
  'no text': '',
  'a byte order mark': '\ufeff{"a": 1}',
  'tabs between members': '{\n\t"a": 1,\n\t"b":\t2\n}',
  'numbers at the limits': '{"a": -0, "b": 12345678901234567890, "c": 1.50, "d": 1e400, "e": 1E-7}',
  'keys of Object.prototype': '{"toString": 1, "constructor": 2}',
  'a key that stands twice': '{"a": 1, "b": {"c": 2, "c": 3}}',
  'what looks like a key inside a text': '{"a": "\\"b\\": ", "c": "d:"}',
  'an escaped quote in a key': '{"a\\"b": 1}',
  'a space before the colon': '{"a"  : 1, "b"\n: 2}',
  'a merge key': '{"<<": {"a": 1}}',
  'a key that is no member': '{"__proto__": {"a": 1}}',
  'an escaped character that is refused': '"\\u202e"',
  'an escaped backspace': '"\\b"',
  'a character that is refused': '["\u202e"]',
  'half of a surrogate pair': '"\\ud800"',
  '40 levels': '['.repeat(40) + ']'.repeat(40),
  '41 levels': '['.repeat(41) + ']'.repeat(41),
  '41 brackets in a text': JSON.stringify('['.repeat(41)),
  'a line of 10,001 characters': JSON.stringify('x'.repeat(9_999)),
  'a comma too many': '[1,]',
  'YAML that is no JSON': 'a: 1',
  'two documents': '[1]\n---\n[2]',
}

describe('parseJson reads what parseManifest reads, and refuses what it refuses', () => {
  for (const [name, text] of Object.entries(TEXTS)) it(name, () => same(text))

  it('every table schema of the project, with its places', () => {
    for (const name of readdirSync(SCHEMAS)) same(readFileSync(`${SCHEMAS}/${name}`, 'utf8'))
  })

  it('more text than the YAML parser takes', () =>
    same(
      JSON.stringify(
        Array.from({ length: 60_000 }, () => [1]),
        null,
        1,
      ),
    ))
})

function same(text: string): void {
  const [json, yaml] = [parseJson('f', text), parseManifest('f', text)]
  expect([json.value, json.diagnostics]).to.deep.equal([yaml.value, yaml.diagnostics])
  for (const path of [[], ['a'], [0, 'name']]) {
    expect(json.source?.valueAt(path)).to.deep.equal(yaml.source?.valueAt(path))
  }
}
