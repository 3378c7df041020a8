/** The calls of a fuzz run, and its findings as text. */

import { expect } from 'chai'
import fc from 'fast-check'
import { parse } from 'yaml'
import { argumentValues } from '../../../authoring/test/fuzz/argument-values.js'
import { causeOf, faultOf, findingsText } from '../../../authoring/test/fuzz/findings.js'
import { planFuzzCalls } from '../../../authoring/test/fuzz/plan-calls.js'
import type { LoadedEndpoint } from '../../../runner/manifest/load.js'
import type { Parameter } from '../../../runner/model/param.js'
import { anyText } from '../../any-text.js'
import { handMadeEndpoint, parameter as madeParameter } from '../../request/hand-made.js'
import { HOSTILE_TEXTS } from '../connect/hostile-texts.js'

const detailOf = (parameters: readonly Parameter[], lookupRows: LoadedEndpoint['lookupRows'] = {}): LoadedEndpoint => ({
  endpoint: handMadeEndpoint({ parameters }),
  file: 'endpoints/tests.echo.yaml',
  variants: [],
  lookupRows,
})

describe('the values that fuzzing tries', () => {
  const CASES: readonly (readonly [says: string, parameter: Parameter, values: readonly unknown[]])[] = [
    [
      'of an int64',
      madeParameter('n', { type: 'int64', minimum: '1', maximum: '9' }),
      ['1', '9', '0', '10', '9223372036854775807', '-9223372036854775808', '9223372036854775808'],
    ],
    [
      'of a date',
      madeParameter('d', { type: 'date', minimum: '2026-03-01' }),
      ['2026-03-01', '2026-02-28', '2026-03-02', '0001-01-01', '9999-12-31'],
    ],
    [
      'of a timestamp',
      madeParameter('t', { type: 'timestamp', maximum: '2026-01-01T00:00:00Z' }),
      ['2026-01-01T00:00:00Z', '2025-12-31T23:59:59.999Z', '2026-01-01T00:00:00.001Z', '9999-12-31T23:59:59.999999Z'],
    ],
    ['of a float64', madeParameter('f', { type: 'float64' }), ['0', '-0', '1e308', '5e-324', 'NaN']],
    [
      'of a string with a length',
      madeParameter('s', { maxLength: 3 }),
      ['aaa', 'aaaa', '😀😀😀', '😀😀😀😀', "'; DROP TABLE x; --", '\0', ''],
    ],
    [
      'of a string with allowed values',
      madeParameter('s', { enum: ['x', 'y'], examples: ['y'], default: 'x' }),
      ['y', 'x'],
    ],
    [
      'of a list',
      madeParameter('l', { type: 'array<int64>', examples: ['5'], maxLength: 3 }),
      [[], ['5'], ['5', '5', '5'], ['5', '5', '5', '5'], ['0']],
    ],
    ['of a bool', madeParameter('b', { type: 'bool' }), ['true', 'false']],
  ]
  for (const [says, parameter, values] of CASES) {
    it(says, () => {
      const found = argumentValues(parameter, [])
      expect(found).to.deep.include.members(values as typeof found)
      const texts = found.map(value => JSON.stringify(value))
      // A list of one element is tried once for itself, and once as an element.
      if (typeof found[0] === 'string') expect(new Set(texts).size).to.equal(texts.length)
    })
  }
})

describe('the calls of a fuzz run', () => {
  const detail = detailOf(
    [madeParameter('unit', { isRequired: true }), madeParameter('size', { type: 'int64' }), madeParameter('note')],
    { unit: ['dozen', 'none'] },
  )

  it('are the same for the same seed, and others for another', () => {
    const [one, same, other] = [1, 1, 2].map(seed => planFuzzCalls(detail, seed, 500))
    expect(one).to.deep.equal(same)
    expect(one).to.not.deep.equal(other)
    expect(one).to.have.length(500)
  })

  it('have every row and every bound, however few are asked for', () => {
    const calls = planFuzzCalls(detail, 1, 1)
    expect(calls).to.deep.include.members([
      {},
      { unit: 'dozen' },
      { unit: 'none' },
      { unit: 'dozen', size: '9223372036854775807' },
      { unit: 'none', size: '1', note: 'a' },
      { unit: 'dozen', size: '1', note: '' },
    ])
    expect(new Set(calls.map(call => JSON.stringify(call))).size).to.equal(calls.length)
    expect(planFuzzCalls(detailOf([]), 1, 1000)).to.deep.equal([{}])
  })
})

describe('the findings of a fuzz run', () => {
  const endpoint = handMadeEndpoint({})

  it('are faults of the server, not of a caller', () => {
    const problem = (status: number, reason = ''): Parameters<typeof faultOf>[0] => ({
      kind: 'problem',
      status,
      code: 'CODE',
      detail: 'Detail.',
      errors: [],
      reason,
    })
    expect(faultOf(problem(400), endpoint)).to.equal(null)
    expect(faultOf(problem(502, 'why\nand where'), endpoint)).to.equal('502 CODE: why')
    expect(faultOf(problem(504), endpoint)).to.equal('504 CODE: Detail.')
    const columns = endpoint.columns.map(({ name, type }) => ({ name, type }))
    const rows = { kind: 'rows', columns, rows: [], isTruncated: false } as const
    expect(faultOf(rows, endpoint)).to.equal(null)
    const more = { ...rows, columns: [...columns, { name: 'more', type: 'STRING' }] }
    expect(faultOf(more, endpoint)).to.match(/^the columns are .*, more$/)
  })

  it('have one cause where only quoted values differ', () => {
    expect(causeOf('502 A: row 12 is not "a"')).to.equal(causeOf('502 A: row 7 is not "b"'))
    expect(causeOf('502 A: bad value: a')).to.equal(causeOf('502 A: bad value: b'))
    expect(causeOf('502 A: bad value: a')).to.not.equal(causeOf('502 A: bad date: a'))
    expect(causeOf('502 A: x')).to.not.equal(causeOf('502 B: x'))
  })

  it('are tests in YAML with the very arguments', () => {
    const text = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS.filter(one => !/\p{Cs}/u.test(one))), anyText())
    const property = fc.property(text, fc.array(text), text, (value, list, what) => {
      const given = { a: value, b: list }
      const file = parse(findingsText(endpoint, [{ what, arguments: given }], '2026-01-31T12:00:00.000000Z'), {
        version: '1.2',
        schema: 'core',
      })
      expect(file.now).to.equal('2026-01-31T12:00:00.000000Z')
      expect(file.tests).to.deep.equal([
        {
          name: `fuzz: ${causeOf(what)}`,
          arguments: given,
          expect: { columns: endpoint.columns.map(({ name }) => name) },
        },
      ])
    })
    fc.assert(property, { numRuns: 40 })
  })
})
