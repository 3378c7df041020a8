/** Bound values become REST parameters, each with its type, so that BigQuery reads no value as a NULL. */
import type { QueryParameter } from '@google-cloud/bigquery'
import { expect } from 'chai'
import { queryParameters } from '../../../../runner/engines/bigquery/jobs/query-parameters.js'
import { RunnerError } from '../../../../runner/model/errors.js'

interface Case {
  readonly type: string
  readonly value: unknown
  readonly sent: QueryParameter['parameterValue']
}

const SCALARS: readonly Case[] = [
  { type: 'STRING', value: 'it\'s "x"\u0000`\\', sent: { value: 'it\'s "x"\u0000`\\' } },
  { type: 'STRING', value: '', sent: { value: '' } },
  { type: 'INT64', value: 9223372036854775807n, sent: { value: '9223372036854775807' } },
  { type: 'INT64', value: 7, sent: { value: '7' } },
  { type: 'INT64', value: '-9223372036854775808', sent: { value: '-9223372036854775808' } },
  { type: 'FLOAT64', value: 1.5, sent: { value: '1.5' } },
  { type: 'FLOAT64', value: Number.NaN, sent: { value: 'NaN' } },
  { type: 'NUMERIC', value: '0.000000001', sent: { value: '0.000000001' } },
  { type: 'BIGNUMERIC', value: '1e-38', sent: { value: `0.${'0'.repeat(37)}1` } },
  { type: 'BOOL', value: false, sent: { value: 'false' } },
  { type: 'BYTES', value: new Uint8Array([255, 0]), sent: { value: '/wA=' } },
  { type: 'DATE', value: '0001-01-01', sent: { value: '0001-01-01' } },
  { type: 'TIME', value: '23:59:59.999999', sent: { value: '23:59:59.999999' } },
  { type: 'DATETIME', value: '9999-12-31T23:59:59.999999', sent: { value: '9999-12-31T23:59:59.999999' } },
  { type: 'TIMESTAMP', value: '0001-01-01T00:00:00Z', sent: { value: '0001-01-01T00:00:00Z' } },
  { type: 'TIMESTAMP', value: '9999-12-31T23:59:59.999999Z', sent: { value: '9999-12-31T23:59:59.999999Z' } },
  { type: 'INTERVAL', value: '1-2 3 4:5:6', sent: { value: '1-2 3 4:5:6' } },
  { type: 'JSON', value: '{"a":1}', sent: { value: '{"a":1}' } },
  { type: 'JSON', value: { a: [1] }, sent: { value: '{"a":[1]}' } },
]

const only = (
  type: string,
  value: unknown,
): { type: QueryParameter['parameterType']; value: QueryParameter['parameterValue'] } => {
  const [parameter] = queryParameters({ p: { type, value } })
  expect(parameter!.name).to.equal('p')
  return { type: parameter!.parameterType, value: parameter!.parameterValue }
}

describe('a parameter for BigQuery', () => {
  for (const { type, value, sent } of SCALARS) {
    const name = typeof value === 'object' ? 'object' : JSON.stringify(String(value))
    it(`of type ${type} and value ${name} has both`, () => {
      expect(only(type, value)).to.deep.equal({ type: { type }, value: sent })
    })
  }

  for (const type of new Set(SCALARS.map(one => one.type))) {
    it(`of type ${type} that is NULL has its type, and so has an array of it`, () => {
      expect(only(type, null)).to.deep.equal({ type: { type }, value: {} })
      const array = { type: 'ARRAY', arrayType: { type } }
      expect(only(`ARRAY<${type}>`, null)).to.deep.equal({ type: array, value: {} })
      expect(only(`ARRAY<${type}>`, [])).to.deep.equal({ type: array, value: { arrayValues: [] } })
    })
  }

  it('that is an array has its values in their order, times in UTC', () => {
    expect(only('ARRAY<TIMESTAMP>', ['0001-01-01T00:00:00Z', '2026-01-31T12:00:00+01:00']).value).to.deep.equal({
      arrayValues: [{ value: '0001-01-01T00:00:00Z' }, { value: '2026-01-31T11:00:00Z' }],
    })
  })

  it('that is a struct has its fields, whatever they are called', () => {
    const { type, value } = only('STRUCT<a INT64, __proto__ STRING>', JSON.parse('{"a":1,"__proto__":"x"}'))
    expect(type).to.deep.equal({
      type: 'STRUCT',
      structTypes: [
        { name: 'a', type: { type: 'INT64' } },
        { name: '__proto__', type: { type: 'STRING' } },
      ],
    })
    expect(JSON.stringify(value)).to.equal('{"structValues":{"a":{"value":"1"},"__proto__":{"value":"x"}}}')
  })

  it('that is a range has its bounds, and none where it is unbounded', () => {
    const { type, value } = only('RANGE<DATE>', '[2026-01-31, UNBOUNDED)')
    expect(type).to.deep.equal({ type: 'RANGE', rangeElementType: { type: 'DATE' } })
    expect(value).to.deep.equal({ rangeValue: { start: { value: '2026-01-31' }, end: {} } })
  })

  for (const [type, value] of [
    ['RANGE<DATE>', '2026-01-31'],
    ['TIMESTAMP', new Date(0)],
    ['TIMESTAMP', 12],
    ['STRING', 12],
    ['BOOL', 'true'],
    ['INT64', true],
    ['ARRAY<STRING>', 'x'],
    ['ARRAY<STRING>', [1]],
    ['STRUCT<a INT64>', 'x'],
    ['WHATEVER', 'x'],
  ] as const) {
    it(`of type ${type} with an invalid ${typeof value} is refused, and never NULL`, () => {
      expect(() => queryParameters({ p: { type, value } }))
        .to.throw(RunnerError)
        .with.property('code', 'ARGUMENT_INVALID')
    })
  }
})
