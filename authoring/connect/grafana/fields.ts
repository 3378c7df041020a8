/** Maps columns to the field types of Grafana's Infinity plugin. */
import type { PublishedEndpoint } from '../../../runner/model/published-endpoint.js'
import { wellFormed } from '../address.js'
import { hasUnixTimes, type TypedColumn } from '../columns.js'

export type GrafanaField = ReturnType<typeof fieldOf>

export function fieldOf({ name, scalar, unit }: TypedColumn, endpoint: PublishedEndpoint) {
  // Infinity knows integers of seconds and milliseconds, but not of microseconds.
  const timeFormat = scalar === 'TIMESTAMP' && hasUnixTimes(endpoint) ? null : (TIME_FORMATS[scalar ?? ''] ?? null)
  const type = timeFormat === null ? (TYPES[scalar ?? ''] ?? 'string') : 'timestamp'
  return {
    name: wellFormed(name),
    type,
    /** How a time is written, in Go's notation; null for other types. */
    timeFormat,
    /** The unit in the manifest; null if it has none. */
    unit: unit === undefined ? null : wellFormed(unit),
  }
}

/** A layout without a fraction of a second also reads times with a fraction. */
const TIME_FORMATS: Readonly<Record<string, string>> = {
  TIMESTAMP: '2006-01-02T15:04:05Z07:00',
  DATETIME: '2006-01-02T15:04:05',
  DATE: '2006-01-02',
}

/** NUMERIC values and large integers are texts in JSON, which Infinity reads as numbers too. */
const TYPES: Readonly<Record<string, 'string' | 'number' | 'boolean'>> = {
  INT64: 'number',
  FLOAT64: 'number',
  NUMERIC: 'number',
  BIGNUMERIC: 'number',
  TIMESTAMP: 'number',
  BOOL: 'boolean',
}
