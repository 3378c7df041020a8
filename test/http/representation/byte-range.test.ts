/** Which part of a body a request asks for. */
import { expect } from 'chai'
import fc from 'fast-check'
import { allowsRange, contentRange, parseRange } from '../../../runner/http/representation/byte-range.js'

const shown = (header: string | undefined, size = 10): string => {
  const range = parseRange(header, size) ?? 'none'
  return typeof range === 'string' ? range : `${range.start} to ${range.end}`
}

describe('a byte range', () => {
  const CASES: readonly (readonly [header: string | undefined, chosen: string])[] = [
    [undefined, 'none'],
    ['', 'none'],
    ['bytes=0-3', '0 to 4'],
    ['bytes=0-0', '0 to 1'],
    ['bytes=9-9', '9 to 10'],
    ['bytes=4-', '4 to 10'],
    ['bytes=4-400', '4 to 10'],
    ['bytes=4-99999999999999999999999', '4 to 10'],
    ['bytes=-3', '7 to 10'],
    ['bytes=-10', '0 to 10'],
    ['bytes=-400', '0 to 10'],
    ['BYTES=1-2', '1 to 3'],
    ['bytes= 1-2 ', '1 to 3'],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=10-12', 'unsatisfiable'],
    ['bytes=99999999999999999999999-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=3-2', 'none'],
    ['bytes=12-11', 'none'],
    ['bytes=-', 'none'],
    ['bytes=', 'none'],
    ['bytes', 'none'],
    ['bytes=a-b', 'none'],
    ['bytes=0x1-2', 'none'],
    ['bytes=1.5-2', 'none'],
    ['bytes=--1', 'none'],
    ['bytes=+1-2', 'none'],
    ['bytes=0-1,3-4', 'none'],
    ['bytes=0-1,', 'none'],
    ['items=0-1', 'none'],
    ['bytes 0-1', 'none'],
  ]
  for (const [header, chosen] of CASES) {
    it(`of ${JSON.stringify(header)} is ${chosen}`, () => expect(shown(header)).to.equal(chosen))
  }

  it('of an empty body cannot be', () => {
    expect(shown('bytes=0-', 0)).to.equal('unsatisfiable')
    expect(shown('bytes=-1', 0)).to.equal('unsatisfiable')
  })

  it('is within the body and not empty, whatever is asked for', () => {
    const header = fc.tuple(fc.option(fc.nat()), fc.option(fc.nat())).map(([a, b]) => `bytes=${a ?? ''}-${b ?? ''}`)
    fc.assert(
      fc.property(fc.oneof(header, fc.string()), fc.nat(), (text, size) => {
        const range = parseRange(text, size)
        if (range === null || range === 'unsatisfiable') return
        expect(range.start).to.be.within(0, size - 1)
        expect(range.end).to.be.within(range.start + 1, size)
      }),
    )
  })

  it('is told in Content-Range', () => {
    expect(contentRange({ start: 0, end: 4 }, 10)).to.equal('bytes 0-3/10')
    expect(contentRange(null, 10)).to.equal('bytes */10')
  })

  it('is served where If-Range is the strong ETag of the body', () => {
    expect(allowsRange(undefined, '"a"')).to.equal(true)
    expect(allowsRange('"a"', '"a"')).to.equal(true)
    expect(allowsRange(' "a" ', '"a"')).to.equal(true)
    expect(allowsRange('"b"', '"a"')).to.equal(false)
    expect(allowsRange('W/"a"', '"a"')).to.equal(false)
    expect(allowsRange('W/"a"', 'W/"a"')).to.equal(false)
    expect(allowsRange('Sat, 31 Jan 2026 12:34:56 GMT', '"a"')).to.equal(false)
    expect(allowsRange('*', '"a"')).to.equal(false)
  })
})
