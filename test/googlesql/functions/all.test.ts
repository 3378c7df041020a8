import { expect } from 'chai'
import { allFunctions, findFunction, functionNames } from '../../../googlesql/functions/all.js'
import { signaturesOf } from '../../../googlesql/functions/shown-signature.js'
import { parseSignature } from '../../../googlesql/functions/signature.js'
import { RESERVED_KEYWORDS } from '../../../googlesql/lex/keywords.js'
import { parseScript } from '../../../googlesql/parse/parse.js'
import { AGGREGATE_WRITERS, WRITERS } from '../../../googlesql-duckdb/functions/all.js'

describe('the catalogue of functions', () => {
  it('has signatures that can be read, and a page for every function', () => {
    for (const entry of allFunctions()) {
      expect(() => signaturesOf(entry), entry.name).not.to.throw()
      expect(entry.signatures, entry.name).not.to.be.empty
      expect(entry.documentation, entry.name).to.match(/^\w[\w-]*#\w+$/)
    }
  })

  it('has every name once', () => {
    const names = allFunctions().flatMap(entry => [entry.name, ...(entry.aliases ?? [])])
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([])
  })

  it('finds functions by name and by alias', () => {
    expect(findFunction('SUBSTRING')).to.equal(findFunction('SUBSTR'))
    expect(findFunction('NET.HOST')?.kind).to.equal('scalar')
    expect(findFunction('lower')).to.equal(undefined)
    expect(functionNames()).to.include('REGEXP_SUBSTR').and.not.include('$add')
  })

  it('reads the clock only in the functions that the parser calls without parentheses', () => {
    const isCalled = (name: string): boolean => {
      const { body } = parseScript(`SELECT ${name}`).query
      const item = body.kind === 'select' ? body.items[0] : undefined
      return item?.kind === 'expression' && item.expression.kind === 'call'
    }
    const names = functionNames().filter(name => /^[A-Z_]+$/.test(name) && !RESERVED_KEYWORDS.has(name))
    const stable = names.filter(name => findFunction(name)!.volatility === 'stable')
    expect(names.filter(isCalled)).to.deep.equal(stable).and.not.be.empty
  })

  it('has an entry for every form of the embedded engine', () => {
    const known = new Set(allFunctions().map(entry => entry.name))
    const forms = [...WRITERS.keys(), ...AGGREGATE_WRITERS.keys()].filter(name => !name.startsWith('$'))
    expect(forms.filter(name => !known.has(name))).to.deep.equal([])
  })
})

describe('a signature', () => {
  it('is read into its parameters', () => {
    const { parameters, result } = parseSignature(
      '(ARRAY<T>, [INT64, also => BOOL], name => STRING, LAMBDA(T, INT64) -> BOOL, U...) -> STRUCT<a T, INT64>',
    )
    expect(parameters.map(p => [p.name, p.isOptional, p.isNamedOnly, p.isRepeated, p.pattern.kind])).to.deep.equal([
      [null, false, false, false, 'array'],
      [null, true, false, false, 'type'],
      ['also', true, false, false, 'type'],
      ['name', true, true, false, 'type'],
      [null, false, false, false, 'lambda'],
      [null, false, false, true, 'variable'],
    ])
    expect(result.kind).to.equal('struct')
  })
  for (const text of [
    '(INT64',
    '(FOO) -> INT64',
    '(INT64) INT64',
    '(INT64) -> INT64 x',
    'INT64 -> INT64',
    '(WORD()) -> INT64',
  ]) {
    it(`is refused: ${text}`, () => expect(() => parseSignature(text)).to.throw())
  }
})
