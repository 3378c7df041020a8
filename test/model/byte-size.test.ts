import { expect } from 'chai'
import { parseByteSize } from '../../runner/model/byte-size.js'

describe('a size', () => {
  for (const [text, bytes] of [
    ['1', 1],
    ['1000', 1_000],
    ['1B', 1],
    ['100 GB', 1e11],
    ['64MiB', 67_108_864],
    ['3 kB', 3_000],
    ['1000 TiB', 1_099_511_627_776_000],
  ] as const) {
    it(`of ${text} is ${bytes} bytes`, () => expect(parseByteSize(text)).to.equal(bytes))
  }

  for (const text of [
    '',
    '0',
    '0 GB',
    '000',
    '-1',
    '+1',
    '1.5 GB',
    '1e9',
    '1 PB',
    '1  GB',
    '1001 TiB',
    '9'.repeat(16),
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => expect(parseByteSize(text)).to.equal(undefined))
  }
})
