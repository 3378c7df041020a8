/** Events as Prometheus metrics. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { ErrorCode } from '../model/error-codes.js'
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

const metric = <T extends MetricText['type']>(type: T, help: string, ...labels: string[]) => ({ type, help, labels })

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
  sluice_buckets_total: metric(
    'counter',
    'Buckets of time in results that were put together: kept from an earlier query, or read anew.',
    'endpoint',
    'outcome',
  ),
  sluice_refresh_failures_total: metric(
    'counter',
    'Results that could not be put together: refused by the engine, or differed from the whole query, which then was given.',
    'endpoint',
    'reason',
  ),
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

interface Kinds {
  readonly counter: Counter<string>
  readonly gauge: Gauge
  readonly histogram: Histogram<string>
}

type MetricSet = { readonly [N in MetricName]: Kinds[(typeof METRICS)[N]['type']] }

/** Registers every metric. */
function createMetrics(registry: Registry): MetricSet {
  const registers = [registry]
  const entries = Object.entries(METRICS).map(([name, { type, help, labels: labelNames }]) => {
    const options = { name, help, labelNames, registers }
    if (type === 'histogram') return [name, new Histogram({ ...options, buckets: BUCKETS })]
    return [name, type === 'gauge' ? new Gauge(options) : new Counter(options)]
  })
  return Object.fromEntries(entries) as MetricSet
}

/** All zero at first. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #metrics = createMetrics(this.#registry)
  cacheSize = (): CacheSize => ({ entries: 0, bytes: 0 })
  droppedLogLines = (): number => 0

  readonly contentType = this.#registry.contentType

  readonly observe: Observer = event => {
    const metrics = this.#metrics
    switch (event.kind) {
      case 'request.done':
        return this.#countRequest(event)
      case 'query.started':
        return metrics.sluice_queries_in_flight.inc()
      case 'query.done':
      case 'query.failed':
        return this.#countQuery(event)
      case 'refresh.refused':
        return metrics.sluice_refresh_failures_total.inc({ endpoint: event.endpoint, reason: 'refused' })
      case 'refresh.differed':
        return metrics.sluice_refresh_failures_total.inc({ endpoint: event.endpoint, reason: 'differed' })
      case 'cache.warmed':
        return metrics.sluice_warm_total.inc({ endpoint: event.endpoint, outcome: 'ok' })
      case 'cache.warm-failed':
        return metrics.sluice_warm_total.inc({ endpoint: event.endpoint, outcome: 'failed' })
      case 'store.failed':
        return metrics.sluice_store_failures_total.inc({ operation: event.operation })
      case 'engine.died':
        return metrics.sluice_engine_deaths_total.inc({ engine: event.engine })
      case 'bug':
        return metrics.sluice_bugs_total.inc()
      case 'manifests.loaded':
      case 'manifests.reloaded':
        metrics.sluice_manifests_loaded.set(event.endpoints)
        metrics.sluice_manifests_broken.set(0)
        return metrics.sluice_reload_success.set(1)
      case 'manifests.broken':
        return metrics.sluice_manifests_broken.set(event.manifests)
      case 'manifests.refused':
        return metrics.sluice_reload_success.set(0)
    }
  }

  /** The Prometheus text. It holds no argument, SQL or token. */
  text(): Promise<string> {
    const size = this.cacheSize()
    this.#metrics.sluice_cache_entries.set(size.entries)
    this.#metrics.sluice_cache_bytes.set(size.bytes)
    this.#metrics.sluice_log_lines_dropped_total.reset()
    this.#metrics.sluice_log_lines_dropped_total.inc(this.droppedLogLines())
    return this.#registry.metrics()
  }

  #countRequest(event: Extract<Event, { kind: 'request.done' }>): void {
    const { status, cache: outcome, durationMs } = event
    const endpoint = event.endpoint ?? NO_ENDPOINT
    this.#metrics.sluice_requests_total.inc({ endpoint, status })
    if (outcome !== null) this.#metrics.sluice_cache_total.inc({ endpoint, outcome })
    this.#metrics.sluice_request_seconds.observe({ endpoint }, durationMs / 1000)
  }

  #countQuery(event: Extract<Event, { kind: 'query.done' | 'query.failed' }>): void {
    const metrics = this.#metrics
    metrics.sluice_queries_in_flight.dec()
    const { endpoint, engine, durationMs } = event
    if (event.kind === 'query.done' && event.partial) {
      const { kept, of } = event.partial
      metrics.sluice_buckets_total.inc({ endpoint, outcome: 'kept' }, kept)
      metrics.sluice_buckets_total.inc({ endpoint, outcome: 'read' }, of - kept)
    }
    if (event.cost) metrics.sluice_bytes_billed_total.inc({ endpoint }, event.cost.bytesBilled)
    if (event.cost?.isCacheHit) metrics.sluice_warehouse_cache_hits_total.inc({ endpoint })
    const outcome = event.kind === 'query.done' ? 'ok' : outcomeOf(event.error.code)
    if (outcome === null) return
    metrics.sluice_queries_total.inc({ endpoint, engine, outcome })
    metrics.sluice_query_seconds.observe({ endpoint }, durationMs / 1000)
  }
}

/** The label of requests that reached no endpoint; no endpoint can have this name. */
const NO_ENDPOINT = ''

/** The outcome label of a query that has failed; null where the query never reached the engine. */
const outcomeOf = (code: ErrorCode): string | null => (OUTCOMES[code] === undefined ? 'failed' : OUTCOMES[code])

const OUTCOMES: Partial<Readonly<Record<ErrorCode, string | null>>> = {
  OVERLOADED: null,
  QUERY_TIMEOUT: 'timeout',
  CALL_ABANDONED: 'cancelled',
  ARGUMENT_INVALID: 'refused',
}
