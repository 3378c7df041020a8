/** The explicit casts that the language allows. Source: the language reference, "Conversion functions", CAST. */
import { SCALAR_TYPES, type ScalarKind, type Type } from './types.js'

const CAST_TARGETS: Readonly<Record<ScalarKind, readonly ScalarKind[]>> = {
  INT64: ['BOOL', 'INT64', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64', 'STRING'],
  NUMERIC: ['INT64', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64', 'STRING'],
  BIGNUMERIC: ['INT64', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64', 'STRING'],
  FLOAT64: ['INT64', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64', 'STRING'],
  BOOL: ['INT64', 'BOOL', 'STRING'],
  STRING: SCALAR_TYPES.filter(kind => kind !== 'JSON'),
  BYTES: ['STRING', 'BYTES'],
  DATE: ['STRING', 'DATE', 'DATETIME', 'TIMESTAMP'],
  DATETIME: ['STRING', 'DATE', 'DATETIME', 'TIME', 'TIMESTAMP'],
  TIME: ['STRING', 'TIME'],
  TIMESTAMP: ['STRING', 'DATE', 'DATETIME', 'TIME', 'TIMESTAMP'],
  INTERVAL: ['STRING', 'INTERVAL'],
  JSON: ['JSON'],
  'RANGE<DATE>': ['STRING', 'RANGE<DATE>'],
  'RANGE<DATETIME>': ['STRING', 'RANGE<DATETIME>'],
  'RANGE<TIMESTAMP>': ['STRING', 'RANGE<TIMESTAMP>'],
}

/** Whether a value of type `from` can be cast to `to`; arrays and structs are cast element by element and field by field. */
export function mayCast(from: Type, to: Type): boolean {
  if (from.kind === 'ARRAY') return to.kind === 'ARRAY' && mayCast(from.element, to.element)
  if (from.kind === 'STRUCT') {
    return (
      to.kind === 'STRUCT' &&
      from.fields.length === to.fields.length &&
      from.fields.every((field, i) => mayCast(field.type, to.fields[i]!.type))
    )
  }
  return to.kind !== 'ARRAY' && to.kind !== 'STRUCT' && CAST_TARGETS[from.kind].includes(to.kind)
}
