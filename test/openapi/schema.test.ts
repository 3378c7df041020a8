import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import type { ContractColumn } from '../../runner/model/endpoint.js'
import { columnSchema, type Dialect, resultSchema } from '../../runner/openapi/schema.js'
import { breachOf, publishedSchemas } from './published-schema.js'

const column = (type: string, rest: Partial<ContractColumn> = {}): ContractColumn => ({
  name: 'c',
  type,
  description: '',
  required: false,
  json: null,
  unit: null,
  ...rest,
})

const schemaOf = (one: ContractColumn, dialect: Dialect = '3.1', timestamps: 'iso8601' | 'unix_micros' = 'iso8601') => {
  const { 'x-sluice-type': _, ...schema } = columnSchema(one, timestamps, dialect)
  return schema
}

const SAFE = { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 }
const DIGITS = { type: 'string', pattern: '^-?[0-9]{16,19}$' }

describe('openapi: the schema of a column', () => {
  for (const [type, json, schema] of [
    ['INT64', null, { anyOf: [SAFE, DIGITS] }],
    ['INT64', 'number', SAFE],
    ['INT64', 'string', { type: 'string', pattern: '^-?[0-9]{1,19}$' }],
    ['FLOAT64', null, { anyOf: [{ type: 'number' }, { type: 'string', enum: ['NaN', 'Infinity', '-Infinity'] }] }],
    ['FLOAT64', 'number', { type: 'number' }],
    ['NUMERIC', 'string', { type: 'string', pattern: '^-?[0-9]+(?:\\.[0-9]+)?$' }],
    ['BIGNUMERIC', 'number', { type: 'number' }],
    ['BOOL', null, { type: 'boolean' }],
    ['STRING', null, { type: 'string' }],
    ['BYTES', null, { type: 'string', contentEncoding: 'base64' }],
    ['DATE', null, { type: 'string', format: 'date' }],
    ['TIME', null, { type: 'string', format: 'time-local' }],
    ['DATETIME', null, { type: 'string', format: 'date-time-local' }],
    ['TIMESTAMP', null, { type: 'string', format: 'date-time' }],
    ['INTERVAL', null, { type: 'string' }],
    ['RANGE<DATE>', null, { type: 'string' }],
    ['JSON', null, {}],
    ['ARRAY<STRING>', null, { type: 'array', items: { type: 'string' } }],
    ['ARRAY<STRUCT>', null, { type: 'array', items: { type: 'object' } }],
  ] as const) {
    it(`${type}${json === null ? '' : ` as ${json}`}, never NULL`, () => {
      expect(schemaOf(column(type, { json, required: true }))).to.deep.equal(schema)
    })
  }

  it('with null, which an ARRAY never is', () => {
    expect(schemaOf(column('STRING'))).to.deep.equal({ type: ['string', 'null'] })
    expect(schemaOf(column('INT64'))).to.deep.equal({ anyOf: [SAFE, DIGITS, { type: 'null' }] })
    expect(schemaOf(column('ARRAY<INT64>'))).to.deep.equal({ type: 'array', items: { anyOf: [SAFE, DIGITS] } })
    expect(schemaOf(column('JSON'))).to.deep.equal({})
  })

  it('in OpenAPI 3.0 with nullable, inside every branch of anyOf', () => {
    expect(schemaOf(column('STRING'), '3.0')).to.deep.equal({ type: 'string', nullable: true })
    expect(schemaOf(column('INT64'), '3.0')).to.deep.equal({
      anyOf: [
        { ...SAFE, nullable: true },
        { ...DIGITS, nullable: true },
      ],
    })
    expect(schemaOf(column('BYTES', { required: true }), '3.0')).to.deep.equal({ type: 'string', format: 'byte' })
  })

  it('of TIMESTAMP as an integer where the endpoint says so, at any depth', () => {
    const schema = schemaOf(column('ARRAY<STRUCT<t TIMESTAMP>>'), '3.1', 'unix_micros')
    expect(schema)
      .to.have.nested.property('items.properties.t')
      .that.deep.equals({ type: ['integer', 'null'] })
  })

  it('complete within STRUCT and ARRAY, with names for fields that have none', () => {
    expect(schemaOf(column('STRUCT<a STRUCT<n INT64>, STRING>', { required: true }))).to.deep.equal({
      type: 'object',
      required: ['a', '_field_2'],
      properties: {
        a: {
          type: ['object', 'null'],
          required: ['n'],
          properties: { n: { anyOf: [SAFE, DIGITS, { type: 'null' }] } },
          additionalProperties: false,
        },
        _field_2: { type: ['string', 'null'] },
      },
      additionalProperties: false,
    })
  })

  it('within STRUCT and ARRAY as narrow as the query shows', () => {
    const number = { required: true, json: 'number' } as const
    const fields = [number, { required: true, json: null, fields: [{ required: false, json: 'number' } as const] }]
    const type = 'ARRAY<STRUCT<a INT64, b STRUCT<c INT64>>>'
    const { items } = schemaOf(column(type, { required: true, fields })) as { items: { properties: object } }
    expect(items.properties).to.deep.equal({
      a: SAFE,
      b: {
        type: 'object',
        required: ['c'],
        properties: { c: { ...SAFE, type: ['integer', 'null'] } },
        additionalProperties: false,
      },
    })
  })

  it('with the names that results have for fields of equal names, or of none', () => {
    const ajv = publishedSchemas()
    const validate = ajv.compile(schemaOf(column('STRUCT<a INT64, A STRING, BOOL>')))
    expect(validate({ a: 1, A_2: 'x', _field_3: true })).to.equal(true)
    expect(validate({ a: 1, _field_3: true })).to.equal(false)
    expect(validate({ a: 'x', A_2: 1, _field_3: true })).to.equal(false)
  })

  it('says the type in GoogleSQL, the unit and the description', () => {
    const one = column('FLOAT64', { json: 'number', required: true, unit: 'ms', description: 'How long.' })
    expect(columnSchema(one, 'iso8601', '3.1')).to.deep.equal({
      type: 'number',
      description: 'How long.',
      'x-sluice-type': 'FLOAT64',
      'x-sluice-unit': 'ms',
    })
  })
})

describe('openapi: the schema of a result', () => {
  const types = ['INT64', 'FLOAT64', 'NUMERIC', 'BOOL', 'BYTES', 'DATE', 'TIME', 'DATETIME', 'TIMESTAMP', 'JSON']
  const columns = [
    ...types.map(type => column(type, { name: type })),
    column('ARRAY<STRUCT<n INT64, t TIME>>', { name: 'nested' }),
    column('STRING', { name: '__proto__', required: true, unit: 'words' }),
  ]
  const row = {
    INT64: '9007199254740992',
    FLOAT64: 'NaN',
    NUMERIC: '-12.5',
    BOOL: true,
    BYTES: 'aGk=',
    DATE: '2026-01-31',
    TIME: '12:00:00.500',
    DATETIME: '2026-01-31T12:00:00',
    TIMESTAMP: '2026-01-31T12:00:00.123456Z',
    JSON: { any: [1] },
    nested: [{ n: 1, t: null }],
    ['__proto__']: 'x',
  }
  // As strict as the validator can be, without a plugin, a format or a keyword of ours.
  const validate = new Ajv2020({ strict: true }).compile(resultSchema({ columns, maxRows: 2, timestamps: 'iso8601' }))
  const isValid = (changes: Record<string, unknown>): boolean => validate({ result: [{ ...row, ...changes }] })

  it('is compiled and held by ajv alone', () => {
    expect(isValid({}), JSON.stringify(validate.errors)).to.equal(true)
    const nulls = Object.fromEntries(types.map(type => [type, null]))
    expect(isValid(nulls), JSON.stringify(validate.errors)).to.equal(true)
  })

  for (const [name, value] of [
    ['INT64', 9007199254740992],
    ['INT64', '5'],
    ['INT64', 1.5],
    ['FLOAT64', 'nan'],
    ['NUMERIC', 5],
    ['BOOL', 'true'],
    ['DATE', '2026-1-31'],
    ['TIME', '12:00'],
    ['DATETIME', '2026-01-31T12:00:00Z'],
    ['TIMESTAMP', '2026-01-31T12:00:00'],
    ['nested', null],
    ['nested', [null]],
    ['nested', [{ n: 1 }]],
    ['nested', [{ n: 1, t: null, more: 1 }]],
    ['more', 1],
  ] as const) {
    it(`refuses ${name}: ${JSON.stringify(value)}`, () => expect(isValid({ [name]: value })).to.equal(false))
  }

  it('says the same as the published one, which has formats', () => {
    const endpoint = { columns, maxRows: 2, timestamps: 'iso8601' as const }
    const bodyOf = (changes: object): Uint8Array => Buffer.from(JSON.stringify({ result: [{ ...row, ...changes }] }))
    expect(breachOf(endpoint, bodyOf({}))).to.equal(null)
    expect(breachOf(endpoint, bodyOf({ DATE: '2026-13-01' }))).to.match(/^\/result\/0\/DATE must match format "date"/)
  })

  it('refuses a row without a column, and more rows than there can be', () => {
    const { BOOL: _, ...less } = row
    expect(validate({ result: [less] })).to.equal(false)
    expect(validate({ result: [row, row] })).to.equal(true)
    expect(validate({ result: [row, row, row] })).to.equal(false)
    expect(validate({ result: [], more: 1 })).to.equal(false)
  })
})
