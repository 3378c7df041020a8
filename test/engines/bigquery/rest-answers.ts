/** Random BigQuery answers with rows, and their rows decoded with JSON.parse, a slow and simple reference. */
import type { SchemaField } from '../../../googlesql/index.js'
import type { RestSchema } from '../../../runner/engines/bigquery/rest-messages.js'

/** `v` is a string, null, `{ f: […] }` for a RECORD, or a list of `{ v }` for a REPEATED field. */
export interface RestCell {
  readonly v: unknown
}

export interface RestRow {
  readonly f: readonly RestCell[]
}

/** Draws a number from 0 to below `count`; the same seed always gives the same numbers. */
export type Draw = (count: number) => number

/** The numbers of this seed. Only the seed is drawn by fast-check: drawing each letter with fast-check takes minutes. */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0
  return count => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
}

export const oneOf = <T>(draw: Draw, values: readonly T[]): T => values[draw(values.length)]!

const LETTERS = [
  ...'abcXYZ 019<>&=\'/"\\{}[],:\u0000\n\t\u001f\u007f\u0080éß߿ࠀ日\u2028\ufeff\uffff😀',
  '\ud800',
  '\udc00',
] as const

const textOf = (draw: Draw, length: number): string => Array.from({ length }, () => oneOf(draw, LETTERS)).join('')

/** A random number of up to 63 bits. */
const wide = (draw: Draw): bigint => BigInt(draw(2 ** 31)) * 2n ** 32n + BigInt(draw(2 ** 32))

/** For each type, a function that draws a value as BigQuery writes it. */
const SCALARS: Readonly<Record<string, (draw: Draw) => string>> = {
  STRING: draw => (draw(3) === 0 ? 'plain '.repeat(draw(12)) : textOf(draw, draw(24))),
  INTEGER: draw => String(BigInt.asIntN(64, wide(draw) * BigInt(1 + draw(3)))),
  INT64: draw => String(draw(2 ** 32) - 2 ** 31),
  FLOAT64: draw =>
    draw(5) === 0
      ? oneOf(draw, ['NaN', 'Infinity', '-Infinity', '0', '-0'])
      : String((draw(2 ** 32) - 2 ** 31) / 2 ** draw(40)),
  BOOL: draw => oneOf(draw, ['true', 'false']),
  TIMESTAMP: draw => String((wide(draw) % 315_537_897_600_000_000n) - 62_135_596_800_000_000n),
  DATE: draw => new Date(draw(2 ** 32) * 900).toISOString().slice(0, 10),
  BYTES: draw => Buffer.from(Array.from({ length: draw(20) }, () => draw(256))).toString('base64'),
}
const MODES = ['NULLABLE', 'REQUIRED', 'REPEATED'] as const

export interface DrawnAnswer {
  readonly schema: RestSchema
  readonly rows: readonly RestRow[]
}

export function drawAnswer(draw: Draw): DrawnAnswer {
  const fields = drawFields(draw, 0)
  const count = draw(5)
  return { schema: { fields }, rows: Array.from({ length: count }, () => drawRecord(draw, fields)) }
}

function drawFields(draw: Draw, depth: number): readonly SchemaField[] {
  return Array.from({ length: 1 + draw(4) }, (_, i) => {
    const name = `${oneOf(draw, ['a', 'naïve', 'q"', '日本'])}${i}`
    const mode = oneOf(draw, MODES)
    if (depth < 2 && draw(4) === 0) {
      return { name, mode, type: 'RECORD', fields: drawFields(draw, depth + 1) }
    }
    return { name, mode, type: oneOf(draw, Object.keys(SCALARS)) }
  })
}

function drawRecord(draw: Draw, fields: readonly SchemaField[]): RestRow {
  return { f: fields.map(field => ({ v: drawValue(draw, field) })) }
}

function drawValue(draw: Draw, field: SchemaField): unknown {
  if (field.mode === 'REPEATED') {
    const element = { ...field, mode: 'REQUIRED' }
    return Array.from({ length: draw(4) }, () => ({ v: drawValue(draw, element) }))
  }
  if (field.mode === 'NULLABLE' && draw(6) === 0) return null
  return field.fields ? drawRecord(draw, field.fields) : SCALARS[field.type]!(draw)
}

/**
 * One of the many JSON texts of the answer: with any white space and escapes that JSON allows, members in any order, and
 * unknown members.
 */
export function drawText(draw: Draw, answer: DrawnAnswer): string {
  const isPlain = draw(2) === 0
  const space = (): string => (isPlain ? '' : oneOf(draw, ['', '', ' ', '\n', '\r\n\t ']))
  return written({ totalRows: '1', ...answer, cacheHit: false })

  function written(value: unknown): string {
    if (Array.isArray(value)) return `[${space()}${value.map(written).join(`${space()},${space()}`)}${space()}]`
    if (typeof value === 'string') return quoted(value)
    if (typeof value !== 'object' || value === null) return String(value)
    const known = Object.entries(value)
    const others: [string, unknown][] = !isPlain && draw(9) === 0 ? [['etag', { v: [1, 'x]}"', null] }]] : []
    const members: (readonly [string, unknown])[] = [...known, ...others]
    if (!isPlain) members.sort(() => draw(3) - 1)
    return `{${space()}${members
      .map(([name, of]) => `${quoted(name)}${space()}:${space()}${written(of)}`)
      .join(`${space()},${space()}`)}${space()}}`
  }

  function quoted(text: string): string {
    const plain = JSON.stringify(text)
    if (isPlain) return plain
    // Google's servers escape some letters in this way.
    if (draw(2) === 0) return plain.replace(/[<>&='/]/g, unicode)
    return `"${Array.from({ length: text.length }, (_, i) => escaped(text[i]!)).join('')}"`
  }

  /** The text of one UTF-16 unit. A surrogate is always escaped, since the other half of its pair may be escaped. */
  function escaped(unit: string): string {
    return draw(6) === 0 || /[\ud800-\udfff]/.test(unit) ? unicode(unit) : JSON.stringify(unit).slice(1, -1)
  }
}

const unicode = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The expected rows, as the JSON array of arrays that results contain. */
export function expectedRows(text: string): string {
  const { schema = {}, rows = [] } = JSON.parse(text) as Partial<DrawnAnswer>
  const fields = schema.fields ?? []
  return `[${rows.map(row => `[${row.f.map((cell, i) => expected(fields[i]!, cell.v)).join(',')}]`).join(',')}]`
}

function expected(field: SchemaField, v: unknown): string {
  if (v === null) return 'null'
  if (Array.isArray(v)) return `[${v.map(cell => expected(field, (cell as { v: unknown }).v)).join(',')}]`
  if (field.fields) {
    const { f } = v as RestRow
    return `{${field.fields.map((one, i) => `${JSON.stringify(one.name)}:${expected(one, f[i]!.v)}`).join(',')}}`
  }
  const text = v as string
  switch (field.type.toUpperCase()) {
    case 'INT':
    case 'INTEGER':
    case 'INT64':
      return BigInt(Number(text)) === BigInt(text) && Math.abs(Number(text)) <= 2 ** 53 ? text : `"${text}"`
    case 'FLOAT':
    case 'FLOAT64':
      return Number.isFinite(Number(text))
        ? JSON.stringify(Number(text)).replace(/^0$/, Object.is(Number(text), -0) ? '-0' : '0')
        : `"${text.replace(/^nan$/i, 'NaN').replace(/inf(inity)?$/i, 'Infinity')}"`
    case 'BOOL':
    case 'BOOLEAN':
      return text
    case 'TIMESTAMP':
      return JSON.stringify(timestampText(BigInt(text)))
    default:
      return JSON.stringify(text)
  }
}

function timestampText(micros: bigint): string {
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = new Date(Number((micros - rest) / 1_000n)).toISOString().slice(0, 19)
  const fraction = String(rest).padStart(6, '0').replace(/000$/, '')
  return rest === 0n ? `${seconds}Z` : `${seconds}.${fraction}Z`
}
