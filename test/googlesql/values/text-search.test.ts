/** Searches whose work grows with text times query are refused, or avoided. */
import { expect } from 'chai'
import { SearchRefusal, textSearch } from '../../../googlesql/values/text-search.js'

describe('a search for a text in backticks', () => {
  const sought = `\`${'a,'.repeat(10_000)}b\``

  it('looks only where a delimiter ends', () => {
    const isFound = textSearch(`\`ab${'a'.repeat(20_000)}\``, 'LOG_ANALYZER', null)
    expect(isFound('a'.repeat(1_000_000))).to.equal(false)
    expect(isFound(`x ab${'a'.repeat(20_000)}`)).to.equal(true)
  })

  it('is refused where it compares too much', () => {
    const isFound = textSearch(sought, 'LOG_ANALYZER', null)
    expect(() => isFound('a,'.repeat(100_000))).to.throw(SearchRefusal, 'Resources exceeded')
    expect(isFound('a, b')).to.equal(false)
  })
})
