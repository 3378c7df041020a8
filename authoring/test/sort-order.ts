/** The order of rows as BigQuery's ORDER BY has it: NULL before all other values, NaN before all other numbers. */
import type { ResultColumn } from '../../runner/model/query.js'
import { compareValues as compareTyped } from '../../runner/model/typed-value.js'
import type { ResultRow } from './answer.js'

type SortKey = ReturnType<typeof sortKey>

/** Reads an item of `ordered_by`, such as `revenue desc`. */
export function sortKey(text: string) {
  const [column = '', direction = 'asc'] = text.trim().split(/ +/)
  return { column, isDescending: direction.toLowerCase() === 'desc' }
}

/** The index of the first row that should stand before the row above it; -1 where the rows are sorted. */
export function firstUnsorted(
  rows: readonly ResultRow[],
  columns: readonly ResultColumn[],
  keys: readonly SortKey[],
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
  if (a === null || b === null) return Number(b === null) - Number(a === null)
  if (/^(?:INT64|NUMERIC|BIGNUMERIC)$/.test(type) && typeof a === 'string' && typeof b === 'string') {
    return compareTyped('bignumeric', a, b)
  }
  if (type === 'FLOAT64' || typeof a !== 'string' || typeof b !== 'string') return compareNumbers(Number(a), Number(b))
  // '.' sorts before 'Z', so 12:00:00.5Z would come before 12:00:00Z.
  const bytesOf = (value: string): Buffer => Buffer.from(type === 'TIMESTAMP' ? value.replace(/Z$/, '') : value)
  // By code points, as UTF-8 sorts: UTF-16 sorts U+10000 and the code points after it before U+E000.
  return Buffer.compare(bytesOf(a), bytesOf(b))
}

function compareNumbers(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(b)) - Number(Number.isNaN(a))
  return a < b ? -1 : a > b ? 1 : 0
}
