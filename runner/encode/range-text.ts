/** The texts of ranges in results: `[2026-01-31, 2026-02-01)`, with bounds as their own type has them. */
import { elementOfRange, type RangeKind } from '../../googlesql/data.js'

/**
 * @param bounds canonical texts of GoogleSQL, `2026-01-31 12:00:00+00`, or ISO 8601; null is unbounded
 */
export function rangeResult(kind: RangeKind, bounds: readonly (string | null)[]): string {
  const element = elementOfRange(kind)
  const [start, end] = bounds.map(bound => {
    if (bound === null) return 'UNBOUNDED'
    if (element === 'DATE') return bound
    const text = bound.replace(' ', 'T')
    return element === 'TIMESTAMP' ? text.replace(/\+00$|Z$/, 'Z') : text
  })
  return `[${start}, ${end})`
}
