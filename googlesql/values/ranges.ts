/** The text of ranges, `[2026-01-01, 2026-02-01)`. Source: the language reference, "Range literals". */
import { dateLiteral, datetimeLiteral, timestampLiteral, timestampRefusal } from './literals.js'

/** The types of the bounds. */
export type RangeElementKind = 'DATE' | 'DATETIME' | 'TIMESTAMP'

/** The bounds as canonical texts; a bound that is null is unbounded. */
export interface RangeBounds {
  readonly start: string | null
  readonly end: string | null
}

const READERS: Readonly<Record<RangeElementKind, (text: string) => string | null>> = {
  DATE: dateLiteral,
  DATETIME: datetimeLiteral,
  TIMESTAMP: timestampLiteral,
}
const REFUSALS: Readonly<Record<RangeElementKind, (text: string) => string>> = {
  DATE: text => `Invalid date: '${text}'`,
  DATETIME: text => `Invalid datetime string "${text}"`,
  TIMESTAMP: timestampRefusal,
}

const FORM = 'Failed to parse range: range must be formatted exactly as [START, END)'
export const EMPTY_RANGE = 'Range start element must be smaller than range end element'

/** The bounds of a range from its text, or an error message in BigQuery's words. */
export function readRange(text: string, element: RangeElementKind): RangeBounds | string {
  if (!text.startsWith('[') || !text.endsWith(')')) return `${FORM} (found ${text})`
  const parts = text.slice(1, -1).split(', ')
  if (parts.length !== 2) return `${FORM} with two parts, START and END, divided with ", "`
  const texts: (string | null)[] = []
  for (const [i, part] of parts.entries()) {
    if (part !== part.trim()) {
      return `${FORM} with ${i === 0 ? 'START' : 'END'} having no leading or trailing spaces, but found: "${part}"`
    }
    const isUnbounded = /^(?:unbounded|null)$/i.test(part)
    const value = isUnbounded ? null : READERS[element](part)
    if (value === null && !isUnbounded) return REFUSALS[element](part)
    texts.push(value)
  }
  const [start, end] = texts as [string | null, string | null]
  // Canonical texts have equal lengths up to the fraction, so the order of the texts is the order of the times.
  return start !== null && end !== null && orderKey(start) >= orderKey(end) ? EMPTY_RANGE : { start, end }
}

/** Removes the zone at the end of a TIMESTAMP's text, which would be compared with the fraction of the other text. */
const orderKey = (text: string): string => text.replace(/\+00$/, '')

/** The text of a range as a cast to STRING writes it. */
export const rangeText = ({ start, end }: RangeBounds): string => `[${start ?? 'UNBOUNDED'}, ${end ?? 'UNBOUNDED'})`
