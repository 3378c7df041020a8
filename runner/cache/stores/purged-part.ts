/** A purge of a partition, for rows that are kept for refreshes. */
import type { StoredResult } from '../../model/ports.js'

/**
 * The result with a part among those that its kept rows were read from. No table has this part, so that a refresh takes it for one that
 * is gone, and reads the buckets anew in which it had rows.
 */
export function withPart(result: StoredResult, part: string): StoredResult {
  const { kept } = result
  // A replica learns of its own purges several times.
  if (!kept || `,${kept.parts},`.includes(`,${part},`)) return result
  return { ...result, kept: { ...kept, parts: kept.parts === '' ? part : `${kept.parts},${part}` } }
}
