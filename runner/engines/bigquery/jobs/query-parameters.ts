/** Bound values as BigQuery's REST query parameters: each with its type, NULLs and arrays too. */
import type { QueryParameter } from '@google-cloud/bigquery'
import {
  elementOfRange,
  isRangeKind,
  parseTypeName,
  type RangeKind,
  readRange,
  type StructField,
  type Type,
} from '../../../../googlesql/index.js'
import { type ArgumentProblem, invalidArguments } from '../../../model/errors.js'
import type { BoundValue } from '../../../model/query.js'
import { typeScalar } from '../../../model/typed-value.js'

type ParameterType = NonNullable<QueryParameter['parameterType']>
/** A NULL is a value without any member. */
type ParameterValue = NonNullable<QueryParameter['parameterValue']>

/** @throws RunnerError ARGUMENT_INVALID for an unknown type, or a value that does not fit its type. */
export function queryParameters(given: Readonly<Record<string, BoundValue>>): QueryParameter[] {
  const errors: ArgumentProblem[] = []
  const parameters: QueryParameter[] = []
  for (const [name, { type: typeText, value }] of Object.entries(given)) {
    const type = parseTypeName(typeText)
    const parameterValue = type && restValue(type, value)
    if (!type) errors.push({ parameter: name, detail: `has an unknown type: ${typeText}` })
    else if (!parameterValue) errors.push({ parameter: name, detail: `is not a value of type ${typeText}` })
    else parameters.push({ name, parameterType: typeOf(type), parameterValue })
  }
  if (errors.length > 0) throw invalidArguments(errors)
  return parameters
}

function typeOf(type: Type): ParameterType {
  switch (type.kind) {
    case 'ARRAY':
      return { type: 'ARRAY', arrayType: typeOf(type.element) }
    case 'STRUCT':
      return {
        type: 'STRUCT',
        structTypes: type.fields.map(field => ({ ...(field.name && { name: field.name }), type: typeOf(field.type) })),
      }
    default:
      if (isRangeKind(type.kind)) return { type: 'RANGE', rangeElementType: { type: elementOfRange(type.kind) } }
      return { type: type.kind }
  }
}

/** Undefined for a value that does not fit the type. */
function restValue(type: Type, value: unknown): ParameterValue | undefined {
  if (value === null || value === undefined) return {}
  switch (type.kind) {
    case 'ARRAY':
      return arrayOf(type.element, value)
    case 'STRUCT':
      return structOf(type.fields, value)
    case 'BOOL':
      return typeof value === 'boolean' ? { value: String(value) } : undefined
    case 'BYTES':
      return value instanceof Uint8Array ? { value: Buffer.from(value).toString('base64') } : textOf(value)
    case 'JSON':
      return typeof value === 'string' ? { value } : { value: JSON.stringify(value) }
    case 'INT64':
    case 'FLOAT64':
      return checked(type.kind, typeof value === 'number' || typeof value === 'bigint' ? String(value) : value)
    case 'DATE':
    case 'DATETIME':
    case 'TIMESTAMP':
      return checked(type.kind, value)
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return typeof value === 'number' || typeof value === 'bigint' ? { value: String(value) } : textOf(value)
    default:
      return isRangeKind(type.kind) ? rangeOf(type.kind, value) : textOf(value)
  }
}

function rangeOf(kind: RangeKind, value: unknown): ParameterValue | undefined {
  const bounds = typeof value === 'string' ? readRange(value, elementOfRange(kind)) : ''
  if (typeof bounds === 'string') return undefined
  const bound = (text: string | null): ParameterValue => (text === null ? {} : { value: text })
  return { rangeValue: { start: bound(bounds.start), end: bound(bounds.end) } }
}

const NOT_FINITE: ReadonlySet<unknown> = new Set(['NaN', 'Infinity', '-Infinity'])

/** BigQuery would also refuse any other text, but as a failure of the query, not of the argument. */
function checked(
  kind: 'INT64' | 'FLOAT64' | 'DATE' | 'DATETIME' | 'TIMESTAMP',
  value: unknown,
): ParameterValue | undefined {
  if (kind === 'FLOAT64' && NOT_FINITE.has(value)) return textOf(value)
  const scalar = kind.toLowerCase() as Lowercase<typeof kind>
  const typed = typeof value === 'string' ? typeScalar(scalar, value) : null
  return typed?.ok ? { value: String(typed.value) } : undefined
}

const textOf = (value: unknown): ParameterValue | undefined => (typeof value === 'string' ? { value } : undefined)

function arrayOf(element: Type, value: unknown): ParameterValue | undefined {
  if (!Array.isArray(value)) return undefined
  const arrayValues = value.map((item: unknown) => restValue(element, item))
  return arrayValues.every(item => item !== undefined) ? { arrayValues } : undefined
}

function structOf(fields: readonly StructField[], value: unknown): ParameterValue | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const given = value as Readonly<Record<string, unknown>>
  const members = fields.map(({ name, type }) => [name, restValue(type, given[name])] as const)
  const areRight = members.every((member): member is [string, ParameterValue] => member[1] !== undefined)
  return areRight ? { structValues: Object.fromEntries(members) } : undefined
}
