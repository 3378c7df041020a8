import { expect } from 'chai'
import { intervalText } from '../../../../googlesql/values/interval-text.js'
import { parseInterval } from '../../../../googlesql-duckdb/runtime/scalar-functions/intervals.js'

const CASES: readonly (readonly [string, string, string, string])[] = [
  ['1-2 3 4:5:6.789999', 'YEAR', 'SECOND', '1-2 3 4:5:6.789999'],
  ['-22-6 10 -12:30', 'YEAR', 'MINUTE', '-22-6 10 -12:30:0'],
  ['10 -12:30', 'DAY', 'MINUTE', '0-0 10 -12:30:0'],
  ['-1 -2', 'DAY', 'HOUR', '0-0 -1 -2:0:0'],
  ['5', 'QUARTER', '', '1-3 0 0:0:0'],
  ['-.5', 'SECOND', '', '0-0 0 -0:0:0.500'],
  ['P1Y2M3DT4H5M6.789S', '', '', '1-2 3 4:5:6.789'],
  ['P-1W2DT-3H', '', '', '0-0 -5 -3:0:0'],
  ['0-0 1 2:3:4', '', '', '0-0 1 2:3:4'],
]
const REFUSED: readonly (readonly [string, string, string, string])[] = [
  ['P-aY2M3D', '', '', "Invalid INTERVAL value 'P-aY2M3D': Expected number at 'a'"],
  ['P', '', '', 'At least one datetime part must be defined in the interval'],
  ['1:2', 'DAY', 'SECOND', "Invalid INTERVAL value '1:2'"],
  [' 5', 'DAY', '', "Invalid INTERVAL value ' 5'"],
  ['0.0000001', 'SECOND', '', "Invalid INTERVAL value '0.0000001'"],
]

describe('INTERVAL and text', () => {
  for (const [text, part, to, canonical] of CASES) {
    it(`reads ${text}${part && ` as ${part}`}${to && ` TO ${to}`}`, () => {
      expect(intervalText(...parseInterval(text, part, to))).to.equal(canonical)
    })
  }
  for (const [text, part, to, message] of REFUSED) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => parseInterval(text, part, to)).to.throw(message)
    })
  }
})
