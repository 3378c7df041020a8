/** GoogleSQL's types, and their names. Source: the language reference, "Data types". */
import type { RangeElementKind } from '../values/ranges.js'

export const SCALAR_TYPES = [
  'INT64',
  'FLOAT64',
  'NUMERIC',
  'BIGNUMERIC',
  'BOOL',
  'STRING',
  'BYTES',
  'DATE',
  'DATETIME',
  'TIME',
  'TIMESTAMP',
  'INTERVAL',
  'JSON',
  'RANGE<DATE>',
  'RANGE<DATETIME>',
  'RANGE<TIMESTAMP>',
] as const
export type ScalarKind = (typeof SCALAR_TYPES)[number]

/** A range is a scalar type: only the range functions read its bounds. */
export type RangeKind = Extract<ScalarKind, `RANGE<${string}>`>
export type { RangeElementKind } from '../values/ranges.js'

export interface ScalarType {
  readonly kind: ScalarKind
}
export interface ArrayType {
  readonly kind: 'ARRAY'
  readonly element: Type
}
/** A field of a struct; its name is empty if it has none. Names are matched without regard to case. */
export interface StructField {
  readonly name: string
  readonly type: Type
}
export interface StructType {
  readonly kind: 'STRUCT'
  readonly fields: readonly StructField[]
}
export type Type = ScalarType | ArrayType | StructType

const BY_KIND = Object.fromEntries(SCALAR_TYPES.map(kind => [kind, Object.freeze({ kind })])) as Readonly<
  Record<ScalarKind, ScalarType>
>
export const { INT64, FLOAT64, NUMERIC, BIGNUMERIC, BOOL, STRING, BYTES } = BY_KIND
export const { DATE, DATETIME, TIME, TIMESTAMP, JSON: JSON_TYPE } = BY_KIND

const RANGE_ELEMENTS: Readonly<Record<RangeKind, RangeElementKind>> = {
  'RANGE<DATE>': 'DATE',
  'RANGE<DATETIME>': 'DATETIME',
  'RANGE<TIMESTAMP>': 'TIMESTAMP',
}
export const isRangeKind = (kind: Type['kind']): kind is RangeKind => Object.hasOwn(RANGE_ELEMENTS, kind)

/** The type of the range's bounds. */
export const elementOfRange = (kind: RangeKind): RangeElementKind => RANGE_ELEMENTS[kind]

/** Other spellings of the scalar types. */
const INTEGERS = /^(?:INT|INTEGER|BIGINT|SMALLINT|TINYINT|BYTEINT)$/
const TYPE_ALIASES: Readonly<Record<string, ScalarKind>> = {
  BOOLEAN: 'BOOL',
  DECIMAL: 'NUMERIC',
  BIGDECIMAL: 'BIGNUMERIC',
}

/** The scalar type with this name or alias, in any case; undefined for any other name. */
export function scalarType(name: string): ScalarType | undefined {
  const upper = name.toUpperCase()
  const kind = Object.hasOwn(TYPE_ALIASES, upper) ? TYPE_ALIASES[upper] : INTEGERS.test(upper) ? 'INT64' : upper
  return Object.hasOwn(BY_KIND, kind as string) ? BY_KIND[kind as ScalarKind] : undefined
}

export const arrayOf = (element: Type): ArrayType => ({ kind: 'ARRAY', element })
export const structOf = (fields: readonly StructField[]): StructType => ({ kind: 'STRUCT', fields })

/** The type as GoogleSQL writes it: `ARRAY<STRUCT<a INT64, STRING>>`. */
export function typeName(type: Type): string {
  switch (type.kind) {
    case 'ARRAY':
      return `ARRAY<${typeName(type.element)}>`
    case 'STRUCT':
      return `STRUCT<${type.fields.map(f => fieldPrefix(f.name) + typeName(f.type)).join(', ')}>`
    default:
      return type.kind
  }
}

/** A field's name before its type. A name that is not an identifier is quoted, so that the text can be parsed. */
function fieldPrefix(name: string): string {
  if (name === '') return ''
  return /^[A-Za-z_]\w*$/.test(name) ? `${name} ` : `\`${name}\` `
}

/** The type as messages write it: a struct is cut after three fields. */
export function shortTypeName(type: Type): string {
  if (type.kind === 'ARRAY') return `ARRAY<${shortTypeName(type.element)}>`
  if (type.kind !== 'STRUCT') return type.kind
  const fields = type.fields.map(f => (f.name === '' ? '' : `${f.name} `) + shortTypeName(f.type))
  return `STRUCT<${(fields.length > 3 ? [...fields.slice(0, 3), '...'] : fields).join(', ')}>`
}

/** Whether the types are equal. Without `isSameField`, the names of struct fields may differ. */
export function isEquivalent(a: Type, b: Type, isSameField?: (a: StructField, b: StructField) => boolean): boolean {
  if (a.kind === 'ARRAY') return b.kind === 'ARRAY' && isEquivalent(a.element, b.element, isSameField)
  if (a.kind !== 'STRUCT' || b.kind !== 'STRUCT') return a.kind === b.kind
  const isSame = (field: StructField, other: StructField): boolean =>
    isSameField?.(field, other) !== false && isEquivalent(field.type, other.type, isSameField)
  return a.fields.length === b.fields.length && a.fields.every((field, i) => isSame(field, b.fields[i]!))
}

/** Whether the types are equal, including the names of struct fields (without regard to case). */
export const sameType = (a: Type, b: Type): boolean =>
  isEquivalent(a, b, (field, other) => field.name.toLowerCase() === other.name.toLowerCase())

export const isNumeric = (type: Type): boolean =>
  type.kind === 'INT64' || type.kind === 'FLOAT64' || type.kind === 'NUMERIC' || type.kind === 'BIGNUMERIC'
