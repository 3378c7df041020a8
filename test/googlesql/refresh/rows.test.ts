/** The proof against rows: the results of narrowed queries, one after the other, are the whole query's. */
import { tmpdir } from 'node:os'
import { expect } from 'chai'
import {
  boundaryBefore,
  bucketBoundary,
  bucketMicros,
  closedWindow,
  datetimeText,
  firstTime,
  justBefore,
  type KeptQuery,
  lastTime,
  timeValue,
} from '../../../googlesql/index.js'
import type { DuckdbEngine } from '../../../runner/engines/duckdb/duckdb-engine.js'
import { openDuckdbEngine } from '../../../runner/engines/duckdb/open-engine.js'
import type { BoundValue } from '../../../runner/index.js'
import { rowsOf, runOptions } from '../../engines/ask-engine.js'
import { CLOCK } from '../../engines/duckdb/raw-engine.js'
import { sampleOf, sampleSize } from '../../sample-size.js'
import { CASES, DEFINITIONS, keptOf, NOW, type QueryCase } from './cases.js'

/** Days around which rows lie: the beginning of 1970, changes of the clocks of St. John's, Apia, New York and Berlin, ends of months, leap days and ISO years. */
const AROUND = [
  '1969-12-31',
  '2010-11-07',
  '2011-12-30',
  '2024-02-29',
  '2025-12-31',
  '2026-03-01',
  '2026-03-08',
  '2026-03-15',
  '2026-03-29',
  '2026-10-25',
]
const HOUR = 3_600_000

const hits = AROUND.flatMap((day, which) => {
  const middle = Date.parse(`${day}T12:00:00Z`)
  return Array.from({ length: 90 }, (_, i) => {
    const ts = new Date(middle + (i - 45) * 1.27 * HOUR).toISOString()
    const who = ['ann', 'bob', null][(i * 7 + which) % 3]!
    const parts = i % 4 === 0 ? [] : [{ name: 'x', n: i }]
    const tags = i % 5 === 0 ? ['z'] : ['a', 'z']
    return { ts, dt: ts.slice(0, -1), day: ts.slice(0, 10), seen: ts, who, n: i % 11, tags, parts }
  })
})
const without = { ts: null, dt: null, day: null, seen: null, who: 'ann', n: 1, tags: ['a'], parts: [] }
const rows: Readonly<Record<string, readonly object[]>> = {
  'logs.hits': [...hits, hits[5]!, hits[5]!, without, without],
  'logs.people': [
    { who: 'ann', team: 'a', joined: '2026-03-01T00:00:00Z' },
    { who: 'ann', team: 'b', joined: '2026-04-01T00:00:00Z' },
    { who: 'bob', team: 'a', joined: '2010-01-01T00:00:00Z' },
    { who: 'eve', team: null, joined: null },
  ],
  'my-project.logs.paths': hits.map(({ ts, n }) => ({ ts, n })),
}

/** A shard for each day of the rows. */
const shards = [...new Set(hits.map(({ day }) => day))].map(day => ({
  suffix: day.replaceAll('-', ''),
  rows: hits.filter(hit => hit.day === day).map(({ ts, n }) => ({ ts, n, event_date: day.replaceAll('-', '') })),
}))

/** Zones whose changes are among the rows. */
const ZONES = ['America/St_Johns', 'Europe/Berlin', 'America/New_York', 'Pacific/Apia', '-03:30']
const BY_ZONE: readonly QueryCase[] = ZONES.flatMap(zone => [
  ...['SECOND', 'HOUR', 'DAY', 'WEEK(TUESDAY)', 'MONTH'].map(part => ({
    sql: `SELECT TIMESTAMP_TRUNC(ts, ${part}, '${zone}') AS bucket, COUNT(*) AS c, SUM(n) AS n FROM logs.hits GROUP BY bucket ORDER BY bucket`,
  })),
  {
    sql: `SELECT DATETIME_TRUNC(DATETIME(ts, '${zone}'), ISOWEEK) AS bucket, COUNT(*) FROM logs.hits GROUP BY bucket ORDER BY bucket DESC`,
  },
  {
    sql: `SELECT DATE(ts, '${zone}') AS bucket, who, COUNT(*) AS c FROM logs.hits GROUP BY bucket, who HAVING c > 3 ORDER BY bucket`,
  },
])

/** What may be compared with a time, as its type. */
const COMPARED: readonly (readonly [type: string, sql: string])[] = [
  ['TIMESTAMP', 'ts'],
  ...ZONES.flatMap(zone => [
    ['DATETIME', `DATETIME(ts, '${zone}')`] as const,
    ['DATE', `DATE(ts, '${zone}')`] as const,
    ['DATE', `DATE_TRUNC(DATE(ts, '${zone}'), MONTH)`] as const,
    ['TIMESTAMP', `TIMESTAMP_TRUNC(ts, HOUR, '${zone}')`] as const,
    ['TIMESTAMP', `TIMESTAMP_TRUNC(ts, DAY, '${zone}')`] as const,
    ['TIMESTAMP', `TIMESTAMP_TRUNC(ts, WEEK, '${zone}')`] as const,
  ]),
]

describe('a kept query over rows', () => {
  let engine: DuckdbEngine
  before(async function () {
    this.timeout(60_000)
    engine = await openEngine()
  })
  after(() => engine.close())

  for (const one of sampleOf([...CASES.kept, ...BY_ZONE])) {
    it('says' in one ? String(one.says) : one.sql, async () => {
      const kept = keptOf(one)
      const whole = await rowsFrom(one.sql, one)
      const cuts = AROUND.flatMap(day =>
        [-30, -9.5, 0, 20].map(hours => micros(`${day}T12:00:00Z`) + BigInt(hours * 3_600) * 1_000_000n),
      )
      for (const cut of [...new Set(cuts.flatMap(time => boundaryBefore(kept, time) ?? []))].slice(0, sampleSize(16))) {
        const early = await narrowed(kept, one, firstTime(kept), justBefore(kept, cut), true)
        const late = await narrowed(kept, one, cut, lastTime(kept), false)
        expect(joined(kept, early, late), `cut at ${datetimeText(cut)}`).to.deep.equal(unlessOrdered(kept, whole))
        const boundary = bucketBoundary(kept, cut)
        const dated = early.map(row => bucketOf(kept, row)).filter(bucket => bucket !== null)
        expect(dated.every(bucket => bucket < boundary)).to.equal(true)
        expect(late.every(row => bucketOf(kept, row)! >= boundary)).to.equal(true)
      }
    })
  }

  it('has the same rows between two boundaries of its window for a later clock', async () => {
    for (const one of CASES.kept.filter(({ bound, window }) => window && bound?.includes('now'))) {
      const kept = keptOf(one)
      const later = '2026-03-15T14:01:00Z'
      const windows = [NOW, later].map(now =>
        closedWindow(kept, name => (name === 'now' ? now : one.parameters?.[name]?.value)),
      )
      const from = windows.map(window => window?.from ?? firstTime(kept)).reduce((a, b) => (a > b ? a : b))
      const until = windows.map(window => window?.until ?? lastTime(kept)).reduce((a, b) => (a < b ? a : b))
      const results = []
      for (const now of [NOW, later]) results.push(await narrowed(kept, one, from, justBefore(kept, until), false, now))
      expect(unlessOrdered(kept, results[1]!), one.says).to.deep.equal(unlessOrdered(kept, results[0]!))
    }
  })

  it('leaves out no row between two boundaries of its window, and has none beyond the last ones', async () => {
    let [windows, beyond] = [0, 0]
    for (const [i, [type, compared]] of sampleOf(COMPARED).entries()) {
      for (const [j, operator] of ['>=', '>', '<', '<=', '='].entries()) {
        const hit = hits[(i * 131 + j * 97) % hits.length]!
        const literal = { TIMESTAMP: hit.ts, DATETIME: hit.dt, DATE: hit.day }[type]
        const condition = `${compared} ${operator} ${type} '${literal}'`
        const kept = keptOf({
          sql: `SELECT TIMESTAMP_TRUNC(ts, MINUTE) AS bucket, COUNT(*) FROM logs.hits WHERE ${condition} GROUP BY bucket`,
        })
        const window = closedWindow(kept, () => null)
        if (window === null) continue
        windows++
        const { from = null, until = null } = window
        const ends = [from ?? micros('2000-01-01'), until === null ? micros('2100-01-01') : justBefore(kept, until)]
        const [_from, _until] = ends.map(time => ({ type: 'TIMESTAMP', value: timeValue(kept, time) })) as [
          BoundValue,
          BoundValue,
        ]
        const times = 'SELECT ts FROM logs.hits UNION ALL SELECT ts FROM UNNEST([@_from, @_until]) AS ts'
        const sql = `SELECT COUNT(*) FROM (${times}) WHERE ts BETWEEN @_from AND @_until AND NOT (${condition})`
        expect(await rowsFrom(sql, { sql }, { _from, _until }), condition).to.deep.equal([[0]])
        const { rowsFrom: first, rowsUntil: end } = window
        const outside = [...(first === null ? [] : [justBefore(kept, first)]), ...(end === null ? [] : [end])]
        const rest = [`ts < @_first`, `ts >= @_end`].filter((_, which) => [first, end][which] !== null)
        const all = `SELECT COUNT(*), COUNTIF(${condition}) FROM (SELECT ts FROM logs.hits UNION ALL SELECT ts FROM UNNEST(@_times) AS ts) WHERE ${rest.join(' OR ') || 'FALSE'}`
        const value = (time: bigint): string => timeValue(kept, time)
        const [[count, fulfilling]] = (await rowsFrom(
          all,
          { sql: all },
          {
            _times: { type: 'ARRAY<TIMESTAMP>', value: outside.map(value) },
            ...(first !== null && { _first: { type: 'TIMESTAMP', value: value(first) } }),
            ...(end !== null && { _end: { type: 'TIMESTAMP', value: value(end) } }),
          },
        )) as [[number, number]]
        expect(fulfilling, condition).to.equal(0)
        beyond += count
      }
    }
    expect(windows).to.be.greaterThan(sampleSize(100))
    expect(beyond).to.be.greaterThan(sampleSize(20_000))
  })

  async function rowsFrom(sql: string, one: QueryCase, more: Record<string, BoundValue> = {}): Promise<unknown[][]> {
    const given: Record<string, BoundValue> = { now: { type: 'TIMESTAMP', value: NOW }, ...one.parameters, ...more }
    const parameters = Object.fromEntries(Object.entries(given).filter(([name]) => sql.includes(`@${name}`)))
    return rowsOf(await engine.run({ sql, parameters }, runOptions()))
  }

  const narrowed = (
    kept: KeptQuery,
    one: QueryCase,
    from: bigint,
    until: bigint,
    isWithNulls: boolean,
    now = NOW,
  ): Promise<unknown[][]> => {
    const [_from, _until] = [from, until].map(time => ({ type: kept.timeType, value: timeValue(kept, time) })) as [
      BoundValue,
      BoundValue,
    ]
    const text = isWithNulls ? kept.narrowedWithNulls : kept.narrowed
    const all = rowsFrom(text, one, { now: { type: 'TIMESTAMP', value: now }, _from, _until })
    if (!kept.isText) return all
    const isBetween = (bucket: bigint): boolean => bucket >= bucketBoundary(kept, from) && bucket <= until
    return all.then(list => list.filter(row => isBetween(bucketOf(kept, row)!)))
  }
})

const micros = (time: string): bigint => BigInt(Date.parse(time)) * 1_000n

const bucketOf = (kept: KeptQuery, row: readonly unknown[]): bigint | null => bucketMicros(kept, row[kept.bucketColumn])

/** The rows of the part without a bucket and the two parts in the order of the query; of a query without one, in any. */
function joined(kept: KeptQuery, early: unknown[][], late: unknown[][]): unknown[][] {
  const nulls = early.filter(row => bucketOf(kept, row) === null)
  const others = early.filter(row => bucketOf(kept, row) !== null)
  const inOrder = kept.order?.isDescending ? [...late, ...others] : [...others, ...late]
  const all = kept.order?.nullsFirst ? [...nulls, ...inOrder] : [...inOrder, ...nulls]
  return unlessOrdered(kept, all)
}

const unlessOrdered = ({ order }: KeptQuery, result: unknown[][]): unknown[][] =>
  order ? result : [...result].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

const openEngine = (): Promise<DuckdbEngine> =>
  openDuckdbEngine({
    dataDir: null,
    database: null,
    tables: DEFINITIONS.flatMap(({ name, columns }) =>
      name.endsWith('*')
        ? shards.map(({ suffix, rows: own }) => ({
            definition: { name: name.replace('*', suffix), columns },
            rows: own,
          }))
        : [{ definition: { name, columns }, rows: rows[name] ?? [] }],
    ),
    functions: { functions: [], folder: null },
    naming: { project: null, defaultDataset: null },
    memoryLimitMb: 512,
    threads: 1,
    tempDir: tmpdir(),
    observe: () => undefined,
    clock: CLOCK,
  })
