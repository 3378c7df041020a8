/** The schema of a result, as BigQuery's REST answers give it, as the columns of a result set. */
import { arrayOf, type StructField, scalarType, structOf, type Type } from '../../../../googlesql/index.js'
import type { RestField, RestSchema } from '../messages.js'
import { unexpected } from './unexpected-cell.js'

/** A column or field, with what its type does not say. */
export interface ResultField extends StructField {
  /** Whether its value may be NULL; false for an array, whose elements are never NULL either. */
  readonly isNullable: boolean
  /** The fields of a STRUCT, or of an array's STRUCTs; else empty. */
  readonly fields: readonly ResultField[]
}

/** Names the column or field and its type; for authors, in the cause of a failed query. */
export class UnsupportedTypeError extends Error {
  override readonly name = 'UnsupportedTypeError'

  constructor(path: string, type: string) {
    super(`Column ${path} is of type ${type}, which results cannot hold; convert it to another type in the query`)
  }
}

/** The schema's own words for types that GoogleSQL names otherwise. */
const LEGACY_NAMES: Readonly<Record<string, string>> = { INTEGER: 'INT64', FLOAT: 'FLOAT64', BOOLEAN: 'BOOL' }
const MODES: ReadonlySet<string> = new Set(['', 'NULLABLE', 'REQUIRED', 'REPEATED'])

/**
 * @throws UnsupportedTypeError naming the first column of a type that has no form in results, GEOGRAPHY; UnexpectedCellError.
 */
export function resultColumns(schema: RestSchema): readonly ResultField[] {
  return (schema.fields ?? []).map(field => resultField(field, []))
}

function resultField(field: RestField, outer: readonly string[]): ResultField {
  const { name, mode = '' } = field
  if (typeof name !== 'string' || typeof field.type !== 'string' || !MODES.has(mode.toUpperCase())) {
    throw unexpected('a schema')
  }
  const path = [...outer, name]
  const isRecord = /^(record|struct)$/i.test(field.type)
  const fields = isRecord ? (field.fields ?? []).map(part => resultField(part, path)) : []
  const type = isRecord ? structOf(fields) : scalarOf(typeNameOf(field), path)
  const isRepeated = mode.toUpperCase() === 'REPEATED'
  const isNullable = !isRepeated && mode.toUpperCase() !== 'REQUIRED'
  return { name, type: isRepeated ? arrayOf(type) : type, isNullable, fields }
}

function typeNameOf({ type, rangeElementType }: RestField): string {
  const name = type.toUpperCase()
  return name === 'RANGE' && rangeElementType ? `RANGE<${rangeElementType.type.toUpperCase()}>` : name
}

function scalarOf(name: string, path: readonly string[]): Type {
  const type = scalarType(Object.hasOwn(LEGACY_NAMES, name) ? LEGACY_NAMES[name]! : name)
  if (!type) throw new UnsupportedTypeError(path.join('.'), name)
  return type
}
