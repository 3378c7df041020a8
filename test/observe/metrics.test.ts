import { expect } from 'chai'
import { RunnerError } from '../../runner/model/errors.js'
import type { Event } from '../../runner/model/events.js'
import { Metrics } from '../../runner/observe/metrics.js'

async function scrape(...events: readonly Event[]): Promise<string> {
  const metrics = new Metrics()
  for (const event of events) metrics.observe(event)
  return metrics.text()
}

const request: Extract<Event, { kind: 'request.done' }> = {
  kind: 'request.done',
  requestId: 'id-1',
  method: 'GET',
  path: '/secret-path',
  endpoint: 'logs.all',
  token: 'secret-token',
  status: 200,
  durationMs: 3,
  cache: 'hit',
  rows: 3,
  error: null,
}
const about = { endpoint: 'logs.all', engine: 'duckdb' }
const failed = (code: ConstructorParameters<typeof RunnerError>[0]): Event => ({
  kind: 'query.failed',
  ...about,
  durationMs: 40,
  error: new RunnerError(code),
})

describe('metrics', () => {
  const rows: readonly (readonly [name: string, events: readonly Event[], lines: readonly string[]])[] = [
    [
      'count requests by endpoint and status',
      [request, request, { ...request, status: 404, endpoint: null, cache: null }],
      [
        'sluice_requests_total{endpoint="logs.all",status="200"} 2',
        'sluice_requests_total{endpoint="",status="404"} 1',
        'sluice_cache_total{endpoint="logs.all",outcome="hit"} 2',
      ],
    ],
    [
      'tell how long requests took, in seconds',
      [request, { ...request, durationMs: 5 }, { ...request, durationMs: 70_000 }],
      [
        'sluice_request_seconds_bucket{le="0.0025",endpoint="logs.all"} 0',
        'sluice_request_seconds_bucket{le="0.005",endpoint="logs.all"} 2',
        'sluice_request_seconds_bucket{le="60",endpoint="logs.all"} 2',
        'sluice_request_seconds_bucket{le="+Inf",endpoint="logs.all"} 3',
        'sluice_request_seconds_sum{endpoint="logs.all"} 70.008',
        'sluice_request_seconds_count{endpoint="logs.all"} 3',
      ],
    ],
    [
      'count queries by what became of them, but not those that never reached the engine',
      [
        { kind: 'query.started', ...about },
        { kind: 'query.started', ...about },
        { kind: 'query.started', ...about },
        { kind: 'query.started', ...about },
        { kind: 'query.done', ...about, durationMs: 40, rows: 1 },
        failed('QUERY_TIMEOUT'),
        failed('OVERLOADED'),
      ],
      [
        'sluice_queries_total{endpoint="logs.all",engine="duckdb",outcome="ok"} 1',
        'sluice_queries_total{endpoint="logs.all",engine="duckdb",outcome="timeout"} 1',
        'sluice_query_seconds_count{endpoint="logs.all"} 2',
        'sluice_queries_in_flight 1',
      ],
    ],
    [
      'add up what was billed',
      [
        {
          kind: 'query.done',
          endpoint: 'logs.all',
          engine: 'bigquery',
          durationMs: 40,
          rows: 1,
          cost: { bytesProcessed: 5, bytesBilled: 10_485_760, isCacheHit: false, jobId: 'j' },
        },
        {
          kind: 'query.done',
          endpoint: 'logs.all',
          engine: 'bigquery',
          durationMs: 4,
          rows: 1,
          cost: { bytesProcessed: 0, bytesBilled: 0, isCacheHit: true, jobId: 'k' },
        },
      ],
      [
        'sluice_bytes_billed_total{endpoint="logs.all"} 10485760',
        'sluice_warehouse_cache_hits_total{endpoint="logs.all"} 1',
      ],
    ],
    [
      'tell what is loaded and what went wrong',
      [
        { kind: 'manifests.loaded', endpoints: 3 },
        { kind: 'store.failed', operation: 'get', cause: 'secret-cause' },
        { kind: 'engine.died', engine: 'duckdb', reason: 'secret-reason' },
        { kind: 'bug', where: 'request', cause: 'secret-cause' },
        { kind: 'cache.warmed', endpoint: 'logs.all', durationMs: 1 },
        { kind: 'cache.warm-failed', endpoint: 'logs.all', error: new RunnerError('QUERY_FAILED') },
      ],
      [
        'sluice_manifests_loaded 3',
        'sluice_reload_success 1',
        'sluice_store_failures_total{operation="get"} 1',
        'sluice_engine_deaths_total{engine="duckdb"} 1',
        'sluice_bugs_total 1',
        'sluice_warm_total{endpoint="logs.all",outcome="ok"} 1',
        'sluice_warm_total{endpoint="logs.all",outcome="failed"} 1',
      ],
    ],
    [
      'tell whether what is served is what was read last',
      [
        { kind: 'manifests.loaded', endpoints: 3 },
        { kind: 'manifests.refused', reason: 'secret-reason', diagnostics: [] },
      ],
      ['sluice_manifests_loaded 3', 'sluice_reload_success 0'],
    ],
    [
      'and that it is once more',
      [
        { kind: 'manifests.refused', reason: 'secret-reason', diagnostics: [] },
        { kind: 'manifests.reloaded', endpoints: 4, added: 1, changed: 0, removed: 0, durationMs: 5 },
      ],
      ['sluice_manifests_loaded 4', 'sluice_reload_success 1'],
    ],
  ]
  for (const [name, events, lines] of rows) {
    it(name, async () => {
      const text = await scrape(...events)
      expect(text.split('\n')).to.include.members([...lines])
      expect(text).to.not.include('secret')
    })
  }

  it('exist before anything has happened, each with its help and type', async () => {
    const text = await scrape()
    for (const name of text.match(/^# HELP (\S+)/gm)!.map(line => line.slice(7))) {
      expect(text).to.match(new RegExp(`^# TYPE ${name} (counter|gauge|histogram)$`, 'm'))
    }
    expect(text).to.include('sluice_queries_in_flight 0')
  })

  it('report how many lines the log has dropped', async () => {
    const metrics = new Metrics()
    metrics.droppedLogLines = () => 7
    expect(await metrics.text()).to.include('\nsluice_log_lines_dropped_total 7\n')
    expect(await metrics.text()).to.include('\nsluice_log_lines_dropped_total 7\n')
  })

  it('report the present size of the cache', async () => {
    const metrics = new Metrics()
    let entries = 1
    metrics.cacheSize = () => ({ entries, bytes: 1_500 * entries })
    expect(await metrics.text()).to.match(/^sluice_cache_entries 1\n[\s\S]*^sluice_cache_bytes 1500$/m)
    entries = 2
    expect(await metrics.text()).to.match(/^sluice_cache_entries 2\n[\s\S]*^sluice_cache_bytes 3000$/m)
  })

  it('are the same when they are read twice', async () => {
    const metrics = new Metrics()
    metrics.observe(request)
    expect(await metrics.text()).to.equal(await metrics.text())
  })
})
