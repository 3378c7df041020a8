/** Misses, compared with a server written by hand for the same queries. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { type Figure, percentile } from './figures.js'
import { type Server, startServer } from './processes.js'
import { type Bench, HEADERS, ROUTE, startSluice, TOKEN } from './rows-server.js'
import { PROJECTS, projectOf, writeLogs } from './size-data.js'

/** The number of log entries in all nine streams, from the last seven days. */
const ENTRIES = 1_000_000
/** The number of first calls of each kind that do not count. */
const WARM_UP = 5
/** The shipped endpoints. Each call is for a different project, so that each is a miss. */
const SHIPPED: readonly (readonly [endpoint: string, args: string, calls: number])[] = [
  ['logs.all', 'project_tier=PRO', 65],
  ['functions.invocation-stats', 'interval=7day', 105],
  ['functions.invocation-stats', 'interval=1hr', 105],
  ['usage.api-counts', 'interval=minutely', 65],
]

/** The times of one call, in milliseconds. */
interface Miss {
  /** The whole call, measured by the client. */
  readonly whole: number
  /** The whole call without the time in the engine: the server's other work, the network and the client. */
  readonly besides: number
  /** The server's time without the time in the engine; NaN where the server does not report it. */
  readonly serverBesides: number
}

async function missOf(server: Server, path: string): Promise<Miss & { readonly body: string }> {
  const began = performance.now()
  const headers = { ...HEADERS, 'Accept-Encoding': 'identity' }
  const response = await fetch(server.url + path, { headers })
  const body = await response.text()
  const whole = performance.now() - began
  if (response.status !== 200) throw new TypeError(`${path}: ${body}`)
  const timing = response.headers.get('Server-Timing') ?? ''
  const [engine, total] = ['engine', 'total'].map(name => Number(new RegExp(`${name};dur=([\\d.]+)`).exec(timing)?.[1]))
  return { whole, besides: whole - engine!, serverBesides: total! - engine!, body }
}

/** The mean without the smallest 5 % and the largest 5 % of the samples. */
function middle(samples: readonly number[]): number {
  const cut = Math.floor(samples.length / 20)
  const kept = [...samples].sort((a, b) => a - b).slice(cut, samples.length - cut)
  return kept.reduce((sum, sample) => sum + sample, 0) / kept.length
}

const half = (samples: readonly Miss[], kind: keyof Miss, rank = 50): number =>
  percentile(
    samples.map(sample => sample[kind]),
    rank,
  )

/** The misses of both servers, measured in turns. @throws TypeError where `isSame` is false for two bodies */
async function inTurns(
  sluice: Server,
  hand: Server,
  paths: readonly string[],
  isSame: (own: string, other: string) => boolean,
): Promise<readonly [own: readonly Miss[], byHand: readonly Miss[]]> {
  const both: [Miss[], Miss[]] = [[], []]
  for (const [i, path] of paths.entries()) {
    // The second server finds warmer file caches, so the servers alternate in being first.
    const isFirst = i % 2 === 0
    const one = await missOf(isFirst ? sluice : hand, path)
    const other = await missOf(isFirst ? hand : sluice, path)
    const [own, byHand] = isFirst ? [one, other] : [other, one]
    if (!isSame(own.body, byHand.body)) throw new TypeError(`${path}: ${own.body} is not ${byHand.body}`)
    both[0].push(own)
    both[1].push(byHand)
  }
  return both
}

export async function misses(bench: Bench): Promise<readonly Figure[]> {
  return [...(await tinyMisses(bench)), ...(await missesAtSize(bench))]
}

async function tinyMisses(bench: Bench): Promise<readonly Figure[]> {
  const sluice = await startSluice(bench)
  const hand = await startServer(['--import', 'tsx', 'bench/hand-written.ts'], {})
  try {
    const paths = Array.from({ length: 400 }, (_, i) => `${ROUTE}?rows=100&tag=m${i}`)
    const measured = await inTurns(sluice, hand, paths, isSameResult)
    const [own, byHand] = measured.map(samples => samples.slice(100)) as [Miss[], Miss[]]
    const of = (kind: keyof Miss): string =>
      `p50 ${half(own, kind).toFixed(2)} ms; written by hand ${half(byHand, kind).toFixed(2)} ms`
    const cold = `${sluice.url}${ROUTE}?rows=1000&tag=cold`
    const asked = await Promise.all(Array.from({ length: 1_000 }, () => fetch(cold, { headers: HEADERS })))
    await Promise.all(asked.map(response => response.arrayBuffer()))
    const queries = asked.filter(response => response.headers.get('Cache-Status')?.includes('stored')).length
    return [
      { what: 'miss of 100 rows made up by the query, whole, client included', value: of('whole'), bar: '' },
      {
        what: 'miss of 100 rows made up by the query, all but the time in the engine, client included',
        value: of('besides'),
        bar: '',
      },
      {
        what: '1,000 identical cold calls at once',
        value: `${queries} ${queries === 1 ? 'query' : 'queries'}`,
        bar: '1',
      },
    ]
  } finally {
    await sluice.end()
    await hand.end()
  }
}

/** The shipped endpoints, unchanged, over Parquet files of log entries that both servers read. */
async function missesAtSize({ folder, program }: Bench): Promise<readonly Figure[]> {
  const data = join(folder, 'million')
  mkdirSync(data)
  await writeLogs(data, { entries: ENTRIES, nowMicros: BigInt(Date.now()) * 1000n }, () => {})
  const sluice = await startServer(
    [...program, 'serve', '--port', '0', '--data', data],
    { SLUICE_TOKEN: TOKEN },
    'ignore',
  )
  const hand = await startServer(['--import', 'tsx', 'bench/hand-written.ts', data], {})
  try {
    const projects = await projectNames()
    const figures: Figure[] = []
    for (const [endpoint, args, calls] of SHIPPED) {
      const paths = projects
        .slice(0, calls)
        .map(project => `/api/endpoints/query/${endpoint}?project=${project}&${args}`)
      const measured = await inTurns(sluice, hand, paths, isSameResult)
      const [own, byHand] = measured.map(samples => samples.slice(WARM_UP)) as [Miss[], Miss[]]
      figures.push(...figuresOf(`${endpoint}, ${args}`, own, byHand))
      if (endpoint !== 'logs.all') continue
      figures.push({
        what: "miss of 100 rows of logs.all, all but the time in the engine, by the server's own clock",
        value: `**${middle(own.map(miss => miss.serverBesides)).toFixed(2)} ms** (mean of the middle 90 %: the engine's time is told in whole ms)`,
        bar: '≤ 1 ms',
      })
    }
    return figures
  } finally {
    await sluice.end()
    await hand.end()
  }
}

async function projectNames(): Promise<readonly string[]> {
  const instance = await DuckDBInstance.create(':memory:')
  try {
    const connection = await instance.connect()
    const names: string[] = []
    for (let rank = 0; rank < PROJECTS; rank += 1) names.push(await projectOf(connection, rank))
    return names
  } finally {
    instance.closeSync()
  }
}

function figuresOf(what: string, own: readonly Miss[], byHand: readonly Miss[]): readonly Figure[] {
  const times = (samples: readonly Miss[]): string =>
    `p50 ${half(samples, 'whole').toFixed(1)} ms, p99 ${half(samples, 'whole', 99).toFixed(1)} ms`
  const times50 = half(own, 'whole') / half(byHand, 'whole')
  return [
    {
      what: `miss of ${what} at 1 million entries, each for another project, whole: against Express and SQL written by hand giving the same rows`,
      value: `**${times50.toFixed(2)} ×** (${times(own)} against ${times(byHand)}; ${own.length} each)`,
      bar: '≤ 1 ×',
    },
    {
      what: `miss of ${what} at 1 million entries, all but the time in the engine, client included`,
      value: `p50 ${half(own, 'besides').toFixed(2)} ms; written by hand ${half(byHand, 'besides').toFixed(2)} ms`,
      bar: '',
    },
  ]
}

/**
 * Whether both bodies hold the same rows; the driver's own JSON writes integers as texts, and times in another format. The
 * servers are called one after the other: meanwhile, entries can leave the queried hour or week, which changes the oldest row,
 * so that row is not compared.
 */
function isSameResult(own: string, other: string): boolean {
  const [one, two] = [rowsOf(own), rowsOf(other)]
  if (isDeepStrictEqual(one, two)) return true
  const since = [one, two].map(rows => rows.map(timeOf).sort()[0] ?? '').sort()[1]!
  const newer = (rows: readonly Row[]): readonly Row[] => rows.filter(row => timeOf(row) > since)
  return isDeepStrictEqual(newer(one), newer(two))
}

interface Row {
  readonly timestamp?: string
}

const rowsOf = (body: string): readonly Row[] => plain((JSON.parse(body) as { result: unknown }).result) as Row[]
const timeOf = ({ timestamp = '' }: Row): string => timestamp

const TIME = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]))
  }
  if (typeof value !== 'string' && typeof value !== 'number') return value
  const text = String(value)
  if (!TIME.test(text)) return text
  const [, whole, fraction = ''] = /^(.{19})(?:\.(\d+))?/.exec(text.replace(' ', 'T'))!
  return `${whole}.${fraction.padEnd(6, '0')}`
}
