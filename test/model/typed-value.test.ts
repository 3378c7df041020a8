import { expect } from 'chai'
import type { ScalarParameterType, ScalarValue } from '../../runner/model/param.js'
import { compareValues, MAX_TYPED_LENGTH, readTimestamp, typeScalar } from '../../runner/model/typed-value.js'
import { processorMs } from '../processor-time.js'

type Row = readonly [type: ScalarParameterType, text: string, value: ScalarValue]

const TYPED: readonly Row[] = [
  ['string', ' a ', ' a '],
  ['int64', '007', '7'],
  ['int64', '-0', '0'],
  ['int64', '+5', '5'],
  ['int64', '9223372036854775807', '9223372036854775807'],
  ['int64', '-9223372036854775808', '-9223372036854775808'],
  ['int64', '0'.repeat(1000) + '12', '12'],
  ['float64', '1e3', 1000],
  ['float64', '.5', 0.5],
  ['float64', '-0.0', 0],
  ['numeric', '1.10', '1.1'],
  ['numeric', '-00.50', '-0.5'],
  ['numeric', '12345678901234567890.123456789', '12345678901234567890.123456789'],
  ['numeric', '1e3', '1000'],
  ['numeric', '-0', '0'],
  ['bignumeric', `0.${'0'.repeat(37)}1`, `0.${'0'.repeat(37)}1`],
  ['bignumeric', `${'9'.repeat(38)}.5`, `${'9'.repeat(38)}.5`],
  ['time', '09:05', '09:05:00'],
  ['time', '23:59:59.120', '23:59:59.12'],
  ['uuid', '5B3D9A52-8C1E-4F0A-9D67-2E4C1B7A9F30', '5b3d9a52-8c1e-4f0a-9d67-2e4c1b7a9f30'],
  ['timezone', 'Europe/Berlin', 'Europe/Berlin'],
  ['timezone', 'UTC', 'UTC'],
  ['timezone', '+05:30', '+05:30'],
  ['json', ' { "b" : 1, "a" : [1.50, null] } ', '{"a":[1.5,null],"b":1}'],
  ['json', '18446744073709551615', '18446744073709551615'],
  ['json', '"text"', '"text"'],
  ['bool', 'TRUE', true],
  ['bool', 'false', false],
  ['date', '2024-02-29', '2024-02-29'],
  ['date', '2000-02-29', '2000-02-29'],
  ['date', '0001-01-01', '0001-01-01'],
  ['datetime', '2026-01-31', '2026-01-31T00:00:00'],
  ['datetime', '2026-01-31 12:00:00.120', '2026-01-31T12:00:00.12'],
  ['datetime', '2026-01-31T23:59:59.999999', '2026-01-31T23:59:59.999999'],
  ['timestamp', '2026-01-31', '2026-01-31T00:00:00Z'],
  ['timestamp', '2026-01-31T12:00:00', '2026-01-31T12:00:00Z'],
  ['timestamp', '2026-01-31 12:00', '2026-01-31T12:00:00Z'],
  ['timestamp', '2026-01-31T12:00:00.000000Z', '2026-01-31T12:00:00Z'],
  ['timestamp', '2026-01-31T12:00:00.5+02:00', '2026-01-31T10:00:00.5Z'],
  ['timestamp', '2026-01-31T12:00:00-0530', '2026-01-31T17:30:00Z'],
  ['timestamp', '2024-02-29T00:30:00+01', '2024-02-28T23:30:00Z'],
  ['timestamp', '9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
  ['timestamp', '0099-01-01T00:00:00+01:00', '0098-12-31T23:00:00Z'],
]

const REFUSED: readonly (readonly [type: ScalarParameterType, text: string, detail: RegExp])[] = [
  ['int64', '', /an integer/],
  ['int64', '1.0', /an integer/],
  ['int64', ' 1', /an integer/],
  ['int64', '0x10', /an integer/],
  ['int64', '9223372036854775808', /between/],
  ['int64', '9'.repeat(1_000), /between/],
  ['int64', '0'.repeat(30_000), /at most 2000 characters/],
  ['float64', 'NaN', /decimal number/],
  ['float64', 'Infinity', /decimal number/],
  ['float64', '1e999', /range/],
  ['float64', '1,5', /decimal number/],
  ['numeric', '1.0000000001', /at most 29 digits before the point and 9 behind it/],
  ['numeric', '1e29', /at most 29 digits/],
  ['numeric', ' 1', /decimal number/],
  ['numeric', '1,5', /decimal number/],
  ['numeric', 'NaN', /decimal number/],
  ['numeric', '0'.repeat(30_000), /at most 2000 characters/],
  ['bignumeric', '1e39', /at most 39 digits/],
  ['time', '24:00:00', /up to 23:59:59/],
  ['time', '12', /time of day like 12:00:00/],
  ['time', '12:00:00Z', /time of day like/],
  ['time', '12:00:00.1234567', /six fractional digits/],
  ['uuid', '5b3d9a528c1e4f0a9d672e4c1b7a9f30', /UUID like/],
  ['uuid', '{5b3d9a52-8c1e-4f0a-9d67-2e4c1b7a9f30}', /UUID like/],
  ['timezone', 'Mars', /time zone like Europe\/Berlin, or an offset like \+02:00$/],
  ['timezone', 'europe/berlin', /did you mean "Europe\/Berlin"\?$/],
  ['timezone', 'America/NewYork', /did you mean "America\/New_York"\?$/],
  ['timezone', 'PST', /time zone/],
  ['timezone', '+15:00', /time zone/],
  ['json', '{"a":}', /must be JSON/],
  ['json', '{a: 1}', /must be JSON/],
  ['json', '12345678901234567890123', /without numbers that would lose digits/],
  ['json', '['.repeat(10_000), /must be JSON/],
  ['bool', '1', /true or false/],
  ['date', '2023-02-29', /date/],
  ['date', '1900-02-29', /date/],
  ['date', '2026-04-31', /date/],
  ['date', '2026-13-01', /date/],
  ['date', '0000-01-01', /date/],
  ['date', '26-01-01', /date/],
  ['datetime', '2026-01-31T12:00:00Z', /without an offset/],
  ['timestamp', '1700000000', /ISO 8601/],
  ['timestamp', '1700000000000', /ISO 8601/],
  ['timestamp', '2026-01-31T12', /ISO 8601/],
  ['timestamp', '2026-01-31Z', /ISO 8601/],
  ['timestamp', '2026-01-31T24:00:00Z', /23:59:59/],
  ['timestamp', '2026-01-31T23:59:60Z', /23:59:59/],
  ['timestamp', '2026-02-30T00:00:00Z', /calendar/],
  ['timestamp', '2026-01-31T12:00:00.1234567Z', /six fractional digits/],
  ['timestamp', '2026-01-31T12:00:00 02:00', /must be written %2B/],
  ['timestamp', '2026-01-31T12:00:00.5 0200', /must be written %2B/],
  ['timestamp', '2026-01-31T12:00:00+15:00', /14:00/],
  ['timestamp', '2026-01-31T12:00:00+01:60', /14:00/],
  ['timestamp', '0001-01-01T00:00:00+01:00', /years 1 to 9999/],
  ['timestamp', '9999-12-31T23:59:59-01:00', /years 1 to 9999/],
  ['timestamp', '10000-01-01T00:00:00Z', /ISO 8601/],
  ['timestamp', 'yesterday', /ISO 8601/],
]

describe('a typed value', () => {
  for (const [type, text, value] of TYPED) {
    it(`reads ${type} "${text.slice(0, 40)}" as ${JSON.stringify(value)}`, () => {
      expect(typeScalar(type, text)).to.deep.equal({ ok: true, value })
    })
  }

  for (const [type, text, detail] of REFUSED) {
    it(`refuses ${type} "${text.slice(0, 40)}"`, () => {
      const typed = typeScalar(type, text)
      expect(typed.ok).to.equal(false)
      if (!typed.ok) expect(typed.detail).to.match(detail)
    })
  }

  /** Texts with long runs that a rule could begin to match at each of their characters. */
  const LONG: readonly ((length: number) => string)[] = [
    ...['0', '1', '-', '+', '.', 'e1', ' ', '\n', 't', '1:11:11.', '1:11 ', '-0', 'Z'].flatMap(run =>
      ['', 'x', '.x', 'e', '.', ' 02:00', 'Z'].map(end => (length: number) => run.repeat(length / run.length) + end),
    ),
    length => `2026-01-31T12:00:00.${'0'.repeat(length)}1`,
    length => `0.${'0'.repeat(length)}1x`,
    length => `1e${'0'.repeat(length)}x`,
  ]
  const SHORT = [
    'int64',
    'float64',
    'numeric',
    'bignumeric',
    'bool',
    'date',
    'time',
    'datetime',
    'timestamp',
    'uuid',
    'timezone',
  ] as const
  for (const type of SHORT) {
    it(`of ${type} costs no more than a millisecond, however long the text is`, () => {
      for (const text of LONG) {
        for (const length of [MAX_TYPED_LENGTH - 10, 32_768]) {
          expect(
            processorMs(() => typeScalar(type, text(length))),
            `${length} of ${text(20)}`,
          ).to.be.below(1)
        }
      }
    })
  }

  it('orders integers by value and timestamps by time', () => {
    expect(compareValues('int64', '9', '10')).to.be.below(0)
    expect(compareValues('timestamp', '2026-01-31T12:00:00Z', '2026-01-31T12:00:00.5Z')).to.be.below(0)
    expect(compareValues('float64', 2, 10)).to.be.below(0)
    expect(compareValues('numeric', '-9.5', '10')).to.be.below(0)
    expect(compareValues('numeric', '-0.5', '-0.25')).to.be.below(0)
    expect(compareValues('numeric', '-10', '-9.5')).to.be.below(0)
    expect(compareValues('bignumeric', '0.49', '0.5')).to.be.below(0)
    expect(compareValues('bignumeric', '10', '9.99')).to.be.above(0)
    expect(compareValues('bignumeric', '0.1', '0.1')).to.equal(0)
    expect(compareValues('time', '12:00:00', '12:00:00.5')).to.be.below(0)
    expect(compareValues('date', '2026-01-31', '2026-01-31')).to.equal(0)
  })

  it('gives the microseconds of a time, also before 1970', () => {
    expect(readTimestamp('1970-01-01T01:00:00.000001+01:00')).to.equal(1n)
    expect(readTimestamp('1969-12-31T23:59:59.999999Z')).to.equal(-1n)
    expect(readTimestamp('2026-01-31')).to.equal(1_769_817_600_000_000n)
    expect(readTimestamp('1769817600')).to.equal(null)
  })
})
