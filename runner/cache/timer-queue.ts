/** A queue of items by due time with one timer for all: ten thousand timers would need more memory than the items. */
import type { Clock } from '../model/ports.js'

/** The longest timer; an item that is due later is checked again when it fires. */
const LONGEST_MS = 2 ** 30

export interface Due {
  /** Milliseconds since 1970; must not change while the item is in the queue. */
  readonly dueAt: number
}

export interface TimerQueue<T> {
  add(item: T): void
  /** Removes the items for which `isKept` is false. */
  keep(isKept: (item: T) => boolean): void
  /** Removes all items. */
  clear(): void
}

/** Passes due items to `onDue`, earliest first, in batches. */
export function createTimerQueue<T extends Due>(clock: Clock, onDue: (due: readonly T[]) => void): TimerQueue<T> {
  /** A binary heap: each item is due no later than its two children. */
  const heap: T[] = []
  let timerAt = Infinity
  let cancelTimer = (): void => {}

  function insert(item: T): void {
    let place = heap.length
    while (place > 0) {
      const above = (place - 1) >> 1
      if (heap[above]!.dueAt <= item.dueAt) break
      heap[place] = heap[above]!
      place = above
    }
    heap[place] = item
  }

  function takeFirst(): T {
    const first = heap[0]!
    const last = heap.pop()!
    let place = 0
    for (let below = 1; below < heap.length; below = 2 * place + 1) {
      if (below + 1 < heap.length && heap[below + 1]!.dueAt < heap[below]!.dueAt) below += 1
      if (last.dueAt <= heap[below]!.dueAt) break
      heap[place] = heap[below]!
      place = below
    }
    if (heap.length > 0) heap[place] = last
    return first
  }

  function setTimer(): void {
    const first = heap[0]
    if (!first || first.dueAt >= timerAt) return
    cancelTimer()
    timerAt = first.dueAt
    cancelTimer = clock.after(Math.min(LONGEST_MS, Math.max(0, timerAt - clock.nowMs())), passDue)
  }

  function passDue(): void {
    timerAt = Infinity
    const due: T[] = []
    while (heap[0] && heap[0].dueAt <= clock.nowMs()) due.push(takeFirst())
    if (due.length > 0) onDue(due)
    setTimer()
  }

  return {
    add(item) {
      insert(item)
      setTimer()
    },
    keep(isKept) {
      // The timer is kept, and may find no due item.
      for (const item of heap.splice(0)) if (isKept(item)) insert(item)
    },
    clear() {
      heap.length = 0
      timerAt = Infinity
      cancelTimer()
    },
  }
}
