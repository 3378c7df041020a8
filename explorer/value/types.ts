/** Types of GoogleSQL, as the page tells them apart. */

export type Kind = 'number' | 'time' | 'bool' | 'text' | 'nested'

const KINDS: Readonly<Record<string, Kind>> = {
  INT64: 'number',
  FLOAT64: 'number',
  NUMERIC: 'number',
  BIGNUMERIC: 'number',
  BOOL: 'bool',
  TIMESTAMP: 'time',
  DATETIME: 'time',
  DATE: 'time',
  ARRAY: 'nested',
  STRUCT: 'nested',
  JSON: 'nested',
}

/** `NUMERIC(10, 2)` is of the same kind as `NUMERIC`. */
export const kindOf = (type: string): Kind => KINDS[/^\w+/.exec(type)?.[0] ?? ''] ?? 'text'

/** Whether values of this type hold JSON somewhere, and so numbers of any length. */
export const holdsJson = (type: string): boolean => /\bJSON\b/.test(type)
