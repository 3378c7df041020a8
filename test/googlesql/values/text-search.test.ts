/** Searches whose work grows with text times query are refused, or avoided. */
import { expect } from 'chai'
import { type SearchOptions, SearchRefusal, textSearch } from '../../../googlesql/values/text-search.js'

const LOG: Omit<SearchOptions, 'query'> = { analyzer: 'LOG_ANALYZER', analyzerOptions: null }

describe('a search for a text in backticks', () => {
  const sought = `\`${'a,'.repeat(10_000)}b\``

  it('looks only where a delimiter ends', () => {
    const isFound = textSearch({ ...LOG, query: `\`ab${'a'.repeat(20_000)}\`` })
    expect(isFound('a'.repeat(1_000_000))).to.equal(false)
    expect(isFound(`x ab${'a'.repeat(20_000)}`)).to.equal(true)
  })

  it('is refused where it compares too much', () => {
    const isFound = textSearch({ ...LOG, query: sought })
    expect(() => isFound('a,'.repeat(100_000))).to.throw(SearchRefusal, 'Resources exceeded')
    expect(isFound('a, b')).to.equal(false)
  })
})
