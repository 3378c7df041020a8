/** Whether buckets of an endpoint's results are kept, which depends on the endpoint and on its engine; and the sentence that says so. */
import type { KeptQuery, NotKept } from '../../googlesql/index.js'
import type { Endpoint } from '../model/endpoint.js'
import type { Engine } from '../model/ports.js'
import type { Query } from '../model/query.js'

/** The reason where the engine has no `keptQuery`. */
export const KEEPS_NOTHING: NotKept = { reason: 'the engine keeps nothing', at: 0 }

/** Whether the endpoint's settings allow that buckets are kept. Its query must allow it, too. */
export const mayKeep = ({ cache }: Pick<Endpoint, 'cache'>): boolean => cache !== null && cache.settledMs !== null

/** How results of this query are put together, or why nothing is kept. `at` is 0 where the endpoint or the engine is the reason. */
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
