import { expect } from 'chai'
import { RunnerError } from '../../runner/model/errors.js'
import { narrowRegexErrors } from '../../runner/request/narrow-regex-errors.js'
import { parameter } from './hand-made.js'

const PARAMETERS = [parameter('p', { format: 're2' }), parameter('q'), parameter('r', { format: 're2' })]
const refused = (...names: readonly string[]): RunnerError =>
  new RunnerError('ARGUMENT_INVALID', {
    detail: 'These arguments are not valid.',
    errors: names.map(name => ({ parameter: name, detail: 'is not a valid RE2 regular expression: missing )' })),
    cost: { bytesProcessed: 1, bytesBilled: 2, isCacheHit: false, jobId: null },
  })

describe('a refused regular expression', () => {
  for (const [why, given, blamed] of [
    ['is the fault of the argument that is one, not of text beside it', ['p', 'q'], ['p']],
    ['may be the fault of several that are', ['p', 'q', 'r'], ['p', 'r']],
    ['is the fault of any argument where none of them is declared as one', ['q'], ['q']],
  ] as const) {
    it(why, () => {
      const error = narrowRegexErrors(refused(...given), PARAMETERS)
      expect(error.errors.map(one => one.parameter)).to.deep.equal(blamed)
      expect(error.cost?.bytesBilled).to.equal(2)
    })
  }

  it('names the parameter at fault in its detail', () => {
    expect(narrowRegexErrors(refused('p', 'q'), PARAMETERS).detail).to.equal('These arguments are not valid: p.')
  })

  it('is the only failure that is changed', () => {
    const error = new RunnerError('QUERY_FAILED')
    expect(narrowRegexErrors(error, PARAMETERS)).to.equal(error)
  })
})
