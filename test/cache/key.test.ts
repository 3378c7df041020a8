import { expect } from 'chai'
import fc from 'fast-check'
import { cacheKey } from '../../runner/cache/key.js'
import type { ArgumentValue } from '../../runner/model/param.js'
import { bindParams } from '../../runner/request/bind-params.js'
import { parsePairs } from '../../runner/request/wire.js'
import { ENDPOINT_ID, handMadeEndpoint, parameter } from '../request/hand-made.js'

const endpoint = handMadeEndpoint({
  parameters: [parameter('a'), parameter('b', { type: 'int64' }), parameter('c', { type: 'array<string>' })],
})

const values = fc.record(
  {
    a: fc.string(),
    b: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
    c: fc.array(fc.string(), { maxLength: 3 }),
  },
  { requiredKeys: [] },
)

const keyOf = (args: Record<string, ArgumentValue>): string => cacheKey(endpoint, args, 'json')

describe('a cache key', () => {
  it('is the same in whatever order arguments are given, undeclared ones too', () => {
    const text = fc.string({ minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(text, text, fc.integer(), (a, other, b) => {
        const pairs = [`a=${encodeURIComponent(a)}`, `b=${b}`, `x=${encodeURIComponent(other)}`]
        const keys = [pairs, [...pairs].reverse(), pairs.slice(0, 2)].map(order =>
          cacheKey(endpoint, bindParams(endpoint, parsePairs(order.join('&'))), 'json'),
        )
        return new Set(keys).size === 1
      }),
    )
  })

  it('is the same for equal arguments only', () => {
    fc.assert(
      fc.property(values, values, (one, other) => {
        const isEqual = fc.stringify(sorted(one)) === fc.stringify(sorted(other))
        return (keyOf(one) === keyOf(other)) === isEqual
      }),
    )
  })

  const different: readonly (readonly [string, Record<string, ArgumentValue>, Record<string, ArgumentValue>])[] = [
    ['an absent argument and an empty one', {}, { a: '' }],
    ['an absent argument and null', {}, { a: null }],
    ['one element with a comma and two', { c: ['x,y'] }, { c: ['x', 'y'] }],
    ['a quote that would end the value', { a: '","1' }, { a: '', b: '1' }],
    ['lone surrogates', { a: '\ud800' }, { a: '\ud801' }],
    ['a value of the next parameter', { a: '1' }, { b: '1' }],
  ]
  for (const [name, one, other] of different) {
    it(`tells apart ${name}`, () => expect(keyOf(one)).to.not.equal(keyOf(other)))
  }

  it('changes with the revision, the id and the format', () => {
    const keys = [
      keyOf({ a: 'x' }),
      cacheKey({ ...endpoint, revision: 'r2' }, { a: 'x' }, 'json'),
      cacheKey({ ...endpoint, id: ENDPOINT_ID.replace('0', '1') }, { a: 'x' }, 'json'),
      cacheKey(endpoint, { a: 'x' }, 'ndjson'),
    ]
    expect(new Set(keys).size).to.equal(4)
  })
})

function sorted(args: Record<string, unknown>): unknown {
  return Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1))
}
