/** Searches whose work grows with text times query are refused, or avoided. */
import { expect } from 'chai'
import { SearchRefusal, textSearch } from '../../../googlesql/values/text-search.js'

describe('a search for a text in backticks', () => {
  const sought = `\`${'a,'.repeat(10_000)}b\``

  it('looks only where a delimiter ends', () => {
    const isFound = textSearch(`\`ab${'a'.repeat(20_000)}\``, 'LOG_ANALYZER', null)()
    expect(isFound('a'.repeat(1_000_000))).to.equal(false)
    expect(isFound(`x ab${'a'.repeat(20_000)}`)).to.equal(true)
  })

  it('is refused where it compares too much', () => {
    const search = textSearch(sought, 'LOG_ANALYZER', null)
    expect(() => search()('a,'.repeat(100_000))).to.throw(SearchRefusal, 'Resources exceeded')
    expect(search()('a, b')).to.equal(false)
  })
})

describe('a search for many words', () => {
  it('is refused where it compares too much in all texts of a value together', () => {
    const search = textSearch(`${'a '.repeat(1_000)}b`, 'LOG_ANALYZER', null)
    const inTexts = (count: number): boolean => {
      const isFound = search()
      return Array.from({ length: count }, () => isFound('a')).includes(true)
    }
    expect(inTexts(100)).to.equal(false)
    expect(() => inTexts(1_000)).to.throw(SearchRefusal, 'Resources exceeded')
    expect(inTexts(100)).to.equal(false)
  })
})
