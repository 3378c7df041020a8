import { expect } from 'chai'
import { findInText } from '../../../../../googlesql-duckdb/runtime/scalar-functions/json/document.js'

describe('the value at the end of a path', () => {
  it('takes no longer for a path of more steps than a value is deep', () => {
    const text = '['.repeat(32_000)
    const timeOf = (steps: number): number => {
      const path = Array<string>(steps).fill('0')
      const { user } = process.cpuUsage()
      for (let round = 0; round < 20; round++) expect(findInText(text, path)).to.equal(null)
      return process.cpuUsage().user - user
    }
    timeOf(1_100)
    const short = Math.max(timeOf(1_100), 5_000)
    expect(timeOf(30_000) / short).to.be.below(8)
  })
})
