import { expect } from 'chai'
import { type ContentCoding, negotiateCoding } from '../../runner/request/negotiate-coding.js'

const ROWS: readonly (readonly [header: string | undefined, coding: ContentCoding | null, mayBePlain: boolean])[] = [
  [undefined, null, true],
  ['', null, true],
  ['gzip', 'gzip', true],
  ['x-gzip', 'gzip', true],
  ['GZIP;Q=1.0', 'gzip', true],
  ['gzip, deflate, br', 'br', true],
  ['gzip, br;q=0.9', 'gzip', true],
  ['*', 'br', true],
  ['*;q=0.5, gzip', 'gzip', true],
  ['br;q=0, *;q=0.1', 'gzip', true],
  ['gzip;q=0', null, true],
  ['gzip;q=0.001', 'gzip', true],
  ['identity', null, true],
  ['identity, gzip;q=0.5', null, true],
  ['identity;q=0.5, gzip;q=0.5', 'gzip', true],
  ['identity;q=0', null, false],
  ['identity;q=0, gzip', 'gzip', false],
  ['*;q=0', null, false],
  ['*;q=0, identity;q=0.1', null, true],
  ['gzip, *;q=0', 'gzip', false],
  ['deflate, compress', null, true],
  ['zstd', null, true],
  ['gzip;q=2', null, true],
  ['gzip;q=nonsense', null, true],
  [' , gzip ,', 'gzip', true],
]

describe('Accept-Encoding', () => {
  for (const [header, coding, mayBePlain] of ROWS) {
    it(`${header === undefined ? 'left out' : `of "${header}"`} is ${coding ?? 'no coding'}`, () => {
      expect(negotiateCoding(header, ['br', 'gzip'])).to.deep.equal({ coding, mayBePlain })
    })
  }

  it('chooses zstd where it is available', () => {
    expect(negotiateCoding('gzip, zstd', ['br', 'zstd', 'gzip']).coding).to.equal('zstd')
  })
})
