/** Characters at the ends of a text are cut in linear time. */
import { expect } from 'chai'
import { withoutLeading, withoutTrailing } from '../../../googlesql/values/trim-text.js'

describe('a text', () => {
  it('loses the characters at its beginning or its end, and no others', () => {
    expect(withoutTrailing('0100', '0')).to.equal('01')
    expect(withoutLeading('0100', '0')).to.equal('100')
    expect(withoutTrailing(' \n', ' \n')).to.equal('')
    expect(withoutLeading('', ' ')).to.equal('')
  })
})
