/** Formats rows as a text table for a terminal. */
import type { ResultColumn } from '../../runner/model/query.js'

const MAX_WIDTH = 60

/** Aligns numbers right and everything else left, cuts long values with an ellipsis, and writes NULL for null. */
export function textTable(columns: readonly ResultColumn[], rows: readonly (readonly unknown[])[]): string {
  const cells = rows.map(row => row.map(cellText))
  const heads = columns.map(column => cut(column.name))
  // A loop, since a result has more rows than a call can have arguments.
  const widths = heads.map((head, i) =>
    cells.reduce((widest, row) => Math.max(widest, width(row[i] ?? '')), width(head)),
  )
  const isRight = columns.map(column => /^(INT64|FLOAT64|NUMERIC|BIGNUMERIC)$/.test(column.type))
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, i) => pad(text, widths[i]!, isRight[i]!))
      .join('  ')
      .trimEnd()
  return [line(heads), line(widths.map(n => '-'.repeat(n))), ...cells.map(line)].join('\n') + '\n'
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return cut(text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, visibleControl))
}

/** Makes a control character visible, so that the terminal does not act on it. */
const visibleControl = (character: string): string =>
  character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const width = (text: string): number => [...text].length

function cut(text: string): string {
  const characters = [...text]
  return characters.length > MAX_WIDTH ? `${characters.slice(0, MAX_WIDTH - 1).join('')}…` : text
}

function pad(text: string, to: number, isRight: boolean): string {
  const space = ' '.repeat(to - width(text))
  return isRight ? space + text : text + space
}
