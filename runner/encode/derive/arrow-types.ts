/**
 * GoogleSQL's types as Arrow fields: those of the BigQuery Storage Read API (google-cloud-bigquery,
 * `_BQ_FIELD_TYPE_TO_ARROW_FIELD_METADATA` and the table of scalar types), so that code for one reads the other.
 */
import {
  Binary,
  Bool,
  type DataType,
  DateDay,
  Decimal,
  Field,
  Float64,
  Int64,
  List,
  Struct,
  TimeMicrosecond,
  TimestampMicrosecond,
  Utf8,
} from 'apache-arrow'
import { distinctNames, type ScalarKind, type Type } from '../../../googlesql/index.js'
import { NOT_REQUIRED, ofElements, type Requirement } from './facts.js'

const SCALARS: Readonly<Record<ScalarKind, () => DataType>> = {
  INT64: () => new Int64(),
  FLOAT64: () => new Float64(),
  NUMERIC: () => new Decimal(9, 38, 128),
  BIGNUMERIC: () => new Decimal(38, 76, 256),
  BOOL: () => new Bool(),
  STRING: () => new Utf8(),
  BYTES: () => new Binary(),
  DATE: () => new DateDay(),
  TIME: () => new TimeMicrosecond(),
  DATETIME: () => new TimestampMicrosecond(),
  TIMESTAMP: () => new TimestampMicrosecond('UTC'),
  JSON: () => new Utf8(),
  INTERVAL: () => new Utf8(),
  'RANGE<DATE>': () => new Utf8(),
  'RANGE<DATETIME>': () => new Utf8(),
  'RANGE<TIMESTAMP>': () => new Utf8(),
}

/** Extension names for types without an Arrow type. */
const EXTENSIONS: Partial<Readonly<Record<Type['kind'], string>>> = {
  DATETIME: 'google:sqlType:datetime',
  JSON: 'google:sqlType:json',
  INTERVAL: 'google:sqlType:interval',
}

/** An ARRAY is never null, as in JSON: the array of NULL is empty. */
export function arrowField(name: string, type: Type, requirement: Requirement = NOT_REQUIRED): Field {
  const extension = EXTENSIONS[type.kind]
  const metadata = new Map(extension === undefined ? [] : [['ARROW:extension:name', extension]])
  return new Field(name, arrowType(type, requirement), !requirement.required && type.kind !== 'ARRAY', metadata)
}

function arrowType(type: Type, requirement: Requirement): DataType {
  switch (type.kind) {
    case 'ARRAY':
      return new List(arrowField('item', type.element, ofElements(requirement)))
    case 'STRUCT': {
      const names = distinctNames(type.fields.map(field => field.name))
      return new Struct(type.fields.map((field, i) => arrowField(names[i]!, field.type, requirement.fields?.[i])))
    }
    default:
      return SCALARS[type.kind]()
  }
}
