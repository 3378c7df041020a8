/** Prints the rows of files that cannot be read. */
import { type BadRow, badRowLine } from '../../runner/engines/duckdb/tables/rows/row-stream.js'
import type { Io } from '../terminal/io.js'

/** Reading stops after this many bad rows, unless a file takes them: further ones mostly have the same cause. */
export const MAX_BAD_ROWS = 100
/** The most rows with one cause that are printed. */
const MOST_ALIKE = 10

/** Prints the first rows of each cause (the same file, path and expectation), and counts the others. */
export function printBadRows(rows: readonly BadRow[], { printError }: Pick<Io, 'printError'>): void {
  const causes = new Map<string, { readonly last: BadRow; readonly count: number }>()
  for (const row of rows) {
    const cause = JSON.stringify([row.file, row.path, row.expected])
    const count = (causes.get(cause)?.count ?? 0) + 1
    causes.set(cause, { last: row, count })
    if (count <= MOST_ALIKE) printError(`${badRowLine(row)}\n`)
  }
  for (const { last, count } of causes.values()) {
    if (count > MOST_ALIKE) printError(`and ${count - MOST_ALIKE} more like it; the last is ${badRowLine(last)}\n`)
  }
}
