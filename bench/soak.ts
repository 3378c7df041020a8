/**
 * Two replicas over one Redis at half of full speed, while data and manifests are edited, results purged, one replica
 * restarted, and Redis killed and stopped: no call may fail, no answer may be outdated, and memory must not grow. `make
 * soak`, or `make soak ARGS="--minutes 3"`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../test/free-port.js'
import { httpLoad } from './http-load.js'
import { PROGRAM, type Server, startServer } from './processes.js'
import { heldMemoryTo, isFlat, type Memory, memoryOf, metricsOf, told, toldGrowth } from './soak-memory.js'

const TOKEN = 'benchmark-token-of-32-characters'
const SLICE_SECONDS = 3
const CONNECTIONS = 4
/** The number of paths that are requested all the time, and of new ones in each slice. */
const HOT = 60
const NEW = 10
/** The time after an edit of manifests within which an answer may still come from the old ones. */
const RELOADED_WITHIN_MS = 5_000
/** The time for an edit to be noticed, settled, read and checked while calls continue. */
const EDIT_SECONDS = 6
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

const NAMES = ['shop.live', 'shop.warm', 'shop.short'] as const

const writeManifest = ({ folder }: Place, name: string, text: string): void =>
  writeFileSync(join(folder, 'endpoints', `${name}.yaml`), text)

function writeManifests(place: Place, version: number): void {
  const write = (name: string, text: string): void => writeManifest(place, name, text)
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

/** A Redis server that can be killed and restarted. */
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

/** Starts a replica; `name` is also the name of its file of memory in use. */
function startReplica({ folder, redisPort }: Place, name: string): Promise<Server> {
  const at = (name: string): string => join(folder, name)
  const folders = ['--endpoints', at('endpoints'), '--tables', at('tables'), '--data', at('data')]
  const flags = [
    '--port',
    '0',
    '--cache-memory',
    String(CACHE_MB),
    '--engine-memory',
    '128',
    '--log-level',
    'error',
    '--watch',
  ]
  const { nodeFlags, environment } = heldMemoryTo(at(`${name}.held`))
  return startServer([...nodeFlags, ...PROGRAM, 'serve', ...folders, ...flags], {
    ...environment,
    SLUICE_TOKEN: TOKEN,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
  })
}

let asked = 0
function pathsOf(): readonly string[] {
  const path = (name: string, tag: string): string => `/api/endpoints/query/${name}?tag=${tag}`
  const hot = Array.from({ length: HOT }, (_, i) => path(NAMES[i % 3]!, `hot-${i}`))
  const fresh = Array.from({ length: NEW }, () => {
    asked += 1
    return path(NAMES[asked % 3]!, `new-${asked}`)
  })
  // Each new path is requested once, among 20 rounds of the hot paths.
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

async function soak(minutes: number): Promise<void> {
  const place = await makePlace()
  const redis = redisAt(place)
  redis.start()
  await pause(500)
  const replicas = { a: await startReplica(place, 'a'), b: await startReplica(place, 'b') }
  let orders = 100
  let version = 1
  let calls = 0
  const slowest: number[] = []
  const memory: Memory[] = []

  const run = async (server: Server, rate?: number, seconds = SLICE_SECONDS): Promise<number> => {
    const options = {
      connections: CONNECTIONS,
      seconds,
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
  /** The versions of results of every endpoint on both replicas, cached ones and new ones. */
  const versions = async (): Promise<readonly number[]> => {
    const tags = ['hot-0', 'hot-1', 'hot-2', `edit-${performance.now()}`]
    const each = Object.values(replicas).flatMap(server =>
      NAMES.flatMap(name => tags.map(tag => ({ server, name, tag }))),
    )
    return Promise.all(each.map(async ({ server, name, tag }) => (await rowOf(server, name, tag)).version))
  }
  const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
    const end = performance.now() + RELOADED_WITHIN_MS
    while (!(await isSo())) {
      if (performance.now() > end) throw new SoakFailure(`not within ${RELOADED_WITHIN_MS} ms: ${what}`)
      await pause(50)
    }
  }
  const expectVersion = async (expected: number): Promise<void> => {
    const found = await versions()
    if (found.some(one => one !== expected)) throw new SoakFailure(`not all of version ${expected}: ${found}`)
  }
  /** Whether both replicas report this value: 1 while they serve the manifests that were read last, otherwise 0. */
  const allSucceed = async (expected: 0 | 1): Promise<boolean> =>
    (await Promise.all(Object.values(replicas).map(metricsOf))).every(
      metric => metric('sluice_reload_success') === expected,
    )

  const editManifests = async (): Promise<void> => {
    version += 1
    writeManifests(place, version)
    await until(`every answer is of version ${version}`, async () => (await versions()).every(one => one === version))
    for (let i = 0; i < 5; i += 1) await expectVersion(version)
  }
  const breakManifests = async (): Promise<void> => {
    writeManifests(place, version + 1)
    writeManifest(place, 'warm', 'name: [')
    await until('both tell that the edit is wrong', () => allSucceed(0))
    await expectVersion(version)
    await editManifests()
    await until('both tell that it is mended', () => allSucceed(1))
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
    ['manifests edited', editManifests],
    ['data edited', editData],
    ['manifests broken, and mended', breakManifests],
  ]
  /** Restarts replica a. It gets no calls in the meantime, as if a load balancer had taken it out. */
  const restart = async (): Promise<void> => {
    await replicas.a.end()
    replicas.a = await startReplica(place, 'a')
    await expectVersion(version)
  }

  try {
    // The first runs are cold and do not count as full speed.
    for (let i = 0; i < 5; i += 1) await Promise.all([run(replicas.a), run(replicas.b)])
    const [fullA, fullB] = await Promise.all([run(replicas.a), run(replicas.b)])
    const rate = Math.floor(Math.min(fullA, fullB) / 2)
    process.stdout.write(
      `full speed ${Math.round(fullA)} + ${Math.round(fullB)} calls a second; half is ${rate} each\n`,
    )
    const end = performance.now() + minutes * 60_000
    for (let turn = 0; performance.now() < end; turn += 1) {
      const [what, happen] = incidents[turn % incidents.length]!
      if (turn % 8 === 7) {
        await Promise.all([run(replicas.b, rate), restart()])
        process.stdout.write(`${calls} calls; a replica restarted\n`)
      } else {
        const seconds = what.startsWith('manifests') ? EDIT_SECONDS : SLICE_SECONDS
        const during = pause((SLICE_SECONDS * 1000) / 4).then(happen)
        await Promise.all([run(replicas.a, rate, seconds), run(replicas.b, rate, seconds), during])
        memory.push(await memoryOf(replicas.b, join(place.folder, 'b.held')))
        const rounded = Math.round(slowest.slice(-2).reduce((most, ms) => Math.max(most, ms)))
        process.stdout.write(`${calls} calls; ${what}; slowest ${rounded} ms; ${told(memory.at(-1)!)}\n`)
      }
    }
    process.stdout.write(`${calls} calls, none lost; ${toldGrowth(memory)}\n`)
    if (!isFlat(memory)) throw new SoakFailure(toldGrowth(memory))
  } finally {
    redis.signal('SIGCONT')
    await Promise.all(Object.values(replicas).map(server => server.end()))
    redis.signal('SIGKILL')
    rmSync(place.folder, { recursive: true, force: true })
  }
}

const given = process.argv.indexOf('--minutes')
await soak(given < 0 ? 10 : Number(process.argv[given + 1]))
