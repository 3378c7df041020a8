import { expect } from 'chai'
import {
  formatTime,
  type TimeKind,
} from '../../../../../googlesql-duckdb/runtime/scalar-functions/dates/format-time.js'

const MOMENT = BigInt(Date.UTC(2008, 11, 25, 15, 30, 0, 123)) * 1_000n

const CASES: readonly (readonly [string, TimeKind, string, string])[] = [
  ['%c', 'TIMESTAMP', 'America/New_York', 'Thu Dec 25 10:30:00 2008'],
  ['%E*S %E3S %E6S %E0S', 'TIMESTAMP', 'UTC', '00.123 00.123 00.123000 00'],
  ['%Ez %z %Z %s', 'TIMESTAMP', 'America/New_York', '-05:00 -0500 UTC-5 1230219000'],
  ['%Z %Z', 'TIMESTAMP', 'Asia/Kolkata', 'UTC+0530 UTC+0530'],
  ['%j %U %W %V %G %g %u %w %J %Q', 'DATE', 'UTC', '360 51 51 52 2008 08 4 4 361 4'],
  ['%H %k|%I %l %p %P %R %T %r', 'DATETIME', 'UTC', '15 15|03  3 PM pm 15:30 15:30:00 03:30:00 PM'],
  ['%D %F %C %y %e %b %B %a %A%%%n%t', 'DATE', 'UTC', '12/25/08 2008-12-25 20 08 25 Dec December Thu Thursday%\n\t'],
  ['%Y %H:%M', 'TIME', 'UTC', '%Y 15:30'],
  ['%Y %H %E3S', 'DATE', 'UTC', '2008 %H %E3S'],
  ['%Ey %Od %q 100%', 'DATE', 'UTC', '08 25 %q 100%'],
]

describe('FORMAT_TIMESTAMP and its kin', () => {
  for (const [format, kind, zone, text] of CASES) {
    it(`writes a ${kind} by ${JSON.stringify(format)} in ${zone}`, () => {
      expect(formatTime(format, kind, MOMENT, zone)).to.equal(text)
    })
  }

  it('writes years as long as they are, and four digits when asked', () => {
    const early = BigInt(new Date('0005-01-02T00:00:00Z').getTime()) * 1_000n
    expect(formatTime('%Y %E4Y', 'DATE', early, 'UTC')).to.equal('5 0005')
  })

  it('refuses a zone that does not exist', () => {
    expect(() => formatTime('%c', 'TIMESTAMP', 0n, 'Mars/Phobos')).to.throw('Invalid time zone: Mars/Phobos')
    expect(() => formatTime('%c', 'TIMESTAMP', 0n, '')).to.throw('Invalid empty time zone')
    expect(() => formatTime('%c', 'TIMESTAMP', 0n, '+15:00')).to.throw('Invalid time zone: +15:00')
  })
})
