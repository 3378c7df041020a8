import { expect } from 'chai'
import type { TimeKind } from '../../../../../googlesql-duckdb/runtime/scalar-functions/dates/format-time.js'
import { parseTime } from '../../../../../googlesql-duckdb/runtime/scalar-functions/dates/parse-time.js'

const CASES: readonly (readonly [string, string, TimeKind, string])[] = [
  ['%a %b %e %I:%M:%S %Y', 'Thu Dec 25 07:30:00 2008', 'TIMESTAMP', '2008-12-25T07:30:00.000Z'],
  ['%c', ' thu dec 25 07:30:00 2008 ', 'DATETIME', '2008-12-25T07:30:00.000Z'],
  ['%Y-%m-%dT%H:%M:%E*S%Ez', '2020-02-20T01:02:03.456+05:30', 'TIMESTAMP', '2020-02-19T19:32:03.456Z'],
  ['%I:%M:%S %p', '2:23:38 pm', 'TIME', '1970-01-01T14:23:38.000Z'],
  ['%Y%m%d', '20081225', 'DATE', '2008-12-25T00:00:00.000Z'],
  ['%x', '12/25/08', 'DATE', '2008-12-25T00:00:00.000Z'],
  ['%C%y', '1995', 'DATE', '1995-01-01T00:00:00.000Z'],
  ['%W%y', '0902', 'DATE', '2002-03-04T00:00:00.000Z'],
  ['%U %A %Y', '09 Tuesday 2002', 'DATE', '2002-03-05T00:00:00.000Z'],
  ['%G %V %u', '2020 50 3', 'DATE', '2020-12-09T00:00:00.000Z'],
  ['%g %J', '84 05', 'DATE', '1984-01-06T00:00:00.000Z'],
  ['%g %j', '84 05', 'DATE', '1970-01-05T00:00:00.000Z'],
  ['%s %Y', '1600000000 1999', 'TIMESTAMP', '2020-09-13T12:26:40.000Z'],
  ['%H:%M:%S', '23:59:60', 'DATETIME', '1970-01-02T00:00:00.000Z'],
  ['%Q %Y', '3 2020', 'DATE', '2020-07-01T00:00:00.000Z'],
]
const REFUSED: readonly (readonly [string, string, TimeKind, string])[] = [
  ['%W%y', '902', 'DATE', 'Failed to parse input string "902"'],
  ['%Y-%m-%d', '2020-02-30', 'DATE', 'Out-of-range datetime field in parsing function'],
  ['%j %Y', '366 2019', 'DATE', 'Year 2019 has 365 days, but the specified day of year was 366'],
  ['%G %V', '2021 53', 'DATE', 'Invalid ISO week 53 specified for ISO year 2021'],
  ['%H', '15', 'DATE', 'Invalid format: %H is not allowed for the DATE type.'],
  ['%Y', '2020', 'TIME', 'Invalid format: %Y is not allowed for the TIME type.'],
  ['%Y-%m', '2020/01', 'DATE', "Mismatch between format character '-' and string character '/'"],
  ['%Y %m', '2020', 'DATE', 'Failed to parse input string "2020"'],
  ['%Y', '2020x', 'DATE', 'Failed to parse input string "2020x"'],
  ['%', 'x', 'DATE', "Format string cannot end with a single '%'"],
]

describe('PARSE_TIMESTAMP and its kin', () => {
  for (const [format, text, kind, expected] of CASES) {
    it(`reads ${JSON.stringify(text)} by ${format}`, () => {
      const micros = parseTime(format, text, kind, 'UTC')
      expect(new Date(Number(micros / 1_000n)).toISOString()).to.equal(expected)
    })
  }
  for (const [format, text, kind, message] of REFUSED) {
    it(`refuses ${JSON.stringify(text)} by ${format}`, () => {
      expect(() => parseTime(format, text, kind, 'UTC')).to.throw(message)
    })
  }
})
