/** The chosen cell in full, and what can be copied of it. */
import type { Column } from '../api/contract.js'
import type { Row } from '../state/call.js'
import { copyText, jsonText } from '../value/cell.js'
import { timeText, type Zone } from '../value/times.js'
import { kindOf } from '../value/types.js'
import { CopyButton } from '../view/copy.js'
import type { Place } from './place.js'

/** A longer text is copied whole, but not shown whole. */
const MAX_SHOWN = 20_000

interface ActiveCellProps {
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  /** The places of sorted rows; null where they are as they came. */
  readonly order: readonly number[] | null
  readonly place: Place
  readonly zone: Zone
}

export function ActiveCell({ columns, rows, order, place, zone }: ActiveCellProps) {
  const row = rows[order?.[place.row] ?? place.row]
  const column = columns[place.column]
  if (row === undefined || column === undefined) return null
  const value = row[place.column]
  const text = kindOf(column.type) === 'time' && value !== null ? timeText(column.type, value, zone) : copyText(value)
  const record = (): string => jsonText(Object.fromEntries(columns.map(({ name }, i) => [name, row[i]])))
  const values = (): string => rows.map((_, i) => copyText(rows[order?.[i] ?? i]![place.column])).join('\n')
  return (
    <section class="active-cell" aria-label="Chosen cell">
      <div class="row">
        <strong>{column.name}</strong>
        <span class="muted">row {place.row + 1}</span>
        <span class="space" />
        <CopyButton what="of this cell" label="Copy cell" text={() => copyText(value)} />
        <CopyButton what="as JSON" label="Copy row" text={record} />
        <CopyButton what="a value a line" label="Copy column" text={values} />
      </div>
      {value === null || value === undefined ? (
        <p class="null">NULL</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <pre tabIndex={0}>
          <bdi>{text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}</bdi>
        </pre>
      )}
    </section>
  )
}
