import { expect } from 'chai'
import type { CheckedSql } from '../../runner/manifest/check/rule.js'
import { compileContract } from '../../runner/manifest/contract.js'
import type { Column } from '../../runner/model/manifest.js'
import type { CheckedColumn } from '../../runner/model/query.js'

/** The contract in short: `type`, then `!` if required, then the form of numbers. */
function contract(declared: readonly Column[] | undefined, ...variants: readonly CheckedColumn[][]): string {
  const checked = variants.map(columns => ({ text: {}, columns }) as unknown as CheckedSql)
  return compileContract(declared, checked)
    .map(({ type, required, json }) => `${type}${required ? '!' : ''} ${json ?? '-'}`)
    .join(', ')
}

const SURE: CheckedColumn = { name: 'c', type: 'INT64', required: true, json: 'number' }
const UNSURE: CheckedColumn = { name: 'c', type: 'INT64' }

describe('the contract of rows', () => {
  it('has what all variants show, whichever comes first', () => {
    expect(contract(undefined, [SURE])).to.equal('INT64! number')
    expect(contract(undefined, [SURE], [UNSURE])).to.equal('INT64 -')
    expect(contract(undefined, [UNSURE], [SURE])).to.equal('INT64 -')
    expect(contract([{ name: 'c', type: 'INT64' }], [SURE], [UNSURE])).to.equal('INT64 -')
  })

  it('has what is declared, whatever the variants show', () => {
    const declared = { name: 'c', type: 'INT64', required: true, json: 'string' } as const
    expect(contract([declared], [SURE], [UNSURE])).to.equal('INT64! string')
    expect(contract([{ ...declared, required: false }], [SURE])).to.equal('INT64 string')
  })

  it('has the fields of a STRUCT where all variants have the same', () => {
    const open = { name: 'c', type: 'ARRAY<STRUCT>' }
    const [a, b] = ['ARRAY<STRUCT<a INT64>>', 'ARRAY<STRUCT<b INT64>>'].map(type => [{ name: 'c', type }])
    expect(contract([open], a!, a!)).to.equal('ARRAY<STRUCT<a INT64>> -')
    expect(contract([open], a!, b!)).to.equal('ARRAY<STRUCT> -')
  })

  it('has of fields what all variants show', () => {
    const of = (fields: CheckedColumn['fields'], type = 'STRUCT<a INT64, b INT64>') => [
      { name: 'c', type, ...(fields && { fields }) },
    ]
    const [number, required, none] = [
      { required: true, json: 'number' },
      { required: true, json: null },
      { required: false, json: null },
    ] as const
    const fieldsOf = (...variants: readonly CheckedColumn[][]): unknown => {
      const checked = variants.map(columns => ({ text: {}, columns }) as unknown as CheckedSql)
      return compileContract(undefined, checked)[0]!.fields
    }
    expect(fieldsOf(of([number, none]))).to.deep.equal([number, none])
    expect(fieldsOf(of([number, number]), of([required, none]))).to.deep.equal([required, none])
    expect(fieldsOf(of([number, none]), of([none, number]))).to.equal(undefined)
    expect(fieldsOf(of([number, none]), of(undefined))).to.equal(undefined)
    expect(fieldsOf(of([number]), of([number], 'STRUCT<b INT64>'))).to.equal(undefined)
    const deep = { ...required, fields: [number] }
    expect(fieldsOf(of([deep, deep]), of([deep, required]))).to.deep.equal([deep, required])
  })

  it('has NUMERIC as a string, unless it is declared as a number', () => {
    expect(contract(undefined, [{ name: 'c', type: 'BIGNUMERIC' }])).to.equal('BIGNUMERIC string')
    const declared = { name: 'c', type: 'NUMERIC', json: 'number' } as const
    expect(contract([declared], [{ name: 'c', type: 'NUMERIC' }])).to.equal('NUMERIC number')
  })
})
