/** A table's schema, compiled for checking rows: the fields by key, and the values of missing fields. */
import { fieldType, type ScalarKind, type SchemaField, type Type } from '../../../googlesql/index.js'

/** The fields of a record, or the columns of a table. */
export interface RowRecord {
  /** Fields by name in lower case, since BigQuery's names are case-insensitive. */
  readonly byName: ReadonlyMap<string, RowField>
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
  readonly limits: LeafLimits
  /** The fields of a STRUCT; null for other types. */
  readonly record: RowRecord | null
}

/** The type parameters of `NUMERIC(10, 2)` and `STRING(20)`; null where not declared. */
export type LeafLimits = ReturnType<typeof limitsOf>

/** Compiles a schema; all types of `fields` must be known. */
export function rowSchema(fields: readonly SchemaField[]): RowRecord {
  const compiled = fields.map(compileField)
  return {
    byName: new Map(compiled.map(field => [field.name.toLowerCase(), field])),
    awaited: compiled.filter(field => field.isRequired || field.isRepeated),
  }
}

function compileField(field: SchemaField): RowField {
  const type = fieldType(field)!
  const single: Type = type.kind === 'ARRAY' ? type.element : type
  const mode = field.mode?.toUpperCase()
  return {
    name: field.name,
    key: JSON.stringify(field.name),
    kind: single.kind as ScalarKind | 'STRUCT',
    isRepeated: mode === 'REPEATED',
    isRequired: mode === 'REQUIRED',
    limits: limitsOf(field),
    record: single.kind === 'STRUCT' ? rowSchema(field.fields ?? []) : null,
  }
}

function limitsOf(field: SchemaField) {
  const { precision, scale, maxLength } = field
  const count = (value: string | number | undefined): number | null =>
    value !== undefined && /^\d{1,9}$/.test(String(value)) ? Number(value) : null
  const digits = count(precision)
  return { precision: digits, scale: digits === null ? null : (count(scale) ?? 0), maxLength: count(maxLength) }
}
