/**
 * GoogleSQL's types in Parquet: those that Arrow has here, but BIGNUMERIC as text, since readers take at most 38 digits for a
 * decimal and DuckDB makes a double of more.
 */
import type { SchemaElement } from 'hyparquet-writer'
import { distinctNames, type ScalarKind, type Type } from '../../../googlesql/index.js'
import { NOT_REQUIRED, ofElements, type Requirement } from './facts.js'

type Leaf = Omit<SchemaElement, 'name' | 'repetition_type'>

const TEXT: Leaf = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }

const LEAVES: Readonly<Record<ScalarKind, Leaf>> = {
  INT64: { type: 'INT64' },
  FLOAT64: { type: 'DOUBLE' },
  NUMERIC: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    precision: 38,
    scale: 9,
    logical_type: { type: 'DECIMAL', precision: 38, scale: 9 },
  },
  BIGNUMERIC: TEXT,
  BOOL: { type: 'BOOLEAN' },
  STRING: TEXT,
  BYTES: { type: 'BYTE_ARRAY' },
  DATE: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  TIME: { type: 'INT64', logical_type: { type: 'TIME', isAdjustedToUTC: false, unit: 'MICROS' } },
  // The older converted type would mean a time in UTC.
  DATETIME: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' } },
  TIMESTAMP: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  JSON: TEXT,
  INTERVAL: TEXT,
  'RANGE<DATE>': TEXT,
  'RANGE<DATETIME>': TEXT,
  'RANGE<TIMESTAMP>': TEXT,
}

/** The elements of a column or field, depth first. An ARRAY is never null, as in JSON: the array of NULL is empty. */
export function schemaElements(
  name: string,
  type: Type,
  requirement: Requirement = NOT_REQUIRED,
): readonly SchemaElement[] {
  const repetition_type = requirement.required || type.kind === 'ARRAY' ? 'REQUIRED' : 'OPTIONAL'
  switch (type.kind) {
    case 'ARRAY':
      return [
        { name, repetition_type, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        ...schemaElements('element', type.element, ofElements(requirement)),
      ]
    case 'STRUCT': {
      const names = distinctNames(type.fields.map(field => field.name))
      const children = type.fields.flatMap((field, i) => schemaElements(names[i]!, field.type, requirement.fields?.[i]))
      return [{ name, repetition_type, num_children: type.fields.length }, ...children]
    }
    default:
      return [{ name, repetition_type, ...LEAVES[type.kind] }]
  }
}
