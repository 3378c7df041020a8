/** A queue that is fair between keys: a caller with many requests does not delay the others. */

export interface FairQueue<T> {
  /** Adds an item at the end, or at the head, of the items with its key. */
  readonly add: (key: string, item: T, at?: 'end' | 'head') => void
  /** Removes a waiting item; false when it is not waiting. */
  readonly remove: (key: string, item: T) => boolean
  /**
   * Takes the next item and counts it as running: from the key with the fewest running items, and among equals the one that
   * has waited longest. Null when no item may start.
   */
  readonly take: () => T | null
  /** Records that an item of this key has ended. */
  readonly release: (key: string) => void
  /** Records that no item is running any more; waiting items stay. */
  readonly releaseAll: () => void
  /** Removes and returns all waiting items. */
  readonly clear: () => readonly T[]
}

export interface FairQueueLimits {
  /** The most items that run at once. */
  readonly most: number
  /** The most running items of a key. */
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
