/** The chosen cell, and where keys and clicks lead. */

/** A row as it is sorted now, and a column. */
export interface Place {
  readonly row: number
  readonly column: number
}

/** The cell that holds what was clicked on; null for the header. */
export function placeOf(target: EventTarget | null): Place | null {
  const cell = target instanceof Element ? target.closest('td') : null
  const index = cell?.closest<HTMLElement>('tr[data-index]')?.dataset['index']
  return cell && index !== undefined ? { row: Number(index), column: cell.cellIndex } : null
}

/** Where a key leads; null for a key that leads nowhere. */
export function nextPlace(
  { key, ctrlKey }: KeyboardEvent,
  at: Place | null,
  { rows, columns }: { readonly rows: number; readonly columns: number },
): Place | null {
  if (rows === 0) return null
  const { row, column } = at ?? { row: 0, column: 0 }
  const steps: Readonly<Record<string, Place>> = {
    ArrowDown: { row: row + 1, column },
    ArrowUp: { row: row - 1, column },
    ArrowRight: { row, column: column + 1 },
    ArrowLeft: { row, column: column - 1 },
    PageDown: { row: row + 15, column },
    PageUp: { row: row - 15, column },
    Home: { row: ctrlKey ? 0 : row, column: 0 },
    End: { row: ctrlKey ? rows - 1 : row, column: columns - 1 },
  }
  const next = steps[key]
  if (next === undefined) return null
  const within = (value: number, most: number): number => Math.min(Math.max(value, 0), most - 1)
  return { row: within(next.row, rows), column: within(next.column, columns) }
}
