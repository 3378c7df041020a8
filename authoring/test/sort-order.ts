/** The order of rows as BigQuery's ORDER BY has it: NULL before all other values, NaN before all other numbers. */
import type { ResultColumn } from '../../runner/model/query.js'
import type { ResultRow } from './answer.js'

type SortedBy = ReturnType<typeof sortKey>

/** `revenue desc` as `ordered_by` has it. */
export function sortKey(text: string) {
  const [column = '', direction = 'asc'] = text.trim().split(/ +/)
  return { column, isDescending: direction.toLowerCase() === 'desc' }
}

/** The index of the first row that stands before one that it should follow; -1 where the rows are sorted. */
export function firstUnsorted(
  rows: readonly ResultRow[],
  columns: readonly ResultColumn[],
  keys: readonly SortedBy[],
): number {
  const compareRows = (a: ResultRow, b: ResultRow): number => {
    for (const { column, isDescending } of keys) {
      const type = columns.find(({ name }) => name === column)?.type ?? 'STRING'
      const order = compareValues(type, a[column] ?? null, b[column] ?? null)
      if (order !== 0) return isDescending ? -order : order
    }
    return 0
  }
  return rows.findIndex((row, i) => i > 0 && compareRows(rows[i - 1]!, row) > 0)
}

/** Negative, zero or positive, by the order of the column's type; values as results have them. */
function compareValues(type: string, a: unknown, b: unknown): number {
  if (a === null || b === null) return (a === null ? 0 : 1) - (b === null ? 0 : 1)
  if (/^(?:INT64|NUMERIC|BIGNUMERIC)$/.test(type)) return compareDecimals(String(a), String(b))
  if (type === 'FLOAT64') {
    const [x, y] = [Number(a), Number(b)]
    if (Number.isNaN(x) || Number.isNaN(y)) return (Number.isNaN(x) ? 0 : 1) - (Number.isNaN(y) ? 0 : 1)
    return x < y ? -1 : x > y ? 1 : 0
  }
  if (typeof a === 'boolean' || typeof a === 'number') return Number(a) - Number(b)
  // '.' sorts before 'Z', so 12:00:00.5Z would come before 12:00:00Z.
  const text = (value: unknown): string => (type === 'TIMESTAMP' ? String(value).replace(/Z$/, '') : String(value))
  // By code points, as UTF-8 sorts: UTF-16 has those beyond U+FFFF before U+E000.
  return Buffer.compare(Buffer.from(text(a)), Buffer.from(text(b)))
}

/** Compares decimal texts exactly, `-12.5` and `3`; a number in exponent form by its value. */
function compareDecimals(a: string, b: string): number {
  if (/e/i.test(a + b)) return Number(a) - Number(b)
  const digits = Math.max(fractionOf(a).length, fractionOf(b).length)
  const scaled = (text: string): bigint => {
    const [, sign = '', whole = ''] = /^([+-]?)(\d*)/.exec(text)!
    const value = BigInt(`${whole}${fractionOf(text).padEnd(digits, '0')}` || '0')
    return sign === '-' ? -value : value
  }
  const [x, y] = [scaled(a), scaled(b)]
  return x < y ? -1 : x > y ? 1 : 0
}

const fractionOf = (text: string): string => text.split('.')[1] ?? ''
