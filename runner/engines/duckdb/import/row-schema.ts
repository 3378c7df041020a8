/** A table's schema, compiled for reading rows: what each key may hold, and what is filled in where it is missing. */
import { fieldType, type ScalarKind, type SchemaField, type Type } from '../../../../googlesql/index.js'

/** A record's fields, or the columns of a table. */
export interface RowRecord {
  readonly fields: readonly RowField[]
  /** By name in lower case: BigQuery's names are the same in any case. */
  readonly byName: ReadonlyMap<string, RowField>
  /** Those that must not stay away: REQUIRED ones, and REPEATED ones, which are empty then. */
  readonly awaited: readonly RowField[]
}

export interface RowField {
  /** In its record. */
  readonly index: number
  readonly name: string
  /** The name as JSON writes it, with its quotes. */
  readonly key: Uint8Array
  readonly kind: ScalarKind | 'STRUCT'
  readonly isRepeated: boolean
  readonly isRequired: boolean
  readonly limits: LeafLimits
  /** Of a STRUCT. */
  readonly record: RowRecord | null
  /** `"name":[]` */
  readonly emptyText: string
}

/** Of `NUMERIC(10, 2)` and `STRING(20)`; null where there is none. */
export interface LeafLimits {
  readonly precision: number | null
  readonly scale: number | null
  readonly maxLength: number | null
}

/** `fields` must have types that are known. */
export function rowSchema(fields: readonly SchemaField[]): RowRecord {
  const compiled = fields.map(compileField)
  return {
    fields: compiled,
    byName: new Map(compiled.map(field => [field.name.toLowerCase(), field])),
    awaited: compiled.filter(field => field.isRequired || field.isRepeated),
  }
}

function compileField(field: SchemaField, index: number): RowField {
  const type = fieldType(field)!
  const single: Type = type.kind === 'ARRAY' ? type.element : type
  const mode = field.mode?.toUpperCase()
  return {
    index,
    name: field.name,
    key: Buffer.from(JSON.stringify(field.name)),
    kind: single.kind as ScalarKind | 'STRUCT',
    isRepeated: mode === 'REPEATED',
    isRequired: mode === 'REQUIRED',
    limits: limitsOf(field),
    record: single.kind === 'STRUCT' ? rowSchema(field.fields ?? []) : null,
    emptyText: `${JSON.stringify(field.name)}:[]`,
  }
}

function limitsOf(field: SchemaField): LeafLimits {
  const { precision, scale, maxLength } = field
  const count = (value: string | number | undefined): number | null =>
    value !== undefined && /^\d{1,9}$/.test(String(value)) ? Number(value) : null
  const digits = count(precision)
  return { precision: digits, scale: digits === null ? null : (count(scale) ?? 0), maxLength: count(maxLength) }
}
