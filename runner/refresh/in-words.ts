/** What is kept of a result, as an endpoint and its engine let it, and the sentence that says so. */
import type { KeptQuery, NotKept } from '../../googlesql/index.js'
import type { Endpoint } from '../model/endpoint.js'
import type { Engine } from '../model/ports.js'
import type { Query } from '../model/query.js'

/** What an engine without `keptQuery` says. */
export const KEEPS_NOTHING: NotKept = { reason: 'the engine keeps nothing', at: 0 }

/** Whether the endpoint lets buckets be kept, where its query does. */
export const mayKeep = ({ cache }: Pick<Endpoint, 'cache'>): boolean => cache !== null && cache.settledMs !== null

/** How results of this query are put together, or why nothing is kept; `at` is a place in the query only where the endpoint lets it be kept. */
export function keptOf(
  { cache, revision }: Pick<Endpoint, 'cache' | 'revision'>,
  engine: Pick<Engine, 'keptQuery'>,
  query: Query,
): KeptQuery | NotKept {
  if (cache === null) return { reason: 'results are not cached', at: 0 }
  if (cache.settledMs === null) return { reason: 'settings.cache has refresh: whole', at: 0 }
  return engine.keptQuery?.(query, revision) ?? KEEPS_NOTHING
}

/** `buckets of logs.edge are kept by HOUR of timestamp in UTC`, `no buckets are kept: the query has no aggregation` */
export function keptInWords(kept: KeptQuery | NotKept): string {
  if ('reason' in kept) return `no buckets are kept: ${kept.reason}`
  const { table, column, timeType, cells, upper } = kept
  const part = cells.part.replace(/^WEEK_(\w+)$/, 'WEEK($1)')
  const zone = timeType === 'TIMESTAMP' ? ` in ${cells.zone}` : ''
  const rest = upper === null ? '' : ', and the rest of the query runs over them each time'
  return `buckets of ${table} are kept by ${part} of ${column}${zone}${rest}`
}
