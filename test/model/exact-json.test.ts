import { expect } from 'chai'
import fc from 'fast-check'
import { parseExact, stringifyExact } from '../../runner/model/exact-json.js'

describe('exact JSON', () => {
  it('keeps the digits of numbers that a double cannot hold', () => {
    const numbers = [
      '12345678901234567890',
      '-0.12345678901234567891',
      '1e400',
      '9007199254740993',
      '1.0000000000000000001E+5',
    ]
    const text = `{"a":[${numbers.join()}],"b":{"c":"12345678901234567890"}}`
    expect(stringifyExact(parseExact(text))).to.equal(text)
    expect(stringifyExact(parseExact('[9007199254740993]'), 2)).to.equal('[\n  9007199254740993\n]')
  })

  it('is plain JSON for all else', () => {
    const text = '{"a":[1,0.1,1.5e+300,-7,true,null,"x\\u0000\\"1"],"__proto__":{"b":9007199254740992}}'
    expect(parseExact(text)).to.deep.equal(JSON.parse(text))
    expect(stringifyExact(JSON.parse(text))).to.equal(text)
    expect(stringifyExact(parseExact('[1.50,150e-2,-0,0e9]'))).to.equal('[1.5,1.5,0,0]')
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const json = JSON.stringify(value)
        expect(parseExact(json)).to.deep.equal(JSON.parse(json))
      }),
    )
  })

  it('refuses what JSON.parse refuses', () => {
    for (const text of [
      '{',
      '[01]',
      '[1e999999999999999999999.]',
      '[12345678901234567890.]',
      '[- 12345678901234567890]',
      '"a',
    ]) {
      expect(() => parseExact(text), text).to.throw(SyntaxError)
    }
  })
})
