/** Rows and arguments for the tests of new manifests: plausible values of every type. */
import type { ScalarKind, StructField, Type } from '../../googlesql/index.js'
import { type ParameterType, type ScalarParameterType, splitType } from '../../runner/model/param.js'

/** The time of the tests of new manifests. */
export const TEST_NOW = '2026-01-31T12:00:00Z'

/** The times that sample rows get, tried until the query gives a row: that of the arguments, a day before, a day after. */
export const SAMPLE_TIMES: readonly string[] = [TEST_NOW, '2026-01-30T12:00:00Z', '2026-02-01T12:00:00Z']

/** Values as test files write them; the types of times are in `sampleValue`. */
const VALUES: Readonly<Record<Exclude<ScalarKind, 'DATE' | 'DATETIME' | 'TIMESTAMP'>, unknown>> = {
  STRING: 'a',
  BYTES: 'YQ==',
  INT64: 1,
  FLOAT64: 1.5,
  NUMERIC: '1.5',
  BIGNUMERIC: '1.5',
  BOOL: true,
  TIME: '12:00:00',
  INTERVAL: '0-0 1 0:0:0',
  JSON: { a: 1 },
  'RANGE<DATE>': '[2026-01-31, 2026-02-01)',
  'RANGE<DATETIME>': '[2026-01-31T12:00:00, 2026-02-01T12:00:00)',
  'RANGE<TIMESTAMP>': '[2026-01-31T12:00:00Z, 2026-02-01T12:00:00Z)',
}

/** `now` is the time that it has. */
function sampleValue(type: Type, now: string): unknown {
  if (type.kind === 'ARRAY') return [sampleValue(type.element, now)]
  if (type.kind === 'STRUCT') return sampleRow(type.fields, now)
  if (type.kind === 'TIMESTAMP') return now
  if (type.kind === 'DATETIME') return now.slice(0, -1)
  return type.kind === 'DATE' ? now.slice(0, 10) : VALUES[type.kind]
}

/** A row with a value in every column. */
export const sampleRow = (columns: readonly StructField[], now = TEST_NOW): Record<string, unknown> =>
  Object.fromEntries(columns.map(({ name, type }) => [name, sampleValue(type, now)]))

const ARGUMENTS: Readonly<Record<ScalarParameterType, unknown>> = {
  string: 'a',
  int64: 1,
  float64: 1.5,
  numeric: 1.5,
  bignumeric: 1.5,
  bool: true,
  date: '2026-01-31',
  time: '12:00:00',
  datetime: '2026-01-31T12:00:00',
  timestamp: TEST_NOW,
  uuid: '5b3d9a52-8c1e-4f0a-9d67-2e4c1b7a9f30',
  timezone: 'Europe/Berlin',
  json: '{"a":1}',
}

/** An argument of this type. */
export function sampleArgument(type: ParameterType): unknown {
  const { scalar, isArray } = splitType(type)
  return isArray ? [ARGUMENTS[scalar]] : ARGUMENTS[scalar]
}
