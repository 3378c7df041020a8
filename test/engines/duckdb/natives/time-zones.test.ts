import { expect } from 'chai'
import { fixedOffset, instantMicros, timeZone } from '../../../../runner/engines/duckdb/natives/time-zones.js'

const micros = (text: string): bigint => BigInt(Date.parse(text)) * 1_000n
const utc = (value: bigint): string => new Date(Number(value / 1_000n)).toISOString()

describe('time zones', () => {
  it('reads offsets as GoogleSQL writes them', () => {
    const offsets = ['UTC', '+05:30', '-8', 'UTC+3', '+0530', '+14:00', '+14:01', '+5:60', 'Z', 'America/New_York']
    expect(offsets.map(fixedOffset)).to.deep.equal([
      0,
      19_800,
      -28_800,
      10_800,
      19_800,
      50_400,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  it('finds the second at which an offset changes', () => {
    const newYork = timeZone('America/New_York')
    const change = Date.UTC(2024, 10, 3, 6) / 1_000
    expect([newYork(change - 1), newYork(change), newYork(change + 3_600)]).to.deep.equal([-14_400, -18_000, -18_000])
  })

  it('takes the earlier of two instants, and reads a skipped time with the offset before', () => {
    const newYork = timeZone('America/New_York')
    const local = ['2024-11-03T01:30:00Z', '2024-03-10T02:30:00Z', '2024-07-01T12:00:00.123Z']
    expect(local.map(text => utc(instantMicros(newYork, micros(text))))).to.deep.equal([
      '2024-11-03T05:30:00.000Z',
      '2024-03-10T07:30:00.000Z',
      '2024-07-01T16:00:00.123Z',
    ])
  })
})
