/** Turns bound values into query parameters of BigQuery's REST interface, each with its type. */
import type { QueryParameter } from '@google-cloud/bigquery'
import { elementOfRange, isRangeKind, type RangeBounds, type Type } from '../../../../googlesql/index.js'
import { checkValue, type ValueWriter } from '../../../model/check-value.js'
import { type ArgumentProblem, invalidArguments } from '../../../model/errors.js'
import { typesOf } from '../../../model/parameter-types.js'
import type { BoundValue } from '../../../model/query.js'

type ParameterType = NonNullable<QueryParameter['parameterType']>
/** A NULL is a value without any member. */
type ParameterValue = NonNullable<QueryParameter['parameterValue']>

/** @throws RunnerError ARGUMENT_INVALID for an unknown type, or a value that does not fit its type. */
export function queryParameters(values: Readonly<Record<string, BoundValue>>): QueryParameter[] {
  const errors: ArgumentProblem[] = []
  const parameters: QueryParameter[] = []
  for (const [name, type] of Object.entries(typesOf(values))) {
    const parameterValue = checkValue(type, values[name]!.value, WRITER)
    if (parameterValue) parameters.push({ name, parameterType: typeOf(type), parameterValue })
    else errors.push({ parameter: name, detail: `is not a value of type ${values[name]!.type}` })
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

const text = (value: string): ParameterValue => ({ value })

const range = ({ start, end }: RangeBounds): ParameterValue => {
  const bound = (value: string | null): ParameterValue => (value === null ? {} : { value })
  return { rangeValue: { start: bound(start), end: bound(end) } }
}

const WRITER: ValueWriter<ParameterValue> = {
  absent: {},
  scalars: {
    INT64: text,
    FLOAT64: number => text(String(number)),
    NUMERIC: text,
    BIGNUMERIC: text,
    BOOL: value => text(String(value)),
    STRING: text,
    BYTES: bytes => text(Buffer.from(bytes).toString('base64')),
    JSON: text,
    DATE: text,
    DATETIME: text,
    TIME: text,
    TIMESTAMP: text,
    INTERVAL: interval => text(interval.text),
    'RANGE<DATE>': range,
    'RANGE<DATETIME>': range,
    'RANGE<TIMESTAMP>': range,
  },
  array: items => ({ arrayValues: [...items] }),
  struct: ({ fields }, values) => {
    const structValues: Record<string, ParameterValue> = Object.create(null)
    for (const [i, { name }] of fields.entries()) structValues[name] = values[i]!
    return { structValues }
  },
}
