/** The settings of an endpoint that a caller notices, in sentences. */
import { spanText } from '../value/units.js'

export function cachePolicyInWords(settings: Readonly<Record<string, unknown>>): readonly string[] {
  const { max_rows: maxRows, timeout_seconds: timeout, cache, pages } = settings
  const { max_size: pageRows } = Object(pages) as { readonly max_size?: number }
  return [
    ...cacheSentences(cache),
    ...(typeof maxRows === 'number' ? [`A result has at most ${maxRows} rows; a longer one is cut, and says so.`] : []),
    ...(pageRows === undefined ? [] : [`It can be asked for page by page, of at most ${pageRows} rows each.`]),
    ...(typeof timeout === 'number' ? [`A query that takes longer than ${spanText(timeout)} fails.`] : []),
  ]
}

function cacheSentences(cache: unknown): readonly string[] {
  if (typeof cache !== 'object' || cache === null) return ['Results are not cached: every call runs the query.']
  const policy = cache as Readonly<Record<string, unknown>>
  const seconds = (name: string): number | null => (typeof policy[name] === 'number' ? (policy[name] as number) : null)
  const [ttl, warm] = [seconds('ttl_seconds'), seconds('warm_seconds')]
  const [staleError, staleWhile] = [seconds('stale_if_error_seconds'), seconds('stale_while_revalidate_seconds')]
  return [
    ...(ttl === null ? [] : [`A result is served for up to ${spanText(ttl)}.`]),
    ...(policy['until'] === 'data_changes'
      ? ['It is dropped as soon as the data that it was computed from changes.']
      : []),
    ...(warm === null ? [] : [`While it is in use, it is queried again every ${spanText(warm)} in the background.`]),
    ...(staleWhile ? [`For ${spanText(staleWhile)} more an old result is served while a new one is on its way.`] : []),
    ...(staleError ? [`If the query fails, an old result is served for ${spanText(staleError)} more.`] : []),
  ]
}
