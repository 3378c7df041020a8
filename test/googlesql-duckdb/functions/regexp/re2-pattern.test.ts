import { expect } from 'chai'
import { mayMatchEmpty, readPattern, rewriteError } from '../../../../googlesql-duckdb/functions/regexp/re2-pattern.js'

describe('reading an RE2 pattern', () => {
  const groups: [string, number][] = [
    ['', 0],
    ['a(b)(c(d))', 3],
    ['(?:a)(?i)b(?i:c)', 0],
    ['(?P<name>a)', 1],
    ['(?P<é>a)(?P<é>a)', 2],
    [String.raw`(\C)`, 1],
    [String.raw`\(a\)`, 0],
    ['[(](a)[)]', 1],
    ['[](](a)', 1],
    ['[^]()](a)', 1],
    ['[[:alpha:](](a)', 1],
    [String.raw`[\](](a)`, 1],
    [String.raw`\Q(a)\E(b)`, 1],
    [String.raw`\Q(a)`, 0],
    [String.raw`\x{28}(a)`, 1],
  ]
  for (const [pattern, count] of groups) {
    it(`finds ${count} groups in ${pattern}`, () =>
      expect(readPattern(pattern)).to.include({ groups: count, error: null }))
  }

  const empty: [string, boolean][] = [
    ['', true],
    ['a', false],
    ['a*', true],
    ['a+', false],
    ['a?b', false],
    ['(a|b*)', true],
    ['(a|b)c*', false],
    ['a{0,3}', true],
    ['a{1,3}', false],
    ['a{,3}', false],
    ['^', true],
    ['^a', false],
    [String.raw`\b`, true],
    [String.raw`\bx`, false],
    ['(?:)', true],
    ['a|', true],
    ['^*a?', true],
    ['[$^]', false],
    [String.raw`\$`, false],
    [String.raw`\C`, false],
    [String.raw`[[:alpha:]^\]]`, false],
    ['[a-z]*?', true],
    ['(?i)', true],
    [String.raw`\Q\E`, true],
    [String.raw`\Qa\E`, false],
    [String.raw`\pN`, false],
    [String.raw`\pN?`, true],
    [String.raw`\PL*a`, false],
    [String.raw`\p{Greek}?`, true],
    [String.raw`\x41?`, true],
    [String.raw`\012*`, true],
    [String.raw`\0121*`, false],
    ['(a*)+', true],
    ['😀?', true],
    ['(a{0})b', false],
  ]
  for (const [pattern, may] of empty) {
    it(`${pattern || 'the empty pattern'} ${may ? 'may' : 'must not'} match nothing`, () => {
      expect(mayMatchEmpty(pattern)).to.equal(may)
    })
  }

  const errors: [string, string][] = [
    ['(', 'missing ): ('],
    ['a)', 'unexpected ): a)'],
    ['[a', 'missing ]: [a'],
    ['a|*', 'no argument for repetition operator: *'],
    ['(?=a)', 'invalid perl operator: (?='],
    ['a\\', 'trailing \\'],
    ['(?<name>a)', 'invalid perl operator: (?<'],
    ['a**', 'bad repetition operator: **'],
    [String.raw`[\C]`, String.raw`invalid escape sequence: \C`],
    ['('.repeat(2000) + ')'.repeat(2000), 'expression nests too deeply'],
  ]
  for (const [pattern, error] of errors) {
    it(`reports the mistake in ${pattern.slice(0, 20)}`, () => expect(readPattern(pattern).error).to.equal(error))
  }
})

describe('checking a replacement', () => {
  const rows: [string, number, string | null][] = [
    ['a', 0, null],
    [String.raw`\0`, 0, null],
    [String.raw`\1`, 1, null],
    [String.raw`\\1`, 0, null],
    [String.raw`\2`, 1, 'Rewrite schema requests 2 matches, but the regexp only has 1 parenthesized subexpressions.'],
    ['a\\', 0, "Rewrite schema error: '\\' not allowed at end."],
    [String.raw`\q`, 0, "Rewrite schema error: '\\' must be followed by a digit or '\\'."],
  ]
  for (const [replacement, count, error] of rows) {
    it(`${replacement} with ${count} groups`, () => expect(rewriteError(replacement, count)).to.equal(error))
  }
})
