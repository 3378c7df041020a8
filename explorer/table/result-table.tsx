/** The rows of a result. Only those in sight are in the document. */
import { useSignal } from '@preact/signals'
import { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { Column } from '../api/contract.js'
import type { Row } from '../state/call.js'
import { zone } from '../state/preferences.js'
import { kindOf } from '../value/types.js'
import { ActiveCell } from './active-cell.js'
import { Cell } from './cell.js'
import { orderOf, type Sorting } from './order.js'
import { nextPlace, type Place, placeOf } from './place.js'
import { measureOpenRows, useVirtualRows } from './virtual-rows.js'
import { columnWidths } from './widths.js'

interface TableProps {
  /** Those of another result are other objects. */
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  /** The number of all rows, of which `rows` may be the first. */
  readonly total: number
  /** Called when the last of `rows` comes into sight. */
  readonly onEnd: () => void
}

export function ResultTable({ columns, rows, total, onEnd }: TableProps) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const sorting = useSignal<Sorting | null>(null)
  const active = useSignal<Place | null>(null)
  /** `row column` of each nested cell that is open; rows by their places in the result. */
  const open = useSignal<ReadonlySet<string>>(new Set())
  const widths = useMemo(() => columnWidths(columns, rows), [columns, rows])
  const sorted = sorting.value
  const order = useMemo(
    () => (sorted === null ? null : orderOf(rows, columns[sorted.column]!.type, sorted)),
    [rows, columns, sorted],
  )
  const placeAt = (index: number): number => order?.[index] ?? index
  const virtualizer = useVirtualRows(rows.length, box)

  useLayoutEffect(() => {
    active.value = null
    open.value = new Set()
    sorting.value = null
    virtualizer.measure()
    box.current?.scrollTo(0, 0)
  }, [columns])
  useLayoutEffect(() => virtualizer.measure(), [sorted])

  const items = virtualizer.getVirtualItems()
  const isAtEnd = items.at(-1)?.index === rows.length - 1
  useEffect(() => {
    if (isAtEnd) onEnd()
  }, [isAtEnd, rows])
  const measure = (): void =>
    queueMicrotask(() => requestAnimationFrame(() => measureOpenRows(box.current, virtualizer)))
  const toggle = ({ row, column }: Place): void => {
    const key = `${placeAt(row)} ${column}`
    const next = new Set(open.value)
    if (!next.delete(key)) next.add(key)
    open.value = next
    measure()
  }
  const move = (place: Place): void => {
    active.value = place
    virtualizer.scrollToIndex(place.row)
    scrollToColumn(box.current, place.column)
  }
  const onKey = (event: KeyboardEvent): void => {
    const at = active.value
    if (event.target !== event.currentTarget || event.altKey) return
    const next = nextPlace(event, at, { rows: rows.length, columns: columns.length })
    if (next) move(next)
    else if (at && (event.key === 'Enter' || event.key === ' ') && !event.ctrlKey) toggle(at)
    else return
    event.preventDefault()
  }
  const last = items.at(-1)
  const idOf = ({ row, column }: Place): string => `${id}-${row}-${column}`
  const isInSight = active.value !== null && items.some(({ index }) => index === active.value?.row)
  return (
    <div class="table">
      <div class="table-box" ref={box}>
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the arrow keys move between its cells
          role="grid"
          aria-label="Result"
          aria-rowcount={total + 1}
          aria-colcount={columns.length}
          tabIndex={0}
          aria-activedescendant={isInSight ? idOf(active.value!) : undefined}
          style={{ width: `max(100%, ${widths.reduce((sum, width) => sum + width, 0)}px)` }}
          onKeyDown={onKey}
          onClick={event => {
            active.value = placeOf(event.target) ?? active.value
          }}
          onFocus={event => {
            if (event.target === event.currentTarget && active.value === null && rows.length > 0) {
              active.value = { row: items[0]?.index ?? 0, column: 0 }
            }
          }}
        >
          <colgroup>
            {widths.map((width, i) => (
              <col key={i} style={{ width: `${width}px` }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column, i) => (
                <Head
                  key={i}
                  column={column}
                  sorted={sorted?.column === i ? sorted : null}
                  sort={() => {
                    sorting.value = nextSorting(sorted, i)
                  }}
                />
              ))}
            </tr>
          </thead>
          <Space px={items[0]?.start ?? 0} columns={columns.length} />
          <tbody>
            {items.map(({ index }) => {
              const row = rows[placeAt(index)]!
              const isOpen = columns.some((_, i) => open.value.has(`${placeAt(index)} ${i}`))
              return (
                <tr
                  key={placeAt(index)}
                  aria-rowindex={index + 2}
                  data-index={index}
                  class={isOpen ? 'is-open' : undefined}
                >
                  {columns.map(({ type }, i) => (
                    <Cell
                      key={i}
                      id={idOf({ row: index, column: i })}
                      type={type}
                      value={row[i]}
                      zone={zone.value}
                      isActive={active.value?.row === index && active.value.column === i}
                      isOpen={isOpen && open.value.has(`${placeAt(index)} ${i}`)}
                      toggle={() => toggle({ row: index, column: i })}
                      onResize={measure}
                    />
                  ))}
                </tr>
              )
            })}
          </tbody>
          <Space px={last ? virtualizer.getTotalSize() - last.end : 0} columns={columns.length} />
        </table>
      </div>
      {active.value && (
        <ActiveCell columns={columns} rows={rows} order={order} place={active.value} zone={zone.value} />
      )}
    </div>
  )
}

/** Takes the space of rows that are not in the document. */
function Space({ px, columns }: { px: number; columns: number }) {
  if (px <= 0) return null
  return (
    <tbody role="presentation" aria-hidden="true">
      <tr>
        <td class="space" colSpan={columns} style={{ height: `${px}px` }} />
      </tr>
    </tbody>
  )
}

interface HeadProps {
  readonly column: Column
  readonly sorted: Sorting | null
  readonly sort: () => void
}

function Head({ column: { name, type, unit, description }, sorted, sort }: HeadProps) {
  const direction = sorted === null ? undefined : sorted.isDescending ? 'descending' : 'ascending'
  return (
    <th scope="col" class={kindOf(type) === 'number' ? 'number' : undefined} aria-sort={direction}>
      <button type="button" onClick={sort} title={description || undefined}>
        <span class="name">{name}</span>
        <span class="arrow" aria-hidden="true">
          {sorted === null ? '' : sorted.isDescending ? '↓' : '↑'}
        </span>
        <span class="type">
          {type}
          {unit !== undefined && <span class="unit"> {unit}</span>}
        </span>
      </button>
    </th>
  )
}

/** A click sorts up, then down, then as the rows came. */
function nextSorting(now: Sorting | null, column: number): Sorting | null {
  if (now?.column !== column) return { column, isDescending: false }
  return now.isDescending ? null : { column, isDescending: true }
}

function scrollToColumn(box: HTMLElement | null, column: number): void {
  const head = box?.querySelectorAll<HTMLElement>('thead th')[column]
  if (!box || !head) return
  if (head.offsetLeft < box.scrollLeft) box.scrollLeft = head.offsetLeft
  const right = head.offsetLeft + head.offsetWidth
  if (right > box.scrollLeft + box.clientWidth) box.scrollLeft = right - box.clientWidth
}
