import { expect } from 'chai'
import { sizeText } from '../../../authoring/terminal/size-text.js'

describe('the text of a size', () => {
  it('is in the largest unit of which there is at least one, as it is rounded', () => {
    const texts = [0, 999, 1_000, 999_949, 999_950, 1_400_000_000, 999_999_999_999].map(sizeText)
    expect(texts).to.deep.equal(['0 B', '999 B', '1.0 kB', '999.9 kB', '1.0 MB', '1.4 GB', '1.0 TB'])
  })
})
