/** The test files beside the three endpoints: they pass, and run every variant, lookup row and branch. */
import { expect } from 'chai'
import { command } from '../cli/command.js'

describe('the tests beside the endpoints', () => {
  it('pass and leave nothing out', async () => {
    const { code, out, err } = await command(['test', '--min-coverage', '100', '--engine-memory', '256'])
    expect(err).to.equal('')
    expect(out).to.match(/\ncoverage 100 %\n\d+ passed, 0 failed in [\d.]+ s\n$/)
    expect(code).to.equal(0)
  })
})
