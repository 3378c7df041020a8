/** Turns the schema of a result in BigQuery's REST answers into columns. */
import { fieldType, type SchemaField, type StructField } from '../../../../googlesql/index.js'
import { QueryFault } from '../../../model/query-fault.js'
import type { RestSchema } from '../rest-messages.js'
import { unexpected } from './unexpected-cell.js'

/** A column or field, with two facts that its type does not show. */
export interface ResultField extends StructField {
  /** Whether its value may be NULL; false for an array, whose elements are never NULL either. */
  readonly isNullable: boolean
  /** The fields of a STRUCT, or of an array's STRUCTs; else empty. */
  readonly fields: readonly ResultField[]
}

const MODES: ReadonlySet<string> = new Set(['', 'NULLABLE', 'REQUIRED', 'REPEATED'])

/**
 * @throws QueryFault naming the first column of a type that has no form in results, GEOGRAPHY; UnexpectedCellError.
 */
export function resultColumns(schema: RestSchema): readonly ResultField[] {
  return (schema.fields ?? []).map(field => resultField(field, []))
}

function resultField(field: SchemaField, outer: readonly string[]): ResultField {
  const { name, mode = '' } = field
  if (typeof name !== 'string' || typeof field.type !== 'string' || !MODES.has(mode.toUpperCase())) {
    throw unexpected('a schema')
  }
  const path = [...outer, name]
  const fields = (field.fields ?? []).map(part => resultField(part, path))
  const type = fieldType(field)
  if (!type) {
    const what = `Column ${path.join('.')} is of type ${field.type.toUpperCase()}`
    throw new QueryFault(`${what}, which results cannot hold; convert it to another type in the query`)
  }
  return { name, type, isNullable: !/^re(?:peated|quired)$/i.test(mode), fields }
}
