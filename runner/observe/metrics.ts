/** Events as Prometheus metrics. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Event, Observer } from '../model/events.js'
import type { CacheSize } from '../model/ports.js'

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

/** All zero at first. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = this.#counter('sluice_requests_total')
  readonly #requestSeconds = this.#histogram('sluice_request_seconds')
  readonly #cache = this.#counter('sluice_cache_total')
  readonly #queries = this.#counter('sluice_queries_total')
  readonly #querySeconds = this.#histogram('sluice_query_seconds')
  readonly #inFlight = this.#gauge('sluice_queries_in_flight')
  readonly #billed = this.#counter('sluice_bytes_billed_total')
  readonly #repeated = this.#counter('sluice_warehouse_cache_hits_total')
  readonly #warmed = this.#counter('sluice_warm_total')
  readonly #storeFailures = this.#counter('sluice_store_failures_total')
  readonly #entries = this.#gauge('sluice_cache_entries')
  readonly #bytes = this.#gauge('sluice_cache_bytes')
  readonly #engineDeaths = this.#counter('sluice_engine_deaths_total')
  readonly #bugs = this.#counter('sluice_bugs_total')
  readonly #manifests = this.#gauge('sluice_manifests_loaded')
  readonly #brokenManifests = this.#gauge('sluice_manifests_broken')
  readonly #reloadSuccess = this.#gauge('sluice_reload_success')
  readonly #droppedLines = this.#counter('sluice_log_lines_dropped_total')
  #cacheSize = (): CacheSize => ({ entries: 0, bytes: 0 })
  #droppedLogLines = (): number => 0

  readonly contentType = this.#registry.contentType

  readonly observe: Observer = event => {
    switch (event.kind) {
      case 'request.done':
        this.#countRequest(event)
        return
      case 'query.started':
        this.#inFlight.inc()
        return
      case 'query.done':
      case 'query.failed':
        this.#countQuery(event)
        return
      case 'cache.warmed':
        this.#warmed.inc({ endpoint: event.endpoint, outcome: 'ok' })
        return
      case 'cache.warm-failed':
        this.#warmed.inc({ endpoint: event.endpoint, outcome: 'failed' })
        return
      case 'store.failed':
        this.#storeFailures.inc({ operation: event.operation })
        return
      case 'engine.died':
        this.#engineDeaths.inc({ engine: event.engine })
        return
      case 'bug':
        this.#bugs.inc()
        return
      case 'manifests.loaded':
      case 'manifests.reloaded':
        this.#manifests.set(event.endpoints)
        this.#brokenManifests.set(0)
        this.#reloadSuccess.set(1)
        return
      case 'manifests.broken':
        this.#brokenManifests.set(event.manifests)
        return
      case 'manifests.refused':
        this.#reloadSuccess.set(0)
    }
  }

  /** Sets the source of the cache's size; the metric is 0 before. */
  showCache(size: () => CacheSize): void {
    this.#cacheSize = size
  }

  /** Sets the source of the number of dropped log lines; the metric is 0 before. */
  showDroppedLogLines(count: () => number): void {
    this.#droppedLogLines = count
  }

  /** The Prometheus text. It holds no argument, SQL or token. */
  text(): Promise<string> {
    const size = this.#cacheSize()
    this.#entries.set(size.entries)
    this.#bytes.set(size.bytes)
    this.#droppedLines.reset()
    this.#droppedLines.inc(this.#droppedLogLines())
    return this.#registry.metrics()
  }

  #countRequest({ endpoint, status, cache: outcome, durationMs }: Extract<Event, { kind: 'request.done' }>): void {
    const name = endpoint ?? NO_ENDPOINT
    this.#requests.inc({ endpoint: name, status })
    if (outcome !== null) this.#cache.inc({ endpoint: name, outcome })
    this.#requestSeconds.observe({ endpoint: name }, durationMs / 1000)
  }

  #countQuery(event: Extract<Event, { kind: 'query.done' | 'query.failed' }>): void {
    this.#inFlight.dec()
    const { endpoint, engine, durationMs } = event
    if (event.cost) this.#billed.inc({ endpoint }, event.cost.bytesBilled)
    if (event.cost?.isCacheHit) this.#repeated.inc({ endpoint })
    const outcome = event.kind === 'query.done' ? 'ok' : outcomeOf(event.error.code)
    if (outcome === null) return
    this.#queries.inc({ endpoint, engine, outcome })
    this.#querySeconds.observe({ endpoint }, durationMs / 1000)
  }

  #about(name: MetricName) {
    const { help, labels } = METRICS[name]
    return { name, help, labelNames: labels, registers: [this.#registry] }
  }

  #counter(name: MetricName): Counter<string> {
    return new Counter<string>(this.#about(name))
  }

  #gauge(name: MetricName): Gauge {
    return new Gauge(this.#about(name))
  }

  #histogram(name: MetricName): Histogram<string> {
    return new Histogram<string>({ ...this.#about(name), buckets: BUCKETS })
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
