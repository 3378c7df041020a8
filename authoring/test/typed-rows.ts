/** Gives each value of a row one spelling, by the type of its column, so that tests may spell expected values differently. */
import {
  dateLiteral,
  datetimeLiteral,
  datetimeText,
  numericLiteral,
  parseTypeName,
  type ScalarKind,
  type StructField,
  type Type,
  timeLiteral,
  timestampLiteral,
} from '../../googlesql/index.js'
import { isRecord } from '../../runner/model/is-record.js'
import type { ResultColumn } from '../../runner/model/query.js'
import type { ResultRow } from './answer.js'

/** Values that are not of their column's type stay as they are. */
export function typedRows(rows: readonly ResultRow[], columns: readonly ResultColumn[]): readonly ResultRow[] {
  const fields = columns.flatMap(({ name, type: text }): StructField[] => {
    const type = parseTypeName(text)
    return type === undefined ? [] : [{ name, type }]
  })
  return rows.map(row => typedRecord(row, fields))
}

function typedRecord(record: ResultRow, fields: readonly StructField[]): ResultRow {
  const types = new Map(fields.map(({ name, type }) => [name, type]))
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const type = types.get(name)
      return [name, type === undefined ? value : typedValue(value, type)]
    }),
  )
}

function typedValue(value: unknown, type: Type): unknown {
  if (type.kind === 'ARRAY') return Array.isArray(value) ? value.map(item => typedValue(item, type.element)) : value
  if (type.kind === 'STRUCT') return isRecord(value) ? typedRecord(value, type.fields) : value
  if (typeof value !== 'string' && typeof value !== 'number') return value
  return SPELLINGS[type.kind]?.(value) ?? value
}

type Spelling = (value: string | number) => unknown

const decimal =
  (kind: 'NUMERIC' | 'BIGNUMERIC'): Spelling =>
  value =>
    numericLiteral(String(value), kind)

const withT = (text: string | null | undefined): string | undefined => text?.replace(' ', 'T')

/** A type that is not listed has one spelling for each value. The result is null or undefined for a value that the type does not have. */
const SPELLINGS: Readonly<Partial<Record<ScalarKind, Spelling>>> = {
  INT64(value) {
    const text = /^[+-]?\d+$/.test(String(value)) ? BigInt(String(value).replace('+', '')) : null
    return text !== null && Number.isSafeInteger(Number(text)) ? Number(text) : text && String(text)
  },
  FLOAT64: value => (/\d/.test(String(value)) && Number.isFinite(Number(value)) ? Number(value) : null),
  NUMERIC: decimal('NUMERIC'),
  BIGNUMERIC: decimal('BIGNUMERIC'),
  DATE: value => dateLiteral(String(value)),
  TIME: value => timeLiteral(String(value)),
  DATETIME: value => withT(datetimeLiteral(String(value))),
  TIMESTAMP(value) {
    // `timestamps: unix_micros` makes them numbers.
    const text = typeof value === 'number' ? datetimeText(value) : timestampLiteral(value.replace(/ (?=[+-])/, ''))
    return withT(text)?.replace(/(?:\+00)?$/, 'Z')
  },
}
