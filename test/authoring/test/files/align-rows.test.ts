import { expect } from 'chai'
import { lineDifference } from '../../../../authoring/diff/line-difference.js'
import { alignRows } from '../../../../authoring/test/files/align-rows.js'

/** The aligned rows, such as `a- b c+`. */
const aligned = (expected: readonly unknown[], found: readonly unknown[]): string =>
  alignRows(expected, found)
    .map(pair => {
      const row = JSON.stringify(pair.expected === null ? found[pair.found!] : expected[pair.expected])
      return `${row}${pair.found === null ? '-' : pair.expected === null ? '+' : ''}`
    })
    .join(' ')

describe('the difference of two lists', () => {
  it('pairs the rows that both have, in order, and has those of one side between them', () => {
    expect(aligned([1, 2, 3], [1, 4, 3, 5])).to.equal('1 2- 4+ 3 5+')
    expect(aligned([], [1])).to.equal('1+')
    expect(aligned([1], [])).to.equal('1-')
    expect(aligned([{ a: 1, b: 2 }], [{ b: 2, a: 1 }])).to.equal('{"a":1,"b":2}')
  })

  it('pairs nothing in lists that differ in thousands of rows', () => {
    const list = (from: number): number[] => Array.from({ length: 3_000 }, (_, i) => from + i)
    const pairs = alignRows([0, ...list(10_000)], [0, ...list(20_000)])
    expect(pairs).to.have.length(6_002)
    expect(pairs[0]).to.deep.equal({ expected: 0, found: null })
    expect(pairs.at(-1)).to.deep.equal({ expected: null, found: 3_000 })
    const lines = lineDifference(list(10_000).map(String), list(20_000).map(String))
    expect([lines.length, lines[0], lines.at(-1)]).to.deep.equal([6_000, '- 10000', '+ 22999'])
  })

  it('of lines has two equal lines around each difference, and a mark where others are left out', () => {
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`)
    const changed = lines.map(line => (line === 'line 3' || line === 'line 15' ? `${line}!` : line))
    expect(lineDifference(lines, changed)).to.deep.equal([
      '  line 1',
      '  line 2',
      '- line 3',
      '+ line 3!',
      '  line 4',
      '  line 5',
      '  …',
      '  line 13',
      '  line 14',
      '- line 15',
      '+ line 15!',
      '  line 16',
      '  line 17',
    ])
    expect(lineDifference(lines, lines)).to.deep.equal([])
  })
})
