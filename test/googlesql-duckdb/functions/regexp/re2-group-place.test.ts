import { expect } from 'chai'
import { placedPattern } from '../../../../googlesql-duckdb/functions/regexp/re2-group-place.js'
import { readPattern } from '../../../../googlesql-duckdb/functions/regexp/re2-pattern.js'

describe('the place of a capturing group', () => {
  const PREFIX = '(?s-U:(.*?))'
  const rows: [pattern: string, text: string, group: number, lengths: number[]][] = [
    ['ab', '(ab)', 2, []],
    ['(b)', '((b))', 3, []],
    ['a(b)c', '((a)(b)c)', 4, [3]],
    ['(?i)a(?P<x>b|c)d*', '((?i)(a)(?P<x>b|c)d*)', 4, [3]],
    ['a(?i)b(c)', '((a)(?i)(b)(c))', 5, [3, 4]],
    ['(?:a|b)(c)', '(((?:a|b))(c))', 4, [3]],
    ['a(b)?', '((a)(b)?)', 4, [3]],
    ['a(b)*c', '((a)((b)*)c)', 5, [3, 4, -5]],
    ['x|a(?:b(c)|d)e', '(x|(a)(?:(b)(c)|d)e)', 5, [3, 4]],
    ['a(?:b(c)d)+', '((a)(((?:(b)(c)d))+))', 7, [3, 4, -5, 6]],
    ['(?:(a){2}b){2,3}?', '((((?:((a){2})b)){2,3}?))', 6, [3, -4, 5, -6]],
  ]
  for (const [pattern, text, group, lengths] of rows) {
    it(`is found from lengths in ${pattern}`, () => {
      expect(placedPattern(readPattern(pattern))).to.deep.equal({ text: PREFIX + text, group, lengths })
    })
  }

  for (const pattern of ['(?:(a)|b)*', '(?:a(b)?)+', '(?:a(?:b(c))*){2}', '(?:(?:a|(b))c)+']) {
    it(`is not found in ${pattern}, where the last repetition may skip the group`, () => {
      expect(placedPattern(readPattern(pattern))).to.deep.equal({
        text: `${PREFIX}(${pattern})`,
        group: 3,
        lengths: null,
      })
    })
  }

  it('is found however deep the pattern nests', () => {
    const depth = 900
    const { lengths } = placedPattern(readPattern(`${'(?:a'.repeat(depth)}(b)${')'.repeat(depth)}`))
    expect(lengths).to.have.length(depth)
  })
})
