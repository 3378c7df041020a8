/** Literals of every type: as nodes, as SQL, and as the values of parameters and rows. */
import { INT64, STRING, type Type, typeName } from '../../googlesql/types/types.js'
import type { Random } from './random.js'
import type { Node } from './tree.js'

/**
 * A value in the form that it has on the wire (INT64 and decimals may be texts, BYTES are base64), except a STRUCT, which is
 * a list in the order of its fields, and JSON, which is its text.
 */
export type Value = unknown

export const literal = (type: Type, value: Value): Node => ({ kind: 'literal', children: [], text: [], type, value })

/** The value as an expression of its type. */
export function literalText(value: Value, type: Type): string {
  if (value === null) return `CAST(NULL AS ${typeName(type)})`
  const text = String(value)
  switch (type.kind) {
    case 'INT64':
      // The smallest INT64 is the negation of a number out of range; both engines accept it as a literal.
      return text
    case 'FLOAT64':
      return floatText(value as number | string)
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return `${type.kind} '${text}'`
    case 'BOOL':
      return value ? 'TRUE' : 'FALSE'
    case 'STRING':
      return quoted(text)
    case 'BYTES':
      return `b'${[...Buffer.from(text, 'base64')].map(byteText).join('')}'`
    case 'DATE':
    case 'TIME':
      return `${type.kind} '${text}'`
    case 'DATETIME':
      return `DATETIME '${text.replace('T', ' ')}'`
    case 'TIMESTAMP':
      return `TIMESTAMP '${text.replace('T', ' ').replace('Z', '+00')}'`
    case 'INTERVAL':
      return `INTERVAL '${text}' YEAR TO SECOND`
    case 'JSON':
      return `JSON ${quoted(text)}`
    case 'RANGE<DATE>':
    case 'RANGE<DATETIME>':
    case 'RANGE<TIMESTAMP>':
      return `${type.kind} '${text}'`
    case 'ARRAY': {
      const items = (value as Value[]).map(item => literalText(item, type.element))
      return `${typeName(type)}[${items.join(', ')}]`
    }
    case 'STRUCT': {
      const fields = type.fields.map((field, i) => literalText((value as Value[])[i], field.type))
      return `${typeName(type)}(${fields.join(', ')})`
    }
  }
}

function floatText(value: number | string): string {
  if (typeof value === 'string') return `CAST('${value}' AS FLOAT64)`
  if (Object.is(value, -0)) return '-0.0'
  const text = String(value)
  return /[.e]/.test(text) ? text.replace('e+', 'e') : `${text}.0`
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  "'": "\\'",
  '\\': '\\\\',
  '\u0000': '\\x00',
}
export const quoted = (text: string): string => `'${[...text].map(char => ESCAPES[char] ?? char).join('')}'`

const byteText = (byte: number): string =>
  byte >= 32 && byte < 127 && byte !== 39 && byte !== 92
    ? String.fromCharCode(byte)
    : `\\x${byte.toString(16).padStart(2, '0')}`

/** The value for a parameter or a table's row: a STRUCT is an object, JSON a parsed value. */
export function wireValue(value: Value, type: Type): unknown {
  if (value === null) return null
  switch (type.kind) {
    case 'ARRAY':
      return (value as Value[]).map(item => wireValue(item, type.element))
    case 'STRUCT':
      return Object.fromEntries(
        type.fields.map((field, i) => [field.name, wireValue((value as Value[])[i], field.type)]),
      )
    case 'JSON':
      return JSON.parse(String(value))
    default:
      return value
  }
}

/** Whether a literal of this type can be bound as a parameter instead of written. */
export const mayBind = (type: Type): boolean =>
  type.kind === 'ARRAY'
    ? mayBind(type.element) && type.element.kind !== 'STRUCT'
    : type.kind !== 'STRUCT' && type.kind !== 'JSON'

export const small = (random: Random, low: number, high: number): Node =>
  literal(INT64, random.chance(0.03) ? null : String(random.between(low, high)))
export const text = (value: string | null): Node => literal(STRING, value)
