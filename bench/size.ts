/**
 * The three endpoints over ten million log entries: their translated SQL, compared in turns with SQL written by hand for
 * DuckDB over the same files. If the two do not return the same bytes, there is no figure.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type TableCatalogue, tableCatalogue } from '../googlesql/tables.js'
import { parseTypeName } from '../googlesql/types/parse-type-name.js'
import type { Type } from '../googlesql/types/types.js'
import { type TranslatedQuery, translate } from '../googlesql-duckdb/translate.js'
import { runQuery } from '../runner/engines/duckdb/child/run-query.js'
import { openSession } from '../runner/engines/duckdb/child/session.js'
import type { RunRequest, WireParameter } from '../runner/engines/duckdb/process/messages.js'
import { loadTableSchemas } from '../runner/manifest/tables/load.js'
import { createRunner, type Runner } from '../runner/serve/runner.js'
import { type Figure, percentile } from './figures.js'
import { NOW_MICROS, projectOf, sizeData } from './size-data.js'

/**
 * The time for rounds of one comparison. A round runs both queries once; the first is a warm-up. Long queries get three
 * rounds.
 */
const SECONDS = 10
const MIN_ROUNDS = 3
const MAX_ROUNDS = 60

interface Comparison {
  readonly endpoint: string
  /** The arguments, in words. */
  readonly what: string
  readonly args: Readonly<Record<string, string>>
  /** DuckDB's SQL; PROJECT, NOW and DATA are replaced by a text, a TIMESTAMPTZ and the data folder. */
  readonly byHand: string
}

const newest = (days: number): string => `
  SELECT id, timestamp, event_message, metadata
  FROM (
    SELECT id, timestamp, event_message, metadata, unnest(metadata)
    FROM read_parquet('DATA/logs/edge/*.parquet')
    WHERE project = PROJECT AND timestamp > NOW - INTERVAL ${days} DAY
  )
  ORDER BY timestamp DESC, id
  LIMIT 100`

const invocations = (bucket: string, back: string): string => `
  SELECT
    date_trunc('${bucket}', timestamp) AS bucket,
    min(record.execution_time_ms), max(record.execution_time_ms), avg(record.execution_time_ms),
    quantile_disc(record.execution_time_ms, 0.95), quantile_disc(record.execution_time_ms, 0.99),
    count(*), count(*) FILTER (response.status_code >= 400)
  FROM (
    SELECT timestamp, record, unnest(record.response) AS response
    FROM (
      SELECT timestamp, unnest(metadata) AS record
      FROM read_parquet('DATA/logs/function_edge/*.parquet')
      WHERE timestamp >= date_trunc('${bucket}', NOW - INTERVAL ${back})
    )
    WHERE record.project_ref = PROJECT
  )
  GROUP BY bucket
  ORDER BY bucket`

const requests = (bucket: string, back: string): string => `
  SELECT
    date_trunc('${bucket}', timestamp)::TIMESTAMP AS bucket,
    count(*) FILTER (contains(request.path, '/rest')), count(*) FILTER (contains(request.path, '/storage')),
    count(*) FILTER (contains(request.path, '/auth')), count(*) FILTER (contains(request.path, '/realtime'))
  FROM (
    SELECT timestamp, unnest(record.request) AS request
    FROM (
      SELECT timestamp, unnest(metadata) AS record
      FROM read_parquet('DATA/logs/edge/*.parquet')
      WHERE timestamp >= NOW - INTERVAL ${back}
    )
  )
  WHERE regexp_matches(request.url, PROJECT)
  GROUP BY bucket
  ORDER BY bucket`

function comparisons(large: string, small: string): readonly Comparison[] {
  const of = (endpoint: string, what: string, args: Readonly<Record<string, string>>, byHand: string): Comparison => ({
    endpoint,
    what,
    args,
    byHand,
  })
  return [
    of('logs.all', 'large project, 7 days', { project: large, project_tier: 'PRO' }, newest(7)),
    of('logs.all', 'large project, 1 day', { project: large, project_tier: 'FREE' }, newest(1)),
    of('logs.all', 'small project, 7 days', { project: small, project_tier: 'PRO' }, newest(7)),
    of(
      'functions.invocation-stats',
      'large project, 7 days',
      { project: large, interval: '7day' },
      invocations('day', '7 DAY'),
    ),
    of(
      'functions.invocation-stats',
      'small project, 1 day',
      { project: small, interval: '1day' },
      invocations('hour', '1 DAY'),
    ),
    of(
      'functions.invocation-stats',
      'large project, 1 hour',
      { project: large, interval: '1hr' },
      invocations('minute', '1 HOUR'),
    ),
    of('usage.api-counts', 'large project, 7 days', { project: large, interval: 'daily' }, requests('day', '7 DAY')),
    of('usage.api-counts', 'small project, 1 hour', { project: small, interval: 'hourly' }, requests('hour', '1 HOUR')),
    of(
      'usage.api-counts',
      'large project, 60 minutes',
      { project: large, interval: 'minutely' },
      requests('minute', '60 MINUTE'),
    ),
  ]
}

/** One figure for each endpoint. @throws TypeError where the two queries do not return the same bytes */
export async function atSize(tell: (line: string) => void): Promise<readonly Figure[]> {
  const dataDir = await sizeData(tell)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-size-'))
  mkdirSync(join(folder, 'empty'))
  const runner = await createRunner({ dataDir: join(folder, 'empty') })
  const { tables } = await loadTableSchemas(join('schemas', 'tables'))
  const definitions = tables.map(({ name, columns }) => ({ name, columns }))
  const session = await openSession({
    folder,
    dataDir: resolve(dataDir),
    database: null,
    tables: definitions.map(definition => ({ definition })),
    memoryLimitMb: 1024,
    tempLimitMb: 8192,
    threads: availableParallelism(),
    connections: 1,
    isShared: false,
  })
  try {
    return await session.borrow(async connection => {
      const values = new Map<string, string[]>()
      for (const comparison of comparisons(await projectOf(connection, 0), await projectOf(connection, 150))) {
        const translation = await translated(runner, comparison, tableCatalogue(definitions))
        await session.tables.refresh(translation.tables)
        const value = await compare(connection, comparison, translation, resolve(dataDir))
        tell(`${comparison.endpoint}: ${value}`)
        values.set(comparison.endpoint, [...(values.get(comparison.endpoint) ?? []), value])
      }
      return [...values].map(([endpoint, each]) => ({
        what: `${endpoint} over 10 million entries, against SQL written by hand for DuckDB giving the same bytes`,
        value: each.join('; '),
        bar: '≤ 1.15 ×',
      }))
    })
  } finally {
    await runner.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Translated extends TranslatedQuery {
  readonly wire: readonly WireParameter[]
}

async function translated(
  runner: Runner,
  { endpoint, args }: Comparison,
  catalogue: TableCatalogue,
): Promise<Translated> {
  const { sql, parameters } = await runner.explain(endpoint, args, { nowMicros: NOW_MICROS })
  const types: Record<string, Type> = {}
  for (const [name, { type }] of Object.entries(parameters)) types[name] = parseTypeName(type)!
  const translation = translate(sql, catalogue, types, { limitsEarly: true })
  const wire = translation.parameters.map(name => ({ name, type: types[name]!, value: parameters[name]!.value }))
  return { ...translation, wire }
}

async function compare(
  connection: DuckDBConnection,
  { args, what, byHand }: Comparison,
  { sql, columns, wire }: Translated,
  dataDir: string,
): Promise<string> {
  const now = new Date(Number(NOW_MICROS / 1000n)).toISOString()
  const request = (text: string, parameters: readonly WireParameter[]): RunRequest => ({
    kind: 'run',
    tellsParts: false,
    sql: text,
    runsJavaScript: false,
    shardReads: [],
    columns: columns.map(({ name, type }) => ({ name, type })),
    parameters,
    tables: [],
    maxRows: 1000,
    timestamps: 'iso8601',
    contract: [],
    maxBytes: 1e9,
  })
  const ours = request(sql, wire)
  const theirs = request(
    byHand
      .replaceAll('DATA', dataDir)
      .replaceAll('PROJECT', `'${args['project']}'`)
      .replaceAll('NOW', `TIMESTAMPTZ '${now}'`),
    [],
  )
  const samples: { readonly ours: Cost; readonly theirs: Cost }[] = []
  const run = async (one: RunRequest): Promise<{ readonly body: string; readonly cost: Cost }> => {
    const [began, used] = [performance.now(), process.cpuUsage()]
    const parts: Uint8Array[] = []
    const { body } = await runQuery(connection, one, async part => void parts.push(part))
    const { user, system } = process.cpuUsage(used)
    return {
      body: Buffer.concat([...parts, body]).toString(),
      cost: { wall: performance.now() - began, cpu: (user + system) / 1000 },
    }
  }
  const until = performance.now() + SECONDS * 1000
  while (samples.length < MAX_ROUNDS && (samples.length < MIN_ROUNDS || performance.now() < until)) {
    // The second query finds warmer caches, so the two alternate in being first.
    const isFirst = samples.length % 2 === 0
    const one = await run(isFirst ? ours : theirs)
    const other = await run(isFirst ? theirs : ours)
    if (one.body !== other.body)
      throw new TypeError(`${what}: ${one.body.slice(0, 300)} is not ${other.body.slice(0, 300)}`)
    samples.push(isFirst ? { ours: one.cost, theirs: other.cost } : { ours: other.cost, theirs: one.cost })
  }
  const median = (side: 'ours' | 'theirs', kind: keyof Cost): number =>
    percentile(
      samples.slice(1).map(sample => sample[side][kind]),
      50,
    )
  const ratio = (kind: keyof Cost): string => (median('ours', kind) / median('theirs', kind)).toFixed(2)
  return `${what} ${ratio('wall')} × (processor ${ratio('cpu')} ×, ${median('ours', 'wall').toFixed(0)} ms)`
}

/** Milliseconds of the clock and of processor time; other load on the machine affects only the first. */
interface Cost {
  readonly wall: number
  readonly cpu: number
}
