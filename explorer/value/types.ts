/** Types of GoogleSQL, as the page distinguishes them. */

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

/** Whether values may hold numbers that a double rounds: inside JSON, or where the contract wants long numbers as JSON numbers. */
export const mayHoldLongNumbers = ({
  type,
  json,
}: {
  readonly type: string
  readonly json?: string | undefined
}): boolean => /\bJSON\b/.test(type) || (json === 'number' && /^(?:BIG)?NUMERIC\b/.test(type))
