/** Events as Prometheus metrics. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Event, Observer } from '../model/events.js'
import type { CacheSize } from '../model/ports.js'

export interface Metrics {
  readonly observe: Observer
  /** Sets the source of the cache's size; the metric is 0 before. */
  showCache(size: () => CacheSize): void
  /** Sets the source of the number of dropped log lines; the metric is 0 before. */
  showDroppedLogLines(count: () => number): void
  readonly contentType: string
  /** The Prometheus text. It holds no argument, SQL or token. */
  text(): Promise<string>
}

/** Histogram buckets in seconds, from the time of a cache hit to that of the longest queries. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** What one metric means; `npm run generate` writes docs/reference/metrics.md from it. */
interface MetricText {
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
}

const metric = (type: MetricText['type'], help: string, ...labels: readonly string[]): MetricText => ({
  type,
  help,
  labels,
})

/** Every metric of `/metrics`, in the order of the output. */
export const METRICS = {
  sluice_requests_total: metric(
    'counter',
    'Requests answered. The status is 499 for a caller who left; the endpoint is empty for requests that did not reach one.',
    'endpoint',
    'status',
  ),
  sluice_request_seconds: metric('histogram', 'How long requests took.', 'endpoint'),
  sluice_cache_total: metric(
    'counter',
    'Results by where they came from: hit, miss, coalesced, stale, bypass or fresh.',
    'endpoint',
    'outcome',
  ),
  sluice_queries_total: metric(
    'counter',
    'Queries sent to an engine by how they ended: ok, failed, timeout, cancelled or refused.',
    'endpoint',
    'engine',
    'outcome',
  ),
  sluice_query_seconds: metric('histogram', 'How long queries took.', 'endpoint'),
  sluice_queries_in_flight: metric('gauge', 'Queries that run or wait for the engine.'),
  sluice_bytes_billed_total: metric('counter', 'Bytes that BigQuery charged for.', 'endpoint'),
  sluice_warehouse_cache_hits_total: metric(
    'counter',
    'Queries whose result BigQuery had already, and billed nothing for.',
    'endpoint',
  ),
  sluice_warm_total: metric('counter', 'Entries queried again in the background: ok or failed.', 'endpoint', 'outcome'),
  sluice_store_failures_total: metric('counter', 'Failures of the results store.', 'operation'),
  sluice_cache_entries: metric('gauge', "Results in this process's memory."),
  sluice_cache_bytes: metric('gauge', 'What these results take, as counted against --cache-memory.'),
  sluice_engine_deaths_total: metric('counter', "Times that an engine's process died.", 'engine'),
  sluice_bugs_total: metric('counter', 'Requests that met a bug.'),
  sluice_manifests_loaded: metric('gauge', 'Manifests that are served.'),
  sluice_manifests_broken: metric('gauge', 'Manifests with mistakes, whose endpoints answer 503.'),
  sluice_reload_success: metric(
    'gauge',
    '1 while the manifests served are the last that were read, 0 after a reload that found mistakes.',
  ),
  sluice_log_lines_dropped_total: metric(
    'counter',
    'Log lines dropped because the reader of the log did not take them.',
  ),
} as const satisfies Readonly<Record<string, MetricText>>

type MetricName = keyof typeof METRICS

/** Opens metrics, all zero. */
export function openMetrics(): Metrics {
  const registry = new Registry()
  const about = (name: MetricName) => ({
    name,
    help: METRICS[name].help,
    labelNames: METRICS[name].labels,
    registers: [registry],
  })
  const counter = (name: MetricName) => new Counter<string>(about(name))
  const gauge = (name: MetricName) => new Gauge(about(name))
  const histogram = (name: MetricName) => new Histogram<string>({ ...about(name), buckets: BUCKETS })

  const requests = counter('sluice_requests_total')
  const requestSeconds = histogram('sluice_request_seconds')
  const cache = counter('sluice_cache_total')
  const queries = counter('sluice_queries_total')
  const querySeconds = histogram('sluice_query_seconds')
  const inFlight = gauge('sluice_queries_in_flight')
  const billed = counter('sluice_bytes_billed_total')
  const repeated = counter('sluice_warehouse_cache_hits_total')
  const warmed = counter('sluice_warm_total')
  const storeFailures = counter('sluice_store_failures_total')
  let cacheSize = (): CacheSize => ({ entries: 0, bytes: 0 })
  const entries = gauge('sluice_cache_entries')
  const bytes = gauge('sluice_cache_bytes')
  const engineDeaths = counter('sluice_engine_deaths_total')
  const bugs = counter('sluice_bugs_total')
  const manifests = gauge('sluice_manifests_loaded')
  const brokenManifests = gauge('sluice_manifests_broken')
  const reloadSuccess = gauge('sluice_reload_success')
  const droppedLines = counter('sluice_log_lines_dropped_total')
  let droppedLogLines = (): number => 0

  function countRequest({
    endpoint,
    status,
    cache: outcome,
    durationMs,
  }: Extract<Event, { kind: 'request.done' }>): void {
    const name = endpoint ?? NO_ENDPOINT
    requests.inc({ endpoint: name, status })
    if (outcome !== null) cache.inc({ endpoint: name, outcome })
    requestSeconds.observe({ endpoint: name }, durationMs / 1000)
  }

  function countQuery(event: Extract<Event, { kind: 'query.done' | 'query.failed' }>): void {
    inFlight.dec()
    const { endpoint, engine, durationMs } = event
    if (event.cost) billed.inc({ endpoint }, event.cost.bytesBilled)
    if (event.cost?.isCacheHit) repeated.inc({ endpoint })
    const outcome = event.kind === 'query.done' ? 'ok' : outcomeOf(event.error.code)
    if (outcome === null) return
    queries.inc({ endpoint, engine, outcome })
    querySeconds.observe({ endpoint }, durationMs / 1000)
  }

  function observe(event: Event): void {
    switch (event.kind) {
      case 'request.done':
        countRequest(event)
        return
      case 'query.started':
        inFlight.inc()
        return
      case 'query.done':
      case 'query.failed':
        countQuery(event)
        return
      case 'cache.warmed':
        warmed.inc({ endpoint: event.endpoint, outcome: 'ok' })
        return
      case 'cache.warm-failed':
        warmed.inc({ endpoint: event.endpoint, outcome: 'failed' })
        return
      case 'store.failed':
        storeFailures.inc({ operation: event.operation })
        return
      case 'engine.died':
        engineDeaths.inc({ engine: event.engine })
        return
      case 'bug':
        bugs.inc()
        return
      case 'manifests.loaded':
      case 'manifests.reloaded':
        manifests.set(event.endpoints)
        brokenManifests.set(0)
        reloadSuccess.set(1)
        return
      case 'manifests.broken':
        brokenManifests.set(event.manifests)
        return
      case 'manifests.refused':
        reloadSuccess.set(0)
    }
  }

  return {
    observe,
    showCache(size) {
      cacheSize = size
    },
    showDroppedLogLines(count) {
      droppedLogLines = count
    },
    contentType: registry.contentType,
    text() {
      const size = cacheSize()
      entries.set(size.entries)
      bytes.set(size.bytes)
      droppedLines.reset()
      droppedLines.inc(droppedLogLines())
      return registry.metrics()
    },
  }
}

/** The label of requests that reached no endpoint; no endpoint can have this name. */
const NO_ENDPOINT = ''

/** The outcome label of a query; null where the query never reached the engine. */
function outcomeOf(code: string): string | null {
  switch (code) {
    case 'OVERLOADED':
      return null
    case 'QUERY_TIMEOUT':
      return 'timeout'
    case 'CALL_ABANDONED':
      return 'cancelled'
    case 'ARGUMENT_INVALID':
      return 'refused'
    default:
      return 'failed'
  }
}
