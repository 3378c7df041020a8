/** A table's definition, compiled for checking rows: the fields by key, and the values of missing fields. */
import type { ScalarKind, StructField, TableDefinition, TypeLimits } from '../../../../../googlesql/data.js'
import { finder } from './column-name.js'

/** The fields of a record, or the columns of a table. */
export interface RowRecord {
  /** The field for a key. */
  readonly find: (key: string) => RowField | undefined
  /**
   * Fields that must be handled when a row lacks them: a missing REQUIRED field is an error, a missing REPEATED field becomes
   * an empty array.
   */
  readonly awaited: readonly RowField[]
}

export interface RowField {
  readonly name: string
  /** The name as JSON writes it, with its quotes. */
  readonly key: string
  readonly kind: ScalarKind | 'STRUCT'
  readonly isRepeated: boolean
  readonly isRequired: boolean
  readonly limits: TypeLimits
  /** The fields of a STRUCT; null for other types. */
  readonly record: RowRecord | null
}

/** No limits: NUMERIC, STRING. */
export const UNLIMITED: TypeLimits = { precision: null, scale: null, maxLength: null }

export function rowSchema({
  columns,
  required,
  limits = {},
}: Pick<TableDefinition, 'columns' | 'required' | 'limits'>): RowRecord {
  const isRequired = new Set(required)
  const recordOf = (fields: readonly StructField[], within: string): RowRecord => {
    const compiled = fields.map(field => compile(field, within + field.name))
    return {
      find: finder(compiled),
      awaited: compiled.filter(field => field.isRequired || field.isRepeated),
    }
  }
  const compile = ({ name, type }: StructField, path: string): RowField => {
    const isRepeated = type.kind === 'ARRAY'
    const single = isRepeated ? type.element : type
    return {
      name,
      key: JSON.stringify(name),
      kind: single.kind as ScalarKind | 'STRUCT',
      isRepeated,
      isRequired: isRequired.has(path),
      limits: limits[path] ?? UNLIMITED,
      record: single.kind === 'STRUCT' ? recordOf(single.fields, `${path}${isRepeated ? '[]' : ''}.`) : null,
    }
  }
  return recordOf(columns, '')
}
