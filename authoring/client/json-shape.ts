/** The shapes that a column's values have in JSON, in terms that any programming language can write as a type. */
import { ANY_STRUCT, distinctNames, parseOpenTypeName, type Type } from '../../googlesql/index.js'
import type { PublishedColumn, PublishedField } from '../../runner/model/published-endpoint.js'
import { withFacts } from './comment-text.js'
import type { ClientEndpoint } from './contract.js'

export type JsonShape =
  | PlainShape
  /** No element is null. */
  | { readonly kind: 'array'; readonly element: JsonShape }
  /** The members in order, all with different names; null where they are not known. */
  | { readonly kind: 'object'; readonly members: readonly Member[] | null }

/**
 * `integer or string` is an INT64: a number, and beyond ±(2^53−1) a string. `number or word` is a FLOAT64: a number, or one of the
 * strings NaN, Infinity and -Infinity. `any` is any JSON value, null included.
 */
export interface PlainShape {
  readonly kind: 'string' | 'boolean' | 'integer' | 'number' | 'integer or string' | 'number or word' | 'any'
}

/** A column of a row, or a field of a STRUCT. */
export interface Member {
  readonly name: string
  readonly shape: JsonShape
  readonly isNullable: boolean
  /** What a reader must know about the member: description, type where the shape does not show it, unit. May be empty. */
  readonly text: string
}

/** The members of a row of the endpoint's result. */
export function rowOf({ columns, settings }: Pick<ClientEndpoint, 'columns' | 'settings'>): readonly Member[] {
  return columns.map(column => columnMember(column, settings.timestamps))
}

type JsonNumberForm = PublishedColumn['json']

function columnMember(column: PublishedColumn, timestamps: unknown): Member {
  const { name, description, required, json, unit } = column
  const type = parseOpenTypeName(column.type)
  // A type that this version does not know may have any form.
  const shape: JsonShape = !type ? { kind: 'any' } : shapeOf(type, timestamps, json, column.fields)
  const facts = [type ? typeText(type) : column.type, unit ?? '']
  return { name, shape, isNullable: mayBeNull(shape) && !required, text: withFacts(description, facts) }
}

function shapeOf(type: Type, timestamps: unknown, json: JsonNumberForm, fields?: readonly PublishedField[]): JsonShape {
  if (type.kind === 'ARRAY') return { kind: 'array', element: shapeOf(type.element, timestamps, undefined, fields) }
  if (type.kind !== 'STRUCT') return { kind: scalarKind(type.kind, timestamps, json) }
  if (type === ANY_STRUCT) return { kind: 'object', members: null }
  const names = distinctNames(type.fields.map(field => field.name))
  const members = type.fields.map((field, i) => {
    const { required = false, json: form, fields: nested }: Partial<PublishedField> = fields?.[i] ?? {}
    const shape = shapeOf(field.type, timestamps, form, nested)
    return {
      name: names[i]!,
      shape,
      isNullable: mayBeNull(shape) && !required,
      text: SHOWS_TYPE.test(shape.kind) ? '' : typeText(field.type),
    }
  })
  return { kind: 'object', members }
}

function scalarKind(type: string, timestamps: unknown, json: JsonNumberForm): PlainShape['kind'] {
  if (type === 'BOOL') return 'boolean'
  if (type === 'JSON') return 'any'
  if (type === 'INT64' && json === undefined) return 'integer or string'
  if (type === 'INT64') return json === 'number' ? 'integer' : 'string'
  if (type === 'FLOAT64') return json === 'number' ? 'number' : 'number or word'
  if (/^(?:BIG)?NUMERIC$/.test(type)) return json === 'number' ? 'number' : 'string'
  return type === 'TIMESTAMP' && timestamps === 'unix_micros' ? 'integer' : 'string'
}

/** False for arrays, since a NULL array is written as `[]`, and for the kind `any`, which already includes null. */
const mayBeNull = (shape: JsonShape): boolean => shape.kind !== 'array' && shape.kind !== 'any'

/** The kinds that show the type by themselves: the first is always an INT64, the second always a FLOAT64. */
const SHOWS_TYPE = /^(?:integer or string|number or word)$/

/** The type in words; empty where the shape shows it. */
function typeText({ kind, ...type }: Type): string {
  if ('element' in type) return type.element.kind === 'STRUCT' ? '' : `ARRAY<${type.element.kind}>`
  return kind === 'STRUCT' || kind === 'STRING' || kind === 'BOOL' ? '' : kind
}
