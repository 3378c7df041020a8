import { expect } from 'chai'
import { parsedArguments, parseJsonArguments, parsePairs } from '../../runner/request/raw-arguments.js'
import { processorMs } from '../processor-time.js'
import { itInAll } from '../sample-size.js'

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `a${i}`)
const members = (count: number): string =>
  names(count)
    .map(name => `"${name}":1`)
    .join()

describe('the names of arguments', () => {
  const readers: readonly (readonly [form: string, read: (count: number) => ReadonlyMap<string, unknown>])[] = [
    ['an address or a form', count => parsePairs(names(count).join('=1&'))],
    ['a JSON body', count => parseJsonArguments(`{${members(count)}}`)],
  ]
  for (const [form, read] of readers) {
    it(`may be 1,000 in ${form}`, () => {
      expect(read(1_000)).to.have.lengthOf(1_000)
    })

    it(`are refused beyond 1,000 in ${form}`, () => {
      expect(() => read(1_001)).to.throw('at most 1000 different arguments')
    })
  }

  it('are counted also inside the values of a JSON body, where no argument has any', () => {
    expect(() => parseJsonArguments(`{"a":{${members(1_000)}}}`)).to.throw('at most 1000 different arguments')
  })

  it('may have values that are nested 500 deep', () => {
    const nested = (depth: number) => parseJsonArguments(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)
    expect(nested(499).size).to.equal(1)
    expect(() => nested(500)).to.throw('may be nested at most 500 deep')
    // A middleware may have parsed the body.
    const parsed = (depth: number) =>
      parsedArguments(JSON.parse(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`), true)
    expect(parsed(499).size).to.equal(1)
    expect(() => parsed(500)).to.throw('may be nested at most 500 deep')
    let deep: unknown = []
    for (let depth = 0; depth < 200_000; depth++) deep = [deep]
    expect(() => parsedArguments({ a: deep }, true)).to.throw('may be nested at most 500 deep')
  })

  it('are counted by their number and not by the number of values', () => {
    expect(parsePairs('a=1&'.repeat(5_000)).get('a')?.values).to.have.lengthOf(5_000)
    expect(parseJsonArguments('{"a":"1:2:3,\\":\\"","b":[":",":"]}')).to.have.lengthOf(2)
  })

  itInAll(
    'cost nothing beyond the bound: a body of 1 MB with 90,000 is refused in a fifth of the time that JSON.parse needs',
    () => {
      const text = `{${members(90_000)}}`
      const refused = processorMs(() => expect(() => parseJsonArguments(text)).to.throw('at most 1000'))
      expect(refused).to.be.lessThan(processorMs(() => JSON.parse(text)) / 5)
    },
  )
})

describe('the values of arguments', () => {
  it('may be 10,000, and are refused beyond', () => {
    for (const read of [
      (count: number) => parsePairs(Array(count).fill('a=1').join('&')),
      (count: number) => parseJsonArguments(`{"a":[${Array(count).fill(1).join()}]}`),
      (count: number) =>
        parseJsonArguments(
          `{"a":[[${Array(count - 1)
            .fill('","')
            .join()}],[]]}`,
        ),
    ]) {
      expect(read(10_000).size).to.equal(1)
      expect(() => read(10_001)).to.throw('at most 10000 values')
    }
  })

  it('may be as many where no text was parsed: in a call of this process, of an agent, or of a middleware', () => {
    for (const valuesOf of [
      (count: number) => Array(count).fill('a'),
      (count: number) => [[Array(count - 3).fill({ a: 1 }), []], {}, null],
    ]) {
      expect(parsedArguments({ a: valuesOf(10_000) }, true).size).to.equal(1)
      expect(() => parsedArguments({ a: valuesOf(10_001) }, true)).to.throw('at most 10000 values')
    }
  })

  itInAll('cost nothing beyond the bound, however many there are', () => {
    // The lists are long, since a refusal itself takes some tenths of a millisecond.
    const list = `{"a":[${Array(5_000_000).fill(1).join()}]}`
    const refused = processorMs(() => expect(() => parseJsonArguments(list)).to.throw('at most 10000 values'))
    expect(refused).to.be.lessThan(processorMs(() => JSON.parse(list)) / 5)
    const form = 'a=1&'.repeat(2_500_000)
    const refusedForm = processorMs(() => expect(() => parsePairs(form)).to.throw('at most 10000 values'))
    expect(refusedForm).to.be.lessThan(processorMs(() => form.split('&')) / 2)
  })
})
