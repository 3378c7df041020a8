/** Times in microseconds since 1970, those at which zones change their clocks, and the texts of times. */
import type { Random } from '../random.js'

export type TimeType = 'TIMESTAMP' | 'DATETIME' | 'DATE'

export const SECOND = 1_000_000n
export const MINUTE = 60n * SECOND
export const HOUR = 60n * MINUTE
export const DAY = 24n * HOUR

const FIRST = microsOf('0001-01-01T00:00:00Z')
const LAST = microsOf('9999-12-31T23:59:59Z') + SECOND - 1n

/** How long the rows of a round reach, and the parts that divide that. */
export interface Scale {
  readonly length: bigint
  readonly parts: readonly string[]
}

const DAYS: Scale = { length: 3n * DAY, parts: ['HOUR', 'DAY', 'DAY'] }
const WEEKS = ['WEEK', 'WEEK(MONDAY)', 'WEEK(THURSDAY)', 'ISOWEEK']
const SCALES: readonly Scale[] = [
  { length: 20n * SECOND, parts: ['SECOND', 'MILLISECOND', 'MINUTE'] },
  { length: 30n * MINUTE, parts: ['MINUTE', 'SECOND', 'HOUR'] },
  { length: 12n * HOUR, parts: ['HOUR', 'MINUTE', 'DAY'] },
  // Twice, since most zones tell buckets apart at this length alone.
  DAYS,
  DAYS,
  { length: 20n * DAY, parts: ['DAY', ...WEEKS] },
  { length: 200n * DAY, parts: ['MONTH', 'QUARTER', 'QUARTER', ...WEEKS, 'DAY'] },
  { length: 2_000n * DAY, parts: ['YEAR', 'ISOYEAR', 'QUARTER', 'MONTH'] },
]

/** A time around which a round takes place, and the zones whose days end or change there. */
interface Anchor {
  readonly at: string
  readonly zones: readonly string[]
  /** @default any */
  readonly scale?: Scale
  /** @default 1 */
  readonly weight?: number
}

const ANCHORS: readonly Anchor[] = [
  { at: '2026-03-29T01:00:00Z', zones: ['Europe/Berlin', 'Antarctica/Troll', 'UTC'] },
  { at: '2026-10-25T01:00:00Z', zones: ['Europe/Berlin', 'Antarctica/Troll', 'UTC'] },
  { at: '2026-03-08T07:00:00Z', zones: ['America/New_York', 'America/Havana'] },
  { at: '2026-11-01T06:00:00Z', zones: ['America/New_York', 'America/Havana', 'America/St_Johns'] },
  { at: '2026-04-04T15:00:00Z', zones: ['Australia/Lord_Howe', 'Australia/Sydney'] },
  { at: '2026-10-03T15:30:00Z', zones: ['Australia/Lord_Howe', 'Australia/Sydney'] },
  { at: '2011-12-30T10:00:00Z', zones: ['Pacific/Apia'] },
  { at: '1993-08-21T12:00:00Z', zones: ['Pacific/Kwajalein'] },
  { at: '2017-10-15T03:00:00Z', zones: ['America/Sao_Paulo'] },
  { at: '2018-02-18T02:00:00Z', zones: ['America/Sao_Paulo'] },
  { at: '1972-01-07T00:44:30Z', zones: ['Africa/Monrovia', 'UTC'] },
  { at: '1985-12-31T18:30:00Z', zones: ['Asia/Kathmandu'] },
  { at: '2006-10-29T02:31:00Z', zones: ['America/St_Johns'] },
  { at: '2026-01-31T23:00:00Z', zones: ['Europe/Berlin', 'UTC', '+05:30'] },
  { at: '2025-12-31T23:30:00Z', zones: ['UTC', 'Europe/Berlin', '-08:00'] },
  { at: '2024-02-29T12:00:00Z', zones: ['UTC', 'Asia/Tokyo'] },
  { at: '2021-01-03T12:00:00Z', zones: ['UTC', 'Pacific/Auckland'] },
  { at: '2000-02-29T00:00:00Z', zones: ['UTC', 'America/Los_Angeles'] },
  { at: '1970-01-01T00:00:00Z', zones: ['UTC', 'Europe/London'], weight: 2 },
  // Alaska has a day twice: its first boundary is 15 hours before the clocks change. Nothing else needs a margin that long.
  { at: '1867-10-18T20:00:00Z', zones: ['America/Juneau'], scale: DAYS, weight: 3 },
  // Zones whose clocks never change, so that a refresh keeps rows, and a bound in one of them is hours away from one in UTC.
  { at: '2026-07-15T18:00:00Z', zones: ['Asia/Kolkata', 'America/Phoenix'], scale: DAYS, weight: 5 },
  { at: '1883-11-18T17:00:00Z', zones: ['America/New_York', 'UTC'] },
  { at: '0001-01-03T12:00:00Z', zones: ['UTC', 'Asia/Tokyo'] },
  { at: '9999-12-29T12:00:00Z', zones: ['UTC', 'America/New_York'] },
]

/** Where in time a round takes place. */
export interface Era {
  readonly base: bigint
  readonly zones: readonly string[]
  readonly scale: Scale
}

export function randomEra(random: Random, type: TimeType): Era {
  const { at, zones, scale } = random.weighted(ANCHORS.map(anchor => [anchor.weight ?? 1, anchor] as const))
  const scales = type === 'DATE' ? SCALES.filter(({ length }) => length >= DAYS.length) : SCALES
  return { base: microsOf(at), zones, scale: scale ?? random.pick(scales) }
}

/** A time within the scale's length of the base: often at a boundary of a bucket, or a microsecond before it. */
export function randomTime(random: Random, { base, scale }: Era): bigint {
  const time = base + fraction(scale.length, random.next() * 2 - 1)
  const units = [DAY, HOUR, MINUTE, SECOND].filter(unit => unit <= scale.length)
  const unit = random.pick([...units.slice(0, 2), ...units])
  const start = time - (((time % unit) + unit) % unit)
  return clamped(
    random.weighted([
      [5, time],
      [2, start],
      [1, start - 1n],
      [0.5, start + 1n],
      [0.3, base],
      [0.2, base - 1n],
    ]),
  )
}

/** So much of a length. */
export const fraction = (length: bigint, share: number): bigint =>
  (length * BigInt(Math.round(share * 1_000_000))) / 1_000_000n

export const clamped = (time: bigint): bigint => (time < FIRST ? FIRST : time > LAST ? LAST : time)

export const EXTREMES: readonly bigint[] = [FIRST, FIRST + 1n, LAST, LAST - 1n, 0n, -1n]

function microsOf(text: string): bigint {
  return BigInt(Date.parse(text)) * 1_000n
}

/** As values of parameters and of results are written. The time must be within the years 1 to 9999. */
export function timeText(type: TimeType, time: bigint): string {
  const micros = ((time % SECOND) + SECOND) % SECOND
  const seconds = new Date(Number((time - micros) / 1_000n)).toISOString().slice(0, 19)
  if (type === 'DATE') return seconds.slice(0, 10)
  const text = micros === 0n ? seconds : `${seconds}.${String(micros).padStart(6, '0')}`
  return type === 'TIMESTAMP' ? `${text}Z` : text
}

/** As a literal of GoogleSQL. */
export const timeLiteral = (type: TimeType, time: bigint): string =>
  `${type} '${timeText(type, time).replace('T', ' ').replace('Z', '+00')}'`
