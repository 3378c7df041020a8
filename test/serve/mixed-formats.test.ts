/** Many callers and agents at once, each in a format and a coding of its own: one query for all. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { tableFromIPC } from 'apache-arrow'
import { expect } from 'chai'
import { RESULT_FORMATS, type ResultFormat } from '../../runner/formats/index.js'
import { describeOverEmulator, PROJECT } from '../bigquery-emulator/emulator.js'
import { isPendingWithoutRedis, openRedisServer, type RedisServer } from '../cache/stores/redis/redis-server.js'
import { readCsv } from '../formats/read-csv.js'
import { openParquetReader, type ParquetReader } from '../formats/read-parquet.js'
import { readXlsx } from '../formats/read-xlsx.js'
import { makeFolder, openReplica, queries, type Replica, settingsOf, TOKEN } from './shop.js'

const CODINGS = ['identity', 'gzip', 'br'] as const
/** Each format in each way and each coding, on each of two replicas. */
const CALLERS = RESULT_FORMATS.length * 3 * CODINGS.length * 2
const AGENTS = 20
const ACCEPT: Readonly<Partial<Record<ResultFormat, string>>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  table: 'application/vnd.sluice.table+json',
  arrow: 'application/vnd.apache.arrow.stream',
  parquet: 'application/vnd.apache.parquet',
}

interface Answer {
  readonly format: ResultFormat
  readonly status: number
  readonly etag: string | null
  readonly body: Buffer
}

/** One of the callers: formats change fastest, then how the format is asked for, then the coding. */
async function askOne({ server }: Replica, i: number, tag: string): Promise<Answer> {
  const format = RESULT_FORMATS[i % RESULT_FORMATS.length]!
  const coding = CODINGS[Math.floor(i / RESULT_FORMATS.length / 3) % CODINGS.length]!
  const way = (['address', 'accept', 'post'] as const)[Math.floor(i / RESULT_FORMATS.length) % 3]!
  const accept = way === 'accept' ? ACCEPT[format] : undefined
  const address = new URL(`${server.url}/api/endpoints/query/shop.all`)
  if (way !== 'post') address.searchParams.set('tag', tag)
  if (accept === undefined) address.searchParams.set('format', format)
  const headers = { 'X-API-KEY': TOKEN, 'Accept-Encoding': coding, ...(accept !== undefined && { Accept: accept }) }
  const response = await fetch(
    address,
    way === 'post'
      ? { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify({ tag }) }
      : { headers },
  )
  const body = Buffer.from(await response.arrayBuffer())
  return { format, status: response.status, etag: response.headers.get('ETag'), body }
}

/** The columns `n` and `tag` of the only row, as an agent gets them. */
async function askAgent({ server }: Replica, tag: string): Promise<readonly string[]> {
  const params = { name: 'shop_all', arguments: { tag } }
  const response = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'X-API-KEY': TOKEN, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const { result } = (await response.json()) as { result: { structuredContent: { result: [object] } } }
  return Object.values(result.structuredContent.result[0]).map(String)
}

let parquet: ParquetReader

/** The columns `n` and `tag` of the only row, as text. */
async function rowOf({ format, body }: Answer): Promise<readonly string[]> {
  const text = body.toString('utf8')
  switch (format) {
    case 'json':
      return Object.values((JSON.parse(text) as { result: [object] }).result[0]).map(String)
    case 'ndjson':
      return Object.values(JSON.parse(text) as object).map(String)
    case 'table':
      return (JSON.parse(text) as { rows: [unknown[]] }).rows[0].map(String)
    case 'csv':
    case 'excel':
      return readCsv(text.replace('\ufeff', ''))[1]!.map(String)
    case 'arrow':
      return ['n', 'tag'].map(name => String(tableFromIPC(body).getChild(name)!.get(0)))
    case 'parquet':
      return (await parquet.read(body, [{ kind: 'INT64' }, { kind: 'STRING' }]))[0]!.map(String)
    case 'xlsx':
      return readXlsx(body, [{ kind: 'INT64' }, { kind: 'STRING' }])[0]!.map(String)
    default:
      return format satisfies never
  }
}

/** Sends all calls at once, each replica its share, expects equal rows, and returns the number of queries. */
async function askAll(replicas: readonly Replica[], tag: string): Promise<number> {
  const before = queries(...replicas)
  const calls = Array.from({ length: CALLERS }, (_, i) =>
    askOne(replicas[Math.floor(i / 7) % replicas.length]!, i, tag),
  )
  const agents = Array.from({ length: AGENTS }, (_, i) => askAgent(replicas[i % replicas.length]!, tag))
  const answers = await Promise.all(calls)
  expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]))
  const ran = queries(...replicas) - before
  const bodies = new Map<string, Buffer>()
  for (const answer of answers) {
    const { etag, body } = answer
    const first = bodies.get(etag!)
    if (first) expect(first.equals(body), etag!).to.equal(true)
    else expect(await rowOf(answer)).to.deep.equal([(await rowOf(answers[0]!))[0], tag])
    bodies.set(etag!, body)
  }
  const row = await rowOf(answers[0]!)
  expect(new Set((await Promise.all(agents)).map(String))).to.deep.equal(new Set([String(row)]))
  // The result is too small to be compressed, but for a workbook, of which even the smallest is not: it has one in each coding too.
  expect(bodies.size).to.equal(RESULT_FORMATS.length + CODINGS.filter(coding => coding !== 'identity').length)
  return ran
}

/** The number of times that a replica could not use Redis, and so may have run the query by itself. */
const failures = (replicas: readonly Replica[]): number =>
  replicas.flatMap(({ events }) => events).filter(({ kind }) => kind === 'store.failed').length

describe(`${CALLERS} callers of mixed formats and ${AGENTS} agents at once, cold`, function () {
  this.timeout(600_000)
  const open: Replica[] = []
  let folder = ''
  before(async () => {
    parquet = await openParquetReader()
    folder = makeFolder()
    // BigQuery does not tell when data changes.
    rmSync(join(folder, 'endpoints/live.yaml'))
  })
  after(() => {
    parquet.close()
    rmSync(folder, { recursive: true, force: true })
  })
  afterEach(async () => {
    for (const { server, runner } of open.splice(0)) {
      await server.close()
      await runner.close()
    }
  })

  async function openReplicas(count: number, environment: Readonly<Record<string, string>>): Promise<Replica[]> {
    for (let i = 0; i < count; i += 1) open.push(await openReplica(settingsOf(folder, environment)))
    return open
  }

  function oneAndTwo(environment: () => Readonly<Record<string, string>>): void {
    it('are one query on one replica', async () => {
      expect(await askAll(await openReplicas(1, environment()), 'one')).to.equal(1)
    })

    it('are two queries on two replicas that share nothing', async () => {
      expect(await askAll(await openReplicas(2, environment()), 'apart')).to.equal(2)
    })

    describe('on two replicas', () => {
      if (isPendingWithoutRedis()) return
      let redis: RedisServer
      before(async () => {
        redis = await openRedisServer()
      })
      after(() => redis.close())

      it('are one query on both together', async () => {
        const replicas = await openReplicas(2, { ...environment(), REDIS_URL: redis.url })
        const ran = await askAll(replicas, 'two')
        // A Redis that is too slow on a busy machine lets each replica run by itself.
        expect(ran).to.be.within(1, 1 + failures(replicas))
      })
    })
  }

  describe('on the embedded engine', () => oneAndTwo(() => ({})))

  describeOverEmulator('on BigQuery', emulator => {
    before(async () => {
      const rows = [{ name: 'a' }, { name: 'b' }]
      await emulator().addTable({ dataset: 'shop', table: 'orders', fields: [{ name: 'name', type: 'STRING' }], rows })
    })
    oneAndTwo(() => ({
      SLUICE_ENGINE: 'bigquery',
      BIGQUERY_EMULATOR_HOST: emulator().host,
      GOOGLE_CLOUD_PROJECT: PROJECT,
    }))
  })
})
