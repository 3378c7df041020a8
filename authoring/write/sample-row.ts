/** Rows and arguments for the tests of new manifests: plausible values of every type. */
import type { StructField, Type } from '../../googlesql/index.js'
import type { ParameterType } from '../../runner/model/param.js'

/** The time of the tests of new manifests. */
export const TEST_NOW = '2026-01-31T12:00:00Z'

/** The times that sample rows get, tried until the query gives a row: that of the arguments, a day before, a day after. */
export const SAMPLE_TIMES: readonly string[] = [TEST_NOW, '2026-01-30T12:00:00Z', '2026-02-01T12:00:00Z']

/** The argument of a parameter that is a time zone. */
export const SAMPLE_ZONE = 'Europe/Berlin'

/** A value of this type as test files write it; `now` is the time that it has. */
function sampleValue(type: Type, now: string): unknown {
  switch (type.kind) {
    case 'ARRAY':
      return [sampleValue(type.element, now)]
    case 'STRUCT':
      return sampleRow(type.fields, now)
    case 'STRING':
      return 'a'
    case 'BYTES':
      return 'YQ=='
    case 'INT64':
      return 1
    case 'FLOAT64':
      return 1.5
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return '1.5'
    case 'BOOL':
      return true
    case 'DATE':
      return now.slice(0, 10)
    case 'TIME':
      return '12:00:00'
    case 'DATETIME':
      return now.slice(0, -1)
    case 'TIMESTAMP':
      return now
    case 'INTERVAL':
      return '0-0 1 0:0:0'
    case 'JSON':
      return { a: 1 }
    case 'RANGE<DATE>':
      return '[2026-01-31, 2026-02-01)'
    case 'RANGE<DATETIME>':
      return '[2026-01-31T12:00:00, 2026-02-01T12:00:00)'
    case 'RANGE<TIMESTAMP>':
      return '[2026-01-31T12:00:00Z, 2026-02-01T12:00:00Z)'
    default:
      return type satisfies never
  }
}

/** A row with a value in every column. */
export const sampleRow = (columns: readonly StructField[], now = TEST_NOW): Record<string, unknown> =>
  Object.fromEntries(columns.map(({ name, type }) => [name, sampleValue(type, now)]))

const ARGUMENTS: Readonly<Record<string, unknown>> = {
  string: 'a',
  int64: 1,
  float64: 1.5,
  bool: true,
  date: '2026-01-31',
  datetime: '2026-01-31T12:00:00',
  timestamp: TEST_NOW,
}

/** An argument of this type. */
export function sampleArgument(type: ParameterType): unknown {
  const element = /^array<(.*)>$/.exec(type)?.[1]
  return element === undefined ? ARGUMENTS[type] : [ARGUMENTS[element]]
}
