/** Random expressions of the time column, bounds of it, and conditions, each with the rule that it breaks. */
import type { Random } from '../random.js'
import {
  DAY,
  type Era,
  fraction,
  HOUR,
  MINUTE,
  randomTime,
  SECOND,
  type TimeType,
  timeLiteral,
  timeText,
} from './times.js'

/** A text, and why a query with it must not be kept; null where it may be. */
export interface Piece {
  readonly sql: string
  readonly breaks: string | null
}

/** The names that an expression can use. */
export interface Scope {
  readonly type: TimeType
  /** The time column, quoted and qualified. */
  readonly time: string
  /** The prefix of other columns: '' or `e.`. */
  readonly prefix: string
  readonly era: Era
}

const zoneArgument = (random: Random, { zones }: Era): string =>
  random.chance(0.3) ? '' : `, '${random.pick([...zones, ...zones, 'UTC'])}'`

/** For bounds: half of them in zones so far from UTC that rows lie between the one midnight and the other. */
const farZoneArgument = (random: Random, era: Era): string =>
  random.chance(0.5) ? zoneArgument(random, era) : random.pick([", 'Asia/Tokyo'", ", 'America/Los_Angeles'"])

const isDatePart = (part: string): boolean => !/SECOND|MINUTE|HOUR/.test(part)

/** A part of the era's scale that the type can be truncated to. */
function partOf(random: Random, type: TimeType, { scale }: Era): string {
  const parts = type === 'DATE' ? scale.parts.filter(isDatePart) : scale.parts
  return parts.length === 0 ? 'DAY' : random.pick(parts)
}

/** A bucket of the time column, and its type. */
export interface Bucket extends Piece {
  readonly type: TimeType
}

/** `broken` is the probability that it breaks a rule. */
export function randomBucket(random: Random, { type, time: t, era }: Scope, broken: number): Bucket {
  const zone = zoneArgument(random, era)
  const at = zone === '' ? '' : ` AT TIME ZONE ${zone.slice(2)}`
  const part = partOf(random, type, era)
  const day = partOf(random, 'DATE', era)
  const seconds = random.pick([60, 300, 900, 7_200])
  const as = (kind: TimeType, sql: string, breaks: string | null = null): Bucket => ({ type: kind, sql, breaks })
  if (random.chance(broken)) return brokenBucket(random, { type, time: t, prefix: '', era }, part)
  if (type === 'TIMESTAMP') {
    return random.weighted<Bucket>([
      [6, as('TIMESTAMP', `TIMESTAMP_TRUNC(${t}, ${part}${zone})`)],
      [2, as('DATE', `DATE(${t}${zone})`)],
      [1, as('DATE', `EXTRACT(DATE FROM ${t}${at})`)],
      [1, as('DATE', `CAST(${t} AS DATE)`)],
      [1, as('DATE', `DATE_TRUNC(DATE(${t}${zone}), ${day})`)],
      [1, as('DATETIME', `DATETIME(TIMESTAMP_TRUNC(${t}, ${part}), 'UTC')`)],
      [1, as('DATETIME', `DATETIME_TRUNC(DATETIME(${t}${zone}), ${part})`)],
      [2, as('DATETIME', `DATETIME_TRUNC(DATETIME(${t}, '+05:30'), ${part})`)],
      [0.5, as('DATETIME', `DATETIME(TIMESTAMP_TRUNC(${t}, ${part}${zone})${zone})`)],
      [0.5, as('TIMESTAMP', `TIMESTAMP(DATE(${t}))`)],
      [0.3, as('TIMESTAMP', `TIMESTAMP(DATE(${t}${zone})${zone})`)],
      [0.5, as('TIMESTAMP', `TIMESTAMP_TRUNC(TIMESTAMP_TRUNC(${t}, ${part}), ${day})`)],
      [0.3, as('TIMESTAMP', `TIMESTAMP(DATETIME_TRUNC(DATETIME(${t}), ${part}))`)],
      [1, as('TIMESTAMP', `TIMESTAMP_BUCKET(${t}, INTERVAL 15 MINUTE)`)],
      // About 1970, where DIV turns the other way.
      [
        era.base === 0n ? 8 : 0.5,
        as('TIMESTAMP', `TIMESTAMP_SECONDS(${seconds} * DIV(UNIX_SECONDS(${t}), ${seconds}))`),
      ],
      [0.3, as('DATE', `LAST_DAY(DATE(${t}${zone}), MONTH)`)],
    ])
  }
  if (type === 'DATETIME') {
    return random.weighted<Bucket>([
      [6, as('DATETIME', `DATETIME_TRUNC(${t}, ${part})`)],
      [2, as('DATE', `DATE(${t})`)],
      [1, as('DATE', `CAST(${t} AS DATE)`)],
      [1, as('DATE', `EXTRACT(DATE FROM ${t})`)],
      [1, as('DATE', `DATE_TRUNC(DATE(${t}), ${day})`)],
      [1, as('TIMESTAMP', `TIMESTAMP(DATETIME_TRUNC(${t}, ${part}))`)],
      [0.5, as('TIMESTAMP', `TIMESTAMP_TRUNC(TIMESTAMP(${t}), ${part}${zone})`)],
      [0.5, as('DATETIME', `CAST(DATE(${t}) AS DATETIME)`)],
      [1, as('DATETIME', `DATETIME_BUCKET(${t}, INTERVAL 15 MINUTE)`)],
    ])
  }
  return random.weighted<Bucket>([
    [6, as('DATE', `DATE_TRUNC(${t}, ${day})`)],
    [2, as('DATE', t)],
    [1, as('DATETIME', `DATETIME(${t})`)],
    [1, as('TIMESTAMP', `TIMESTAMP(DATE_TRUNC(${t}, ${day}))`)],
    [0.5, as('TIMESTAMP', `TIMESTAMP(${t}${zone})`)],
    [0.5, as('DATETIME', `DATETIME_TRUNC(DATETIME(${t}), ${day})`)],
  ])
}

function brokenBucket(random: Random, { type, time: t, era }: Scope, part: string): Bucket {
  const as = (kind: TimeType, sql: string, breaks: string): Bucket => ({ type: kind, sql, breaks })
  if (t.startsWith('PARSE_DATE') && random.chance(0.5))
    return as('DATE', t.replace('%m%d', '%d%m'), 'the day and the month of a text are exchanged')
  const own = `${type}_TRUNC(${t}, ${part})`
  const choices: Bucket[] = [
    as(type, `${type}_ADD(${own}, INTERVAL 1 DAY)`, 'the bucket is moved'),
    as(type, `IF(n > 2, ${own}, ${type}_TRUNC(${t}, YEAR))`, 'the bucket depends on another column'),
    as(type, `COALESCE(${own}, ${timeLiteral(type, era.base)})`, 'a NULL becomes a time'),
    as(type, `GREATEST(${own}, ${timeLiteral(type, era.base)})`, 'the bucket is the greater of two'),
    as('DATE', `DATE_FROM_UNIX_DATE(DIV(UNIX_DATE(DATE(${t})), 7))`, 'the bucket is a number'),
    as('DATE', `DATE_TRUNC(DATE_TRUNC(DATE(${t}), WEEK(MONDAY)), MONTH)`, 'weeks do not lie within months'),
  ]
  if (type === 'TIMESTAMP') {
    const [one, two] = ["'Europe/Berlin'", "'America/New_York'"]
    choices.push(
      as(type, `TIMESTAMP_TRUNC(TIMESTAMP_TRUNC(${t}, DAY, ${one}), DAY, ${two})`, 'two zones'),
      as('DATE', `DATE(TIMESTAMP_TRUNC(${t}, DAY, ${one}), ${two})`, 'two zones'),
      as('DATETIME', `DATETIME(TIMESTAMP_TRUNC(${t}, HOUR), ${one})`, 'hours in a zone are not told apart'),
      as('DATETIME', `DATETIME_TRUNC(DATETIME(${t}, ${one}), HOUR)`, 'hours in a zone are not told apart'),
      as('TIMESTAMP', `TIMESTAMP_TRUNC(${t}, DAY, @zone)`, 'the zone is an argument'),
      as('TIMESTAMP', `TIMESTAMP(DATETIME_TRUNC(DATETIME(${t}, ${one}), DAY))`, 'a civil time of a zone taken for UTC'),
    )
  }
  if (type === 'DATETIME') choices.push(as('DATE', `DATE(TIMESTAMP(${t}, 'Europe/Berlin'))`, 'two zones'))
  if (type !== 'DATE') {
    const bucket = (more: string): string => `${type}_BUCKET(${t}, ${more})`
    const origin = `INTERVAL 1 HOUR, ${timeLiteral(type, era.base + MINUTE)}`
    choices.push(as(type, bucket(origin), 'buckets of another origin'))
    choices.push(as(type, bucket('INTERVAL 7 HOUR'), 'buckets that no day is made of'))
  }
  return random.pick(choices)
}

const UNITS = { DAY, HOUR, MINUTE, SECOND }

/** The longest unit of which the length has several. */
const unitOf = (type: TimeType, length: bigint): string =>
  type === 'DATE' ? 'DAY' : (Object.entries(UNITS).find(([, unit]) => length >= 2n * unit)?.[0] ?? 'SECOND')

/** About so many units as the length has. */
function interval(random: Random, length: bigint, units: readonly (keyof typeof UNITS)[]): string {
  const unit = units.find(name => length >= UNITS[name]) ?? units.at(-1)!
  const most = Number(length / UNITS[unit])
  return `INTERVAL ${random.between(0, Math.max(1, most))} ${unit}`
}

const CIVIL_INTERVALS = [
  'INTERVAL 1 MONTH',
  'INTERVAL 1 QUARTER',
  'INTERVAL 2 WEEK',
  'INTERVAL 1 YEAR',
  'INTERVAL 13 MONTH',
]

/**
 * A time computed of the clock (`@now`), of arguments (`@at_timestamp`, …) or of constants. `clock` is the probability of the clock.
 */
function computedTime(random: Random, type: TimeType, era: Era, clock: number, depth = 2): string {
  const again = (kind: TimeType): string => computedTime(random, kind, era, clock, depth - 1)
  const zone = zoneArgument(random, era)
  const part = partOf(random, type, era)
  const { length } = era.scale
  const leaf = (): string => {
    if (!random.chance(clock)) return random.chance(0.7) ? `@at_${type.toLowerCase()}` : anyLiteral(random, type, era)
    if (type === 'TIMESTAMP') return '@now'
    return type === 'DATETIME'
      ? `DATETIME(@now${zone})`
      : random.chance(0.1)
        ? 'EXTRACT(DATE FROM @now)'
        : `DATE(@now${zone})`
  }
  if (depth <= 0) return leaf()
  if (random.chance(0.04)) return `${random.pick(['COALESCE', 'IFNULL'])}(${again(type)}, ${again(type)})`
  if (random.chance(0.08)) return `${type}_SUB(${again(type)}, INTERVAL @least ${unitOf(type, length)})`
  if (type === 'TIMESTAMP') {
    return random.weighted<() => string>([
      [2, leaf],
      [5, () => `TIMESTAMP_SUB(${again(type)}, ${interval(random, length, ['DAY', 'HOUR', 'MINUTE', 'SECOND'])})`],
      [0.5, () => `TIMESTAMP_ADD(${again(type)}, ${interval(random, length, ['HOUR', 'MINUTE', 'SECOND'])})`],
      [5, () => `TIMESTAMP_TRUNC(${again(type)}, ${part}${zone})`],
      [length >= 12n * HOUR ? 3 : 0, () => `TIMESTAMP_TRUNC(${again(type)}, DAY${zone})`],
      [length >= 12n * HOUR ? 9 : 2, () => `TIMESTAMP(${again('DATE')}${farZoneArgument(random, era)})`],
      [2, () => `TIMESTAMP(${again('DATETIME')}${farZoneArgument(random, era)})`],
      [0.5, () => `CAST(${again('DATE')} AS TIMESTAMP)`],
      [0.3, () => `${again(type)} - INTERVAL 3 HOUR`],
    ])()
  }
  if (type === 'DATETIME') {
    return random.weighted<() => string>([
      [2, leaf],
      [3, () => `DATETIME_SUB(${again(type)}, ${interval(random, length, ['DAY', 'HOUR', 'MINUTE', 'SECOND'])})`],
      [1, () => `DATETIME_SUB(${again(type)}, ${random.pick(CIVIL_INTERVALS)})`],
      [0.5, () => `DATETIME_ADD(${again(type)}, ${interval(random, length, ['HOUR', 'MINUTE', 'SECOND'])})`],
      [2, () => `DATETIME_TRUNC(${again(type)}, ${part})`],
      [1, () => `DATETIME(${again('DATE')})`],
      [1, () => `DATETIME(${again('TIMESTAMP')}${zone})`],
      [0.5, () => `CAST(${again('DATE')} AS DATETIME)`],
    ])()
  }
  return random.weighted<() => string>([
    [2, leaf],
    [3, () => `DATE_SUB(${again(type)}, ${interval(random, length, ['DAY'])})`],
    [1, () => `DATE_SUB(${again(type)}, ${random.pick(CIVIL_INTERVALS)})`],
    [0.5, () => `DATE_ADD(${again(type)}, INTERVAL 1 DAY)`],
    [2, () => `DATE_TRUNC(${again(type)}, ${part})`],
    [1, () => `DATE(${again('TIMESTAMP')}${zone})`],
    [0.5, () => `DATE(${again('DATETIME')})`],
    [0.5, () => `CAST(${again('DATETIME')} AS DATE)`],
  ])()
}

/** A literal in one of the forms that GoogleSQL reads. */
function anyLiteral(random: Random, type: TimeType, era: Era): string {
  const time = randomTime(random, era)
  const day = timeText('DATE', time)
  const [year, month, date] = day.split('-').map(Number)
  return random.weighted([
    [6, timeLiteral(type, time)],
    [1, `${type} '${day}'`],
    [1, `${type} '${String(year).padStart(4, '0')}-${month}-${date}'`],
    [type === 'DATE' ? 0 : 1, `${type} '${day} 1:02:03.5'`],
    [type === 'TIMESTAMP' ? 1 : 0, `TIMESTAMP '${day} 01:02:03 ${era.zones[0]}'`],
    [type === 'TIMESTAMP' ? 1 : 0, `TIMESTAMP '${day} 01:02:03-03:30'`],
  ])
}

/** What a bound compares. */
interface Side {
  readonly sql: string
  readonly type: TimeType
}

/** The time column as something that a bound compares: itself, or truncated. */
function compared(random: Random, { type, time, era }: Scope): Side {
  const zone = type === 'TIMESTAMP' ? zoneArgument(random, era) : ''
  const part = partOf(random, type, era)
  return random.weighted([
    [6, { sql: time, type }],
    [1, { sql: `DATE(${time}${zone})`, type: 'DATE' as const }],
    [1, { sql: `${type}_TRUNC(${time}, ${part}${zone})`, type }],
    [
      // Where rows lie in many such buckets, and within hours and days of them.
      type === 'DATE' ? 0 : era.scale.length >= 30n * MINUTE && era.scale.length <= 3n * DAY ? 8 : 1,
      { sql: `${type}_BUCKET(${time}, INTERVAL ${random.pick(['15 MINUTE', '6 HOUR'])})`, type },
    ],
    [0.5, { sql: `CAST(${time} AS DATE)`, type: 'DATE' as const }],
    [0.5, { sql: `DATETIME(${time}${zone})`, type: 'DATETIME' as const }],
  ])
}

const FLIPPED: Readonly<Record<string, string>> = { '>=': '<=', '>': '<', '<=': '>=', '<': '>', '=': '=' }

/** The end at which a bound cuts the times. */
export type End = 'lower' | 'upper' | 'any'

/** The time, and what makes a time that it is compared with. */
function comparedTimes(random: Random, scope: Scope, clock: number): readonly [Side, () => string] {
  const side = compared(random, scope)
  return [side, () => computedTime(random, side.type, scope.era, clock)]
}

/** The bucket of the time and that of the clock: as in all buckets but the last one. */
function bucketOfClock(random: Random, { type, time, era }: Scope): readonly [Side, () => string] {
  const zone = type === 'TIMESTAMP' ? zoneArgument(random, era) : ''
  const part = partOf(random, type, era)
  const bucketOf = (value: string): string => `${type}_TRUNC(${value}, ${part}${zone})`
  return [{ sql: bucketOf(time), type }, () => bucketOf(type === 'TIMESTAMP' ? '@now' : `${type}(@now)`)]
}

/** A bound of the time column. */
export function randomBound(random: Random, scope: Scope, clock: number, at: End): Piece {
  const [side, end] = random.chance(0.15) ? bucketOfClock(random, scope) : comparedTimes(random, scope, clock)
  if (at === 'any' && random.chance(0.3)) return { sql: `${side.sql} BETWEEN ${end()} AND ${end()}`, breaks: null }
  const operator = random.weighted([
    [at === 'upper' ? 0 : 5, '>='],
    [at === 'upper' ? 0 : 4, '>'],
    [at === 'lower' ? 0 : 1.5, '<='],
    [at === 'lower' ? 0 : 2, '<'],
    [at === 'any' ? 0.4 : 0, '='],
  ])
  if (random.chance(0.2)) return { sql: `${end()} ${FLIPPED[operator]} ${side.sql}`, breaks: null }
  return { sql: `${side.sql} ${operator} ${end()}`, breaks: null }
}

/** A condition of each row by itself. */
export function randomCondition(random: Random, scope: Scope): Piece {
  const { type, time, prefix: p, era } = scope
  const literal = (): string => timeLiteral(type, randomTime(random, era))
  const argument = `@at_${type.toLowerCase()}`
  const ofArguments = [
    `${p}tenant = @tenant`,
    `${p}n > @least`,
    `${p}n >= @least AND ${p}tenant != 'c'`,
    `${p}n > @least AND ${time} >= ${type}_SUB(${argument}, INTERVAL @least ${unitOf(type, era.scale.length)})`,
    `${p}s IN UNNEST(@texts)`,
    `(SELECT SUM(one.v) FROM UNNEST(${p}items) AS one) > @least`,
    `${time} < ${argument} OR ${p}n > 3`,
    `NOT (${time} < ${argument})`,
    `${p}other < ${argument}`,
    `${p}other >= ${argument}`,
  ]
  const ofConstants = [
    `${p}s IS NOT NULL`,
    `MOD(${p}n, 2) = 0`,
    `EXISTS (SELECT 1 FROM UNNEST(${p}items) AS one WHERE one.v > 2)`,
    `${time} IS NOT NULL`,
    `${time} IS NULL OR ${p}n > 0`,
    `${time} NOT IN (${literal()}, ${literal()})`,
    `${time} >= ${p}other`,
    `${time} != ${literal()}`,
    `COALESCE(${time}, ${literal()}) >= ${literal()}`,
    `EXTRACT(DAYOFWEEK FROM ${time}) BETWEEN 2 AND 6`,
  ]
  const sql = random.pick(random.chance(0.6) ? ofArguments : ofConstants)
  // Without parentheses, each part of an AND may be a bound.
  return { sql: / OR |^NOT /.test(sql) ? `(${sql})` : sql, breaks: null }
}

/** A condition that reads the clock and is no bound of the time column, or is not of each row by itself. */
export function brokenCondition(random: Random, { type, time, prefix: p, era }: Scope, table: string): Piece {
  const clock = computedTime(random, type, era, 1)
  return random.pick<Piece>([
    { sql: `${type}_DIFF(${clock}, ${time}, DAY) < 3`, breaks: 'a difference from the clock' },
    { sql: `(${time} >= ${clock} OR ${p}n = 1)`, breaks: 'the clock within OR' },
    { sql: `NOT (${time} >= ${clock})`, breaks: 'the clock within NOT' },
    { sql: `${p}other >= ${clock}`, breaks: 'the clock bounds another column' },
    { sql: `IF(${p}n > 2, ${time}, ${p}other) >= ${clock}`, breaks: 'the clock bounds an expression' },
    {
      sql: `${time} >= GREATEST(${clock}, ${timeLiteral(type, era.base)})`,
      breaks: 'a bound that cannot be evaluated',
    },
    { sql: `${time} >= IF(@least > 1, ${clock}, ${clock})`, breaks: 'a bound that cannot be evaluated' },
    { sql: `${time} != ${clock}`, breaks: 'the clock within !=' },
    { sql: `${p}n > EXTRACT(SECOND FROM @now)`, breaks: 'the clock bounds a number' },
    { sql: `COALESCE(${time} >= ${clock}, TRUE)`, breaks: 'the clock within COALESCE' },
    { sql: `${p}n >= (SELECT MIN(n) FROM ${table})`, breaks: 'a subquery reads the table' },
    { sql: `${p}s IN (SELECT s FROM ${table} WHERE n > 2)`, breaks: 'a subquery reads the table' },
    { sql: `RAND() < 2`, breaks: 'a function that is not stable' },
    {
      sql: `${type === 'DATE' ? 'CURRENT_DATE()' : 'CURRENT_TIMESTAMP()'} IS NOT NULL`,
      breaks: 'a function that is not stable',
    },
  ])
}

/** How far from the clock a time of an argument is at most. */
export const argumentTime = (random: Random, era: Era, now: bigint): bigint =>
  random.chance(0.5) ? randomTime(random, era) : now - fraction(era.scale.length, random.next())
