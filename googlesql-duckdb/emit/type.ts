/** GoogleSQL types as DuckDB types. */
import { distinctNames } from '../../googlesql/types/field-names.js'
import type { ScalarKind, StructType, Type } from '../../googlesql/types/types.js'
import { quoteName } from './quote.js'

/** A BIGNUMERIC is an integer number of units of 10^-38, see ../bignumeric.ts. */
const SCALARS: Readonly<Record<ScalarKind, string>> = {
  INT64: 'BIGINT',
  FLOAT64: 'DOUBLE',
  NUMERIC: 'DECIMAL(38,9)',
  BIGNUMERIC: 'BIGNUM',
  BOOL: 'BOOLEAN',
  STRING: 'VARCHAR',
  BYTES: 'BLOB',
  DATE: 'DATE',
  DATETIME: 'TIMESTAMP',
  TIME: 'TIME',
  TIMESTAMP: 'TIMESTAMPTZ',
  INTERVAL: 'INTERVAL',
  JSON: 'JSON',
  // Where a range is unbounded, the bound is an infinity, so that DuckDB orders ranges as BigQuery does.
  'RANGE<DATE>': 'STRUCT(s DATE, e DATE)',
  'RANGE<DATETIME>': 'STRUCT(s TIMESTAMP, e TIMESTAMP)',
  'RANGE<TIMESTAMP>': 'STRUCT(s TIMESTAMPTZ, e TIMESTAMPTZ)',
}

/** The DuckDB type that carries the values of this type: `STRUCT("a" BIGINT, "_field_2" VARCHAR)[]`. */
export function duckdbType(type: Type): string {
  if (type.kind === 'ARRAY') return `${duckdbType(type.element)}[]`
  if (type.kind !== 'STRUCT') return SCALARS[type.kind]
  const names = fieldNames(type)
  return `STRUCT(${type.fields.map((field, i) => `${quoteName(names[i]!)} ${duckdbType(field.type)}`).join(', ')})`
}

/** The names of a struct's fields in DuckDB, which requires names that differ regardless of case. */
export const fieldNames = (type: StructType): readonly string[] => distinctNames(type.fields.map(field => field.name))
