/** A purge of a partition, for rows that are kept for refreshes. */
import type { StoredResult } from '../../model/ports.js'

/**
 * Adds a part to those that the kept rows of this result were read from. No table has this part, so the next refresh takes it for one
 * that is gone, and reads anew the buckets in which it had rows.
 */
export function withPart(result: StoredResult, part: string): StoredResult {
  const { kept } = result
  // A replica learns of its own purges several times.
  if (!kept || `,${kept.parts},`.includes(`,${part},`)) return result
  return { ...result, kept: { ...kept, parts: kept.parts === '' ? part : `${kept.parts},${part}` } }
}
