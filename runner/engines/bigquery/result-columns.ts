/** The schema of a result, as BigQuery's REST answers give it, as the columns of a result set. */
import { arrayOf, type StructField, scalarType, structOf, type Type } from '../../googlesql/types.js'
import type { RestField, RestSchema } from './rest.js'
import { UnsupportedTypeError } from './unsupported-type.js'

/** The schema's own words for types that GoogleSQL names otherwise. */
const LEGACY_NAMES: Readonly<Record<string, string>> = { INTEGER: 'INT64', FLOAT: 'FLOAT64', BOOLEAN: 'BOOL' }

/** @throws UnsupportedTypeError naming the first column of a type that has no form in results: RANGE, GEOGRAPHY. */
export function resultColumns(schema: RestSchema): readonly StructField[] {
  return (schema.fields ?? []).map(field => ({ name: field.name, type: fieldType(field, field.name) }))
}

function fieldType(field: RestField, path: string): Type {
  const type = elementType(field, path)
  return field.mode?.toUpperCase() === 'REPEATED' ? arrayOf(type) : type
}

function elementType(field: RestField, path: string): Type {
  const name = field.type.toUpperCase()
  if (name === 'RECORD' || name === 'STRUCT') {
    return structOf((field.fields ?? []).map(one => ({ name: one.name, type: fieldType(one, `${path}.${one.name}`) })))
  }
  const type = scalarType(Object.hasOwn(LEGACY_NAMES, name) ? LEGACY_NAMES[name]! : name)
  if (!type) throw new UnsupportedTypeError(path, name)
  return type
}
