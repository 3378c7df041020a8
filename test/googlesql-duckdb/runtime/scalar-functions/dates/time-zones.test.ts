import { expect } from 'chai'
import {
  fixedOffset,
  instantMicros,
  timeZone,
} from '../../../../../googlesql-duckdb/runtime/scalar-functions/dates/time-zones.js'

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

  it('has the own rules of the zones without a city, from before they became aliases of a city', () => {
    const offsets = (zone: string, ...texts: string[]): number[] =>
      texts.map(text => timeZone(zone)(Date.parse(text) / 1_000) / 3_600)
    expect(offsets('EST', '1800-01-01T00:00Z', '2024-07-01T00:00Z')).to.deep.equal([-5, -5])
    expect(
      offsets('CST6CDT', '1918-03-31T07:59Z', '1918-03-31T08:00Z', '1918-10-27T06:59Z', '1918-10-27T07:00Z'),
    ).to.deep.equal([-6, -5, -5, -6])
    expect(offsets('MST7MDT', '1966-07-01T00:00Z', '1967-07-01T00:00Z')).to.deep.equal([-7, -6])
    expect(offsets('CET', '1942-01-01T00:00Z', '1946-07-01T00:00Z', '2024-07-01T00:00Z')).to.deep.equal([2, 1, 2])
    expect(offsets('EET', '1950-07-01T00:00Z', '1982-07-01T00:00Z', '2024-01-01T00:00Z')).to.deep.equal([2, 3, 2])
    expect(offsets('WET', '1950-07-01T00:00Z', '1994-01-01T00:00Z', '2024-07-01T00:00Z')).to.deep.equal([0, 0, 1])
  })

  it('reads an ambiguous time as the earlier instant, and a skipped time with the offset before', () => {
    const newYork = timeZone('America/New_York')
    const local = ['2024-11-03T01:30:00Z', '2024-03-10T02:30:00Z', '2024-07-01T12:00:00.123Z']
    expect(local.map(text => utc(instantMicros(newYork, micros(text))))).to.deep.equal([
      '2024-11-03T05:30:00.000Z',
      '2024-03-10T07:30:00.000Z',
      '2024-07-01T16:00:00.123Z',
    ])
  })
})
