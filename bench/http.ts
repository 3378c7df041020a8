/**
 * Measures hits, misses and loading over HTTP, compared with a bare server, an Express route and a server written by hand.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Figure, percentile, table } from './figures.js'
import { type HttpLoad, httpLoad } from './http-load.js'
import { type Bar, barChart } from './http-picture.js'
import { inTurns, type Measured, processorMs, ROUNDS } from './in-turns.js'
import { loadingDifferent } from './many-manifests.js'
import { misses } from './misses.js'
import { residentMemory, type Server, startServer } from './processes.js'
import { type Bench, HEADERS, ROUTE, startSluice } from './rows-server.js'

const ROUND_SECONDS = 0.5

export interface HttpResults {
  readonly figures: readonly Figure[]
  /** Requests per second of a bare server at the start and at the end: their difference is the noise of the machine. */
  readonly floors: readonly [number, number]
  readonly picture: string
}

/** Runs all measurements, in about five minutes. `program` is the command line that starts the built server. */
export async function measureHttp(program: readonly string[]): Promise<HttpResults> {
  return inFolder(async folder => {
    const bench = { folder, program }
    const begins = await floor(bench)
    const [rates, bars] = await hits(bench)
    const figures = [...rates, ...(await kinds(bench)), ...(await misses(bench)), ...(await manifests(bench))]
    return { figures, floors: [begins, await floor(bench)], picture: barChart(bars) }
  })
}

async function inFolder<T>(measure: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-http-bench-'))
  try {
    return await measure(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const tsx = ['--import', 'tsx']

async function bodyOf(url: string, path: string): Promise<Buffer> {
  const response = await fetch(url + path, { headers: { ...HEADERS, 'Accept-Encoding': 'identity' } })
  if (response.status !== 200) throw new TypeError(await response.text())
  return Buffer.from(await response.arrayBuffer())
}

function fileOf({ folder }: Bench, name: string, body: Buffer): string {
  const file = join(folder, name)
  writeFileSync(file, body)
  return file
}

/** The server's answer, with its body as it is on the wire. */
function answerOf(
  url: string,
  path: string,
  { method, headers }: Partial<HttpLoad>,
): Promise<[IncomingMessage, Buffer]> {
  return new Promise((resolve, reject) => {
    const asked = request(url + path, { method: method ?? 'GET', headers: { ...HEADERS, ...headers } }, answer => {
      const parts: Buffer[] = []
      answer.on('data', part => parts.push(part))
      answer.on('end', () => resolve([answer, Buffer.concat(parts)]))
    })
    asked.on('error', reject)
    asked.end()
  })
}

/** Headers that node:http adds by itself. */
const ITS_OWN: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive'])

function headersOf({ rawHeaders }: IncomingMessage): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!ITS_OWN.has(rawHeaders[i]!.toLowerCase())) headers[rawHeaders[i]!] = rawHeaders[i + 1]!
  }
  return headers
}

/** A bare server that sends the same bytes as this answer: status, every header, body. */
async function startBare(bench: Bench, [answer, body]: readonly [IncomingMessage, Buffer]): Promise<Server> {
  const head = { status: answer.statusCode, headers: headersOf(answer) }
  const headFile = fileOf(bench, 'head', Buffer.from(JSON.stringify(head)))
  return startServer([...tsx, 'bench/bare-server.ts', fileOf(bench, 'body', body), headFile], {})
}

/** A bare server that sends, for each of these paths, the same bytes as the server at `url`. */
async function startBareMap(bench: Bench, url: string, paths: readonly string[]): Promise<Server> {
  const answers: unknown[] = []
  for (let i = 0; i < paths.length; i += 50) {
    const some = paths.slice(i, i + 50).map(async path => {
      const [answer, body] = await answerOf(url, path, {})
      return [path, headersOf(answer), body.toString()]
    })
    answers.push(...(await Promise.all(some)))
  }
  return startServer([...tsx, 'bench/bare-map.ts', fileOf(bench, 'answers', Buffer.from(JSON.stringify(answers)))], {})
}

const ratio = (a: number, b: number): string => (a / b).toFixed(2)

function compared(own: Measured, floor: Measured): string {
  const cpu = `${own.cpu.toFixed(1)} µs of processor a request against ${floor.cpu.toFixed(1)}: ${ratio(floor.cpu, own.cpu)}`
  return `**${ratio(own.rate, floor.rate)}** (${own.rate.toFixed(0)}/s against ${floor.rate.toFixed(0)}/s; ${cpu})`
}

async function floor(bench: Bench): Promise<number> {
  const server = await startServer(
    [...tsx, 'bench/bare-server.ts', fileOf(bench, 'floor', Buffer.alloc(1_000, 'x'))],
    {},
  )
  try {
    const [measured] = await inTurns([{ name: 'bare', server, load: {} }], load(32))
    return measured!.rate
  } finally {
    await server.end()
  }
}

const load = (connections: number, rows = 10): HttpLoad => ({
  connections,
  seconds: ROUND_SECONDS,
  paths: [`${ROUTE}?rows=${rows}`],
  headers: HEADERS,
})

type Four = [Measured, Measured, Measured, Measured]

async function hits(bench: Bench): Promise<readonly [readonly Figure[], readonly Bar[]]> {
  const figures: Figure[] = []
  const bars: Bar[] = []
  const sluice = await startSluice(bench)
  const hand = await startServer([...tsx, 'bench/hand-written.ts'], {})
  try {
    for (const rows of [10, 100, 1_000]) {
      const file = fileOf(bench, `rows-${rows}`, await bodyOf(sluice.url, `${ROUTE}?rows=${rows}`))
      const bare = await startBare(bench, await answerOf(sluice.url, `${ROUTE}?rows=${rows}`, {}))
      const express = await startServer([...tsx, 'bench/express-server.ts', file], {})
      const sides = Object.entries({ sluice, bare, express, hand }).map(([name, server]) => ({
        name,
        server,
        load: {},
      }))
      for (const connections of [1, 32, 256]) {
        const [own, floor, route, byHand] = (await inTurns(sides, load(connections, rows))) as Four
        const what = `hits of ${rows} rows, ${connections} connection${connections === 1 ? '' : 's'}`
        figures.push({ what: `${what}: against bare node:http`, value: compared(own, floor), bar: '≥ 0.75' })
        // With a large body, writing it takes most of the time in both servers: not even the bare server reaches the target.
        const best = `; bare node:http itself: ${ratio(floor.rate, route.rate)}`
        figures.push({ what: `${what}: against an Express route`, value: compared(own, route) + best, bar: '≥ 3' })
        figures.push({ what: `${what}: against one written by hand`, value: compared(own, byHand), bar: '' })
        if (connections !== 32) continue
        const names = ['Sluice', 'bare node:http', 'Express route', 'written by hand']
        const values = [own, floor, route, byHand].map(({ cpu }, i) => [names[i]!, floor.cpu / cpu] as const)
        bars.push({ label: `${rows} rows`, values })
        if (rows === 100) figures.push(await latencies(sluice, bare, own.rate * 0.8))
      }
      await bare.end()
      await express.end()
    }
    figures.push({ what: 'memory after these hits', value: residentMemory(sluice.pid), bar: '' })
    return [figures, bars]
  } finally {
    await sluice.end()
    await hand.end()
  }
}

async function latencies(sluice: Server, bare: Server, rate: number): Promise<Figure> {
  const servers = { own: sluice, floor: bare }
  const worst: { own: number[]; floor: number[] } = { own: [], floor: [] }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const kind of ['own', 'floor'] as const) {
      const { milliseconds } = await httpLoad(servers[kind].url, { ...load(32, 100), seconds: 1.5, rate })
      if (round > 0) worst[kind].push(percentile(milliseconds, 99))
    }
  }
  const [own, floor] = [percentile(worst.own, 50), percentile(worst.floor, 50)]
  return {
    what: 'p99 of hits of 100 rows at 80 % of that rate, 32 connections: against bare node:http',
    value: `**${ratio(own, floor)}** (${own.toFixed(2)} ms against ${floor.toFixed(2)} ms)`,
    bar: '≤ 1.5',
  }
}

/** 304s, HEAD, gzip and many keys, each compared with a bare server that writes the same bytes. */
async function kinds(bench: Bench): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  const sluice = await startSluice(bench)
  try {
    const path = `${ROUTE}?rows=100`
    const body = await bodyOf(sluice.url, path)
    const [plain] = await answerOf(sluice.url, path, {})
    const gzip = { headers: { ...HEADERS, 'Accept-Encoding': 'gzip' } }
    await answerOf(sluice.url, path, gzip) // fills the cache with the gzip representation
    const paths = Array.from({ length: 10_000 }, (_, i) => `${ROUTE}?rows=10&tag=t${i}`)
    // Each key is requested twice: a miss, and the first hit.
    for (const _ of ['miss', 'hit']) {
      await httpLoad(sluice.url, { ...load(32), paths, seconds: 300, total: paths.length })
    }
    const loads: readonly (readonly [what: string, load: Partial<HttpLoad>])[] = [
      ['304s', { headers: { ...HEADERS, 'If-None-Match': plain.headers.etag! }, status: 304 }],
      ['HEAD', { method: 'HEAD' }],
      ['hits in gzip', gzip],
    ]
    const add = async (what: string, own: Partial<HttpLoad>, bare: Server, bar = '≥ 0.75'): Promise<void> => {
      const sides = [sluice, bare].map((server, i) => ({ name: String(i), server, load: own }))
      const [mine, floor] = (await inTurns(sides, load(32, 100))) as [Measured, Measured]
      figures.push({ what: `${what}: against bare node:http`, value: compared(mine, floor), bar })
      await bare.end()
    }
    for (const [what, own] of loads) {
      const answer = await answerOf(sluice.url, path, own)
      // For HEAD the bare server gets the whole body too; node:http omits it by itself.
      const same: [IncomingMessage, Buffer] = own.method === 'HEAD' ? [answer[0], body] : answer
      await add(`${what}, 32 connections`, own, await startBare(bench, same))
    }
    const keys = 'hits of 10,000 different keys, 32 connections'
    await add(`${keys}, each with bytes of its own`, { paths }, await startBareMap(bench, sluice.url, paths))
    const one = await startBare(bench, await answerOf(sluice.url, paths[0]!, {}))
    await add(`${keys}, the other with the same bytes for all`, { paths }, one, '')
    const least = await startServer([...tsx, 'bench/bare-server.ts', fileOf(bench, 'least', body)], {})
    await add('hits of 100 rows, 32 connections, the other with Content-Type and Content-Length alone', {}, least)
    figures.push({ what: 'memory with 10,000 results', value: residentMemory(sluice.pid), bar: '' })
    return figures
  } finally {
    await sluice.end()
  }
}

async function manifests(bench: Bench): Promise<readonly Figure[]> {
  const few = await startSluice(bench)
  const many = await startSluice(bench, 10_000)
  const loadedMs = processorMs(many.pid)
  try {
    for (const { url } of [few, many]) await bodyOf(url, `${ROUTE}?rows=10`)
    const sides = [
      { name: 'many', server: many, load: {} },
      { name: 'few', server: few, load: {} },
    ]
    const [own, floor] = (await inTurns(sides, load(32))) as [Measured, Measured]
    return [
      {
        what: '10,000 manifests that share one SQL text, until ready',
        value: `${many.secondsToReady.toFixed(1)} s, ${(loadedMs / 1000).toFixed(1)} s of processor`,
        bar: '≤ 10 s',
      },
      { what: 'hits with 10,000 manifests: against one manifest', value: compared(own, floor), bar: '≥ 0.95' },
      { what: 'memory with 10,000 manifests', value: residentMemory(many.pid), bar: '' },
      ...(await loadingDifferent(bench.program)),
    ]
  } finally {
    await few.end()
    await many.end()
  }
}

/** Writes the picture, and returns the section of RESULTS.md. */
export function writeHttp({ figures, floors, picture }: HttpResults): string {
  writeFileSync('bench/results.svg', picture)
  const noise = `A bare server's rate was ${floors[0].toFixed(0)}/s at the start and ${floors[1].toFixed(0)}/s at the end (${ratio(floors[1], floors[0])}).`
  const how =
    'Ratios first. A bare server writes the same bytes: status, every header, body. Servers are measured in turns, each in a process of its own and the client in another; over one connection, where they take turns, they have a processor each. Requests go to the log and to the metrics as in production.'
  return [`${how} ${noise}`, '![Hits beside other servers](results.svg)', table(figures)].join('\n\n')
}

// As a program: `node --import tsx bench/http.ts [program] [hits | kinds]` prints the whole section, only hits, or only
// 304s, HEAD, gzip and many keys.
if (process.argv[1]?.endsWith('bench/http.ts')) {
  const [program = 'dist/cli/main.js', part] = process.argv.slice(2)
  if (part === 'kinds') console.log(table(await inFolder(folder => kinds({ folder, program: [program] }))))
  else if (part === 'hits')
    console.log(table(await inFolder(async folder => (await hits({ folder, program: [program] }))[0])))
  else console.log(writeHttp(await measureHttp([program])))
}
