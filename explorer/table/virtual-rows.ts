/** Which rows are in sight. */
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import { useLayoutEffect, useState } from 'preact/hooks'

const ROW_PX = 30
/** Rows above and below those in sight. */
const OVERSCAN = 12

export type Rows = Virtualizer<HTMLDivElement, HTMLTableRowElement>

/** One for as long as the table is there; the table is drawn again when the rows in sight change. */
export function useVirtualRows(count: number, box: { readonly current: HTMLDivElement | null }): Rows {
  const [, draw] = useState(0)
  const options = {
    count,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    // The header covers the first row of the box.
    scrollPaddingStart: 46,
    paddingEnd: 0,
    onChange: () => draw(n => n + 1),
  } as const
  const [virtualizer] = useState<Rows>(() => new Virtualizer<HTMLDivElement, HTMLTableRowElement>(options))
  virtualizer.setOptions(options)
  useLayoutEffect(() => virtualizer._didMount(), [])
  useLayoutEffect(() => virtualizer._willUpdate())
  return virtualizer
}

/** Rows with an open cell are as high as it needs; all others have one height, and are never measured. */
export function measureOpenRows(box: HTMLElement | null, virtualizer: Rows): void {
  for (const row of box?.querySelectorAll<HTMLElement>('tr[data-index]') ?? []) {
    virtualizer.resizeItem(Number(row.dataset['index']), row.classList.contains('is-open') ? row.offsetHeight : ROW_PX)
  }
}
