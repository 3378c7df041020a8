/** Joins the texts of cells into rows, and rows into a body, for each result format. */
import type { EngineFormat } from '../model/query.js'

/** The texts before, between and after the rows of a body, and the writer of a row. */
export interface RowWriter {
  readonly head: string
  readonly separator: string
  readonly tail: string
  /**
   * One row, from the texts of its cells in column order: JSON texts, or for CSV plain texts with null for NULL. The caller
   * may reuse the array.
   */
  readonly row: (cells: readonly (string | null)[]) => string
}

/** The texts before each value of a JSON object with these names: `{"a":`, then `,"b":`. */
export function objectKeys(names: readonly string[]): readonly string[] {
  return names.map((name, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)
}

export function compileRowWriter(columnNames: readonly string[], format: EngineFormat): RowWriter {
  switch (format) {
    case 'json':
      return { head: '{"result":[', separator: ',', tail: ']}', row: objectRow(columnNames) }
    case 'ndjson': {
      const row = objectRow(columnNames)
      return { head: '', separator: '', tail: '', row: cells => `${row(cells)}\n` }
    }
    case 'arrays':
      return { head: '[', separator: ',', tail: ']', row: cells => `[${cells.join(',')}]` }
    case 'csv':
      return { head: csvLine(columnNames), separator: '', tail: '', row: csvLine }
    default:
      return format satisfies never
  }
}

function objectRow(names: readonly string[]): (cells: readonly (string | null)[]) => string {
  const keys = objectKeys(names)
  if (keys.length === 0) return () => '{}'
  return cells => {
    let text = ''
    for (let i = 0; i < keys.length; i++) text += keys[i]! + cells[i]!
    return `${text}}`
  }
}

// RFC 4180: lines end in CRLF. NULL is an empty cell; the empty string is a pair of quotes.
function csvLine(cells: readonly (string | null)[]): string {
  let line = ''
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i]!
    if (i > 0) line += ','
    if (cell !== null) line += cell === '' || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
  }
  return `${line}\r\n`
}
