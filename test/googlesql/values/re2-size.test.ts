/** The size of an RE2 pattern, as far as it decides whether the pattern is compiled or run. */
import { expect } from 'chai'
import { patternSize } from '../../../googlesql/data.js'

const SIZES: Readonly<Record<string, number>> = {
  '': 0,
  abc: 3,
  'a*b+?': 2,
  'a{3}': 3,
  'a{2,5}b': 6,
  'a{2,}': 2,
  '(a{30}){30}': 930,
  '(?:ab|c){10}': 40,
  '\\Qab\\E': 6,
  '[a-z]': 4,
  '((': 2,
  '\\pL{10}': 2_000,
  '[^\\pL\\d]': 202,
}

describe('the size of a pattern', () => {
  for (const [pattern, size] of Object.entries(SIZES)) {
    it(`${pattern} is ${size}`, () => {
      expect(patternSize(pattern, 200).pieces).to.equal(size)
    })
  }

  for (const [pattern, ranged] of Object.entries({
    'a-z': 0,
    '[a-c]{9}': 2,
    '[^a-cx-z-]': 4,
    '[\\x41-\\x{143}]': 258,
    '[z-a]': 0,
    '[\\pL]\\PL': 5_000,
  })) {
    it(`${pattern} has ${ranged} characters in ranges`, () => {
      expect(patternSize(pattern, 200).ranged).to.equal(ranged)
    })
  }
})
