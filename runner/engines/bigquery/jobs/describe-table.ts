/** Asks BigQuery for the metadata of a table, which costs nothing. */
import type { TableMetadata } from '../data-state.js'
import type { RestDeps } from '../rest.js'

const WITHIN_MS = 10_000
const ATTEMPT_MS = 5_000
const FIELDS = 'type,lastModifiedTime,numRows,streamingBuffer'

/** @param table its full name @throws BigQueryFailure, TransportError; the signal's reason. */
export async function describeTable(table: string, deps: RestDeps): Promise<TableMetadata> {
  const { rest, clock, signal, onRetry } = deps
  // A project may have a domain in front: `example.com:p.d.t`.
  const [, project, dataset, name] = /^(.+)\.([^.]+)\.([^.]+)$/.exec(table)!
  const path = ['projects', project!, 'datasets', dataset!, 'tables', name!].map(encodeURIComponent).join('/')
  const call = { method: 'GET', path, query: { fields: FIELDS } } as const
  return rest.send(call, { until: clock.nowMs() + WITHIN_MS, attemptMs: ATTEMPT_MS, onRetry, signal })
}
