import { expect } from 'chai'
import { intervalText } from '../../googlesql/data.js'
import { dateText, datetimeText } from '../../googlesql/values/civil-text.js'
import { BrokenContractError } from '../../runner/result/broken-contract.js'
import { scalarTexts, ValueError } from '../../runner/result/scalar-text.js'

const json = scalarTexts({ timestamps: 'iso8601', numbers: null })
const numbers = scalarTexts({ timestamps: 'iso8601', numbers: 'number' })
const strings = scalarTexts({ timestamps: 'iso8601', numbers: 'string' })
const micros = scalarTexts({ timestamps: 'unix_micros', numbers: null })

describe('the text of a value', () => {
  const CASES: { name: string; text: string; is: string }[] = [
    { name: 'INT64 is a number', text: json.int64(-12n), is: '-12' },
    { name: 'INT64 is a number up to 2^53−1', text: json.int64(9007199254740991n), is: '9007199254740991' },
    { name: 'INT64 is a number down to −(2^53−1)', text: json.int64(-9007199254740991n), is: '-9007199254740991' },
    { name: 'INT64 is a string beyond 2^53−1', text: json.int64(9007199254740992n), is: '"9007199254740992"' },
    { name: 'INT64 as a string always is one', text: strings.int64(0n), is: '"0"' },
    { name: 'INT64 as a number', text: numbers.int64(-9007199254740991n), is: '-9007199254740991' },
    { name: 'FLOAT64 as a number', text: numbers.float64(-0), is: '-0' },
    {
      name: 'INT64 is a string beyond −(2^53−1)',
      text: json.int64(-9223372036854775808n),
      is: '"-9223372036854775808"',
    },
    { name: 'FLOAT64 without a fraction has no point', text: json.float64(1), is: '1' },
    {
      name: 'FLOAT64 is the shortest text that reads back the same',
      text: json.float64(0.1 + 0.2),
      is: '0.30000000000000004',
    },
    { name: 'FLOAT64 keeps the sign of zero', text: json.float64(-0), is: '-0' },
    { name: 'FLOAT64 NaN is a string', text: json.float64(Number.NaN), is: '"NaN"' },
    { name: 'FLOAT64 infinity is a string', text: json.float64(-Infinity), is: '"-Infinity"' },
    { name: 'NUMERIC without a fraction is a string', text: json.numeric('-12.000000000'), is: '"-12"' },
    { name: 'NUMERIC with a fraction is an exact string', text: json.numeric('123.560000000'), is: '"123.56"' },
    { name: 'NUMERIC has no negative zero', text: json.numeric('-0.000000000'), is: '"0"' },
    { name: 'NUMERIC as a string', text: strings.numeric('1.50'), is: '"1.5"' },
    {
      name: 'NUMERIC as a number has all its digits',
      text: numbers.numeric('12345678901234567890.123456789'),
      is: '12345678901234567890.123456789',
    },
    { name: 'NUMERIC as a number has no point without a fraction', text: numbers.numeric('-12.000000000'), is: '-12' },
    { name: 'BOOL', text: json.bool(true), is: 'true' },
    { name: 'STRING is escaped as JSON', text: json.string('a"\\\n\u0001é'), is: '"a\\"\\\\\\n\\u0001é"' },
    { name: 'STRING without escapes is quoted', text: json.string('é\u2028\x7f'), is: '"é\u2028\x7f"' },
    { name: 'STRING with a lone surrogate is escaped', text: json.string('\ud83d'), is: '"\\ud83d"' },
    {
      name: 'STRING of any length is escaped',
      text: json.string(`${'x'.repeat(300)}\\`),
      is: `"${'x'.repeat(300)}\\\\"`,
    },
    { name: 'BYTES is base64', text: json.bytes(new TextEncoder().encode('Google')), is: '"R29vZ2xl"' },
    { name: 'DATE', text: json.date(17_231), is: '"2017-03-06"' },
    { name: 'TIME drops an empty fraction', text: json.time(45_296_000_000), is: '"12:34:56"' },
    { name: 'TIME has three digits of milliseconds', text: json.time(45_296_500_000), is: '"12:34:56.500"' },
    { name: 'TIME has six digits of microseconds', text: json.time(45_296_000_010), is: '"12:34:56.000010"' },
    { name: 'DATETIME has no zone', text: json.datetime(1_488_803_696_789_012n), is: '"2017-03-06T12:34:56.789012"' },
    { name: 'TIMESTAMP is in UTC', text: json.timestamp(1_488_803_696_789_012n), is: '"2017-03-06T12:34:56.789012Z"' },
    { name: 'TIMESTAMP before 1970', text: json.timestamp(-1n), is: '"1969-12-31T23:59:59.999999Z"' },
    { name: 'TIMESTAMP, the first', text: json.timestamp(-62_135_596_800_000_000n), is: '"0001-01-01T00:00:00Z"' },
    {
      name: 'TIMESTAMP, the last',
      text: json.timestamp(253_402_300_799_999_999n),
      is: '"9999-12-31T23:59:59.999999Z"',
    },
    { name: 'TIMESTAMP as microseconds', text: micros.timestamp(1_488_803_696_789_012n), is: '1488803696789012' },
    { name: 'DATETIME is never microseconds', text: micros.datetime(0n), is: '"1970-01-01T00:00:00"' },
    { name: 'JSON is what it was', text: json.json('{"b":1.0, "a":[null]}'), is: '{"b":1.0, "a":[null]}' },
    { name: 'JSON stays on one line', text: json.json('{\n  "a": "x\\ny"\r\n}'), is: '{   "a": "x\\ny" }' },
    { name: 'INTERVAL', text: json.interval(intervalText(14, 3, 14_706_789_000n)), is: '"1-2 3 4:5:6.789"' },
    { name: 'INTERVAL has a sign for each part', text: intervalText(-25, -1, -1n), is: '-2-1 -1 -0:0:0.000001' },
  ]
  for (const { name, text, is } of CASES) it(name, () => expect(text).to.equal(is))

  it('agrees with the calendar of JavaScript on every day around the ends of centuries', () => {
    for (const year of [1, 4, 100, 400, 1600, 1700, 1900, 1970, 2000, 2024, 2100, 9999]) {
      const start = new Date(0)
      start.setUTCFullYear(year, 0, 1)
      for (let day = 0; day < 366; day++) {
        const ms = start.getTime() + day * 86_400_000
        const is = new Date(ms).toISOString()
        if (is.startsWith('+')) continue
        expect(dateText(ms / 86_400_000)).to.equal(is.slice(0, 10))
        expect(datetimeText(BigInt(ms) * 1_000n + 43_200_000_000n)).to.equal(`${is.slice(0, 10)}T12:00:00`)
      }
    }
  })

  it('refuses numbers that JSON cannot have, where they are promised as numbers', () => {
    expect(() => numbers.int64(9007199254740992n)).to.throw(BrokenContractError, 'beyond ±(2^53−1)')
    expect(() => numbers.int64(-9007199254740992n)).to.throw(BrokenContractError, 'beyond ±(2^53−1)')
    expect(() => numbers.float64(Number.NaN)).to.throw(BrokenContractError, 'not finite')
    expect(() => numbers.float64(-Infinity)).to.throw(BrokenContractError, 'not finite')
  })

  it('refuses times outside the years 1 to 9999', () => {
    expect(() => json.timestamp(253_402_300_800_000_000n)).to.throw(ValueError)
    expect(() => micros.timestamp(-62_135_596_800_000_001n)).to.throw(ValueError)
    expect(() => json.date(2_932_897)).to.throw(ValueError)
    expect(() => json.date(-719_163)).to.throw(ValueError)
  })
})
