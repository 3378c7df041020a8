import { expect } from 'chai'
import { BodyTooLargeError, bodyRows } from '../../runner/result/body.js'

function bodyOf(names: string[], rows: string[][], maxBytes = 1_000_000): string {
  const body = bodyRows(names, maxBytes)
  for (const row of rows) body.add(row)
  return new TextDecoder().decode(body.finish())
}

describe('the body of a result', () => {
  const rows = [
    ['1', '"x"'],
    ['2', 'null'],
  ]

  it('is one JSON object with its rows as objects', () =>
    expect(bodyOf(['a', 'b "'], rows)).to.equal('{"result":[{"a":1,"b \\"":"x"},{"a":2,"b \\"":null}]}'))
  it('is an empty JSON list without rows', () => expect(bodyOf(['a'], [])).to.equal('{"result":[]}'))

  it('keeps every row when it is assembled from many pieces', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => [String(i), JSON.stringify('ü'.repeat(i % 20))])
    const { result } = JSON.parse(bodyOf(['i', 's'], many))
    expect(result).to.have.length(20_000)
    expect(result[19_999]).to.deep.equal({ i: 19_999, s: 'ü'.repeat(19) })
  })

  it('is refused as soon as it exceeds its limit', () => {
    const many = Array.from({ length: 20_000 }, () => ['1', '"aaaaaaaaaa"'])
    expect(() => bodyOf(['a', 'b'], many, 100_000)).to.throw(BodyTooLargeError)
  })
})
