/**
 * The overhead of the BigQuery engine, measured against a fake BigQuery: time, memory and connections; and the decoding of
 * rows.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BigQuery } from '@google-cloud/bigquery'
import type { SchemaField } from '../googlesql/index.js'
import { parseTypeName } from '../googlesql/types/parse-type-name.js'
import type { Type } from '../googlesql/types/types.js'
import { ResultEncoder } from '../runner/engines/bigquery/decode/encode-result.js'
import { parseAnswer } from '../runner/engines/bigquery/decode/parse-answer.js'
import { BigQueryEngine } from '../runner/engines/bigquery/open-engine.js'
import type { RestResults } from '../runner/engines/bigquery/rest-messages.js'
import type { StoredResult } from '../runner/model/ports.js'
import { systemClock } from '../runner/platform/clock.js'
import { PLAIN_OPTIONS } from '../test/engines/bigquery/plain-options.js'
import type { RestCell, RestRow } from '../test/engines/bigquery/rest-answers.js'
import { type Figure, percentile, spread, table, timed } from './figures.js'
import { startServer } from './processes.js'

const LATENCY_MS = 200
/** A query is started, gives its rows, and tells what was billed. */
const ROUND_TRIPS = 3
const FAKE = ['--import', 'tsx', 'bench/bigquery-fake.ts'] as const

function openEngine(baseUrl: string): BigQueryEngine {
  return new BigQueryEngine({
    access: { baseUrl, project: 'p', credentials: async () => ({}) },
    ...PLAIN_OPTIONS,
    clock: systemClock(),
    observe: () => {},
    random: Math.random,
  })
}

const run = (engine: BigQueryEngine, sql = 'SELECT n FROM t'): Promise<unknown> =>
  engine.run(
    { sql, parameters: {} },
    {
      maxRows: 1_000,
      timestamps: 'iso8601',
      endpoint: 'bench',
      timeoutMs: 60_000,
      signal: new AbortController().signal,
    },
  )

/** Every measurement that does not need rows of an endpoint. */
export async function inFrontOfFake(): Promise<readonly Figure[]> {
  return [...(await withLatency()), await memory(), ...(await pages())]
}

async function withLatency(): Promise<readonly Figure[]> {
  const fake = await startServer([...FAKE, String(LATENCY_MS)], {})
  const engine = openEngine(fake.url)
  try {
    const first: number[] = []
    for (let i = 0; i < 10; i += 1) {
      const other = openEngine(fake.url)
      const [sample] = await timed(1, 0, () => run(other))
      first.push(sample! - ROUND_TRIPS * LATENCY_MS)
      await other.close()
    }
    const again = (await timed(30, 3, () => run(engine))).map(ms => ms - ROUND_TRIPS * LATENCY_MS)
    const bare = (await timed(30, 3, () => fetch(`${fake.url}/nothing`).then(answer => answer.text()))).map(
      ms => ms - LATENCY_MS,
    )
    await Promise.all(Array.from({ length: 100 }, () => run(engine)))
    const crowd = await timed(5, 0, () => Promise.all(Array.from({ length: 100 }, () => run(engine))))
    const what = `cold call of a short query on BigQuery ${LATENCY_MS} ms away, beyond its ${ROUND_TRIPS} round trips`
    return [
      { what: `${what}, connection open`, value: `${spread(again)}; bare fetch p50 ${fixed(bare)} ms`, bar: '≤ 5 ms' },
      { what: `${what}, connection opened by it`, value: spread(first), bar: '' },
      { what: '100 such calls at once, all of them', value: `p50 ${fixed(crowd)} ms`, bar: '' },
    ]
  } finally {
    await engine.close()
    await fake.end()
  }
}

const fixed = (samples: readonly number[]): string => percentile(samples, 50).toFixed(2)

async function memory(): Promise<Figure> {
  const fake = await startServer(FAKE, {})
  const engine = openEngine(fake.url)
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const used = (): number => {
    collect()
    return process.memoryUsage().heapUsed / 2 ** 20
  }
  const calls = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += 50) await Promise.all(Array.from({ length: 50 }, () => run(engine)))
  }
  try {
    await calls(2_000)
    const before = used()
    await calls(5_000)
    const half = used()
    await calls(5_000)
    const after = used()
    const value = `heap ${before.toFixed(1)}, ${half.toFixed(1)}, ${after.toFixed(1)} MiB after 0, 5,000 and 10,000`
    return { what: '10,000 calls on BigQuery, 50 at once', value, bar: 'flat' }
  } finally {
    await engine.close()
    await fake.end()
  }
}

/**
 * The processor time of this process for a page of rows, read by the engine and by Google's client; see
 * `runner/engines/bigquery/README.md`.
 */
async function pages(): Promise<readonly Figure[]> {
  const fake = await startServer(FAKE, {})
  const engine = openEngine(fake.url)
  const client = new BigQuery({ projectId: 'p' })
  client.baseUrl = fake.url
  client.authClient.authorizeRequest = async (options: unknown) => options as never
  const readers = {
    'the engine': () => run(engine, 'SELECT page'),
    'Google’s client': async () => {
      const [job] = await client.createQueryJob({ query: 'SELECT page' })
      const [rows] = await job.getQueryResults({ maxResults: 1_000, autoPaginate: false })
      return Buffer.from(JSON.stringify(rows))
    },
  }
  try {
    const figures: Figure[] = []
    for (const [name, read] of Object.entries(readers)) {
      const samples: number[] = []
      for (let i = 0; i < 120; i += 1) {
        const before = process.cpuUsage()
        await read()
        const { user, system } = process.cpuUsage(before)
        if (i >= 20) samples.push((user + system) / 1_000)
      }
      const what = `processor time of a page of 1,000 rows, from request to JSON, by ${name}`
      figures.push({ what, value: spread(samples), bar: '' })
    }
    return figures
  } finally {
    await engine.close()
    await fake.end()
  }
}

const DECODED_ROWS = 1_000

/** Measures the decoding of REST cells; they hold the rows of an endpoint's JSON result, repeated. */
export async function decoding(name: string, { body, columns }: StoredResult): Promise<readonly Figure[]> {
  const { result } = JSON.parse(Buffer.from(body).toString()) as {
    result: readonly Readonly<Record<string, unknown>>[]
  }
  const types = columns.map(column => ({ name: column.name, type: parseTypeName(column.type)! }))
  const fields = types.map(column => fieldOf(column.name, column.type))
  const rows: RestRow[] = Array.from({ length: DECODED_ROWS }, (_, i) => ({
    f: types.map(column => cellOf(column.type, result[i % result.length]![column.name])),
  }))
  const answer = Buffer.from(JSON.stringify({ schema: { fields }, rows, jobComplete: true }))
  const options = { timestamps: 'iso8601', maxRows: DECODED_ROWS, maxBytes: 1e9 } as const
  const decode = (): unknown => {
    const encoder = new ResultEncoder(options)
    const { rows: parts = [] } = parseAnswer(answer.toString()) as RestResults
    for (const part of parts) encoder.add({ fields }, part as readonly RestRow[])
    return encoder.finish()
  }
  // In turns, so that other load on the machine affects both of them equally.
  const samples: Record<'whole' | 'parsed', number[]> = { whole: [], parsed: [] }
  for (let round = 0; round < 100; round += 1) {
    const warmUp = round === 0 ? 20 : 0
    samples.whole.push(...(await timed(1, warmUp, decode)))
    samples.parsed.push(...(await timed(1, warmUp, () => JSON.parse(answer.toString()))))
  }
  const what = `${DECODED_ROWS} nested rows of ${name}`
  const size = (answer.length / 1e6).toFixed(2)
  return [
    { what: `${what}, from BigQuery’s answer (${size} MB) to bytes`, value: spread(samples.whole), bar: '≤ 25 ms' },
    { what: 'JSON.parse alone of that answer', value: spread(samples.parsed), bar: '' },
  ]
}

function fieldOf(name: string, type: Type): SchemaField {
  if (type.kind === 'ARRAY') return { ...fieldOf(name, type.element), mode: 'REPEATED' }
  if (type.kind !== 'STRUCT') return { name, type: type.kind }
  return { name, type: 'RECORD', fields: type.fields.map(field => fieldOf(field.name, field.type)) }
}

function cellOf(type: Type, value: unknown): RestCell {
  if (type.kind === 'ARRAY') return { v: (value as readonly unknown[]).map(item => cellOf(type.element, item)) }
  if (value === null || value === undefined) return { v: null }
  if (type.kind === 'STRUCT') {
    const record = value as Readonly<Record<string, unknown>>
    return { v: { f: type.fields.map(field => cellOf(field.type, record[field.name])) } }
  }
  if (type.kind === 'TIMESTAMP') return { v: String(BigInt(Date.parse(String(value))) * 1000n) }
  return { v: type.kind === 'JSON' ? JSON.stringify(value) : String(value) }
}

if (process.argv[1]?.endsWith('bigquery.ts')) console.log(table(await inFrontOfFake()))
