/** Decides whose turn it is, so that nobody who asks for much keeps the others waiting. */

export interface FairQueue<T> {
  /** At the end of those with its key, or at their head. */
  readonly add: (key: string, item: T, at?: 'end' | 'head') => void
  /** False when it does not wait (any more). */
  readonly remove: (key: string, item: T) => boolean
  /**
   * The next item, now running: of the key of which the fewest run, among those the one that waits longest. Null when
   * nothing waits or may begin.
   */
  readonly take: () => T | null
  /** One of this key has ended. */
  readonly release: (key: string) => void
  /** Nothing runs any more; what waits still does. */
  readonly releaseAll: () => void
  /** Everything that waits, which then does so no longer. */
  readonly clear: () => readonly T[]
}

export interface FairQueueLimits {
  /** How many run at once. */
  readonly most: number
  /** How many of them may be of this key. */
  readonly mostOf: (key: string) => number
}

interface Waiting<T> {
  readonly turn: number
  readonly item: T
}

export function fairQueue<T>({ most, mostOf }: FairQueueLimits): FairQueue<T> {
  const waiting = new Map<string, Waiting<T>[]>()
  const running = new Map<string, number>()
  let runningAll = 0
  let nextTurn = 1
  let headTurn = 0
  const runningOf = (key: string): number => running.get(key) ?? 0

  const nextKey = (): string | null => {
    let best: string | null = null
    for (const [key, items] of waiting) {
      if (runningOf(key) >= mostOf(key)) continue
      const lead = best === null ? -1 : runningOf(key) - runningOf(best)
      if (best === null || lead < 0 || (lead === 0 && items[0]!.turn < waiting.get(best)![0]!.turn)) best = key
    }
    return best
  }

  const without = (key: string, index: number): T => {
    const items = waiting.get(key)!
    const [taken] = items.splice(index, 1)
    if (items.length === 0) waiting.delete(key)
    return taken!.item
  }

  return {
    add: (key, item, at = 'end') => {
      const items = waiting.get(key) ?? []
      const entry = { turn: at === 'head' ? --headTurn : nextTurn++, item }
      if (at === 'head') items.unshift(entry)
      else items.push(entry)
      waiting.set(key, items)
    },
    remove: (key, item) => {
      const index = waiting.get(key)?.findIndex(entry => entry.item === item) ?? -1
      if (index < 0) return false
      without(key, index)
      return true
    },
    take: () => {
      const key = runningAll < most ? nextKey() : null
      if (key === null) return null
      running.set(key, runningOf(key) + 1)
      runningAll++
      return without(key, 0)
    },
    release: key => {
      runningAll--
      if (runningOf(key) <= 1) running.delete(key)
      else running.set(key, runningOf(key) - 1)
    },
    releaseAll: () => {
      running.clear()
      runningAll = 0
    },
    clear: () => {
      const items = [...waiting.values()].flat().map(entry => entry.item)
      waiting.clear()
      return items
    },
  }
}
