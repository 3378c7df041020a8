import { expect } from 'chai'
import fc from 'fast-check'
import { cacheKey } from '../../runner/cache/key.js'
import type { ArgumentValue } from '../../runner/model/param.js'
import { bindParams } from '../../runner/request/bind-params.js'
import { parsePairs } from '../../runner/request/raw-arguments.js'
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

const typed = handMadeEndpoint({
  parameters: [
    parameter('a'),
    parameter('b', { type: 'int64' }),
    parameter('c', { type: 'array<string>' }),
    parameter('d', { type: 'float64' }),
    parameter('e', { type: 'bool' }),
    parameter('f', { type: 'timestamp' }),
  ],
})
const keyOfAddress = (query: string): string => cacheKey(typed, bindParams(typed, parsePairs(query)))

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).filter(value => !value.includes('\0'))
const given = fc.record({
  a: text,
  b: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  // One value in an address must not look like several.
  c: fc.array(
    text.filter(value => !/^\[|,/.test(value)),
    { maxLength: 3 },
  ),
  d: fc.integer({ min: -1_000_000, max: 1_000_000 }),
  e: fc.boolean(),
  f: fc.integer({ min: 0, max: 4_000_000_000 }),
})
type Given = typeof given extends fc.Arbitrary<infer T> ? T : never

/** How one value is written: whether every byte is percent-encoded, and which of the spellings of its type is used. */
interface Spelling {
  readonly encoded: boolean
  readonly form: number
}
const PLAIN: Spelling = { encoded: false, form: 0 }
const spelling = fc.record({ encoded: fc.boolean(), form: fc.integer({ min: 0, max: 2 }) })

const encode = (value: string, { encoded }: Spelling): string =>
  encoded
    ? [...Buffer.from(value)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
    : encodeURIComponent(value).replaceAll('%20', '+')

const instant = (seconds: number, form: number): string => {
  const at = (offset: number): string => new Date((seconds + offset) * 1000).toISOString().slice(0, 19)
  return [`${at(0)}Z`, `${at(5400).replace('T', ' ')}.000+01:30`, `${at(-28_800)}-08`][form]!
}

const WIRE: readonly { readonly name: string; readonly spell: (args: Given, how: Spelling) => readonly string[] }[] = [
  { name: 'a', spell: ({ a }, how) => [encode(a, how)] },
  { name: 'b', spell: ({ b }, how) => [encode([`${b}`, `+${b}`, `000${b}`][how.form]!, how)] },
  { name: 'c', spell: ({ c }, how) => c.map(value => encode(value, how)) },
  { name: 'd', spell: ({ d }, how) => [encode([`${d}`, `${d}.00`, `${d}0e-1`][how.form]!, how)] },
  { name: 'e', spell: ({ e }, how) => [encode([`${e}`, `${e}`.toUpperCase(), e ? 'True' : 'False'][how.form]!, how)] },
  { name: 'f', spell: ({ f }, how) => [encode(instant(f, how.form), how)] },
]

/** The pairs grouped by name. The values of one name keep their order, which is the order of the list. */
const groups = (pairs: readonly string[]): readonly (readonly string[])[] =>
  WIRE.map(({ name }) => pairs.filter(pair => pair.startsWith(`${name}=`)))

const keyOf = (args: Record<string, ArgumentValue>): string => cacheKey(endpoint, args)

describe('a cache key', () => {
  it('is the same for equal arguments, whatever their order and spelling, also with undeclared ones', () => {
    fc.assert(
      fc.property(given, fc.array(spelling, { minLength: 6, maxLength: 6 }), fc.string(), (args, spellings, other) => {
        const pairs = WIRE.flatMap(({ name, spell }, i) => spell(args, spellings[i]!).map(text => `${name}=${text}`))
        const respelled = WIRE.flatMap(({ name, spell }) => spell(args, PLAIN).map(text => `${name}=${text}`))
        const extra = `undeclared=${encodeURIComponent(other)}`
        const orders = [respelled, pairs, [...groups(pairs)].reverse().flat(), [extra, ...pairs, extra]]
        return new Set(orders.map(order => keyOfAddress(order.join('&')))).size === 1
      }),
      { numRuns: 3_000 },
    )
  }).timeout(60_000)

  it('is the same for equal arguments only', () => {
    fc.assert(
      fc.property(values, values, (one, other) => {
        const isEqual = fc.stringify(sorted(one)) === fc.stringify(sorted(other))
        return (keyOf(one) === keyOf(other)) === isEqual
      }),
      { numRuns: 3_000 },
    )
  }).timeout(60_000)

  const different: readonly (readonly [string, Record<string, ArgumentValue>, Record<string, ArgumentValue>])[] = [
    ['an absent argument and an empty one', {}, { a: '' }],
    ['an absent argument and null', {}, { a: null }],
    ['one element with a comma and two', { c: ['x,y'] }, { c: ['x', 'y'] }],
    ['a quote that would end the value', { a: '","1' }, { a: '', b: '1' }],
    ['lone surrogates', { a: '\ud800' }, { a: '\ud801' }],
    ['a value of the next parameter', { a: '1' }, { b: '1' }],
  ]
  for (const [name, one, other] of different) {
    it(`is different for ${name}`, () => expect(keyOf(one)).to.not.equal(keyOf(other)))
  }

  it('changes with the revision and the id', () => {
    const keys = [
      keyOf({ a: 'x' }),
      cacheKey({ ...endpoint, revision: 'r2' }, { a: 'x' }),
      cacheKey({ ...endpoint, id: ENDPOINT_ID.replace('0', '1') }, { a: 'x' }),
    ]
    expect(new Set(keys).size).to.equal(3)
  })
})

function sorted(args: Record<string, unknown>): unknown {
  return Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1))
}
