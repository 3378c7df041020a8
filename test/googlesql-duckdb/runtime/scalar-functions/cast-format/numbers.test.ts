import { expect } from 'chai'
import {
  formatNumber,
  fractionOfDouble,
  fractionOfText,
} from '../../../../../googlesql-duckdb/runtime/scalar-functions/cast-format/numbers.js'

// Format, FLOAT64, text. Most rows are examples of the language reference, "Format numeric type as string".
const DOUBLES: readonly (readonly [string, number, string])[] = [
  ['$999,999.999', 1.2, '       $1.200'],
  ['$999,999.999', -12345.678, ' -$12,345.678'],
  ['$999,999.999', 1234567.89, ' $###,###.###'],
  ['000.000', -12, '-012.000'],
  ['S9.999EEEE', 299792458, '+2.998E+08'],
  ['9.999EEEE', -123456, '-1.235E+05'],
  ['9.9EEEE', 9.96, ' 1.0E+01'],
  ['9.9eeee', 0, ' 0.0e+00'],
  ['B99.999S', 0.23, '       '],
  ['B99.999S', 1.23, ' 1.230+'],
  ['999999.000FM', 12.5, '12.5'],
  ['S000V00', 23.5, '+02350'],
  ['XXXX', 43981, ' ABCD'],
  ['0000000X', 43981, ' 0000ABCD'],
  ['9999PR', -12, '  <12>'],
  ['C999', -12, ' -USD12'],
  ['RN', 2021, '          MMXXI'],
  ['9.99', 0.12, '  .12'],
  ['9', 0.5, ' 0'],
  ['9', 1.5, ' 2'],
  ['999.9', Number.POSITIVE_INFINITY, ' INF  '],
  ['99.9', Number.NaN, ' ##.#'],
]
const DECIMALS: readonly (readonly [string, string, string])[] = [
  ['9.9', '1.25', ' 1.3'],
  ['9', '0.5', ' 1'],
  ['99,999', '-1234', ' -1,234'],
]
const REFUSED: readonly (readonly [string, string])[] = [
  ['99S9', "'S' can only appear before or after all digits and 'EEEE'"],
  ['9.9.9', "There can be at most one of '.', 'D', or 'V'"],
  ['9X', "'X' cannot appear together with '9'"],
  ['FM', "Format string must contain at least one of 'X', '0' or '9'"],
  ['9q', "Invalid format element 'q'"],
]

describe('CAST of numbers with FORMAT', () => {
  for (const [format, value, text] of DOUBLES) {
    it(`writes ${value} by ${format}`, () => {
      expect(formatNumber(format, fractionOfDouble(value))).to.equal(text)
    })
  }
  for (const [format, value, text] of DECIMALS) {
    it(`rounds the decimal ${value} away from zero by ${format}`, () => {
      expect(formatNumber(format, fractionOfText(value))).to.equal(text)
    })
  }
  for (const [format, message] of REFUSED) {
    it(`refuses the format ${format}`, () => {
      expect(() => formatNumber(format, fractionOfText('1'))).to.throw(message)
    })
  }
})
