/** Events as Prometheus metrics. An event only adds to a cell; names and labels are attached when the metrics are scraped. */
import { Counter, Gauge, type Metric, Registry } from 'prom-client'
import type { Event, Observer } from '../model/events.js'
import type { CacheSize } from '../model/ports.js'
import { createHistogram, type Samples } from './histogram.js'

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

interface Cell {
  count: number
}

type Labels = readonly string[]

/** The cells of a counter, by the values of its labels. */
interface Cells {
  of(...values: Labels): Cell
  /** All cells with their label values. */
  all(): Iterable<readonly [values: Labels, cell: Cell]>
}

function createCells(): Cells {
  const byValues = new Map<string, readonly [Labels, Cell]>()
  return {
    of(...values) {
      const key = values.join('\0')
      let entry = byValues.get(key)
      if (!entry) {
        entry = [values, { count: 0 }]
        byValues.set(key, entry)
      }
      return entry[1]
    },
    all: () => byValues.values(),
  }
}

/** The cells that a request of one endpoint adds to. */
interface RequestCells {
  readonly byStatus: Map<number, Cell>
  readonly byOutcome: Map<string, Cell>
  readonly seconds: Samples
}

/** Opens metrics, all zero. */
export function openMetrics(): Metrics {
  const registry = new Registry()

  function counter(name: MetricName): Cells {
    const { help, labels: labelNames } = METRICS[name]
    const cells = createCells()
    new Counter({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset()
        for (const [values, { count }] of cells.all()) this.inc(labelled(labelNames, values), count)
      },
    })
    return cells
  }

  function histogram(name: MetricName) {
    const { help, labels } = METRICS[name]
    const [labelName = ''] = labels
    const made = createHistogram({ name, help, labelName, buckets: BUCKETS })
    // The registry needs only a name and `get`; prom-client's own histogram would look up its labels on each sample.
    registry.registerMetric(made.metric as unknown as Metric)
    return made
  }

  function read(name: MetricName, value: () => number): void {
    new Gauge({
      name,
      help: METRICS[name].help,
      registers: [registry],
      collect() {
        this.set(value())
      },
    })
  }

  function gauge(name: MetricName): Cell {
    const cell: Cell = { count: 0 }
    read(name, () => cell.count)
    return cell
  }

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
  read('sluice_cache_entries', () => cacheSize().entries)
  read('sluice_cache_bytes', () => cacheSize().bytes)
  const engineDeaths = counter('sluice_engine_deaths_total')
  const bugs = counter('sluice_bugs_total')
  const manifests = gauge('sluice_manifests_loaded')
  const brokenManifests = gauge('sluice_manifests_broken')
  const reloadSuccess = gauge('sluice_reload_success')
  bugs.of()
  let droppedLogLines = (): number => 0
  new Counter({
    name: 'sluice_log_lines_dropped_total',
    help: METRICS.sluice_log_lines_dropped_total.help,
    registers: [registry],
    collect() {
      this.reset()
      this.inc(droppedLogLines())
    },
  })

  const cellsOf = new Map<string, RequestCells>()
  function requestCells(endpoint: string): RequestCells {
    let cells = cellsOf.get(endpoint)
    if (!cells) {
      cells = { byStatus: new Map(), byOutcome: new Map(), seconds: requestSeconds.of(endpoint) }
      cellsOf.set(endpoint, cells)
    }
    return cells
  }

  function countRequest({
    endpoint,
    status,
    cache: outcome,
    durationMs,
  }: Extract<Event, { kind: 'request.done' }>): void {
    const name = endpoint ?? NO_ENDPOINT
    const { byStatus, byOutcome, seconds } = requestCells(name)
    const answered = byStatus.get(status) ?? keep(byStatus, status, requests.of(name, String(status)))
    answered.count += 1
    if (outcome !== null) {
      const obtained = byOutcome.get(outcome) ?? keep(byOutcome, outcome, cache.of(name, outcome))
      obtained.count += 1
    }
    seconds.add(durationMs / 1000)
  }

  function countQuery(event: Extract<Event, { kind: 'query.done' | 'query.failed' }>): void {
    inFlight.count -= 1
    const { endpoint, engine, durationMs } = event
    if (event.cost) billed.of(endpoint).count += event.cost.bytesBilled
    if (event.cost?.isCacheHit) repeated.of(endpoint).count += 1
    const outcome = event.kind === 'query.done' ? 'ok' : outcomeOf(event.error.code)
    if (outcome === null) return
    queries.of(endpoint, engine, outcome).count += 1
    querySeconds.of(endpoint).add(durationMs / 1000)
  }

  function observe(event: Event): void {
    switch (event.kind) {
      case 'request.done':
        countRequest(event)
        return
      case 'query.started':
        inFlight.count += 1
        return
      case 'query.done':
      case 'query.failed':
        countQuery(event)
        return
      case 'cache.warmed':
        warmed.of(event.endpoint, 'ok').count += 1
        return
      case 'cache.warm-failed':
        warmed.of(event.endpoint, 'failed').count += 1
        return
      case 'store.failed':
        storeFailures.of(event.operation).count += 1
        return
      case 'engine.died':
        engineDeaths.of(event.engine).count += 1
        return
      case 'bug':
        bugs.of().count += 1
        return
      case 'manifests.loaded':
      case 'manifests.reloaded':
        manifests.count = event.endpoints
        brokenManifests.count = 0
        reloadSuccess.count = 1
        return
      case 'manifests.broken':
        brokenManifests.count = event.manifests
        return
      case 'manifests.refused':
        reloadSuccess.count = 0
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
    text: () => registry.metrics(),
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

const labelled = (names: readonly string[], values: Labels): Record<string, string> =>
  Object.fromEntries(names.map((name, i) => [name, values[i]!]))

function keep<K>(map: Map<K, Cell>, key: K, cell: Cell): Cell {
  map.set(key, cell)
  return cell
}
