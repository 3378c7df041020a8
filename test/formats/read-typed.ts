/** Reads typed values from the text of each format, with a JSON parser of its own that keeps digits and equal names. */
import { parseTypeName, type Type } from '../../googlesql/index.js'
import type { Typed } from './typed-values.js'

/** A JSON value with its text: objects as lists of members, since names may be equal. */
export type Json =
  | { readonly kind: 'null'; readonly raw: string }
  | { readonly kind: 'word'; readonly raw: string; readonly text: string }
  | { readonly kind: 'list'; readonly raw: string; readonly items: readonly Json[] }
  | {
      readonly kind: 'object'
      readonly raw: string
      readonly names: readonly string[]
      readonly items: readonly Json[]
    }

/** @throws SyntaxError where the text is not one JSON value. */
export function parseJson(text: string): Json {
  JSON.parse(text)
  const token = /\s*("(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+)/gy
  let next = token.exec(text)
  const take = (): string => {
    const taken = next![1]!
    next = token.exec(text)
    return taken
  }
  const start = (): number => next!.index + next![0].length - next![1]!.length
  const value = (): Json => {
    const from = start()
    let end = from
    const closing = (): string => {
      end = start() + 1
      return take()
    }
    const first = take()
    if (first === 'null') return { kind: 'null', raw: first }
    if (first !== '[' && first !== '{') {
      return { kind: 'word', raw: first, text: first.startsWith('"') ? JSON.parse(first) : first }
    }
    const items: Json[] = []
    const names: string[] = []
    const close = first === '[' ? ']' : '}'
    if (next![1] === close) closing()
    else {
      do {
        if (first === '{') {
          names.push(JSON.parse(take()))
          take()
        }
        items.push(value())
      } while (closing() === ',')
    }
    const raw = text.slice(from, end)
    return first === '[' ? { kind: 'list', raw, items } : { kind: 'object', raw, names, items }
  }
  return value()
}

/** The typed value of a cell in JSON. */
export function typedOf(json: Json, type: Type): Typed {
  if (json.kind === 'null') return type.kind === 'ARRAY' ? [] : null
  switch (type.kind) {
    case 'ARRAY':
      return (json as Json & { kind: 'list' }).items.map(item => typedOf(item, type.element))
    case 'STRUCT':
      return (json as Json & { kind: 'object' }).items.map((item, i) => typedOf(item, type.fields[i]!.type))
    case 'JSON':
      return json.raw
    default:
      return typedOfText((json as Json & { kind: 'word' }).text, type)
  }
}

/** The typed value of a cell of CSV; null for nothing. */
export function typedOfCell(cell: string | null, type: Type): Typed {
  if (cell === null) return null
  switch (type.kind) {
    case 'ARRAY':
    case 'STRUCT':
    case 'JSON':
      return typedOf(parseJson(cell), type)
    default:
      return typedOfText(cell, type)
  }
}

/** The typed value of a scalar's text, whichever of the two forms a TIMESTAMP has. */
function typedOfText(text: string, { kind }: Type): Typed {
  switch (kind) {
    case 'INT64':
      return BigInt(text)
    case 'NUMERIC':
      return scaled(text, 9)
    case 'BIGNUMERIC':
      return scaled(text, 38)
    case 'FLOAT64':
      return Number(text)
    case 'BOOL':
      return text === 'true'
    case 'BYTES':
      return Buffer.from(text, 'base64').toString('hex')
    case 'DATE':
      return Date.parse(`${text}T00:00:00Z`) / 86_400_000
    case 'TIME':
      return micros(`1970-01-01T${text}Z`)
    case 'DATETIME':
      return micros(`${text}Z`)
    case 'TIMESTAMP':
      return /^-?\d+$/.test(text) ? BigInt(text) : micros(text)
    default:
      return text
  }
}

/** `2026-01-31T12:34:56.123456Z` as microseconds since 1970. */
function micros(text: string): bigint {
  const [, seconds, fraction = ''] = /^([^.]+?)(?:\.(\d+))?Z$/.exec(text)!
  return BigInt(Date.parse(`${seconds}Z`)) * 1_000n + BigInt(fraction.padEnd(6, '0'))
}

function scaled(text: string, scale: number): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  const value = BigInt(whole + fraction.padEnd(scale, '0'))
  return text.startsWith('-') ? -value : value
}

/** A column's type from its name. */
export function typeOf(name: string): Type {
  const type = parseTypeName(name)
  if (!type) throw new TypeError(`not a type: ${name}`)
  return type
}
