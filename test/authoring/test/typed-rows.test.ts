import { expect } from 'chai'
import { typedRows } from '../../../authoring/test/typed-rows.js'

describe('values of a type in one spelling', () => {
  const EQUAL: readonly (readonly [type: string, ...spellings: readonly unknown[]])[] = [
    ['INT64', 5, '5', '+5'],
    ['INT64', '9223372036854775807', '+9223372036854775807'],
    ['FLOAT64', 1.5, '1.50', '15e-1'],
    ['NUMERIC', '1.1', 1.1, '1.10', '+01.100', '11e-1'],
    ['BIGNUMERIC', '0.00000000000000000000000000000000000001', '1e-38'],
    ['DATE', '2026-01-05', '2026-1-5'],
    ['TIME', '09:30:00', '9:30:00.000'],
    ['DATETIME', '2026-01-05T09:30:00', '2026-01-05 09:30:00.000'],
    [
      'TIMESTAMP',
      '2026-01-05T09:30:00Z',
      '2026-01-05T09:30:00.000Z',
      '2026-01-05 09:30:00+00',
      '2026-01-05 10:30:00 +01:00',
      '2026-01-05 04:30:00 America/New_York',
      1767605400000000,
    ],
    ['ARRAY<NUMERIC>', ['1.1', null], ['1.10', null]],
    [
      'STRUCT<a NUMERIC, b ARRAY<STRUCT<c DATE>>>',
      { a: 1, b: [{ c: '2026-01-05' }] },
      { b: [{ c: '2026-1-5' }], a: '1.0' },
    ],
  ]
  for (const [type, ...spellings] of EQUAL) {
    it(`of ${type}`, () => {
      const [first, ...others] = typedRows(
        spellings.map(v => ({ v })),
        [{ name: 'v', type }],
      )
      for (const other of others) expect(other).to.deep.equal(first)
    })
  }

  const KEPT: readonly (readonly [type: string, ...values: readonly unknown[]])[] = [
    ['STRING', '1.10', '2026-1-5'],
    ['JSON', { a: '1.10' }, '1.10'],
    ['BOOL', 'true', true],
    ['INT64', 'x', 1.5, '1.0', null],
    ['FLOAT64', 'NaN', 'Infinity', 'x', ''],
    ['NUMERIC', '1.1234567891', 'x', true, [1]],
    ['TIMESTAMP', 'x', '2026-02-30T00:00:00Z', 1e300],
    ['ARRAY<INT64>', 'x', { a: 1 }],
    ['STRUCT<a INT64>', 'x', ['1']],
    ['no type', '1.10'],
  ]
  for (const [type, ...values] of KEPT) {
    it(`leaves what has one spelling, or is not of the type ${type}`, () => {
      const rows = values.map(v => ({ v, other: '1.10' }))
      expect(typedRows(rows, [{ name: 'v', type }])).to.deep.equal(rows)
    })
  }
})
