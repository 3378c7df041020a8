/** A queue that is fair to callers, and to the endpoints of a caller: many items of one caller do not delay those of another. */

import type { Waiters } from './waiters.js'

/** The caller and the endpoint that an item counts for. */
export interface Share {
  readonly caller: string
  readonly endpoint: string
  /** Further callers, for one of whom the item may count instead. */
  readonly waiters?: Waiters
}

export interface FairQueueLimits {
  /** The most items that run at once. */
  readonly maxRunning: number
  /** The most running items of a caller. */
  readonly maxOfCaller: number
  /** The most running items of one endpoint of a caller. */
  readonly maxOfEndpoint: number
}

interface Entry<T> {
  readonly share: Share
  readonly item: T
}

interface Running {
  readonly share: Share
  /** The caller for whom the item counts. */
  readonly caller: string
}

export class FairQueue<T> {
  readonly #limits: FairQueueLimits
  /** In the order of arrival. */
  #waiting: Entry<T>[] = []
  #running: Running[] = []

  constructor(limits: FairQueueLimits) {
    this.#limits = limits
  }

  add(share: Share, item: T): void {
    this.#waiting.push({ share, item })
  }

  /** Removes an item if it is waiting. */
  remove(item: T): void {
    this.#waiting = this.#waiting.filter(entry => entry.item !== item)
  }

  /**
   * Takes the next item and counts it as running; null when no item may start. The caller with the fewest running items is next, then its
   * endpoint with the fewest running items, then the item that has waited longest.
   */
  take(): T | null {
    const { maxRunning, maxOfCaller, maxOfEndpoint } = this.#limits
    if (this.#running.length >= maxRunning) return null
    let next: (Entry<T> & Running) | null = null
    let [fewest, fewestOfEndpoint] = [Infinity, Infinity]
    for (const entry of this.#waiting) {
      const { endpoint, waiters } = entry.share
      for (const caller of new Set([entry.share.caller, ...(waiters?.tokens ?? [])])) {
        const ofCaller = this.#running.filter(running => running.caller === caller)
        const ofEndpoint = ofCaller.filter(({ share }) => share.endpoint === endpoint).length
        if (ofCaller.length >= maxOfCaller || ofEndpoint >= maxOfEndpoint) continue
        const isFirst = ofCaller.length < fewest || (ofCaller.length === fewest && ofEndpoint < fewestOfEndpoint)
        if (isFirst) [next, fewest, fewestOfEndpoint] = [{ ...entry, caller }, ofCaller.length, ofEndpoint]
      }
    }
    if (next === null) return null
    this.remove(next.item)
    this.#running.push(next)
    return next.item
  }

  /** Records that the item that was added with this share has ended. */
  release(share: Share): void {
    const index = this.#running.findIndex(running => running.share === share)
    if (index >= 0) this.#running.splice(index, 1)
  }

  /** Records that no item is running any more; waiting items stay. */
  releaseAll(): void {
    this.#running = []
  }

  /** Removes and returns all waiting items. */
  clear(): readonly T[] {
    return this.#waiting.splice(0).map(({ item }) => item)
  }
}

/** Two threads, of which a caller uses one, so that its large results do not hold up those of another. */
export const ONE_OF_CALLER: FairQueueLimits = { maxRunning: 2, maxOfCaller: 1, maxOfEndpoint: 1 }

/** The turns of a fair queue, each of which lasts until it is ended. */
export class FairTurns {
  readonly #queue: FairQueue<() => void>

  constructor(limits: FairQueueLimits) {
    this.#queue = new FairQueue(limits)
  }

  /** Waits for a turn of the share, and returns the function that ends it. @throws the reason of the signal, where it fires before the turn. */
  begin(share: Share, signal?: AbortSignal): Promise<() => void> {
    const end = (): void => {
      this.#queue.release(share)
      this.#beginNext()
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#queue.remove(begin)
        reject(signal!.reason)
      }
      const begin = (): void => {
        signal?.removeEventListener('abort', leave)
        resolve(end)
      }
      if (signal?.aborted) return leave()
      signal?.addEventListener('abort', leave, { once: true })
      this.#queue.add(share, begin)
      if (share.waiters) share.waiters.onJoin = () => this.#beginNext()
      this.#beginNext()
    })
  }

  /** Waits for a turn of the share, and then does the work. @throws what the work throws */
  async run<T>(share: Share, work: () => Promise<T>): Promise<T> {
    const end = await this.begin(share)
    try {
      return await work()
    } finally {
      end()
    }
  }

  /** Begins all turns that wait. */
  beginAll(): void {
    for (const begin of this.#queue.clear()) begin()
  }

  #beginNext(): void {
    for (let begin = this.#queue.take(); begin !== null; begin = this.#queue.take()) begin()
  }
}
