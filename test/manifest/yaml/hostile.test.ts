/** Hostile text quickly gives a diagnostic, and never an exception or a crash. */
import { expect } from 'chai'
import { parseManifest } from '../../../runner/manifest/yaml/parse.js'

/** The text, broken into lines that are short enough to be accepted. */
const wrapped = (text: string): string => text.replace(/(?:.{99}){100}/g, '$&\n')

const HOSTILE: Readonly<Record<string, { readonly text: string; readonly rule: string }>> = {
  'a billion laughs': { text: 'a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n', rule: 'yaml/alias' },
  'an alias to itself': { text: 'a: &a\n  b: *a\n', rule: 'yaml/alias' },
  'a merge key': { text: 'a: { <<: { b: 1 } }\n', rule: 'yaml/alias' },
  'lists within lists': { text: '['.repeat(9_000), rule: 'yaml/too-deep' },
  'lists within lists, line by line': { text: '[\n'.repeat(400_000), rule: 'yaml/too-deep' },
  'maps within maps': { text: '{a: '.repeat(2_400), rule: 'yaml/too-deep' },
  'compact lists within lists': { text: '- '.repeat(4_900), rule: 'yaml/too-deep' },
  'keys within keys': { text: '? '.repeat(4_900), rule: 'yaml/too-deep' },
  'maps within maps by indentation': {
    text: Array.from({ length: 1_300 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join(''),
    rule: 'yaml/too-deep',
  },
  'levels that only just pass the lexer': {
    text: `${'- '.repeat(35)}${'['.repeat(35)}${']'.repeat(35)}`,
    rule: 'yaml/too-deep',
  },
  'more than a megabyte': { text: 'a: 1\n'.repeat(250_000), rule: 'yaml/too-large' },
  'one endless line': { text: `a: ${'x'.repeat(20_000)}\n`, rule: 'yaml/too-large' },
  'a million tokens': { text: `[${',\n'.repeat(400_000)}`, rule: 'yaml/too-large' },
  'nothing but quotes': { text: wrapped('"'.repeat(20_000)), rule: 'yaml/syntax' },
  'nothing but tags': { text: wrapped('! '.repeat(10_000)), rule: 'yaml/syntax' },
  'nothing but directives': { text: '# directives\n\n%\n'.repeat(30_000), rule: 'yaml/directive' },
  'a NUL': { text: 'a: \0\n', rule: 'yaml/odd-character' },
  'a NUL by escape': { text: 'a: "\\0"\n', rule: 'yaml/odd-character' },
  'a direction override': { text: 'a: \u202etxt\n', rule: 'yaml/odd-character' },
  'a direction override by escape, in a key': { text: '"\\u202ea": 1\n', rule: 'yaml/odd-character' },
  'half a surrogate pair': { text: 'a: \ud800\n', rule: 'yaml/odd-character' },
  'half a surrogate pair by escape': { text: 'a: "\\ud800"\n', rule: 'yaml/odd-character' },
  'a lone carriage return': { text: 'a: 1\rb: 2\n', rule: 'yaml/odd-character' },
  'a line separator': { text: 'a: 1\u2028b: 2\n', rule: 'yaml/odd-character' },
  'the prototype as a key': { text: '__proto__: { isAdmin: true }\n', rule: 'yaml/key' },
  'a list as a key': { text: '? [a]\n: b\n', rule: 'yaml/key' },
  'a tag that makes a regular expression': { text: 'a: !!js/regexp /a/\n', rule: 'yaml/tag' },
  'two documents': { text: 'a: 1\n---\nb: 2\n', rule: 'yaml/several-documents' },
  'another version of YAML': { text: '%YAML 1.1\n---\na: yes\n', rule: 'yaml/directive' },
}

describe('hostile YAML', () => {
  for (const [name, { text, rule }] of Object.entries(HOSTILE)) {
    it(`${name} is ${rule}`, () => {
      const started = performance.now()
      const { diagnostics } = parseManifest('x.yaml', text)
      expect(diagnostics.map(diagnostic => diagnostic.rule)).to.include(rule)
      // The bound is far above the time that the parser needs, and far below the time of a quadratic parser.
      expect(performance.now() - started).to.be.lessThan(30_000)
    })
  }

  it('a byte order mark and CRLF are harmless', () => {
    const parsed = parseManifest('x.yaml', '\ufeffa: 1\r\nb: two\r\n')
    expect(parsed.diagnostics).to.deep.equal([])
    expect(parsed.value).to.deep.equal({ a: 1, b: 'two' })
  })
})
