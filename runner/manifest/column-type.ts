/** Column types, as `columns:` declares them and as queries have them. `STRUCT` without fields means any fields. */
import { ANY_STRUCT, parseOpenTypeName, type Type } from '../../googlesql/data.js'

export type ColumnType =
  | { readonly kind: 'scalar'; readonly name: string }
  | { readonly kind: 'array'; readonly element: ColumnType }
  /** The fields; null for any fields. */
  | { readonly kind: 'struct'; readonly fields: readonly { readonly name: string; readonly type: ColumnType }[] | null }

/** Parses a type; null when the text is not a type. */
export function parseColumnType(text: string): ColumnType | null {
  const type = parseOpenTypeName(text)
  return type ? columnType(type) : null
}

function columnType(type: Type): ColumnType {
  if (type.kind === 'ARRAY') return { kind: 'array', element: columnType(type.element) }
  if (type.kind !== 'STRUCT') return { kind: 'scalar', name: type.kind }
  if (type === ANY_STRUCT) return { kind: 'struct', fields: null }
  return { kind: 'struct', fields: type.fields.map(field => ({ name: field.name, type: columnType(field.type) })) }
}

/** Whether a query's type matches the declared one; an open STRUCT matches any fields. */
export function fitsColumnType(declared: ColumnType, actual: ColumnType): boolean {
  if (declared.kind === 'array') return actual.kind === 'array' && fitsColumnType(declared.element, actual.element)
  if (declared.kind === 'scalar') return actual.kind === 'scalar' && actual.name === declared.name
  if (actual.kind !== 'struct') return false
  if (declared.fields === null || actual.fields === null) return true
  const { fields } = actual
  return (
    declared.fields.length === fields.length &&
    declared.fields.every(
      (field, i) =>
        field.name.toLowerCase() === fields[i]!.name.toLowerCase() && fitsColumnType(field.type, fields[i]!.type),
    )
  )
}
