/** Rows and arguments for the tests of new manifests: plausible values of every type. */
import type { ScalarKind, StructField, Type } from '../../googlesql/index.js'
import { type ParameterType, type ScalarParameterType, SQL_TYPES, splitType } from '../../runner/model/param.js'

/** The time of the tests of new manifests. */
export const TEST_NOW = '2026-01-31T12:00:00Z'

/** Values as test files write them. */
const VALUES: Readonly<Record<ScalarKind, unknown>> = {
  STRING: 'a',
  BYTES: 'YQ==',
  INT64: 1,
  FLOAT64: 1.5,
  NUMERIC: '1.5',
  BIGNUMERIC: '1.5',
  BOOL: true,
  DATE: TEST_NOW.slice(0, 10),
  DATETIME: TEST_NOW.slice(0, -1),
  TIMESTAMP: TEST_NOW,
  TIME: '12:00:00',
  INTERVAL: '0-0 1 0:0:0',
  JSON: { a: 1 },
  'RANGE<DATE>': '[2026-01-31, 2026-02-01)',
  'RANGE<DATETIME>': '[2026-01-31T12:00:00, 2026-02-01T12:00:00)',
  'RANGE<TIMESTAMP>': '[2026-01-31T12:00:00Z, 2026-02-01T12:00:00Z)',
}

function sampleValue(type: Type): unknown {
  if (type.kind === 'ARRAY') return [sampleValue(type.element)]
  return type.kind === 'STRUCT' ? sampleRow(type.fields) : VALUES[type.kind]
}

/** A row with a value in every column. */
export const sampleRow = (columns: readonly StructField[]): Record<string, unknown> =>
  Object.fromEntries(columns.map(({ name, type }) => [name, sampleValue(type)]))

/** The arguments that are not written like the values of their SQL type. */
const ARGUMENTS: Readonly<Partial<Record<ScalarParameterType, unknown>>> = {
  numeric: 1.5,
  bignumeric: 1.5,
  uuid: '5b3d9a52-8c1e-4f0a-9d67-2e4c1b7a9f30',
  timezone: 'Europe/Berlin',
  json: '{"a":1}',
}

/** An argument of this type. */
export function sampleArgument(type: ParameterType): unknown {
  const { scalar, isArray } = splitType(type)
  const argument = ARGUMENTS[scalar] ?? VALUES[SQL_TYPES[scalar]]
  return isArray ? [argument] : argument
}
