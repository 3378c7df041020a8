/** The three endpoints at their edges, run over hand-made entries by the embedded engine. */
import { expect } from 'chai'
import { type EmbeddedEngine, openEmbedded } from '../../runner/engines/duckdb/embedded.js'
import { tableCatalogue } from '../../runner/googlesql/tables.js'
import { loadEndpoints } from '../../runner/manifest/load.js'
import { loadTableSchemas } from '../../runner/manifest/load-tables.js'
import type { Endpoint } from '../../runner/model/endpoint.js'
import { checkByTranslation } from '../manifest/check-by-translation.js'

const NOW = Date.parse('2026-01-31T12:34:56.789Z')
const HOUR = 3_600_000
const DAY = 24 * HOUR
const ago = (ms: number): string => new Date(NOW - ms).toISOString()

const CLOCK = {
  nowMs: () => NOW,
  nowMicros: () => BigInt(NOW) * 1_000n,
  after: (ms: number, callback: () => void) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

const edge = (id: string, timestamp: string, request: object[] | null, project: string | null = 'p') => ({
  id,
  timestamp,
  event_message: `message of ${id}`,
  project,
  metadata: request === null ? [] : [{ request }],
})
const invocation = (id: string, timestamp: string, record: object | null) => ({
  id,
  timestamp,
  event_message: '',
  metadata: record === null ? [] : [{ project_ref: 'p', function_id: 'f', ...record }],
})

const ROWS: Readonly<Record<string, readonly object[]>> = {
  'logs.edge': [
    edge('now', ago(0), [{ path: '/rest/v1/auth', url: 'https://p.x/' }]),
    edge('hour', ago(HOUR), [
      { path: '/nothing', url: 'https://p.x/' },
      { path: null, url: 'https://p.x/' },
    ]),
    edge('before-hour', ago(HOUR + 1), [{ path: '/storage/realtime', url: 'https://p.x/' }]),
    edge('within-day', ago(DAY - 1), []),
    edge('day', ago(DAY), []),
    edge('week', ago(7 * DAY), [{ path: '/Rest', url: 'https://p.x/' }]),
    edge('no-metadata', ago(1), null),
    edge('future', ago(-DAY), [{ path: '/other', url: 'https://P.x/' }]),
    edge('other-case', ago(0), [{ path: '/rest', url: 'https://q.x/' }], 'P'),
    edge('no-project', ago(0), [{ path: '/rest', url: null }], null),
  ],
  'logs.postgres': [{ id: 'postgres', timestamp: ago(0), event_message: '', project: 'p', metadata: [] }],
  'logs.function_edge': [
    invocation('two-responses', '2026-01-31T12:29:56Z', {
      execution_time_ms: 10,
      response: [{ status_code: 200 }, { status_code: 500 }],
    }),
    invocation('first-of-series', '2026-01-31T12:29:56.000000Z', {
      execution_time_ms: 20,
      response: [{ status_code: 400 }],
    }),
    invocation('too-old', '2026-01-31T12:29:55.999999Z', { execution_time_ms: 1, response: [{ status_code: 200 }] }),
    invocation('no-values', '2026-01-31T12:30:00.5Z', {
      function_id: 'g',
      execution_time_ms: null,
      response: [{ status_code: null }],
    }),
    invocation('no-response', '2026-01-31T12:30:00Z', { execution_time_ms: 5, response: [] }),
    invocation('no-metadata', '2026-01-31T12:30:00Z', null),
    invocation('other-project', '2026-01-31T12:30:00Z', {
      project_ref: 'P',
      execution_time_ms: 5,
      response: [{ status_code: 200 }],
    }),
  ],
}

describe('the three endpoints at their edges', function () {
  this.timeout(60_000)
  let engine: EmbeddedEngine
  let endpoints: readonly Endpoint[]
  before(async () => {
    const { tables } = await loadTableSchemas('schemas/tables')
    const catalogue = tableCatalogue(tables)
    endpoints = (await loadEndpoints({ dir: 'endpoints', tables: catalogue, checkSql: checkByTranslation(catalogue) }))
      .endpoints
    const given = tables.map(({ name, fields }) => [name, { schema: fields, rows: ROWS[name] ?? [] }] as const)
    engine = await openEmbedded({ tables: Object.fromEntries(given), threads: 1 }, CLOCK)
  })
  after(() => engine?.close())

  async function rowsOf(name: string, args: Record<string, string>): Promise<readonly (readonly unknown[])[]> {
    const endpoint = endpoints.find(one => one.name === name)!
    const { sql, parameters } = endpoint.render({ project: 'p', ...args }, CLOCK.nowMicros())
    return (await engine.query(sql, parameters)).rows
  }
  const ids = async (args: Record<string, string>) => (await rowsOf('logs.all', args)).map(([id]) => id)

  it('logs.all keeps what is strictly younger than the retention, newest first, the future included', async () => {
    expect(await ids({ project_tier: 'FREE' })).to.deep.equal(['future', 'now', 'hour', 'before-hour', 'within-day'])
    expect(await ids({ project_tier: 'pro' })).to.deep.equal(await ids({ project_tier: 'FREE' }))
    expect(await ids({ project_tier: 'PRO' })).to.deep.equal([
      'future',
      'now',
      'hour',
      'before-hour',
      'within-day',
      'day',
    ])
    for (const project_tier of ['PAYG', 'ENTERPRISE']) {
      expect(await ids({ project_tier })).to.deep.equal([
        'future',
        'now',
        'hour',
        'before-hour',
        'within-day',
        'day',
        'week',
      ])
    }
  })

  it('logs.all excludes its start, includes its end, and no start widens the retention', async () => {
    const range = { iso_timestamp_start: ago(HOUR), iso_timestamp_end: ago(0) }
    expect(await ids({ project_tier: 'FREE', ...range })).to.deep.equal(['now'])
    expect(await ids({ project_tier: 'FREE', iso_timestamp_end: ago(HOUR) })).to.deep.equal([
      'hour',
      'before-hour',
      'within-day',
    ])
    expect(
      await ids({ project_tier: 'FREE', iso_timestamp_start: ago(9 * DAY), iso_timestamp_end: ago(DAY) }),
    ).to.deep.equal([])
    expect(
      await ids({ project_tier: 'FREE', iso_timestamp_start: ago(0), iso_timestamp_end: ago(HOUR) }),
    ).to.deep.equal([])
  })

  it('functions.invocation-stats counts each response, ignores missing times, and starts with the series', async () => {
    expect(await rowsOf('functions.invocation-stats', { interval: '5min' })).to.deep.equal([
      ['2026-01-31T12:29:56Z', 10, 20, 40 / 3, 20, 20, 3, 2],
      ['2026-01-31T12:30:00Z', null, null, null, null, null, 1, 0],
    ])
    expect(await rowsOf('functions.invocation-stats', { interval: '5min', function_id: 'g' })).to.deep.equal([
      ['2026-01-31T12:30:00Z', null, null, null, null, null, 1, 0],
    ])
    const byDay = await rowsOf('functions.invocation-stats', { interval: '7day' })
    expect(byDay.map(([at, , , , , , count]) => [at, count])).to.deep.equal([['2026-01-31T00:00:00Z', 5]])
    expect(await rowsOf('functions.invocation-stats', { interval: 'whatever' })).to.deep.equal(
      await rowsOf('functions.invocation-stats', { interval: '1day' }),
    )
  })

  it('usage.api-counts counts by what the path contains, with zeros where nothing does', async () => {
    const hourly = await rowsOf('usage.api-counts', { project: 'p\\.x', interval: 'hourly' })
    expect(hourly).to.deep.equal([
      ['2026-01-31T11:00:00', 0, 0, 0, 0],
      ['2026-01-31T12:00:00', 1, 0, 1, 0],
    ])
    const minutely = await rowsOf('usage.api-counts', { project: 'p\\.x', interval: 'minutely' })
    expect(minutely.map(([at]) => at)).to.deep.equal(['2026-01-31T11:34:00', '2026-01-31T12:34:00'])
    const daily = await rowsOf('usage.api-counts', { project: '.', interval: 'daily' })
    expect(daily).to.deep.equal([
      ['2026-01-24T00:00:00', 0, 0, 0, 0],
      ['2026-01-31T00:00:00', 2, 1, 1, 1],
      ['2026-02-01T00:00:00', 0, 0, 0, 0],
    ])
  })
})
