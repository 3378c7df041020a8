/** The size of an RE2 pattern, as far as it decides whether the pattern is run. */
import { expect } from 'chai'
import { patternSize } from '../../../../googlesql-duckdb/functions/regexp/re2-pattern.js'

const SIZES: Readonly<Record<string, number>> = {
  '': 0,
  abc: 3,
  'a*b+?': 2,
  'a{3}': 3,
  'a{2,5}b': 6,
  'a{2,}': 2,
  '(a{30}){30}': 960,
  '(?:ab|c){10}': 30,
  '\\Qab\\E': 6,
  '[a-z]': 2,
  '((': 2,
}

describe('the size of a pattern', () => {
  for (const [pattern, size] of Object.entries(SIZES)) {
    it(`${pattern} is ${size}`, () => {
      expect(patternSize(pattern)).to.equal(size)
    })
  }
  it('counts the classes of Unicode', () => {
    expect(patternSize('\\pL{10}')).to.be.greaterThan(1_000)
  })
})
