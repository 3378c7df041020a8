/** Sorts rows by a column: the places of rows, in their new order. */
import { isNested } from '../value/cell.js'
import { kindOf } from '../value/types.js'

export interface Sorting {
  readonly column: number
  readonly isDescending: boolean
}

/** Equal rows keep their order; NULL comes last in both directions. */
export function orderOf(
  rows: readonly (readonly unknown[])[],
  type: string,
  { column, isDescending }: Sorting,
): readonly number[] {
  const sign = isDescending ? -1 : 1
  const compare = kindOf(type) === 'number' ? compareNumbers : compareTexts
  const values = rows.map(row => row[column])
  return rows
    .map((_, place) => place)
    .sort((a, b) => {
      const [x, y] = [values[a], values[b]]
      if (x === null || y === null) return x === y ? a - b : x === null ? 1 : -1
      return sign * compare(x, y) || a - b
    })
}

/** Digits beyond those of a double decide where the doubles are equal. */
function compareNumbers(x: unknown, y: unknown): number {
  const [a, b] = [Number(x), Number(y)]
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(b)) - Number(Number.isNaN(a))
  return a === b ? compareDigits(String(x), String(y)) : a - b
}

const DIGITS = /^-?\d+(?:\.(\d+))?$/

function compareDigits(x: string, y: string): number {
  const [left, right] = [DIGITS.exec(x), DIGITS.exec(y)]
  if (left === null || right === null) return 0
  const places = Math.max(left[1]?.length ?? 0, right[1]?.length ?? 0)
  const whole = ([text, fraction = '']: RegExpExecArray): bigint =>
    BigInt(text.replace('.', '') + '0'.repeat(places - fraction.length))
  const [a, b] = [whole(left), whole(right)]
  return a < b ? -1 : a > b ? 1 : 0
}

function compareTexts(x: unknown, y: unknown): number {
  const [a, b] = [plain(x), plain(y)]
  return a < b ? -1 : a > b ? 1 : 0
}

const plain = (value: unknown): string => (isNested(value) ? JSON.stringify(value) : String(value))
