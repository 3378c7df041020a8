/** What is not a schema of Arrow, or is a forged one, is refused in little time. stored-types.test.ts has those of pyarrow. */
import { expect } from 'chai'
import { durationUnits } from '../../../../runner/engines/duckdb/tables/arrow-durations.js'

/** A schema whose fields have two children each, which are the same field. */
function forged(levels: number): Buffer {
  const [members, none, first] = [12, 28, 32]
  const bytes = Buffer.alloc(first + 20 * levels + 4)
  bytes.writeUInt32LE(first - 8, 8)
  // The members 1, 2 and 5 follow the table's first four bytes.
  bytes.writeUInt16LE(16, members)
  for (const member of [1, 2, 5]) bytes.writeUInt16LE(4, members + 4 + 2 * member)
  bytes.writeUInt16LE(4, none)
  for (let level = 0; level < levels; level++) {
    const at = first + 20 * level
    bytes.writeInt32LE(at - members, at)
    // The message has a table, all others have a list of tables.
    bytes.writeUInt32LE(level === 0 ? 16 : 4, at + 4)
    bytes.writeUInt32LE(2, at + 8)
    bytes.writeUInt32LE(8, at + 12)
    bytes.writeUInt32LE(4, at + 16)
  }
  const last = first + 20 * levels
  bytes.writeInt32LE(last - none, last)
  return bytes
}

describe("the durations of Arrow's schema", () => {
  it('are none in fields of other types, however they are nested', () => {
    expect(durationUnits(forged(4))).to.deep.equal([Array(4).fill(null), Array(4).fill(null)])
  })

  it('are not searched for in a schema whose fields share their children without end', () => {
    expect(() => durationUnits(forged(60))).to.throw(RangeError, 'more than 100000 fields')
  })

  it('are none in other bytes', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(40, 0xff), Buffer.from('a text of more than eight bytes')])
      expect(durationUnits(bytes)).to.deep.equal([])
  })
})
