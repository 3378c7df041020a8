/** The offsets of rows in a stored result, which are read in turns of the event loop, also within a long row. */
import { expect } from 'chai'
import { JsonTextError, rowOffsets } from '../../runner/formats/rows.js'
import { PIECE_BYTES } from '../../runner/model/in-turns.js'
import { RESULT_HEAD } from '../../runner/result/body.js'
import { turnsOf } from '../turns.js'

const ROWS = [
  { a: 'x' },
  { a: Array.from({ length: 200_000 }, (_, i) => ({ n: i, t: '}"\\]' })) },
  { a: '\\"}]{'.repeat(400_000) },
  { a: [[{}], 'ä'] },
]
const TEXTS = ROWS.map(row => JSON.stringify(row))
const result = (texts: readonly string[], rowCount = texts.length) => ({
  body: Buffer.from(`{"result":[${texts.join()}]}`),
  rowCount,
})

describe('the offsets of the rows of a result', () => {
  it('are those of their texts, and other work has its turns while they are found', async () => {
    const given = result(TEXTS)
    const { value: offsets, turns } = await turnsOf(rowOffsets(given))
    const texts = TEXTS.map((_, i) => given.body.toString('utf8', offsets[i], offsets[i + 1]! - 1))
    expect(texts).to.deep.equal(TEXTS)
    const long = Buffer.byteLength(TEXTS[1]! + TEXTS[2]!)
    expect(turns).to.be.at.least(Math.floor(long / PIECE_BYTES))
  })

  it('are the same wherever a turn ends within a text', async () => {
    for (const padding of [0, 1, 2, 3]) {
      const texts = [`{"a":"${'x'.repeat(PIECE_BYTES - padding - RESULT_HEAD.length)}\\\\\\"}"}`, '{"b":1}']
      const given = result(texts)
      const [, second] = await rowOffsets(given)
      expect(given.body.toString('utf8', second), `padded by ${padding}`).to.equal('{"b":1}]}')
    }
  })

  it('are refused where there are fewer rows', async () => {
    const thrown = await rowOffsets(result(['{}'], 2)).catch((error: unknown) => error)
    expect(thrown).to.be.instanceOf(JsonTextError)
  })
})
