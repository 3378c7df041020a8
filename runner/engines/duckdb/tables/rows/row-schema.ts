/** Compiles a table's definition for checking rows: it finds fields by key, and has the values of missing fields. */
import type { ScalarKind, StructField, TableDefinition, TypeLimits } from '../../../../../googlesql/data.js'
import { finderOf } from './column-name.js'

/** The fields of a record, or the columns of a table. */
export interface RowRecord {
  /** In the order of the table. */
  readonly fields: readonly RowField[]
  /** The field for a key. */
  readonly find: (key: string) => RowField | undefined
  /**
   * The fields that need work when a row lacks them: a missing REQUIRED field is an error, a missing REPEATED field becomes an empty
   * array, and a field with a `folderValue` gets it.
   */
  readonly neededFields: readonly RowField[]
}

export interface RowField {
  readonly name: string
  /** The name as JSON writes it, with its quotes. */
  readonly key: string
  readonly kind: ScalarKind | 'STRUCT'
  readonly isRepeated: boolean
  readonly isRequired: boolean
  readonly limits: TypeLimits
  /** The value as JSON where the name of the file's folder gives it; null where rows give it. */
  readonly folderValue: string | null
  /** The fields of a STRUCT; null for other types. */
  readonly record: RowRecord | null
}

/** The limits of a type without parameters, such as NUMERIC or STRING. */
export const UNLIMITED: TypeLimits = { precision: null, scale: null, maxLength: null }

/** A column whose value is not in the rows of a file. */
export interface GivenColumn {
  readonly column: StructField
  /** The value as JSON, which a row gets. */
  readonly json: string
}

/** @param given the columns whose values are not in the file */
export function rowSchema(
  { columns, required, limits = {} }: Pick<TableDefinition, 'columns' | 'required' | 'limits'>,
  given: readonly GivenColumn[] = [],
): RowRecord {
  const isRequired = new Set(required)
  const recordOf = (fields: readonly StructField[], within: string): RowRecord => {
    const rowFields = fields.map(field => compile(field, within + field.name))
    return {
      fields: rowFields,
      find: finderOf(rowFields),
      neededFields: rowFields.filter(field => field.isRequired || field.isRepeated || field.folderValue !== null),
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
      folderValue: given.find(({ column }) => column.name === path)?.json ?? null,
      record: single.kind === 'STRUCT' ? recordOf(single.fields, `${path}${isRepeated ? '[]' : ''}.`) : null,
    }
  }
  return recordOf(columns, '')
}
