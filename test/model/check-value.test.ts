import { expect } from 'chai'
import { parseTypeName } from '../../googlesql/index.js'
import { checkValue, type ValueWriter } from '../../runner/model/check-value.js'

/** Gives each value as it was checked. */
const AS_CHECKED: ValueWriter<unknown> = {
  absent: null,
  scalars: new Proxy({} as ValueWriter<unknown>['scalars'], { get: () => (value: unknown) => value }),
  array: items => [...items],
  struct: (type, fields) => type.fields.map(({ name }, i) => [name, fields[i]]),
}

const checked = (type: string, value: unknown): unknown => checkValue(parseTypeName(type)!, value, AS_CHECKED)

const RIGHT: readonly (readonly [type: string, value: unknown, exact: unknown])[] = [
  ['INT64', 7, '7'],
  ['INT64', -9223372036854775808n, '-9223372036854775808'],
  ['INT64', '+07', '7'],
  ['FLOAT64', -0.5, -0.5],
  ['FLOAT64', '1.5e3', 1500],
  ['FLOAT64', 'NaN', Number.NaN],
  ['FLOAT64', '-Infinity', Number.NEGATIVE_INFINITY],
  ['NUMERIC', 1e-7, '0.0000001'],
  ['NUMERIC', '-00.50', '-0.5'],
  ['NUMERIC', '99999999999999999999999999999.999999999', '99999999999999999999999999999.999999999'],
  ['BIGNUMERIC', '1e-38', `0.${'0'.repeat(37)}1`],
  ['BOOL', false, false],
  ['STRING', '', ''],
  ['BYTES', 'AP8=', Buffer.from([0, 255])],
  ['DATE', '2026-01-31', '2026-01-31'],
  ['DATETIME', '2026-01-31 12:00:00.50', '2026-01-31T12:00:00.5'],
  ['TIME', '23:59', '23:59:00'],
  ['TIMESTAMP', '2026-01-31T12:00:00+01:00', '2026-01-31T11:00:00Z'],
  ['INTERVAL', '-1-2 3 -4:5:6.5', { text: '-1-2 3 -4:5:6.5', months: -14, days: 3, micros: -14_706_500_000n }],
  ['JSON', { a: [1] }, '{"a":[1]}'],
  ['JSON', '{"a":12345678901234567}', '{"a":12345678901234567}'],
  ['RANGE<DATE>', '[2026-01-31, UNBOUNDED)', { start: '2026-01-31', end: null }],
  ['ARRAY<INT64>', [1, null, '2'], ['1', null, '2']],
  [
    'STRUCT<a INT64, STRING>',
    { a: 1, _field_2: 'x' },
    [
      ['a', '1'],
      ['', 'x'],
    ],
  ],
  [
    'STRUCT<a INT64, b BOOL>',
    [1, true],
    [
      ['a', '1'],
      ['b', true],
    ],
  ],
]

const WRONG: readonly (readonly [type: string, value: unknown])[] = [
  // These numbers are not those that were written.
  ['INT64', 2 ** 60],
  ['INT64', '9223372036854775808'],
  ['INT64', 1.5],
  ['FLOAT64', 'x'],
  ['FLOAT64', '1e400'],
  ['NUMERIC', '0.0000000001'],
  ['NUMERIC', 'x'],
  ['BIGNUMERIC', '1e40'],
  ['BOOL', 'true'],
  ['STRING', 1],
  ['BYTES', 'AP8'],
  ['DATE', '2026-02-30'],
  ['DATETIME', '2026-01-31T12:00:00Z'],
  ['TIME', '24:00:00'],
  ['TIME', 12],
  ['TIMESTAMP', new Date(0)],
  ['INTERVAL', '1 day'],
  ['RANGE<DATE>', '[2026-01-31, 2026-01-30)'],
  ['ARRAY<INT64>', [1, 'x']],
  ['ARRAY<INT64>', 1],
  ['STRUCT<a INT64>', { a: 'x' }],
  ['STRUCT<a INT64>', [1, 2]],
  ['STRUCT<a INT64>', 'x'],
]

describe('a bound value', () => {
  for (const [type, value, exact] of RIGHT) {
    it(`of type ${type} that fits has one form: ${JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}` : v))}`, () => {
      expect(checked(type, value)).to.deep.equal(exact)
    })
  }
  for (const [type, value] of WRONG) {
    it(`of type ${type} that does not fit is refused: ${JSON.stringify(value)}`, () => {
      expect(checked(type, value)).to.equal(undefined)
    })
  }
  it('that is missing is NULL, of each type', () => {
    for (const [type] of RIGHT) expect([checked(type, null), checked(type, undefined)]).to.deep.equal([null, null])
  })
})
