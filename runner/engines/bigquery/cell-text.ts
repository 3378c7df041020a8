/** Reads the cells of BigQuery's REST rows straight to text, by functions compiled once for each column's type. */
import { objectKeys } from '../../encode/row-writer.js'
import { type ScalarTexts, scalarTexts } from '../../encode/scalar-text.js'
import { canonicalJson } from '../../googlesql/json-text.js'
import type { ScalarKind, StructField, Type } from '../../googlesql/types.js'
import type { ResultFormat } from '../../model/query.js'

/** The text of the cell whose `v` this is; null for a NULL that its format writes as nothing. */
export type CellText = (v: unknown) => string | null
type JsonText = (v: unknown) => string
type Scalar = (value: string) => string

export interface CellOptions {
  readonly format: ResultFormat
  readonly timestamps: 'iso8601' | 'unix_micros'
}

/** BigQuery's answer is not of the form that its reference describes. */
export class UnexpectedCellError extends Error {
  override readonly name = 'UnexpectedCellError'
}

/** @throws, when it runs, UnexpectedCellError and ValueError. */
export function compileCellText({ type }: StructField, { format, timestamps }: CellOptions): CellText {
  const json = scalarTexts({ style: 'json', timestamps })
  if (format !== 'csv') return jsonText(type, json)
  if (type.kind === 'STRUCT' || type.kind === 'ARRAY') {
    const text = jsonText(type, json)
    return v => (type.kind === 'STRUCT' && v === null ? null : text(v))
  }
  const text = scalarText(type.kind, scalarTexts({ style: 'plain', timestamps }))
  return v => (v === null || v === undefined ? null : text(scalarOf(v, type.kind)))
}

function jsonText(type: Type, texts: ScalarTexts): JsonText {
  switch (type.kind) {
    case 'ARRAY':
      return arrayText(type.element, texts)
    case 'STRUCT':
      return structText(type.fields, texts)
    default: {
      const { kind } = type
      const text = scalarText(kind, texts)
      return v => (v === null || v === undefined ? 'null' : text(scalarOf(v, kind)))
    }
  }
}

/** A NULL array is an empty one in results. */
function arrayText(element: Type, texts: ScalarTexts): JsonText {
  const item = jsonText(element, texts)
  return v => {
    if (v === null || v === undefined) return '[]'
    if (!Array.isArray(v)) throw unexpected('ARRAY')
    const cells: readonly unknown[] = v
    let text = '['
    for (let i = 0; i < cells.length; i++) text += (i === 0 ? '' : ',') + item(cellValue(cells[i]))
    return `${text}]`
  }
}

function structText(fields: readonly StructField[], texts: ScalarTexts): JsonText {
  const keys = objectKeys(fields.map(field => field.name))
  const members = fields.map(field => jsonText(field.type, texts))
  return v => {
    if (v === null || v === undefined) return 'null'
    const cells = (v as { readonly f?: readonly unknown[] }).f
    if (!Array.isArray(cells) || cells.length !== members.length) throw unexpected('STRUCT')
    if (members.length === 0) return '{}'
    let text = ''
    for (let i = 0; i < members.length; i++) text += keys[i]! + members[i]!(cellValue(cells[i]))
    return `${text}}`
  }
}

function cellValue(cell: unknown): unknown {
  return (cell as { readonly v?: unknown } | null)?.v
}

/** @throws UnexpectedCellError when it is no text. */
export function scalarOf(v: unknown, kind: ScalarKind): string {
  if (typeof v === 'string') return v
  throw unexpected(kind)
}

export function unexpected(kind: string): UnexpectedCellError {
  return new UnexpectedCellError(`${kind} expected, BigQuery gave another form`)
}

/** Fewer digits than any integer beyond 2^53 has. */
const SHORT_INTEGER = 16

/** From the exact text of BigQuery to the text of results. */
export function scalarText(kind: ScalarKind, texts: ScalarTexts): Scalar {
  switch (kind) {
    case 'INT64':
      return value => (value.length < SHORT_INTEGER ? value : texts.int64(BigInt(value)))
    case 'FLOAT64':
      return value => texts.float64(floatOf(value))
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return texts.numeric
    case 'BOOL':
      return value => texts.bool(value === 'true' || (value !== 'false' && value.toLowerCase() === 'true'))
    case 'STRING':
      return texts.string
    // Base64 and dates come as they are written in results; neither holds a character that JSON would escape.
    case 'BYTES':
    case 'DATE':
      return texts.interval
    case 'TIME':
      return value => texts.interval(exactFraction(value))
    case 'DATETIME':
      return value => texts.interval(exactFraction(value.replace(' ', 'T')))
    case 'TIMESTAMP':
      return value => texts.timestamp(microsOf(value))
    case 'INTERVAL':
      return value => texts.interval(exactFraction(value))
    case 'JSON':
      return value => texts.json(jsonOf(value))
    default:
      return kind satisfies never
  }
}

function floatOf(text: string): number {
  switch (text.toLowerCase()) {
    case 'nan':
      return Number.NaN
    case 'inf':
    case '+inf':
    case 'infinity':
      return Number.POSITIVE_INFINITY
    case '-inf':
    case '-infinity':
      return Number.NEGATIVE_INFINITY
    default:
      return Number(text)
  }
}

/** A fraction of 3 or 6 digits, or none where it is zero, as TO_JSON_STRING writes times; the answer may hold any. */
function exactFraction(text: string): string {
  const dot = text.indexOf('.')
  if (dot < 0) return text
  const micros = text.slice(dot + 1, dot + 7).padEnd(6, '0')
  if (micros === '000000') return text.slice(0, dot)
  return `${text.slice(0, dot)}.${micros.endsWith('000') ? micros.slice(0, 3) : micros}`
}

/**
 * Microseconds since 1970. They are asked for as an integer; whoever does not know that question answers with seconds,
 * perhaps with a fraction and an exponent, which are shifted as text: a number would round them.
 */
function microsOf(text: string): bigint | number {
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)
  const parts = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text)
  if (!parts) throw unexpected('TIMESTAMP')
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const shift = Number(exponent) + 6
  if (Math.abs(shift) > 40) throw unexpected('TIMESTAMP')
  const point = whole.length + shift
  const digits = (whole + fraction).padEnd(point, '0')
  return BigInt(`${sign}${point > 0 ? digits.slice(0, point) : '0'}`)
}

/** BigQuery keeps JSON in this form; what it sends is not relied upon to be in it. */
function jsonOf(text: string): string {
  const canonical = canonicalJson(text, 'round')
  if ('error' in canonical) throw unexpected('JSON')
  return canonical.text
}
