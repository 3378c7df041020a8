/** JSON Schemas of results, from the columns of an endpoint. Pure: the same endpoint always has the same schema. */
import { ANY_STRUCT, distinctNames, parseOpenTypeName, type Type } from '../../googlesql/index.js'
import type { ContractColumn, Endpoint } from '../model/endpoint.js'
import type { ColumnPromise } from '../model/query.js'

/**
 * The dialect of a schema. `json-schema`: JSON Schema 2020-12 that any validator compiles, in strict mode too: no `format`,
 * no keyword of an extension. `3.1` and `3.0`: the dialect of an OpenAPI document of this version.
 */
export type Dialect = 'json-schema' | '3.1' | '3.0'

/** A schema as JSON. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** The members of an endpoint that determine the schema of its results. */
export type ResultShape = Pick<Endpoint, 'columns' | 'maxRows' | 'timestamps'> & Partial<Pick<Endpoint, 'pages'>>

/** `{"result":[row,…]}`, complete in itself. */
export function resultSchema(endpoint: ResultShape, dialect: Dialect = 'json-schema'): JsonSchema {
  return resultOf(endpoint, rowSchema(endpoint, dialect), dialect)
}

/** `{"result":[row,…]}`, in pages with `next`. @param row the schema of a row, or a reference to it */
export function resultOf(
  { maxRows, pages }: Pick<ResultShape, 'maxRows' | 'pages'>,
  row: JsonSchema,
  dialect: Dialect,
): JsonSchema {
  const next = { type: 'string', description: 'The `cursor` of the next page; null on the last one.' }
  return {
    type: 'object',
    required: ['result'],
    properties: {
      result: { type: 'array', maxItems: maxRows, items: row },
      ...(pages && { next: orNull(next, dialect) }),
    },
    additionalProperties: false,
  }
}

/** One row: every column is there, and nothing else. */
export function rowSchema(
  { columns, timestamps }: Pick<ResultShape, 'columns' | 'timestamps'>,
  dialect: Dialect,
): JsonSchema {
  const properties = columns.map(column => [column.name, columnSchema(column, timestamps, dialect)] as const)
  return objectOf(properties)
}

/** A column, with its description; in OpenAPI also `x-sluice-type` (the GoogleSQL type) and `x-sluice-unit`. */
export function columnSchema(column: ContractColumn, timestamps: Endpoint['timestamps'], dialect: Dialect): JsonSchema {
  const { type, description, required, unit } = column
  const columnType = parseOpenTypeName(type)
  const value = columnType ? typeSchema(columnType, column, { timestamps, dialect }) : {}
  return {
    ...(required ? value : orNull(value, dialect)),
    ...(description !== '' && { description }),
    ...(dialect !== 'json-schema' && { 'x-sluice-type': type, ...(unit !== null && { 'x-sluice-unit': unit }) }),
  }
}

const MAX_SAFE = Number.MAX_SAFE_INTEGER
const SAFE_INTEGER: JsonSchema = { type: 'integer', minimum: -MAX_SAFE, maximum: MAX_SAFE }
const INTEGER_TEXT: JsonSchema = { type: 'string', pattern: '^-?[0-9]{1,19}$' }
/** The text of an INT64 that JSON has as a string: at least 16 digits. */
const LARGE_INTEGER_TEXT: JsonSchema = { type: 'string', pattern: '^-?[0-9]{16,19}$' }
const DECIMAL_TEXT: JsonSchema = { type: 'string', pattern: '^-?[0-9]+(?:\\.[0-9]+)?$' }
const NON_FINITE_TEXT: JsonSchema = { type: 'string', enum: ['NaN', 'Infinity', '-Infinity'] }

const DATE = '[0-9]{4}-[0-9]{2}-[0-9]{2}'
const TIME = '[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]{3}(?:[0-9]{3})?)?'

/** The formats of the OpenAPI format registry, and the patterns that say the same where no format is known. */
const CIVIL_FORMS = {
  DATE: { format: 'date', pattern: `^${DATE}$` },
  TIME: { format: 'time-local', pattern: `^${TIME}$` },
  DATETIME: { format: 'date-time-local', pattern: `^${DATE}T${TIME}$` },
  TIMESTAMP: { format: 'date-time', pattern: `^${DATE}T${TIME}Z$` },
} as const

interface Form {
  readonly timestamps: Endpoint['timestamps']
  readonly dialect: Dialect
}

const civilSchema = (kind: keyof typeof CIVIL_FORMS, { dialect }: Form): JsonSchema =>
  dialect === 'json-schema'
    ? { type: 'string', pattern: CIVIL_FORMS[kind].pattern }
    : { type: 'string', format: CIVIL_FORMS[kind].format }

/** The schema of a value that is not NULL, in a column or field with this promise. */
function typeSchema(type: Type, { json, fields }: Omit<ColumnPromise, 'required'>, form: Form): JsonSchema {
  switch (type.kind) {
    case 'INT64':
      if (json === 'number') return SAFE_INTEGER
      return json === 'string' ? INTEGER_TEXT : { anyOf: [SAFE_INTEGER, LARGE_INTEGER_TEXT] }
    case 'FLOAT64':
      return json === 'number' ? { type: 'number' } : { anyOf: [{ type: 'number' }, NON_FINITE_TEXT] }
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return json === 'number' ? { type: 'number' } : DECIMAL_TEXT
    case 'BOOL':
      return { type: 'boolean' }
    case 'STRING':
    case 'INTERVAL':
    case 'RANGE<DATE>':
    case 'RANGE<DATETIME>':
    case 'RANGE<TIMESTAMP>':
      return { type: 'string' }
    case 'BYTES':
      return { type: 'string', ...(form.dialect === '3.0' ? { format: 'byte' } : { contentEncoding: 'base64' }) }
    case 'TIMESTAMP':
      return form.timestamps === 'unix_micros' ? { type: 'integer' } : civilSchema('TIMESTAMP', form)
    case 'DATE':
    case 'TIME':
    case 'DATETIME':
      return civilSchema(type.kind, form)
    case 'JSON':
      return {}
    case 'ARRAY':
      // A result has no NULL inside an ARRAY: the query fails.
      return { type: 'array', items: typeSchema(type.element, { json: null, ...(fields && { fields }) }, form) }
    case 'STRUCT': {
      // Where variants of the SQL have different fields, the type is declared without them.
      if (type === ANY_STRUCT) return { type: 'object' }
      const names = distinctNames(type.fields.map(field => field.name))
      return objectOf(names.map((name, i) => [name, fieldSchema(type.fields[i]!.type, fields?.[i], form)]))
    }
    default:
      return type satisfies never
  }
}

function fieldSchema(type: Type, promise: ColumnPromise = { required: false, json: null }, form: Form): JsonSchema {
  const schema = typeSchema(type, promise, form)
  return promise.required ? schema : orNull(schema, form.dialect)
}

/** An object with exactly these members. */
function objectOf(members: readonly (readonly [name: string, schema: JsonSchema])[]): JsonSchema {
  const properties: Record<string, JsonSchema> = Object.create(null)
  for (const [name, schema] of members) properties[name] = schema
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false }
}

/** The schema with null. In a result an ARRAY is empty instead of NULL, and JSON may be anything already. */
function orNull(schema: JsonSchema, dialect: Dialect): JsonSchema {
  const { type, anyOf } = schema
  if (type === 'array' || (type === undefined && anyOf === undefined)) return schema
  if (dialect === '3.0') {
    // OpenAPI 3.0 takes `nullable` beside `type` alone, so it is inside every branch.
    const branches = anyOf as readonly JsonSchema[] | undefined
    return branches
      ? { ...schema, anyOf: branches.map(branch => orNull(branch, dialect)) }
      : { ...schema, nullable: true }
  }
  if (anyOf) return { ...schema, anyOf: [...(anyOf as readonly JsonSchema[]), { type: 'null' }] }
  return { ...schema, type: [type, 'null'] }
}
