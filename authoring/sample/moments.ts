/** Times of sample entries: a week with a daily rhythm, denser towards now, so that every time window has rows. */
import type { Random } from './random.js'

const MINUTE = 60_000_000n
const HOUR = 60n * MINUTE
const DAY = 24n * HOUR

/** How far back a span reaches, and its share of the entries. */
const SPANS: readonly (readonly [span: bigint, weight: number])[] = [
  [4n * MINUTE, 4],
  [HOUR, 12],
  [DAY, 34],
  [8n * DAY, 50],
]

/** `count` moments in microseconds since 1970, newest last, none after `nowMicros`; the last one is `nowMicros` itself. */
export function moments(count: number, nowMicros: bigint, random: Random): readonly bigint[] {
  const all: bigint[] = []
  while (all.length < count - 1) {
    const span = random.weighted(SPANS)
    const moment = nowMicros - BigInt(Math.floor(random.next() * Number(span)))
    if (random.next() < activity(moment)) all.push(moment)
  }
  all.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  if (count > 0) all.push(nowMicros)
  return all
}

/** The relative traffic at a time, above 0: highest at 14:00 UTC, lowest at 02:00, halved at weekends. */
function activity(micros: bigint): number {
  const hour = Number((micros % DAY) / MINUTE) / 60
  const day = Number((micros / DAY + 4n) % 7n)
  const daily = 0.6 + 0.4 * Math.cos(((hour - 14) / 24) * 2 * Math.PI)
  return daily * (day === 0 || day === 6 ? 0.5 : 1)
}

/** `2026-01-31T12:00:00.123456Z`. */
export function isoMicros(micros: bigint): string {
  const seconds = new Date(Number(micros / 1000n)).toISOString().slice(0, 19)
  return `${seconds}.${String(micros % 1_000_000n).padStart(6, '0')}Z`
}
