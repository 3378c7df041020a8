/**
 * Two replicas over one Redis at half of full speed, while data and manifests are edited, results purged, and Redis killed and
 * hung: no call may be lost, no answer old, and memory must not grow. `make soak`, or `make soak ARGS="--minutes 3"`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { httpLoad } from './http-load.js'
import { PROGRAM, type Server, startServer } from './processes.js'

const TOKEN = 'soak'
const SLICE_SECONDS = 3
const CONNECTIONS = 4
/** Addresses that are asked for all the time, and new ones in each slice. */
const HOT = 60
const NEW = 10
/** What the memory of a replica that is never restarted may still grow by in its last two fifths, in megabytes. */
const MAX_GROWTH_MB = 30
/** Small, so that it is full before memory is looked at. */
const CACHE_MB = 16

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

class SoakFailure extends Error {
  override readonly name = 'SoakFailure'
}

interface Place {
  readonly folder: string
  readonly redisPort: number
}

const ORDERS = 'data/shop/orders.ndjson'
const order = (n: number): string => `${JSON.stringify({ id: n, note: 'x'.repeat(200) })}\n`

const manifest = (id: number, name: string, cache: string, version: number): string => `
id: 6a9a3c4e-54f5-4a7e-9d0c-0f3d3c1b2a0${id}
name: ${name}
description: Orders.
parameters:
  tag: { type: string, description: Makes calls differ. }
settings:
  max_rows: 10
  cache: ${cache}
sql: |
  SELECT (SELECT COUNT(*) FROM \`shop.orders\`) AS orders, ${version} AS version, id, note, @tag AS tag FROM \`shop.orders\` LIMIT 10
`

function writeManifests({ folder }: Place, version: number): void {
  const write = (name: string, text: string): void => writeFileSync(join(folder, 'endpoints', `${name}.yaml`), text)
  write('live', manifest(1, 'shop.live', '{ until: data_changes }', version))
  write('warm', manifest(2, 'shop.warm', '{ ttl_seconds: 10, warm_seconds: 2, stale_if_error_seconds: 60 }', version))
  write('short', manifest(3, 'shop.short', '{ ttl_seconds: 2, stale_while_revalidate_seconds: 30 }', version))
}

async function makePlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-soak-'))
  for (const name of ['endpoints', 'tables', 'data/shop']) mkdirSync(join(folder, name), { recursive: true })
  const schema = [
    { name: 'id', type: 'INT64' },
    { name: 'note', type: 'STRING' },
  ]
  writeFileSync(join(folder, 'tables/shop.orders.json'), JSON.stringify(schema))
  writeFileSync(join(folder, ORDERS), Array.from({ length: 100 }, (_, n) => order(n)).join(''))
  const place = { folder, redisPort: await freePort() }
  writeManifests(place, 1)
  return place
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/** A Redis that can be killed and started anew. */
function redisAt({ folder, redisPort }: Place) {
  let child: ChildProcess | null = null
  const start = (): void => {
    const flags = ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
    child = spawn('redis-server', [...flags, '--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru'], {
      stdio: 'ignore',
    })
  }
  return { start, signal: (name: NodeJS.Signals) => void child?.kill(name) }
}

function startReplica({ folder, redisPort }: Place): Promise<Server> {
  const at = (name: string): string => join(folder, name)
  const folders = ['--endpoints', at('endpoints'), '--tables', at('tables'), '--data', at('data')]
  const flags = ['--port', '0', '--cache-memory', String(CACHE_MB), '--engine-memory', '128', '--log-level', 'error']
  const environment = { SLUICE_TOKEN: TOKEN, REDIS_URL: `redis://127.0.0.1:${redisPort}` }
  return startServer([...PROGRAM, 'serve', ...folders, ...flags], environment)
}

let asked = 0
function pathsOf(): readonly string[] {
  const path = (name: string, tag: string): string => `/api/endpoints/query/${name}?tag=${tag}`
  const names = ['shop.live', 'shop.warm', 'shop.short']
  const hot = Array.from({ length: HOT }, (_, i) => path(names[i % 3]!, `hot-${i}`))
  const fresh = Array.from({ length: NEW }, () => {
    asked += 1
    return path(names[asked % 3]!, `new-${asked}`)
  })
  // New ones among the hot ones: 20 rounds of those for each of these.
  return [...fresh.flatMap(one => [one, ...hot]), ...Array.from({ length: 10 }, () => hot).flat()]
}

interface Row {
  readonly orders: number
  readonly version: number
}

async function rowOf({ url }: Server, name: string, tag: string): Promise<Row> {
  const response = await fetch(`${url}/api/endpoints/query/${name}?tag=${tag}`, { headers: { 'X-API-KEY': TOKEN } })
  if (response.status !== 200) throw new SoakFailure(`${name} answered ${response.status}: ${await response.text()}`)
  return ((await response.json()) as { result: Row[] }).result[0]!
}

/** Of the server's own process, in megabytes. */
function residentMb({ pid }: Server): number {
  return (Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024) / 1e6
}

async function soak(minutes: number): Promise<void> {
  const place = await makePlace()
  const redis = redisAt(place)
  redis.start()
  await pause(500)
  const replicas = { a: await startReplica(place), b: await startReplica(place) }
  let orders = 100
  let version = 1
  let calls = 0
  const slowest: number[] = []
  const memory: number[] = []

  const run = async (server: Server, rate?: number): Promise<number> => {
    const options = {
      connections: CONNECTIONS,
      seconds: SLICE_SECONDS,
      paths: pathsOf(),
      headers: { 'X-API-KEY': TOKEN },
    }
    const { perSecond, milliseconds } = await httpLoad(server.url, rate === undefined ? options : { ...options, rate })
    calls += milliseconds.length
    slowest.push(milliseconds.reduce((most, ms) => Math.max(most, ms), 0))
    return perSecond
  }

  const editData = async (): Promise<void> => {
    for (let i = 0; i < 5; i += 1) {
      orders += 1
      appendFileSync(join(place.folder, ORDERS), order(orders))
      for (const server of Object.values(replicas)) {
        const row = await rowOf(server, 'shop.live', 'hot-0')
        if (row.orders !== orders) throw new SoakFailure(`an old result: ${row.orders} orders of ${orders}`)
      }
      await pause(200)
    }
  }
  const incidents: readonly (readonly [what: string, happen: () => Promise<void>])[] = [
    ['data edited', editData],
    [
      'Redis killed for a second',
      async () => {
        redis.signal('SIGKILL')
        await pause(1_000)
        redis.start()
      },
    ],
    [
      'results purged',
      async () => {
        const init = { method: 'POST', headers: { 'X-API-KEY': TOKEN } }
        const { status } = await fetch(`${replicas.b.url}/api/endpoints/shop.warm/purge`, init)
        if (status !== 200 && status !== 503) throw new SoakFailure(`the purge was answered ${status}`)
      },
    ],
    [
      'Redis hung for a second',
      async () => {
        redis.signal('SIGSTOP')
        await pause(1_000)
        redis.signal('SIGCONT')
      },
    ],
    ['data edited', editData],
  ]
  /** Of replica a, as a balancer that no longer sends to it would have it. */
  const editManifests = async (): Promise<void> => {
    version += 1
    writeManifests(place, version)
    await replicas.a.end()
    replicas.a = await startReplica(place)
    const row = await rowOf(replicas.a, 'shop.warm', 'hot-1')
    if (row.version !== version) throw new SoakFailure(`an old manifest's result: ${row.version} of ${version}`)
  }

  try {
    // Cold at first: that is no speed to go by.
    for (let i = 0; i < 5; i += 1) await Promise.all([run(replicas.a), run(replicas.b)])
    const [fullA, fullB] = await Promise.all([run(replicas.a), run(replicas.b)])
    const rate = Math.floor(Math.min(fullA, fullB) / 2)
    process.stdout.write(
      `full speed ${Math.round(fullA)} + ${Math.round(fullB)} calls a second; half is ${rate} each\n`,
    )
    const end = performance.now() + minutes * 60_000
    for (let turn = 0; performance.now() < end; turn += 1) {
      const [what, happen] = incidents[turn % incidents.length]!
      if (turn % 6 === 5) {
        await Promise.all([run(replicas.b, rate), editManifests()])
        process.stdout.write(`${calls} calls; manifests edited, a replica restarted\n`)
      } else {
        const during = pause((SLICE_SECONDS * 1000) / 4).then(happen)
        await Promise.all([run(replicas.a, rate), run(replicas.b, rate), during])
        memory.push(residentMb(replicas.b))
        const rounded = Math.round(slowest.slice(-2).reduce((most, ms) => Math.max(most, ms)))
        process.stdout.write(
          `${calls} calls; ${what}; slowest ${rounded} ms; memory ${Math.round(memory.at(-1)!)} MB\n`,
        )
      }
    }
    // The first fifth fills caches and heaps.
    const [from, middle] = [0.2, 0.6].map(part => Math.floor(memory.length * part)) as [number, number]
    const most = [memory.slice(from, middle), memory.slice(middle)].map(all => Math.max(...all))
    const [first, second] = most as [number, number]
    process.stdout.write(
      `${calls} calls, none lost; memory at most ${Math.round(first)} MB, then ${Math.round(second)} MB\n`,
    )
    if (second - first > MAX_GROWTH_MB) throw new SoakFailure(`memory grew by ${Math.round(second - first)} MB`)
  } finally {
    redis.signal('SIGCONT')
    await Promise.all(Object.values(replicas).map(server => server.end()))
    redis.signal('SIGKILL')
    rmSync(place.folder, { recursive: true, force: true })
  }
}

const given = process.argv.indexOf('--minutes')
await soak(given < 0 ? 10 : Number(process.argv[given + 1]))
