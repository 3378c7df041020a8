/** Formats rows as a text table for a terminal. */
import { stringifyExact } from '../../runner/model/exact-json.js'
import type { ResultColumn } from '../../runner/model/query.js'
import { cut, printable, widthOf } from './printable.js'

const MAX_WIDTH = 60

/** Aligns numbers right and everything else left, cuts long values with an ellipsis, and writes NULL for null. */
export function textTable(columns: readonly ResultColumn[], rows: readonly (readonly unknown[])[]): string {
  const cells = rows.map(row => row.map(cellText))
  const heads = columns.map(column => cut(column.name, MAX_WIDTH))
  // A loop, because a result may have more rows than a call can have arguments.
  const widths = heads.map((head, i) =>
    cells.reduce((widest, row) => Math.max(widest, widthOf(row[i] ?? '')), widthOf(head)),
  )
  const isRight = columns.map(column => /^(INT64|FLOAT64|NUMERIC|BIGNUMERIC)$/.test(column.type))
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, i) => pad(text, widths[i]!, isRight[i]!))
      .join('  ')
      .trimEnd()
  return [line(heads), line(widths.map(n => '-'.repeat(n))), ...cells.map(line)].join('\n') + '\n'
}

/** A table with a line for each item. `columns` has the value of each column by its name; `right` names those that are aligned right. */
export function tableOf<T>(
  items: readonly T[],
  columns: Readonly<Record<string, (item: T) => unknown>>,
  right: readonly string[] = [],
): string {
  const heads = Object.keys(columns).map(name => ({ name, type: right.includes(name) ? 'INT64' : 'STRING' }))
  const rows = items.map(item => Object.values(columns).map(read => read(item)))
  return textTable(heads, rows)
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  return cut(printable(typeof value === 'string' ? value : stringifyExact(value)), MAX_WIDTH)
}

function pad(text: string, width: number, isRight: boolean): string {
  const space = ' '.repeat(width - widthOf(text))
  return isRight ? space + text : text + space
}
