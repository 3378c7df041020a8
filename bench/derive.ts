/** Measures how fast a stored JSON result is converted to other formats. */
import { derive, RESULT_FORMATS, type ResultFormat } from '../runner/formats/index.js'
import type { ResultColumn } from '../runner/model/query.js'
import { type Figure, percentile } from './figures.js'

const ROWS = 50_000
const RUNS = 15
const WARM_UP = 5

/** Other formats have no bar. */
const BARS: Partial<Readonly<Record<ResultFormat, string>>> = {
  ndjson: '≥ 100 MB/s',
  csv: '≥ 40 MB/s',
  arrow: '≥ 40 MB/s',
}

interface Result {
  readonly what: string
  readonly columns: readonly ResultColumn[]
  readonly row: (i: number) => string
}

const LOGS: Result = {
  what: 'log entries: texts, integers, a timestamp',
  columns: [
    { name: 'id', type: 'STRING' },
    { name: 'timestamp', type: 'TIMESTAMP' },
    { name: 'event_message', type: 'STRING' },
    { name: 'status_code', type: 'INT64' },
    { name: 'execution_time_ms', type: 'FLOAT64' },
  ],
  row: i =>
    `{"id":"6f9619ff-8b86-d011-b42d-${String(i).padStart(12, '0')}","timestamp":"2026-01-31T12:34:56.${String(i % 1_000_000).padStart(6, '0')}Z",` +
    `"event_message":"GET | ${200 + (i % 5)} | /rest/v1/items?select=id,\\"name\\"&page=${i}","status_code":${200 + (i % 5)},"execution_time_ms":${i / 8}}`,
}

const EVERYTHING: Result = {
  what: 'every type, nested too',
  columns: [
    { name: 'i', type: 'INT64' },
    { name: 'n', type: 'NUMERIC' },
    { name: 'b', type: 'BIGNUMERIC' },
    { name: 'f', type: 'FLOAT64' },
    { name: 'ok', type: 'BOOL' },
    { name: 's', type: 'STRING' },
    { name: 'd', type: 'DATE' },
    { name: 't', type: 'DATETIME' },
    { name: 'j', type: 'JSON' },
    { name: 'a', type: 'ARRAY<STRUCT<key STRING, value INT64>>' },
  ],
  row: i =>
    `{"i":"${2n ** 62n + BigInt(i)}","n":"${i}.123456789","b":"${i}.5","f":${i / 7},"ok":${i % 2 === 0},"s":"text ${i}",` +
    `"d":"2026-01-${10 + (i % 20)}","t":"2026-01-31T12:34:56","j":{"n":[${i},null]},"a":[{"key":"k${i}","value":${i}},{"key":"l","value":null}]}`,
}

export async function deriving(): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const { what, columns, row } of [LOGS, EVERYTHING]) {
    const json = Buffer.from(`{"result":[${Array.from({ length: ROWS }, (_, i) => row(i)).join()}]}`)
    const facts = { endpoint: 'bench', revision: '1', isTruncated: false }
    const megabytes = json.byteLength / 1e6
    for (const format of RESULT_FORMATS.filter(name => name !== 'json')) {
      const samples = await processorSeconds(() => derive(format, columns, json, facts))
      const rate = (rank: number): string => `${(megabytes / percentile(samples, rank)).toFixed(0)} MB/s`
      figures.push({
        what: `${format} of ${megabytes.toFixed(1)} MB of JSON: ${what}`,
        value: `p50 ${rate(50)}, slowest ${rate(100)} of processor time (${RUNS} runs)`,
        bar: BARS[format] ?? '',
      })
    }
  }
  return figures
}

/** The processor time of each run, in seconds. Only one thread works, and processor time excludes other load on the machine. */
async function processorSeconds(run: () => Promise<unknown>): Promise<readonly number[]> {
  const samples: number[] = []
  for (let i = 0; i < WARM_UP + RUNS; i += 1) {
    const before = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(before)
    if (i >= WARM_UP) samples.push((user + system) / 1e6)
  }
  return samples
}
